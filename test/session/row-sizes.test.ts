// Rows that hold what a session knows stay far below the size limit of a row, however much there is to know. A page of the log
// is limited by bytes.
import { describe, expect, it } from "vitest";
import { FIXED } from "../../core/limits.ts";
import { textOf } from "../../core/schemas/entry.ts";
import { memoryId } from "../../core/schemas/memory.ts";
import type { MemoryEntry } from "../../core/schemas/memory.ts";
import { EMPTY_INDEX } from "../../core/schemas/skill.ts";
import { collectNews } from "../../core/session/prompt/collect-news.ts";
import { beginEpoch, takeNotes, addDecisionNews, addReviewNews } from "../../core/session/prompt/notes.ts";
import { beginTurn, createEngineContext, endTurn } from "../support/session/engine-context.ts";

type World = ReturnType<typeof createEngineContext>;

const SLOW_MS = 60_000;
const HALF_ROW = FIXED.rowBytes / 2;

function fact(n: number): MemoryEntry {
  const text = `Fact ${n}: ${"it is so because of what was found then. ".repeat(8)}`.trim();
  return { id: memoryId(text), store: "memory", text, since: n, origin: "user", adds: [`op-${n}`] };
}

function metaBytes(world: World): number {
  const rows = world.sql.run<{ bytes: number }>("SELECT max(octet_length(value)) AS bytes FROM meta");
  return rows[0]!.bytes;
}

/** The world's memory is the value of `entries` at the time of a read. */
function openWith(world: World, entries: () => MemoryEntry[]) {
  const context = world.open();
  const list = async (store: string) => (store === "memory" ? entries() : []);
  context.host.memory = () => ({ ...world.memory, list });
  return context;
}

describe("what a session knows of memory", () => {
  it(
    "takes a row of a few hundred kilobytes for twenty thousand facts, and still reports new facts and removed ones that it read",
    async () => {
      const world = createEngineContext();
      let facts = Array.from({ length: 19_000 }, (_, n) => fact(n));
      const context = openWith(world, () => facts);
      world.sql.transaction(() => beginEpoch(context, { index: EMPTY_INDEX, lines: [], memory: facts }));
      expect(metaBytes(world)).toBeLessThan(HALF_ROW);
      world.clock.advance(3_600_000);
      const [oldest, ...rest] = facts;
      const newest = rest.pop()!;
      facts = [...rest, fact(30_000)];
      await collectNews(context);
      const turn = beginTurn(context);
      const told = textOf(takeNotes(context, turn)!);
      endTurn(context, turn);
      expect(told).toContain("Fact 30000:");
      expect(told).toContain(`No longer in memory:\n- (memory) ${newest.text.slice(0, 20)}`);
      expect(told).not.toContain(oldest!.text.slice(0, 8) + " ");
      world.clock.advance(3_600_000);
      await collectNews(context);
      expect(takeNotes(context, beginTurn(context))).toBe(null);
      expect(metaBytes(world)).toBeLessThan(HALF_ROW);
    },
    SLOW_MS,
  );

  it("is read in the earlier form, which stored every text, and written in the new one", async () => {
    const world = createEngineContext();
    const facts = Array.from({ length: 1_000 }, (_, n) => fact(n));
    const context = openWith(world, () => [...facts.slice(1), fact(2_000)]);
    const entries = Object.fromEntries(facts.map(({ id, store, text }) => [id, { store, text: text.slice(0, 240) }]));
    context.log.setMeta("known_memory", { v: 1, upTo: 0, dueAt: 0, entries });
    await collectNews(context);
    const told = textOf(takeNotes(context, beginTurn(context))!);
    expect([told.includes("Fact 2000:"), told.includes("Fact 0:"), told.includes("Fact 7:")]).toEqual([
      true,
      true,
      false,
    ]);
    expect(context.log.meta<{ v: number }>("known_memory")).toMatchObject({ v: 2 });
  });

  it(
    "does not cover more than twenty thousand facts",
    () => {
      const world = createEngineContext();
      const facts = Array.from({ length: 20_001 }, (_, n) => fact(n));
      const context = openWith(world, () => facts);
      world.sql.transaction(() => beginEpoch(context, { index: EMPTY_INDEX, lines: [], memory: facts }));
      expect(context.log.meta("known_memory")).toBe(null);
    },
    SLOW_MS,
  );
});

it(
  "pending news keep a hundred of a kind, and count the others",
  () => {
    const world = createEngineContext();
    const context = world.open();
    const lesson = { kind: "memory" } as Parameters<typeof addReviewNews>[1]["lessons"][number];
    for (let n = 0; n < 600; n++) {
      addReviewNews(context.log, { summary: `Learned ${n}. ${"x".repeat(2_000)}`, lessons: [lesson] });
      addDecisionNews(context.log, { path: `docs/${n}.md`, approved: true });
    }
    expect(metaBytes(world)).toBeLessThan(HALF_ROW / 4);
    expect(textOf(takeNotes(context, beginTurn(context))!)).toContain("And 1000 more changes, not listed here.");
  },
  SLOW_MS,
);

it("a page of the log is limited by bytes, holds at least one entry, and says whether there are more", () => {
  const { log } = createEngineContext().open();
  const big = "x".repeat(1_400_000);
  for (let n = 1; n <= 9; n++) {
    log.put({ v: 1, n, turn: 1, at: 0, kind: "user", parts: [{ source: "principal", text: n === 9 ? "small" : big }] });
  }
  const pages: number[][] = [];
  for (let from = 1, more = true; more;) {
    const page = log.entryPage(from, 500, FIXED.pageBytes);
    pages.push(page.entries.map(({ n }) => n));
    ({ more } = page);
    from = page.entries.at(-1)!.n + 1;
  }
  expect(pages).toEqual([
    [1, 2],
    [3, 4],
    [5, 6],
    [7, 8, 9],
  ]);
  expect(log.entryPage(1, 500, 10)).toMatchObject({ entries: [{ n: 1 }], more: true });
  expect(log.entryPage(9, 1, 10)).toMatchObject({ entries: [{ n: 9 }], more: false });
  expect(log.entryPage(10, 1, 10)).toEqual({ entries: [], more: false });
});
