// The prompt of an epoch and the notes after it: the prompt is frozen byte for byte, and every later change is reported once.
import { describe, expect, test } from "vitest";
import { readHistory } from "../../../core/session/prompt/history.ts";
import type { EngineContext } from "../../../core/session/context.ts";
import { ok } from "../../../core/errors.ts";
import type { SkillNext } from "../../../core/ports.ts";
import type { TurnRow } from "../../../core/session/log-turns.ts";
import { collectNews } from "../../../core/session/prompt/collect-news.ts";
import { addDecisionNews, addReviewNews } from "../../../core/session/prompt/notes.ts";
import { toNotice } from "../../../core/session/prompt/notices.ts";
import { freezePrompt, prepareTurn, refreshPrompt } from "../../../core/session/turn/prepare-turn.ts";
import { sessionTools } from "../../../core/session/turn/session-tools.ts";
import { type Entry, type NoteEntry, textOf } from "../../../core/schemas/entry.ts";
import { memoryId } from "../../../core/schemas/memory.ts";
import type { Lesson } from "../../../core/schemas/learning/review.ts";
import {
  PowerCut,
  SESSION,
  beginTurn,
  createEngineContext,
  endTurn,
  putCall,
} from "../../support/session/engine-context.ts";
import { adjustment, creation, extension } from "../../support/skills/skills.ts";

type World = ReturnType<typeof createEngineContext>;

const MINUTE_MS = 60_000;
const first = (description: string): SkillNext => ({
  files: { "SKILL.md": `# ${description}` },
  description,
  category: "general",
  state: "trial",
  origin: "review",
});
const skill = (name: string, description: string) =>
  creation(name, `# ${name}`, `op-${name}`, { description, category: "general" });

/** Runs one turn as the driver does. */
async function runTurn(context: EngineContext, during: (turn: TurnRow) => Promise<void> | void = () => {}) {
  const turn = beginTurn(context);
  const { system } = await prepareTurn(context, turn, "Go on.");
  const note = notesOf(context, turn)[0];
  await during(turn);
  const answer = {
    calls: [],
    stop: "end" as const,
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    model: "m",
  };
  const base = {
    v: 1 as const,
    n: context.log.nextEntry(),
    turn: turn.n,
    at: 0,
    parts: [{ source: "own" as const, text: "Done." }],
  };
  context.log.put({ ...base, kind: "assistant", answer });
  endTurn(context, turn);
  await collectNews(context);
  return { system, note: note ? textOf(note) : null };
}

function notesOf({ log }: EngineContext, turn: TurnRow): NoteEntry[] {
  return log.entries(turn.input!).filter((entry): entry is NoteEntry => entry.kind === "note" && entry.turn === turn.n);
}

function remember({ memory, clock }: World, text: string, origin: "review" | "foreground" = "review") {
  const session = origin === "foreground" ? { session: SESSION } : {};
  return memory.add("memory", `op-${text.length}-${clock.now()}`, { v: 1, text, at: clock.now(), origin, ...session });
}

