// A change of an instruction file, from the agent's call to the person's decision: requested once, decided once, and kept
// through crashes.
import { describe, expect, test } from "vitest";
import { renderParts } from "../../../core/agent/tool-result.ts";
import { decideApproval, listApprovals, openApproval } from "../../../core/session/approvals/approvals.ts";
import { createFileChanges } from "../../../core/session/approvals/file-changes.ts";
import type { EngineContext } from "../../../core/session/context.ts";
import { takeNotes } from "../../../core/session/prompt/notes.ts";
import { sessionTools } from "../../../core/session/turn/session-tools.ts";
import { textOf } from "../../../core/schemas/entry.ts";
import { PowerCut, beginTurn, createEngineContext } from "../../support/session/engine-context.ts";

const OLD = "Use tabs.\n";
const NEW = "Use spaces.\n";

type Approvals = ReturnType<typeof createApprovals>;

function createApprovals(context: EngineContext) {
  return {
    ...createFileChanges(context),
    list: () => listApprovals(context),
    open: (id: string) => openApproval(context, id),
    decide: (id: string, approve: boolean) => decideApproval(context, id, { approve }),
  };
}

function setUp() {
  const world = createEngineContext();
  const context = world.open();
  context.workspace.putAsPrincipal("AGENTS.md", new TextEncoder().encode(OLD));
  return { ...world, context, approvals: createApprovals(context) };
}

/** Calls the tool as the loop does. */
async function write(context: EngineContext, op: string, path: string, content: string) {
  const tool = sessionTools(context, "").find(({ name }) => name === "write_file")!;
  const signal = new AbortController().signal;
  const { failed, parts } = await tool.run({ path, content }, { op, prepared: {}, signal });
  const result: Record<string, unknown> = { failed, ...(JSON.parse(renderParts(parts)) as object) };
  return result;
}

const held = ({ workspace }: EngineContext, path = "AGENTS.md") => {
  const bytes = workspace.read(path);
  return bytes && [new TextDecoder().decode(bytes), workspace.statFile(path)?.writer];
};
const states = (approvals: Approvals) =>
  approvals.list().map((one) => `${one.kind === "file" ? one.path : ""} ${one.state}`);

describe("a write of an instruction file", () => {
  test("waits for the person, changes nothing, and is not a failure", async () => {
    const { context, approvals, clock } = setUp();
    const result = await write(context, "s-1:2", "./AGENTS.md", NEW);
    const id = approvals.list()[0]!.id;
    expect(result).toEqual({
      ...{ failed: false, code: "approval_needed", approval: id, state: "waiting", path: "AGENTS.md", bytes: 12 },
      next: expect.stringContaining("the person decides"),
    });
    expect(held(context)).toEqual([OLD, "principal"]);
    const info = {
      id,
      kind: "file",
      path: "AGENTS.md",
      state: "waiting",
      size: 12,
      askedAt: clock.now(),
      decidedAt: null,
    };
    expect(approvals.list()).toEqual([info]);
    expect(approvals.open(id)).toEqual({ ok: true, value: { ...info, content: NEW, current: OLD } });
  });

  test("that does not exist yet also waits", async () => {
    const { context, approvals } = setUp();
    await write(context, "op", ".cursor/rules/a.mdc", NEW);
    expect(states(approvals)).toEqual([".cursor/rules/a.mdc waiting"]);
    expect(approvals.open(approvals.list()[0]!.id)).toMatchObject({ value: { current: null } });
  });

  test("that is repeated finds its own request, in every state", async () => {
    const { context, approvals } = setUp();
    const first = await write(context, "op", "AGENTS.md", NEW);
    expect(await write(context, "op", "AGENTS.md", NEW)).toEqual(first);
    await approvals.decide(first.approval as string, false);
    expect(await write(context, "op", "AGENTS.md", NEW)).toMatchObject({ approval: first.approval, state: "refused" });
    expect(states(approvals)).toEqual(["AGENTS.md refused"]);
  });

  test("with the current content of the person's file makes no request", async () => {
    const { context, approvals } = setUp();
    expect(await write(context, "op", "AGENTS.md", OLD)).toEqual({
      ...{ failed: false, path: "AGENTS.md", bytes: 10, created: false },
    });
    expect(approvals.list()).toEqual([]);
  });

  test("replaces only an older request for the same file", async () => {
    const { context, approvals, clock } = setUp();
    const first = await write(context, "1", "AGENTS.md", NEW);
    clock.advance(1);
    await write(context, "2", "CLAUDE.md", NEW);
    clock.advance(1);
    await write(context, "3", "AGENTS.md", "Use both.\n");
    expect(states(approvals)).toEqual(["AGENTS.md replaced", "CLAUDE.md waiting", "AGENTS.md waiting"]);
    expect(await approvals.decide(first.approval as string, true)).toMatchObject({
      failure: { code: "approval_replaced" },
    });
    expect(held(context)).toEqual([OLD, "principal"]);
  });

  test("through a link makes a request for the file itself", async () => {
    const { context, approvals } = setUp();
    await context.workspace.symlink("/work/AGENTS.md", "/link.md");
    expect(await write(context, "op", "link.md", NEW)).toMatchObject({ failed: true, code: "bad_path" });
    expect([approvals.list(), held(context)]).toEqual([[], [OLD, "principal"]]);
  });

  test("is refused with an explanation if it is too large, or if twenty requests wait", async () => {
    const { context, approvals } = setUp();
    expect(await write(context, "big", "AGENTS.md", "x".repeat(200_001))).toMatchObject({ code: "file_too_large" });
    for (let i = 0; i < 20; i++) await write(context, `op${i}`, `.cursor/rules/${i}.mdc`, NEW);
    expect(await write(context, "more", "AGENTS.md", NEW)).toMatchObject({ failed: true, code: "too_many_approvals" });
    expect(await write(context, "again", ".cursor/rules/3.mdc", "Other.\n")).toMatchObject({ state: "waiting" });
    expect(approvals.list().filter(({ state }) => state === "waiting")).toHaveLength(20);
  });
});

