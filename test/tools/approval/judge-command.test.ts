// The rules for commands against a table that was written before them: what must never run, what a person must allow, and what
// people do all day. Prints how many of each are judged wrongly.
import { describe, expect, it } from "vitest";
import { gateCommand } from "../../../core/tools/approval/command-gate.ts";
import { judgeCommand } from "../../../core/tools/approval/command-rules/judge-command.ts";
import { quoteWord } from "../../../core/tools/approval/command-rules/unwrap.ts";
import { DANGEROUS, HARDLINE, HONEST, NOT_RUN } from "./commands-table.ts";

const verdicts = (commands: string[], wanted: string) =>
  commands.filter((command) => judgeCommand(command).verdict !== wanted);

describe("the rules for commands", () => {
  it("have no miss and no false alarm in the table", () => {
    const wrong = {
      hardline: verdicts(HARDLINE, "refuse"),
      misses: [...verdicts(DANGEROUS, "ask"), ...NOT_RUN.filter((command) => judgeCommand(command).verdict === "run")],
      falseAlarms: verdicts(HONEST, "run"),
    };
    const counts = Object.entries(wrong).map(([kind, commands]) => `${kind}: ${commands.length}`);
    const stopped = HARDLINE.length + DANGEROUS.length + NOT_RUN.length;
    console.log(`${stopped} dangerous, ${HONEST.length} honest commands; judged wrongly: ${counts.join(", ")}`);
    expect(stopped + HONEST.length).toBeGreaterThan(250);
    expect(wrong).toEqual({ hardline: [], misses: [], falseAlarms: [] });
  });

  it("give each finding an id and a sentence", () => {
    const found = DANGEROUS.flatMap((command) => {
      const judged = judgeCommand(command);
      return judged.verdict === "ask" ? judged.findings : [];
    });
    expect(found.filter(({ rule, sentence }) => !/^[a-z][a-z-]+$/.test(rule) || !/^[A-Z].*\.$/.test(sentence))).toEqual(
      [],
    );
    expect(new Set(found.map(({ rule }) => rule)).size).toBeGreaterThan(40);
  });

  it("refuse a command that is too long or too deep to be judged", () => {
    const long = `echo ${"x".repeat(20_000)}`;
    const deep = Array.from({ length: 9 }).reduce<string>((script) => `bash -c ${quoteWord(script)}`, "ls");
    for (const command of [long, deep]) {
      expect(judgeCommand(command)).toMatchObject({ verdict: "refuse", finding: { rule: "too-complex" } });
    }
    expect(judgeCommand("bash -c 'bash -c ls'")).toEqual({ verdict: "run" });
  });

  it("read what deceives a reader as a shell reads it", () => {
    for (const command of [
      "\u001b[31mrm\u001b[0m -rf /",
      "r\u0000m -rf /",
      "r\u200bm -rf /",
      "rm -rf \\\n/",
      "ｒｍ －ｒｆ /",
    ]) {
      expect([command, judgeCommand(command).verdict]).toEqual([command, "refuse"]);
    }
  });

  it.each([
    "echo \u001b]; rm -rf build; echo \u0007",
    "echo ＂; rm -rf build; echo ＂",
    "echo ＇; rm -rf build; echo ＇",
    "ls # note \\\nrm -rf build",
    "echo a\u00a0#; rm -rf build",
    "echo a\u200b#; rm -rf build",
    "echo a ＃; rm -rf build",
  ])("find the command that a shell reads and a reader does not: %j", (command) => {
    expect(judgeCommand(command)).toMatchObject({ verdict: "ask", findings: [{ rule: "delete-forced" }] });
  });

  it.each([
    ["npx rimraf build", "delete-forced"],
    ["npx -c 'rm -rf build'", "delete-forced"],
    ["npm exec -- rm -rf build", "delete-forced"],
    ["pnpm exec rm -rf build", "delete-forced"],
    ["poetry run bash -c 'rm -rf build'", "delete-forced"],
    ["uv run --quiet rm -rf build", "delete-forced"],
    ["git grep -O'rm -rf build' x", "hidden-program"],
    ["git fetch --upload-pack='rm -rf build' .", "hidden-program"],
    ["git clone ext::'sh -c rm% -rf% build' x", "hidden-program"],
    ["rg --pre ./x y", "hidden-program"],
    ["go test -exec 'rm -rf build' ./...", "hidden-program"],
    ["make test --eval='$(shell rm -rf build)'", "hidden-program"],
    ["npm test --script-shell=./x", "hidden-program"],
    ["find . -fprint ~/.bashrc", "write-shell"],
    ["git log --output=.git/hooks/pre-commit", "write-git"],
  ])("look behind the program that starts another one: %s", (command, rule) => {
    const judged = judgeCommand(command);
    expect(judged.verdict === "ask" && judged.findings.map((finding) => finding.rule)).toContain(rule);
  });

  it("judge the input of a shell and of an interpreter, and no other", () => {
    expect(judgeCommand("bash", "rm -rf /").verdict).toBe("refuse");
    expect(judgeCommand("sudo sh -s", "rm -rf build").verdict).toBe("ask");
    expect(judgeCommand("python3 -", "import shutil; shutil.rmtree('x')").verdict).toBe("ask");
    expect(judgeCommand("cat", "rm -rf /").verdict).toBe("run");
    expect(judgeCommand("bash", `${"ls\n".repeat(8_000)}rm -rf build`).verdict).toBe("ask");
    expect(judgeCommand("cat", "x".repeat(100_000)).verdict).toBe("run");
    for (const reader of ["ls; bash", "xargs -0 sh -c", 'read x; eval "$x"']) {
      expect([reader, judgeCommand(reader, "rm -rf build").verdict]).toEqual([reader, "ask"]);
    }
    expect(judgeCommand("source /dev/stdin", "rm -rf build").verdict).toBe("ask");
    expect(judgeCommand(". /proc/self/fd/0", "rm -rf build").verdict).toBe("ask");
  });

  it("take linear time on hostile texts", () => {
    const started = performance.now();
    for (const piece of [
      "rm -",
      "'",
      '"',
      "$(",
      "\\",
      "a=",
      "{a,b}",
      "../",
      "--x ",
      "|",
      "<<A\n",
      "\u001b[0",
      "a|",
      "echo x | ",
      "echo a;",
      "find . -exec ",
      "find . -exec rm {} + ",
      "sudo ",
      "eval '",
      "npx ",
    ]) {
      judgeCommand(piece.repeat(Math.floor(19_000 / piece.length)));
    }
    expect(performance.now() - started).toBeLessThan(20_000);
    expect(judgeCommand("x".repeat(100_000)).verdict).toBe("refuse");
  });
});