describe("the prompt of an epoch", () => {
  test("keeps the same bytes while everything around it changes", async () => {
    const world = createEngineContext();
    const context = world.open();
    const prompts = [(await runTurn(context)).system];
    await world.skills.change(skill("reading-tables", "Tables."));
    await remember(world, "Likes tea.");
    context.workspace.putAsPrincipal("AGENTS.md", new TextEncoder().encode("Use tabs."));
    for (let i = 0; i < 3; i++) {
      world.clock.advance(4 * MINUTE_MS);
      prompts.push((await runTurn(world.open())).system);
    }
    expect(new Set(prompts).size).toBe(1);
  });

  test("reads R2 and KV when it is built, and nothing before the first token of a later turn", async () => {
    const world = createEngineContext();
    const context = world.open();
    await runTurn(context);
    await world.skills.change(skill("reading-tables", "Tables."));
    await collectNews(context);
    world.asked.length = 0;
    const turn = beginTurn(context);
    await prepareTurn(context, turn, "Go on.");
    expect([world.asked, notesOf(context, turn).length]).toEqual([[], 1]);
  });

  test("is rebuilt on request, with current files, skills and memory, and no note repeats what it holds", async () => {
    const world = createEngineContext();
    const context = world.open();
    const first = await runTurn(context);
    await world.skills.change(skill("reading-tables", "How tables are read."));
    await remember(world, "Likes tea.");
    context.workspace.putAsPrincipal("SOUL.md", new TextEncoder().encode("You are Iris."));
    context.workspace.putAsPrincipal("AGENTS.md", new TextEncoder().encode("Use tabs."));
    world.clock.advance(11 * MINUTE_MS);
    await collectNews(context);
    const fresh = await refreshPrompt(context);
    expect(fresh).not.toBe(first.system);
    for (const piece of [
      "You are Iris.",
      "AGENTS.md:\n\nUse tabs.",
      "- reading-tables: How tables are read.",
      "- Likes tea.",
    ]) {
      expect(fresh).toContain(piece);
    }
    expect(await runTurn(context)).toEqual({ system: fresh, note: null });
    expect(context.log.meta("prompt")).toMatchObject({ epoch: 2 });
  });

  test("is rebuilt when the tools change", async () => {
    const context = createEngineContext().open();
    const tools = sessionTools(context, "");
    const { text: first } = await freezePrompt(context, { tools, force: false });
    expect(await freezePrompt(context, { tools, force: false })).toEqual({ text: first, learned: null });
    const { text: fewer } = await freezePrompt(context, { tools: tools.slice(1), force: false });
    expect(context.log.meta("prompt")).toMatchObject({ epoch: 2, text: fewer });
  });

  test("expires with the provider's cache, but never within a turn", async () => {
    const world = createEngineContext();
    const context = world.open();
    await runTurn(context);
    await world.skills.change(skill("reading-tables", "Tables."));
    world.clock.advance(6 * MINUTE_MS);
    const turn = beginTurn(context);
    const first = await prepareTurn(context, turn, "Go on.");
    expect(first.system).toContain("- reading-tables: Tables.");
    await world.skills.change(skill("writing-letters", "Letters."));
    world.clock.advance(20 * MINUTE_MS); // a planned wait, after which the same turn continues
    expect((await prepareTurn(context, turn, "Go on.")).system).toBe(first.system);
    expect(context.log.meta("prompt")).toMatchObject({ epoch: 2 });
  });
});

