// The terminal in Node: what a command sees and which output is returned. terminal.workers.test.ts repeats the main cases in
// workerd.
import { describe, expect, test } from "vitest";
import { createFileBench, toTable } from "../../support/file-bench.ts";
import { createNodeSql } from "../../support/bindings/node-sql.ts";

function bench(maxResultChars = 100_000) {
  const made = createFileBench(createNodeSql(), { maxResultChars });
  const run = async (command: string) => {
    const { failed, result } = await made.call("terminal", { command });
    return { failed, ...result };
  };
  return { ...made, run };
}

describe("terminal", () => {
  test("half a surrogate pair in the output becomes a character that every provider accepts", async () => {
    const run = await bench().run(`awk 'BEGIN{print substr("😀",1,1)}'; printf '\\ud800' >&2`);
    expect(run).toEqual({ failed: false, exit_code: 0, stdout: "\ufffd\n", stderr: "\ufffd" });
  });

  test("output is labelled as content, and the exit code as outcome", async () => {
    expect(await bench().call("terminal", { command: "echo out; echo err >&2" })).toEqual({
      failed: false,
      result: { exit_code: 0, stdout: "out\n", stderr: "err\n" },
      sources: { outcome: ["exit_code"], content: ["stdout", "stderr"] },
    });
  });

  test.each([
    ["exit 3", { failed: true, exit_code: 3, stdout: "", stderr: "" }],
    ["false", { failed: true, exit_code: 1, stdout: "", stderr: "" }],
    ["false; echo fine", { failed: false, exit_code: 0, stdout: "fine\n", stderr: "" }],
    ["cat none", { failed: true, exit_code: 1, stdout: "", stderr: "cat: none: No such file or directory\n" }],
    ["python3 -V", { failed: true, exit_code: 127 }],
    [
      "curl http://example.com",
      { failed: true, exit_code: 127, stderr: expect.stringMatching(/^bash: curl: command not found: /) },
    ],
    ["pwd; cd; pwd; echo ~", { failed: false, stdout: "/work\n/work\n/work\n" }],
    ["cat <<X\n  kept\n\tas it is\nX", { failed: false, stdout: "  kept\n\tas it is\n" }],
    ["cat <<\\X\n  $kept\nX", { failed: false, stdout: "  $kept\n" }],
    ["echo 'open", { failed: true, exit_code: 2 }],
    ["echo x > new/deep; cat new/deep", { failed: false, stdout: "x\n" }],
    ["echo x > /work; echo after", { failed: false, stdout: "after\n" }],
    ["ls /; cat /etc/passwd", { failed: true, stdout: "dev\ntmp\nwork\n" }],
  ])("%j ends as in a shell", async (command, expected) => {
    expect(await bench().run(command)).toMatchObject(expected);
  });

  test("files are kept after a call, and variables and the current folder are not", async () => {
    const { run } = bench();
    await run("x=1; cd /tmp; echo t > t; mkdir -p /work/d; echo f > /work/d/f");
    expect(await run("echo [$x]; pwd; cat d/f; ls /tmp")).toMatchObject({ stdout: "[]\n/work\nf\n" });
  });

  test("long output keeps its start and its end, and errors keep room of their own", async () => {
    const { run } = bench(2_000);
    const shown = await run("seq 1 2000; echo problem >&2; seq 1 2000 >&2");
    expect(shown).toMatchObject({ failed: false, exit_code: 0, truncated: true });
    expect(shown).toMatchObject({
      stdout: expect.stringMatching(/^1\n2\n[^]*\n\[\.\.\. \d+ characters left out \.\.\.\]\n[^]*\n2000\n$/),
      stderr: expect.stringMatching(/^problem\n1\n[^]*characters left out[^]*\n2000\n$/),
    });
    expect(JSON.stringify(shown).length).toBeLessThanOrEqual(2_000);
  });

  // terminal.workers.test.ts has the loops of awk and jq, `while`, and a function that calls itself.
  test.each(["until false; do x=1; done", "f() { f | f & }; f", "seq 1 1000000000", "echo x | sed ':a;ba'"])(
    "the runaway command %j is stopped by a counter",
    { timeout: 60_000 },
    async (command) => {
      const stopped = await bench().run(command);
      const error = expect.stringContaining("limit of this shell");
      expect(stopped).toMatchObject({ failed: true, code: "command_limit", error });
      expect(JSON.stringify(stopped)).not.toContain("executionLimits");
    },
  );

  test("a command that times out reports it, and keeps what it wrote", async () => {
    const { call, workspace } = bench();
    const { failed, result } = await call("terminal", { command: "echo a > a; sleep 60", timeout_ms: 20 });
    expect({ failed, code: result.code, exit: result.exit_code }).toEqual({
      failed: true,
      code: "timed_out",
      exit: 124,
    });
    expect(workspace.list().map((file) => file.path)).toEqual(["a"]);
  });

  test("a cancelled command reports it", async () => {
    const controller = new AbortController();
    const running = bench().call("terminal", { command: "sleep 60" }, controller.signal);
    controller.abort();
    const { failed, result } = await running;
    expect({ failed, code: result.code }).toEqual({ failed: true, code: "aborted" });
  });

  test("a full workspace ends the command with that reason", async () => {
    const { call } = createFileBench(createNodeSql(), { maxWorkspaceBytes: 100 });
    const { failed, result } = await call("terminal", { command: "while :; do echo 0123456789 >> log; done" });
    expect(failed).toBe(true);
    expect(result.stderr).toContain("ENOSPC: no space left on device (99 of 100 bytes are used; remove files first)");
  });

  test("bytes that are not UTF-8 pass through pipes and files unchanged", async () => {
    const { put, run, workspace } = bench();
    put("latin.txt", Uint8Array.from([0x63, 0x61, 0x66, 0xe9, 0x0a]));
    await run("cat latin.txt | cat > copy.txt; cp latin.txt copy2.txt; cat latin.txt >> copy2.txt");
    expect(Array.from(workspace.read("copy.txt") ?? [])).toEqual([0x63, 0x61, 0x66, 0xe9, 0x0a]);
    expect(workspace.read("copy2.txt")?.length).toBe(10);
  });

  test.each([
    ["awk -F'|' '{print $2}' p", "b\n"],
    ["awk -F '|' 'NR == 1 {print NF}' p", "3\n"],
    ["awk 'BEGIN {FS = \"|\"} {print $3}' p", "c\n"],
    ["awk '{print $1}' FS='|' p", "a\n"],
    ["echo '{print $2}' > q; awk -F'|' -f q p", "b\n"],
    ["cat p | awk -F. '{print NF}'", "1\n"],
    ['awk -v n=4 \'BEGIN {printf "%5.1f|%-3s|%d\\n", n / 3, "x", 7.9}\'', "  1.3|x  |7\n"],
    ['awk \'BEGIN {n = split("a1b22c", p, /[0-9]+/); print n, p[3], toupper(substr("hello", 2, 3))}\'', "3 c ELL\n"],
    ['awk \'BEGIN {while ((getline line < "p") > 0) print "<" line ">"}\'', "<a|b|c>\n"],
    ['awk \'BEGIN {print "o" > "/dev/stdout"}\'', "o\n"],
  ])("%j works as in any awk", async (command, stdout) => {
    const { put, run } = bench();
    put("p", "a|b|c\n");
    expect(await run(command)).toEqual({ failed: false, exit_code: 0, stdout, stderr: "" });
  });

  test("awk writes to stderr and sets its exit code", async () => {
    expect(await bench().run(`awk 'BEGIN {print "row 3: odd" > "/dev/stderr"; exit 3}'`)).toEqual({
      failed: true,
      exit_code: 3,
      stdout: "",
      stderr: "row 3: odd\n",
    });
  });

  test("a table of 3,000 records with quotes and decimal commas is added up", { timeout: 30_000 }, async () => {
    const { put, run } = bench();
    put("t.csv", toTable(3_000));
    const script = `awk 'function split_quoted(line, out,  i, c, quoted, n, field) {
        for (i = 1; i <= length(line); i++) {
          c = substr(line, i, 1)
          if (c == "\\"") quoted = !quoted
          else if (c == ";" && !quoted) { out[++n] = field; field = "" }
          else field = field c
        }
        out[++n] = field
        return n
      }
      function number(text) { sub(/,/, ".", text); return text + 0 }
      NR > 1 { split_quoted($0, f); sum[f[2]] += number(f[3]); rows++ }
      END { for (k in sum) printf "%s %.1f\\n", k, sum[k]; print rows }' t.csv | sort`;
    const sums = new Map<string, number>();
    for (let i = 0; i < 3_000; i++) sums.set(`n;${i % 7}`, (sums.get(`n;${i % 7}`) ?? 0) + ((i * 37) % 1_000) + 0.5);
    const lines = [...sums].map(([name, sum]) => `${name} ${sum.toFixed(1)}`);
    expect(await run(script)).toEqual({
      failed: false,
      exit_code: 0,
      stdout: `${["3000", ...lines].sort().join("\n")}\n`,
      stderr: "",
    });
  });
});
