// The file tools in workerd, over the SQLite of a real Durable Object.
import { expect, test } from "vitest";
import type { Sql } from "../../../core/ports.ts";
import type { Settings } from "../../../core/schemas/settings.ts";
import { withDurableSql } from "../../support/bindings/durable-sql.ts";
import { type FileBench, createFileBench, toTable } from "../../support/file-bench.ts";

/** Each call gets tools of its own over the same object. */
function inObject(turn: Partial<Settings["turn"]>, ...works: ((bench: FileBench) => Promise<void>)[]): Promise<void> {
  return withDurableSql(...works.map((work) => (sql: Sql) => work(createFileBench(sql, turn))));
}

test("what one call writes, later calls of other tools and workspaces can read", { timeout: 30_000 }, async () => {
  await inObject(
    {},
    async ({ call }) => {
      const { result } = await call("terminal", {
        command: "mkdir -p out; printf 'a;b\\n1;2\\n' > out/t.csv; echo t > /tmp/t",
      });
      expect(result).toEqual({ exit_code: 0, stdout: "", stderr: "" });
    },
    async ({ call, workspace }) => {
      expect((await call("read_file", { path: "out/t.csv" })).result.content).toBe("a;b\n1;2\n");
      expect((await call("search_files", { pattern: "^1;" })).result.lines).toEqual(["out/t.csv:2:1;2"]);
      expect(
        (await call("terminal", { command: "awk -F';' 'NR > 1 {print $1 + $2}' out/t.csv; ls /tmp" })).result.stdout,
      ).toBe("3\n");
      expect(workspace.list()).toEqual([{ path: "out/t.csv", size: 8, writer: "content" }]);
    },
  );
});

test("awk reads a table of 3,000 records with quotes and decimal commas", { timeout: 30_000 }, async () => {
  await inObject({}, async ({ put, call }) => {
    put("t.csv", toTable(3_000));
    const command = `awk -F';' 'function number(s) { gsub(/\\./, "", s); sub(/,/, ".", s); return s + 0 }
      NR > 1 { gsub(/"[^"]*"/, "q"); n++; sum += number($3) }
      END { printf "%d %.2f\\n", n, sum / n; if (n != 3000) exit 3 }' t.csv`;
    expect((await call("terminal", { command })).result).toEqual({ exit_code: 0, stdout: "3000 500.00\n", stderr: "" });
  });
});

test.each(["while :; do :; done", "awk 'BEGIN { while (1) i++ }'", "f() { f; }; f", "jq -n '[range(1e9)] | length'"])(
  "the runaway %j is stopped",
  { timeout: 60_000 },
  async (command) => {
    await inObject({}, async ({ call }) => {
      const { failed, result } = await call("terminal", { command });
      expect({ failed, code: result.code }).toEqual({ failed: true, code: "command_limit" });
    });
  },
);

test("a full workspace and a file too large are refused in the shell and in write_file", async () => {
  await inObject({ maxFileBytes: 100, maxWorkspaceBytes: 150 }, async ({ call, put, workspace }) => {
    put("a", "x".repeat(100));
    const shell = await call("terminal", { command: "seq 1 100 > big" });
    expect(shell.result.stderr).toContain("EFBIG: file too large");
    const full = await call("write_file", { path: "b", content: "y".repeat(51) });
    expect(full.result.code).toBe("workspace_full");
    expect(workspace.read("a")?.length).toBe(100);
  });
});

test("a file of megabytes is stored in parts and read back whole", async () => {
  await inObject({}, async ({ workspace }) => {
    const big = Uint8Array.from({ length: (3 << 20) + 5 }, (_, i) => i % 253);
    expect(workspace.putAsPrincipal("big.bin", big)).toEqual({
      ok: true,
      value: { path: "big.bin", size: big.length },
    });
    const read = workspace.read("big.bin");
    expect(read?.length === big.length && read.every((byte, i) => byte === big[i])).toBe(true);
  });
});