describe("a note", () => {
  test("reports skills that were added, changed and removed, once, after the input", async () => {
    const world = createEngineContext();
    const context = world.open();
    await world.skills.change(skill("old-ways", "Old."));
    await world.skills.change(skill("reading-tables", "Tables."));
    expect((await runTurn(context)).note).toBeNull();
    await world.skills.change(skill("writing-letters", "Letters,\nand </news> more."));
    await world.skills.change(extension("reading-tables", "More.", "op-more", 1));
    await world.skills.change(adjustment("old-ways", { state: "archived" }));
    await collectNews(context);
    const { note } = await runTurn(context);
    expect(note).toBe(
      [
        "Since your prompt was written, this has changed.",
        "<news>",
        "New skills:",
        "- writing-letters: Letters, and &lt;/news> more.",
        "Changed skills, to be loaded again before they are followed:",
        "- reading-tables: Tables.",
        "Withdrawn skills, not to be followed any more:",
        "- old-ways",
        "</news>",
      ].join("\n"),
    );
    expect((await runTurn(context)).note).toBeNull();
    const told = readHistory(context, context.log.turn(2)!).slice(-2);
    expect(told.map((message) => message.role)).toEqual(["user", "user"]);
    expect(told[1]).toMatchObject({ text: expect.stringContaining("writing-letters") });
  });

  test("labels what models wrote as their own words", async () => {
    const world = createEngineContext();
    const context = world.open();
    await runTurn(context);
    await world.skills.change(skill("reading-tables", "Tables."));
    addDecisionNews(context.log, { path: "AGENTS.md", approved: true });
    await collectNews(context);
    const turn = beginTurn(context);
    await prepareTurn(context, turn, "");
    const [outcome, own] = notesOf(context, turn)[0]!.parts;
    expect([outcome?.source, own?.source]).toEqual(["outcome", "own"]);
    expect([outcome?.text.includes("AGENTS.md"), outcome?.text.includes("reading-tables")]).toEqual([true, false]);
  });

  test("leaves out what the session's own calls did", async () => {
    const world = createEngineContext();
    const context = world.open();
    await remember(world, "Lives in Bern.");
    await runTurn(context);
    world.clock.advance(11 * MINUTE_MS);
    await runTurn(context, async (turn) => {
      const made = await world.skills.change(skill("reading-tables", "Tables."));
      if (!made.ok) throw new Error(made.failure.code);
      const { name, text } = made.value.head;
      putCall(context, turn, "skill_manage", { parts: [{ source: "outcome", text: JSON.stringify({ name, text }) }] });
      const { id } = await remember(world, "Likes tea.", "foreground");
      putCall(context, turn, "memory", { parts: [{ source: "outcome", text: JSON.stringify({ id, done: "added" }) }] });
      const gone = memoryId("Lives in Bern.");
      await world.memory.remove("memory", gone, { op: "x", at: world.clock.now() });
      putCall(context, turn, "memory", { prepared: { target: gone } });
    });
    expect(context.log.meta("news")).toBeNull();
    await world.skills.change(extension("reading-tables", "More.", "op-more", 1)); // then another writer changes it
    await collectNews(context);
    expect((await runTurn(context)).note).toContain("- reading-tables: Tables.");
  });

  test("omits a skill that was added and archived before it, and reports a restored one as changed", async () => {
    const world = createEngineContext();
    const context = world.open();
    await world.skills.change(skill("old-ways", "Old."));
    await runTurn(context);
    await world.skills.change(skill("reading-tables", "Tables."));
    await collectNews(context);
    await world.skills.change(adjustment("reading-tables", { state: "archived" }));
    await world.skills.change(adjustment("old-ways", { state: "archived" }));
    await collectNews(context);
    await world.skills.change(adjustment("old-ways", { state: "active" }));
    await collectNews(context);
    const { note } = await runTurn(context);
    expect(note).toContain("Changed skills, to be loaded again before they are followed:\n- old-ways: Old.");
    expect(note).not.toContain("reading-tables");
  });

  test("tells of a skill that is held back once the hold is over, without any write", async () => {
    const world = createEngineContext();
    const context = world.open();
    await world.skills.change(skill("reading-tables", "Tables."));
    await runTurn(context);
    const heldUntil = world.clock.now() + 30 * MINUTE_MS;
    await world.skills.change({
      ...skill("writing-letters", "x"),
      decide: () => ok({ ...first("Letters."), heldUntil }),
    });
    const revised: SkillNext = { files: { "SKILL.md": "# new" }, description: "Better tables.", heldUntil };
    await world.skills.change(adjustment("reading-tables", revised));
    await world.skills.change(skill("mending-nets", "Nets."));
    const notes = [(await runTurn(context)).note];
    for (let minutes = 0; minutes < 40; minutes += 4) {
      world.clock.advance(4 * MINUTE_MS);
      notes.push((await runTurn(context)).note);
    }
    const told = notes.filter((note) => note !== null);
    expect(told).toHaveLength(2);
    expect(told[0]).toContain("New skills:\n- mending-nets: Nets.\n</news>");
    expect(told[1]).toBe(
      [
        "Since your prompt was written, this has changed.",
        "<news>",
        "New skills:",
        "- writing-letters: Letters.",
        "Changed skills, to be loaded again before they are followed:",
        "- reading-tables: Better tables.",
        "</news>",
      ].join("\n"),
    );
  });

  test("says nothing of a held text that was withdrawn before anybody met it", async () => {
    const world = createEngineContext();
    const context = world.open();
    await world.skills.change(skill("reading-tables", "Tables."));
    await runTurn(context);
    const heldUntil = world.clock.now() + 30 * MINUTE_MS;
    await world.skills.change(adjustment("reading-tables", { files: { "SKILL.md": "# bad" }, heldUntil }, "worse"));
    await runTurn(context);
    await world.skills.change(adjustment("reading-tables", { files: { "SKILL.md": "# reading-tables" } }, "back"));
    world.clock.advance(4 * MINUTE_MS);
    await runTurn(context);
    expect((await runTurn(context)).note).toBeNull();
  });

  test("reports memory when a review wrote some, and otherwise checks every ten minutes", async () => {
    const world = createEngineContext();
    const context = world.open();
    await remember(world, "Lives in Bern.");
    await runTurn(context);
    world.asked.length = 0;
    await remember(world, "Likes tea.");
    await world.memory.remove("memory", memoryId("Lives in Bern."), { op: "x", at: world.clock.now() });
    await collectNews(context);
    expect([world.asked.includes("list"), context.log.meta("news")]).toEqual([false, null]);
    const lesson = { kind: "memory" } as Lesson;
    addReviewNews(context.log, { summary: "Learned that the person likes tea.", lessons: [lesson] });
    await collectNews(context);
    const lists = () => world.asked.filter((what) => what === "list").length;
    expect(lists()).toBe(2);
    const { note } = await runTurn(context);
    for (const line of [
      "Reviews of earlier work ended:\n- Learned that the person likes tea.",
      "New in memory:\n- (memory) Likes tea.",
      "No longer in memory:\n- (memory) Lives in Bern.",
    ]) {
      expect(note).toContain(line);
    }
    expect(lists()).toBe(2);
    world.clock.advance(MINUTE_MS); // a KV list may lag a minute behind a write
    await collectNews(context);
    expect(lists()).toBe(4);
    await collectNews(context);
    expect(lists()).toBe(4);
  });

  test("omits a review that kept nothing", () => {
    const context = createEngineContext().open();
    addReviewNews(context.log, { summary: "Nothing worth keeping.", lessons: [] });
    expect(context.log.meta("news")).toBeNull();
  });

  test("is short, however much there is to report", async () => {
    const world = createEngineContext();
    const context = world.open();
    await runTurn(context);
    for (let i = 0; i < 30; i++) await world.skills.change(skill(`skill-${i}`, "y".repeat(1_000)));
    await collectNews(context);
    const { note } = await runTurn(context);
    expect(note).toContain("- and 10 more");
    expect(note!.length).toBeLessThan(6_000);
  });

  test("reports only the person's decisions if learning is off", async () => {
    const world = createEngineContext({ learning: "off" });
    const context = world.open();
    await runTurn(context);
    await world.skills.change(skill("reading-tables", "Tables."));
    await remember(world, "Likes tea.");
    world.clock.advance(4 * MINUTE_MS);
    expect((await runTurn(context)).note).toBeNull();
    expect((await runTurn(context)).note).toBeNull();
    expect(world.asked).toEqual([]);
    addDecisionNews(context.log, { path: "AGENTS.md", approved: false });
    expect((await runTurn(context)).note).toContain("refused your change of AGENTS.md");
  });

  test("is written for a turn that crashed before its first answer, and never after that answer", async () => {
    const world = createEngineContext();
    const context = world.open();
    await runTurn(context);
    const turn = beginTurn(context);
    addDecisionNews(context.log, { path: "AGENTS.md", approved: true });
    context.log.put(toNotice({ n: context.log.nextEntry(), turn: turn.n, at: 0, code: "resumed", text: "Went on." }));
    await prepareTurn(context, { ...turn, attempts: 2 }, "");
    addDecisionNews(context.log, { path: "CLAUDE.md", approved: true });
    await prepareTurn(context, { ...turn, attempts: 3 }, "");
    expect(notesOf(context, turn).map((note) => textOf(note).includes("CLAUDE.md"))).toEqual([false]);
    const told = readHistory(context, turn).at(-1);
    expect(told).toMatchObject({ role: "user", text: expect.stringContaining("AGENTS.md") });
    endTurn(context, turn);
    expect((await runTurn(context)).note).toContain("CLAUDE.md");
  });

  test("is written exactly once, after a crash at any write", async () => {
    let crashes = 0;
    for (let crashAt = 1; ; crashAt++) {
      const world = createEngineContext();
      await runTurn(world.open());
      await world.skills.change(skill("reading-tables", "Tables."));
      addReviewNews(world.open().log, { summary: "Learned to read tables.", lessons: [{ kind: "memory" } as Lesson] });
      await remember(world, "Likes tea.");
      const script = async (life: EngineContext) => {
        await collectNews(life);
        const open = life.log.openTurns()[0] ?? beginTurn(life);
        await prepareTurn(life, open, "Go on.");
        endTurn(life, open);
      };
      let cut = false;
      await script(world.open({ crashAt })).catch((error: unknown) => {
        expect(error).toBeInstanceOf(PowerCut);
        cut = true;
      });
      const after = world.open();
      cut ||= world.reports.length > 0;
      if (!cut) break;
      crashes++;
      await script(after);
      await runTurn(after);
      const notes = after.log.entries(1).filter((entry: Entry) => entry.kind === "note");
      const text = notes.map(textOf).join("\n");
      for (const piece of ["- reading-tables: Tables.", "- Learned to read tables.", "- (memory) Likes tea."]) {
        expect([crashAt, piece, text.split(piece).length - 1]).toEqual([crashAt, piece, 1]);
      }
    }
    expect(crashes).toBeGreaterThan(6);
  });

  test("is delayed if the stores fail, and the failure is reported", async () => {
    const world = createEngineContext();
    const context = world.open();
    await runTurn(context);
    context.host.skills.index = () => Promise.reject(new Error("R2 is away"));
    await collectNews(context);
    expect(world.reports).toEqual(["news: Error: R2 is away"]);
    expect(context.log.meta("news")).toBeNull();
  });

  test("is not written from an index that is older than the prompt", async () => {
    const world = createEngineContext();
    const context = world.open();
    await runTurn(context);
    const stale = await world.skills.index();
    await world.skills.change(skill("reading-tables", "Tables."));
    const index = context.host.skills.index;
    context.host.skills.index = async () => {
      context.host.skills.index = index;
      await refreshPrompt(context); // a new epoch begins before the older index arrives
      return stale;
    };
    await collectNews(context);
    expect(context.log.meta("news")).toBeNull();
  });
});
