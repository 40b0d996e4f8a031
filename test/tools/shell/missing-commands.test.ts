// What the shell says about commands that it does not have, wherever a command is looked for.
import { getCommandNames } from "just-bash/browser";
import { describe, expect, test } from "vitest";
import { MISSING_COMMANDS, NO_ALTERNATIVES } from "../../../core/tools/shell/missing-commands.ts";
import { createFileBench } from "../../support/file-bench.ts";
import { createNodeSql } from "../../support/bindings/node-sql.ts";

async function run(command: string, tools: string[] = [], hasMachine = false) {
  const bench = createFileBench(createNodeSql(), {
    maxResultChars: 100_000,
    alternatives: { isOffered: (name) => tools.includes(name), hasMachine },
  });
  const { result } = await bench.call("terminal", { command });
  return result as { exit_code: number; stdout: string; stderr: string };
}

const PYTHON = "there is no Python here: use awk, sed and jq.\n";

test.each(MISSING_COMMANDS.map((row) => [row.names[0]!, row] as const))(
  "the row of %s: each command ends with 127 and one sentence",
  async (_first, { names, sentence }) => {
    const { stdout, stderr } = await run(names.map((name) => `${name} -x 1 > out; echo $?`).join("\n"));
    expect(stdout).toBe("127\n".repeat(names.length));
    const said = sentence(NO_ALTERNATIVES);
    expect(stderr).toBe(names.map((name) => `bash: ${name}: command not found: ${said}\n`).join(""));
    expect(said).toMatch(/^[a-z][^.]*(\.[^.]*)*\.$/);
    expect(said).not.toMatch(
      /[a-z]_[a-z]|backend host|\b(patch|terminal|process|todo|memory)\b|browser environments|Exclude/,
    );
  },
);

test("no command has two rows, and none that the shell has", () => {
  const names = MISSING_COMMANDS.flatMap((row) => row.names);
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  expect(names.filter((name) => (getCommandNames() as string[]).includes(name))).toEqual([]);
});

test("tools are named where the session has them", async () => {
  const all = ["execute_code", "web_extract", "patch", "write_file", "read_file"];
  expect((await run("python3 a.py", all)).stderr).toContain("write it in JavaScript with execute_code, or use awk");
  expect((await run("node a.js", all)).stderr).toBe(
    "bash: node: command not found: this shell does not run JavaScript: call the tool execute_code instead.\n",
  );
  expect((await run("curl https://example.com", all)).stderr).toContain("read a page with web_extract");
  expect((await run("vim a", all)).stderr).toContain("change a file with patch, or write_file, or sed -i");
  expect((await run("vim a", ["patch"])).stderr).toContain("change a file with patch, or sed -i");
  expect((await run("less a", all)).stderr).toContain("or read_file.");
  for (const { sentence } of MISSING_COMMANDS)
    expect(sentence({ isOffered: () => true, hasMachine: true }).length).toBeLessThan(220);
});

test("a session on a real machine is named where there is one", async () => {
  const machine = "a session on a real machine (backend host) has it.\n";
  const said = async (command: string, hasMachine: boolean) =>
    (await run(command, [], hasMachine)).stderr.replace(/^.*not found: /, "");
  expect(await said("python3 a.py", true)).toBe(`there is no Python here: use awk, sed and jq; ${machine}`);
  expect(await said("gcc a.c", true)).toBe(`nothing can be compiled or built here: ${machine}`);
  expect(await said("gcc a.c", false)).toBe(
    "nothing can be compiled or built here: tell the person that it cannot be done here.\n",
  );
});

describe("a missing command is explained", () => {
  test.each([
    ["in a pipe", "echo a | python3 | cat", "", 0],
    ["in a pipe that merges both streams", "python3 2>&1 | cat", `bash: python3: command not found: ${PYTHON}`, 0],
    ["in a substitution", 'x=$(python3 -c 1); echo "[$x] $?"', "[] 127\n", 0],
    ["after env", "env A=1 python3 x", "", 127],
    ["after timeout", "timeout 5 python3 x", "", 127],
    ["after xargs", "echo a | xargs python3", "", 127],
    ["after exec", "exec python3", "", 127],
    ["in another shell", "bash -c 'python3 x'", "", 127],
    ["in a function", "f() { python3; }; f", "", 127],
    ["in a subshell", "(python3)", "", 127],
    ["in a condition", "if python3; then echo yes; else echo no; fi", "no\n", 0],
    ["with a here-document", "python3 <<X\nprint(1)\nX", "", 127],
    ["by its path", "/usr/bin/python3 x", "", 127],
    [
      "as the interpreter of a script",
      "printf '#!/usr/bin/env python3\\nprint(1)\\n' > a.py; chmod +x a.py; ./a.py",
      "",
      127,
    ],
    ["as an interpreter with options", "printf '#!/usr/bin/env -S python3 -u\\nx\\n' > a; chmod +x a; ./a", "", 127],
    ["by command -v", "command -v python3 || echo none", "none\n", 0],
    ["by which", "which python3 || echo none", "none\n", 0],
    ["when it is found out first", "if ! command -v python3 >/dev/null 2>&1; then echo none; fi", "none\n", 0],
  ])("%s", async (how, command, stdout, exit_code) => {
    const ended = await run(command);
    expect({ stdout: ended.stdout, exit_code: ended.exit_code }).toEqual({ stdout, exit_code });
    const isHidden = /2>&1/.test(command);
    expect(how && ended.stderr.endsWith(PYTHON)).toBe(!isHidden);
  });
});

test("scripts of the shell still run, whatever shell they name", async () => {
  const script = (first: string) => `printf '${first}\\necho ran\\n' > s; chmod +x s; ./s`;
  for (const first of ["#!/bin/sh", "#!/usr/bin/env bash", "#!/bin/bash -e", "#!/usr/bin/env -S bash -eu"]) {
    expect(await run(script(first))).toMatchObject({ exit_code: 0, stdout: "ran\n", stderr: "" });
  }
  expect(await run(script("#!/usr/bin/python3"))).toMatchObject({ exit_code: 127, stdout: "" });
});

test("an unknown command names what exists nearby, and nothing when nothing does", async () => {
  expect((await run("grpe x")).stderr).toMatch(/^bash: grpe: command not found: did you mean grep/);
  expect((await run("ehco x")).stderr).toBe("bash: ehco: command not found: did you mean echo?\n");
  expect((await run("frobnicate")).stderr).toBe("bash: frobnicate: command not found\n");
  expect((await run("/opt/tool")).stderr).toBe("bash: /opt/tool: No such file or directory\n");
  expect((await run("./none.sh")).stderr).toBe("bash: ./none.sh: No such file or directory\n");
});

test("a command with & runs to its end, and one line says so", async () => {
  expect(await run("echo a & echo b & wait; echo c")).toEqual({
    exit_code: 0,
    stdout: "a\nb\nc\n",
    stderr: "bash: &: there are no background jobs here: the command before it ran to its end first.\n",
  });
});
