// What a shell run writes to SQLite: counted at the Sql port, in rows written and in bytes of their values.
import { describe, expect, test } from "vitest";
import type { Sql } from "../../core/ports.ts";
import { CALL_WRITES, createWriteBudget } from "../../core/workspace/write-budget.ts";
import { runShell } from "../../core/tools/shell/shell.ts";
import { createFileBench } from "../support/file-bench.ts";
import { createNodeSql } from "../support/bindings/node-sql.ts";

function counted() {
  const sql = createNodeSql();
  const written = { rows: 0, bytes: 0 };
  const counting: Sql = {
    run(query, ...values) {
      if (/^(INSERT|UPDATE|DELETE)/.test(query)) {
        written.rows++;
        for (const value of values) if (value instanceof Uint8Array) written.bytes += value.length;
      }
      return sql.run(query, ...values);
    },
    transaction: (work) => sql.transaction(work),
  };
  const made = createFileBench(counting);
  const run = async (command: string) => {
    Object.assign(written, { rows: 0, bytes: 0 });
    return (await made.call("terminal", { command, timeout_ms: 30_000 })).result;
  };
  return { ...made, sql, written, run };
}

const text = (bytes: Uint8Array | null) => new TextDecoder().decode(bytes ?? undefined);

describe("appending in a loop", () => {
  test("writes each line once, and does not rewrite the end of the file for each", async () => {
    const { run, written, workspace } = counted();
    const result = await run("for i in {1..200}; do echo line $i >> f; done; wc -l f");
    expect(result).toMatchObject({ exit_code: 0, stdout: "200 f\n" });
    const size = workspace.statFile("f")!.size;
    expect(written.bytes).toBeLessThan(2 * size);
    expect(written.rows).toBeLessThan(20);
    expect(text(workspace.read("f")).split("\n").slice(-3)).toEqual(["line 199", "line 200", ""]);
  });

  test("to a large file writes only the new bytes", async () => {
    const { run, written, put } = counted();
    put("f", "x".repeat(3_000_000));
    await run("for i in {1..50}; do echo $i >> f; done; tail -n 1 f");
    expect(written.bytes).toBeLessThan(10_000);
  });

  test("to several files in turn is buffered for each", async () => {
    const { run, written, workspace } = counted();
    await run("for i in {1..30}; do echo a$i >> a; echo b$i >> b; [ -s a ] && echo c >> c; done");
    expect(written.rows).toBeLessThan(20);
    expect(["a", "b", "c"].map((path) => text(workspace.read(path)).split("\n").length)).toEqual([31, 31, 31]);
  });

  test("is read back between appends", async () => {
    const { run } = counted();
    const { stdout } = await run(
      "for i in 1 2 3; do echo $i >> f; wc -c < f; stat -c %s f; done; cat f; cp f g; cat g",
    );
    expect(stdout).toBe("2\n2\n4\n4\n6\n6\n1\n2\n3\n1\n2\n3\n");
  });

  test("by awk also writes each line once", async () => {
    const { run, written, workspace } = counted();
    await run(`awk 'BEGIN{for(i=0;i<500;i++) print "line " i > "o"}'`);
    expect(workspace.statFile("o")!.size).toBe(4_390);
    expect(written.bytes).toBeLessThan(10_000);
  });

  test("keeps what was written if the command is stopped or fails", async () => {
    const { call, workspace } = counted();
    const { result } = await call("terminal", { command: "for i in 1 2 3; do echo x >> f; done; seq 1 1000000000" });
    expect(result).toMatchObject({ code: "command_limit" });
    expect(workspace.statFile("f")!.size).toBe(6);
    await call("terminal", { command: "echo a > g; echo b >> g; echo c >> g; exit 3" });
    expect(text(workspace.read("g"))).toBe("a\nb\nc\n");
  });

  test("makes parts of any size, which later writes replace", async () => {
    const { run, sql, workspace } = counted();
    await run("for i in {1..8}; do printf '%9000s' $i >> f; wc -c < f; done");
    expect(sql.run("SELECT count(*) AS n FROM file_part")).not.toEqual([{ n: 1 }]);
    await run("echo short > f");
    expect(sql.run("SELECT length(data) AS bytes FROM file_part")).toEqual([{ bytes: 6 }]);
    expect(text(workspace.read("f"))).toBe("short\n");
  });
});