describe("what a person may allow for longer", () => {
  const allowance = (command: string) => {
    const gate = gateCommand(command);
    return gate.verdict === "ask" ? gate.allowance : null;
  };

  it("is the exact command, never one that only looks like it", () => {
    expect(allowance("rm -rf  build")).toEqual({ exact: "rm -rf  build" });
    expect(allowance("rm -rf \\\nbuild")).toEqual({ exact: "rm -rf \\\nbuild" });
    expect(allowance("rm -rf ｂuild")).toEqual({ exact: "rm -rf ｂuild" });
    expect(allowance("rm -rf bu\u200bild")).toEqual({ exact: "rm -rf bu\u200bild" });
  });

  it.each([
    ["npm test -- --watch", "npm test"],
    ["npm run lint", "npm run lint"],
    ["git status -s", "git status"],
    ["python -m pytest -q", "python -m pytest"],
    ["ls -la src", "ls"],
    ["npm publish", undefined],
    ["npm test && ls", undefined],
    ["npm test > out", undefined],
    ["npm test $X", undefined],
    ["A=b npm test", undefined],
    ["./npm test", undefined],
    ["bash run.sh", undefined],
    ["git -C x status", undefined],
    ["cat $(ls)", undefined],
    ["npm test; curl a.example", undefined],
    ["npm test $(curl a.example)", undefined],
    ["npm test `curl a.example`", undefined],
    ['npm test "$(curl a.example)"', undefined],
    ["npm test <(curl a.example)", undefined],
    ["npm test ${x:-$(curl a.example)}", undefined],
    ["npm test & curl a.example", undefined],
    ["npm test\ncurl a.example", undefined],
    ["npm test -- --x > ~/.bashrc", undefined],
    ["npm test --script-shell=./x", undefined],
    ["ｎｐｍ test", undefined],
    ["n\u200bpm test", undefined],
    ["nр\u043c test", undefined],
    ["ls # note \\\nrm -rf build", undefined],
    ["ls \u001b]; rm -rf build; echo \u0007", undefined],
    ["uv run python x.py", undefined],
    ["poetry run bash x.sh", undefined],
    ["git log --output=.env", undefined],
  ])("is for %j also the family %j", (command, family) => {
    expect(allowance(command)?.family).toBe(family);
  });
});
