// Files that instruct the agent: the agent cannot change them with any command, and their owner can.
import { describe, expect, test } from "vitest";
import { toTypePattern, isInstructionFile, mayHoldInstructions } from "../../core/workspace/instruction-files.ts";
import { createFileBench } from "../support/file-bench.ts";
import { createNodeSql } from "../support/bindings/node-sql.ts";

const SENTENCE = "EPERM: this file instructs the agent";
const FILES = [".cursor/rules/x.mdc", "AGENTS.md"];

function bench() {
  const made = createFileBench(createNodeSql());
  for (const path of FILES) made.put(path, "the person's\n");
  made.put("evil", "evil\n");
  return {
    ...made,
    run: async (command: string) => (await made.call("terminal", { command })).result as Record<string, string>,
    /** The instruction files there are, with writer and text. */
    state: () =>
      made.workspace
        .list()
        .filter((file) => isInstructionFile(`/${file.path}`))
        .map(({ path, writer }) => `${path} ${writer} ${new TextDecoder().decode(made.workspace.read(path)!)}`),
  };
}

const UNTOUCHED = FILES.map((path) => `${path} principal the person's\n`);

describe("a command of the agent next to instruction files", () => {
  test.each([
    "echo x > AGENTS.md",
    "echo x >> AGENTS.md",
    "echo x > ./sub/../agents.MD",
    "cd /; echo x > work/SOUL.md",
    "tee CLAUDE.md <<< x",
    "sed -i s/person/agent/ AGENTS.md",
    "cp evil AGENTS.md",
    "cp evil .TALARIA.md",
    "cp evil .hermes.md",
    "mv evil HERMES.md",
    "mv evil AGENTS.md",
    "mv AGENTS.md notes.md",
    "rm AGENTS.md",
    "rm -rf .cursor",
    "rm -rf .cursor/rules",
    "rm -rf *",
    "rm -rf .[a-z]*",
    "find . -name 'AGENTS*' -delete",
    "ln -s /work/evil TALARIA.md",
    "ln -sf /work/evil AGENTS.md",
    "ln -s /work/AGENTS.md l; echo x > l",
    "ln -s /work/AGENTS.md l; echo x >> l",
    "ln -s /work/.cursor/rules r; echo x > r/y.mdc",
    "touch .cursorrules",
    "mkdir CLAUDE.md",
    "echo x > .cursor/rules/y.mdc",
    "mkdir -p d/rules; echo x > d/rules/y.mdc; mv d .CURSOR",
    "mkdir -p d/rules; echo x > d/rules/y.mdc; cp -r d .Cursor",
    "mkdir d; echo x > d/y.mdc; mv d .cursor/Rules",
    "mkdir -p .Cursor; mkdir d; echo x > d/y.mdc; mv d .Cursor/rules",
    "mv .cursor elsewhere",
    "gzip AGENTS.md",
    "sort evil -o AGENTS.md",
    `awk 'BEGIN { print "x" > "AGENTS.md" }'`,
  ])("%s changes none of them, and fails with the reason", async (command) => {
    const { run, state } = bench();
    const { stderr } = await run(command);
    expect(state()).toEqual(UNTOUCHED);
    expect(stderr).toContain(SENTENCE);
    expect(stderr!.split(SENTENCE).length - 1).toBeLessThanOrEqual(2);
  });

  test.each([
    "cat AGENTS.md; grep person .cursor/rules/x.mdc; cp AGENTS.md copy.md",
    "mkdir -p docs && echo x > docs/AGENTS.md && mv docs/AGENTS.md docs/CLAUDE.md && rm docs/CLAUDE.md",
    "echo x > .cursor/settings.json && rm .cursor/settings.json",
    "mkdir -p .cursor/rules",
    "echo x > AGENTS.md.bak",
    "rm -f SOUL.md",
  ])("%s is allowed", async (command) => {
    const { run, state } = bench();
    expect(await run(command)).toMatchObject({ exit_code: 0, stderr: "" });
    expect(state()).toEqual(UNTOUCHED);
  });

  test("a refused removal keeps earlier removals of the same call", async () => {
    const { run, workspace } = bench();
    await run("rm -rf .cursor");
    expect(workspace.list().map((file) => file.path)).toEqual([...FILES, "evil"].sort());
  });
});

describe("the owner of instruction files", () => {
  test("writes and removes them", () => {
    const { put, workspace, state } = bench();
    put("AGENTS.md", "new\n");
    expect([workspace.remove(".cursor"), state()]).toEqual([true, ["AGENTS.md principal new\n"]]);
  });
});

test.each([
  ["/AGENTS.md", "/agents.md", true],
  ["/.cursor/rules/A.MDC", "/.cursor/rules/*.mdc", true],
  ["/.cursor/rules/deep/a.mdc", "/.cursor/rules/deep/a.mdc", false],
  ["/docs/agents.md", "/docs/agents.md", false],
  ["/Soul.md", "/soul.md", true],
])("%s has the form %s, and is an instruction file: %s", (path, form, isInstruction) => {
  expect([toTypePattern(path), isInstructionFile(path)]).toEqual([form, isInstruction]);
});

test.each([
  ["/", true],
  ["/.Cursor", true],
  ["/.cursor/rules", true],
  ["/.cursor/rules/deep", false],
  ["/.cursors", false],
])("%s may hold instruction files: %s", (path, may) => expect(mayHoldInstructions(path)).toBe(may));