describe("the write budget", () => {
  const shell = async (command: string, turn: { bytes: number; rows: number }) => {
    const made = counted();
    const turnBudget = createWriteBudget("turn", turn);
    const { signal } = new AbortController();
    const result = await runShell(command, { workspace: made.workspace, signal, timeoutMs: 5_000, turnBudget });
    return { ...made, result };
  };

  test("stops endless writing, and keeps what was written", async () => {
    const { result, written, workspace } = await shell(
      "for i in {1..50}; do printf '%9000s' $i > next && mv next copy; done; echo after; echo x > new",
      { bytes: 50_000, rows: 1_000 },
    );
    expect(result).toMatchObject({ stopped: "writes", exitCode: 1, stdout: "after\n" });
    expect(result.stderr).toContain("EDQUOT: this turn has used its write budget (50000 bytes and 1000 rows");
    expect(written.bytes).toBeLessThanOrEqual(50_000);
    expect(workspace.statFile("copy")!.size).toBe(9_000);
  });

  test("counts rows: modes, folders and removals", async () => {
    const { result, written } = await shell(
      "mkdir d; for i in {1..30}; do echo x > d/$i; chmod 600 d/$i; done; rm -r d; true",
      { bytes: 1e6, rows: 100 },
    );
    expect(result).toMatchObject({ stopped: "writes", exitCode: 1 });
    expect(written.rows).toBeLessThanOrEqual(200);
  });

  test("that is spent by the final flush is reported as a failure", async () => {
    const { result, workspace } = await shell("echo start > f; for i in {1..50}; do echo $i >> f; done", {
      bytes: 20,
      rows: 1_000,
    });
    expect(result).toMatchObject({ stopped: "writes", exitCode: 1 });
    expect(text(workspace.read("f"))).toBe("start\n");
  });

  test("of a call is reported with a code", async () => {
    const { run, put, written } = counted();
    // No two of its parts are alike, wherever the cuts are.
    put(
      "big",
      Array.from({ length: 1_300_000 }, (_, i) => i)
        .join("\n")
        .slice(0, 9_999_990),
    );
    const result = await run("for i in {1..11}; do echo $i | cat - big > copy; done");
    expect(result).toMatchObject({ code: "write_limit", error: expect.stringContaining("another call") });
    expect(written.bytes).toBeLessThanOrEqual(CALL_WRITES.bytes);
  }, 30_000);

  test("of a turn is shared by its calls", () => {
    const turn = createWriteBudget("turn", { bytes: 150, rows: 100 });
    const call = () => createWriteBudget("call", { bytes: 100, rows: 50 }, turn);
    call().charge(100, 1, "/f");
    const second = call();
    expect(() => second.charge(60, 1, "/f")).toThrow(/EDQUOT: this turn has used its write budget/);
    expect([second.isSpent(), call().isSpent()]).toEqual([true, false]);
    expect(() => call().charge(1, 60, "/f")).toThrow(/EDQUOT: this call has used its write budget/);
  });

  test("of a turn also applies to write_file", () => {
    const { workspace } = counted();
    const budget = createWriteBudget("turn", { bytes: 10, rows: 100 });
    const put = (content: string) => workspace.putAsAgent("f", new TextEncoder().encode(content), "own", budget);
    expect(put("12345678")).toMatchObject({ ok: true });
    expect(put("12345678")).toMatchObject({ ok: true }); // the same bytes are not written again
    expect(put("87654321")).toMatchObject({ ok: false, failure: { code: "write_limit" } });
  });
});