describe("a decision", () => {
  test("to approve makes the content the person's own, once", async () => {
    const { context, approvals, clock } = setUp();
    const { approval } = await write(context, "op", "AGENTS.md", NEW);
    clock.advance(5);
    const decided = await approvals.decide(approval as string, true);
    expect(decided).toMatchObject({ ok: true, value: { state: "approved", decidedAt: clock.now() } });
    expect(held(context)).toEqual([NEW, "principal"]);
    context.workspace.putAsPrincipal("AGENTS.md", new TextEncoder().encode("Mine.\n"));
    expect(await approvals.decide(approval as string, true)).toEqual(decided);
    expect(held(context)).toEqual(["Mine.\n", "principal"]);
    expect(await approvals.decide(approval as string, false)).toMatchObject({ failure: { code: "approval_decided" } });
    expect(approvals.open(approval as string)).toMatchObject({ value: { content: null, current: "Mine.\n" } });
  });

  test("to refuse drops the content", async () => {
    const { context, approvals } = setUp();
    const { approval } = await write(context, "op", "AGENTS.md", NEW);
    expect(await approvals.decide(approval as string, false)).toMatchObject({ value: { state: "refused" } });
    expect(approvals.open(approval as string)).toMatchObject({ value: { content: null } });
    expect(held(context)).toEqual([OLD, "principal"]);
  });

  test("on a request that does not exist is refused", async () => {
    const { approvals } = setUp();
    expect(await approvals.decide("0".repeat(20), true)).toMatchObject({ failure: { code: "approval_not_found" } });
    expect(approvals.open("0".repeat(20))).toMatchObject({ failure: { code: "approval_not_found" } });
  });

  test("that cannot be carried out leaves the change waiting", async () => {
    const { context, approvals } = setUp();
    const { approval } = await write(context, "op", ".cursor/rules/a.mdc", NEW);
    await context.workspace.writeFile("/.cursor/rules", "in the way");
    expect(await approvals.decide(approval as string, true)).toMatchObject({ failure: { code: "bad_path" } });
    expect(states(approvals)).toEqual([".cursor/rules/a.mdc waiting"]);
  });

  test("is reported to the model with its next turn, once", async () => {
    const { context, approvals } = setUp();
    const yes = await write(context, "1", "AGENTS.md", NEW);
    const no = await write(context, "2", "CLAUDE.md", NEW);
    await approvals.decide(yes.approval as string, true);
    await approvals.decide(no.approval as string, false);
    const note = takeNotes(context, beginTurn(context));
    expect(note?.parts.map((part) => part.source)).toEqual(["outcome"]);
    expect(textOf(note!)).toMatch(
      /approved your change of AGENTS\.md: .*\n- The person refused your change of CLAUDE\.md: /,
    );
    expect(takeNotes(context, beginTurn(context))).toBeNull();
  });

  test("that crashes at any write is made whole or not at all, with its note, and can be repeated", async () => {
    let crashes = 0;
    for (let crashAt = 1; ; crashAt++) {
      const { open, context } = setUp();
      const { approval } = await write(context, "op", "AGENTS.md", NEW);
      const decide = (life: EngineContext) => createApprovals(life).decide(approval as string, true);
      try {
        await decide(open({ crashAt }));
        break;
      } catch (error) {
        expect(error).toBeInstanceOf(PowerCut);
        crashes++;
      }
      const after = open();
      expect(held(after)).toEqual([OLD, "principal"]);
      expect(states(createApprovals(after))).toEqual(["AGENTS.md waiting"]);
      expect(await decide(after)).toMatchObject({ value: { state: "approved" } });
      expect(held(after)).toEqual([NEW, "principal"]);
      expect(textOf(takeNotes(after, beginTurn(after))!).match(/approved/g)).toHaveLength(1);
    }
    expect(crashes).toBeGreaterThan(2);
  });
});

test("the newest fifty decided changes are kept", async () => {
  const { context, approvals, clock } = setUp();
  let first = "";
  for (let i = 0; i < 60; i++) {
    clock.advance(1);
    const { approval } = await write(context, `op${i}`, "AGENTS.md", `${i}\n`);
    first ||= approval as string;
    await approvals.decide(approval as string, false);
  }
  expect(approvals.list()).toHaveLength(50);
  expect(approvals.open(first)).toMatchObject({ ok: false, failure: { code: "approval_not_found" } });
  expect(approvals.list().at(-1)).toMatchObject({ askedAt: clock.now() });
});
