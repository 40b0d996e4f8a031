// The conversation of the page beside the real engine: whatever moment a page is loaded at, loses its connection or is told something twice, it
// shows at that moment what a page loaded then shows, and in the end what the log holds.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { Tool } from "../../core/agent/contract.ts";
import { succeed } from "../../core/agent/tool-result.ts";
import type { AgentEvent, Entry } from "../../core/schemas/entry.ts";
import type { SessionEngine } from "../../core/session/engine.ts";
import type { StandingReader } from "../../core/session/readers/standing-reader.ts";
import {
  type Conversation,
  EMPTY,
  applyEntries,
  applyEvent,
  applyTurns,
  chooseStart,
  takeReread,
} from "../../dashboard/chat/session/conversation.ts";
import { createParkedSession } from "../support/session/parked-session.ts";
import { must, ticks } from "../support/session/scripted-session.ts";
import { runs } from "../support/thorough.ts";
import type { ScriptLine } from "../support/wires/scripted-model.ts";

interface Message {
  id: string;
  event: AgentEvent;
}

/** A page over an engine: it loads, follows, and reads the log again where the conversation asks for it. */
function createPage(engine: SessionEngine) {
  let shown: Conversation = EMPTY;
  let after = "0.0";
  let connection: { reader: StandingReader; isOpen: boolean } | null = null;
  const seen: Message[] = [];

  function take(message: Message): void {
    shown = applyEvent(shown, message.event);
    expect(shown.isBroken).toBe(false);
  }

  function disconnect(): void {
    if (connection) connection.isOpen = false;
    connection = null;
  }

  function connect(): void {
    disconnect();
    const made: { reader: StandingReader; isOpen: boolean } = {
      isOpen: true,
      reader: {
        send(text) {
          if (!made.isOpen) throw new Error("the connection is gone");
          const message = JSON.parse(text) as Message;
          after = message.id;
          seen.push(message);
          take(message);
        },
        close: () => {},
        keep: () => {},
      },
    };
    connection = made;
    must(engine.watch(after, () => made.reader));
  }

  return {
    isConnected: () => connection !== null,
    connect,
    disconnect,
    load(): void {
      disconnect();
      seen.length = 0;
      const { turns } = engine.detail()!;
      shown = applyEntries(applyTurns(EMPTY, turns), must(engine.entries(0)));
      after = chooseStart(turns, shown);
      connect();
    },
    /** Is told again what it was told before. A server never repeats reasoning, which has no id of its own. */
    repeat(from: number): void {
      for (const message of seen.slice(from % Math.max(1, seen.length))) {
        if (message.event.type !== "reasoning_delta") take(message);
      }
    },
    reread(): void {
      const { from, next } = takeReread(shown);
      shown = from === null ? next : applyEntries(next, must(engine.entries(from - 1)));
    },
    shown: () => shown,
  };
}

/** What is compared at any moment: what a stored entry knows beyond the stream is left out. */
function visible({ turns }: Conversation) {
  return turns.map(({ n, items, end, undoneBy }) => ({
    ...{ n, undoneBy, end },
    items: items.map(({ stored: _stored, at: _at, ...item }) =>
      item.kind === "answer" ? { kind: item.kind, entry: item.entry, text: item.text } : item,
    ),
  }));
}

/** Events of later calls are held back while a call runs. A call that was asked about or waited is none. */
const isHeld = ({ turns }: Conversation) =>
  turns.some(({ end, items }) => end === null && items.some((item) => item.kind === "tool" && item.result === null));

function createTool(name: string, count: number): Tool {
  return {
    ...{ name, description: "Looks.", parameters: z.strictObject({}), effect: "read" },
    run: async () => {
      await ticks(count);
      return succeed({ done: name }, { content: { found: `what ${name} found` } });
    },
  };
}

const SCRIPT: ScriptLine[] = [
  {
    text: "Let me see what is there.",
    reasoning: "Where to begin?",
    calls: [{ name: "look" }, { name: "glance" }, { name: "look" }],
  },
  { text: "A wrong start \u{1f600} of it", cut: true },
  {
    text: "There it is \u{1f600}\u{1f468}\u200d\u{1f469}, and once more.",
    calls: [{ name: "run", args: { command: "rm x" } }],
  },
  { text: "Which one?", calls: [{ name: "clarify", args: { question: "Which?", choices: ["red", "blue"] } }] },
  { text: "All of it has been looked at now." },
  { text: "And the second message is answered." },
  {
    text: "Again from the beginning, and a long text follows that nobody will read to its end.",
    until: new Promise(() => {}),
  },
];

/** One conversation with every kind of entry. `act` is called at each tick, at which nothing else runs. */
async function converse(act: (engine: SessionEngine, tick: number) => void): Promise<SessionEngine> {
  const { engine, life } = await createParkedSession(SCRIPT, {
    tools: [createTool("look", 12), createTool("glance", 2)],
    settings: { turn: { busy: "queue" } },
  });
  const posts = new Map<number, () => unknown>([
    [5, () => engine.post({ text: "Go \u{1f680}" })],
    [30, () => engine.post({ text: "Look closely", busy: "steer" })],
    [60, () => engine.post({ text: "And then this" })],
    [400, () => decide(engine, { approve: true })],
    [700, () => decide(engine, { answer: "blue" })],
    [1_000, () => engine.post({ text: "/undo" })],
    [1_200, () => engine.post({ text: "Stop me" })],
    [1_220, () => engine.post({ text: "Never begun" })],
    [1_240, () => engine.stop()],
  ]);
  for (let tick = 0; tick < 1_400; tick++) {
    await posts.get(tick)?.();
    act(engine, tick);
    await Promise.resolve();
  }
  await life.settled();
  return engine;
}

async function decide(engine: SessionEngine, decision: Parameters<SessionEngine["decideApproval"]>[1]): Promise<void> {
  const waiting = must(engine.listApprovals()).find(({ state }) => state === "waiting");
  if (waiting) must(await engine.decideApproval(waiting.id, decision));
}

type Act = "drop" | "connect" | "load" | "repeat" | "compare";

function createReader(engine: SessionEngine) {
  const page = createPage(engine);
  let isLoaded = false;
  return {
    page,
    act(act: Act, place: number): void {
      if (engine.detail() === null) return;
      if (!isLoaded || act === "load") page.load();
      isLoaded = true;
      if (act === "drop") page.disconnect();
      if (act === "connect") page.connect();
      if (act === "repeat") page.repeat(place);
      if (act !== "compare" || !page.isConnected()) return;
      page.reread();
      const fresh = createPage(engine);
      fresh.load();
      fresh.reread();
      if (!isHeld(fresh.shown())) expect(visible(page.shown())).toEqual(visible(fresh.shown()));
      fresh.disconnect();
    },
  };
}

describe("the conversation of a page", () => {
  it("is at every moment what a page loaded then shows, and in the end what the log holds", async () => {
    const acts = fc.array(
      fc.record({
        at: fc.nat(1_400),
        act: fc.constantFrom<Act>("drop", "connect", "load", "repeat", "compare"),
        place: fc.nat(40),
      }),
      { minLength: 4, maxLength: 60 },
    );
    await fc.assert(
      fc.asyncProperty(acts, async (plan) => {
        let reader: ReturnType<typeof createReader> | null = null;
        const engine = await converse((made, tick) => {
          reader ??= createReader(made);
          for (const { act, place } of plan.filter(({ at }) => at === tick)) reader.act(act, place);
        });
        const { page } = reader!;
        page.connect();
        page.reread();
        const whole = createPage(engine);
        whole.load();
        expect(page.shown().turns).toEqual(whole.shown().turns);
      }),
      { numRuns: runs(100) },
    );
  }, 120_000);

  it("meets every kind of entry in these tests", async () => {
    const engine = await converse(() => undefined);
    const page = createPage(engine);
    page.load();
    const kinds = page.shown().turns.map(({ n, end, undoneBy, items }) => {
      const names = items.map((item) => (item.kind === "notice" ? item.code : item.kind)).join(" ");
      return `${n} ${end?.state} ${end?.reason}${undoneBy === null ? "" : `, undone by ${undoneBy}`}: ${names}`;
    });
    expect(kinds).toEqual([
      "1 done answer: person answer tool tool tool person model_retried answer question approval_decided tool answer tool question clarify_answered answer",
      "3 done answer, undone by 4: person answer",
      "4 done undone: person undone",
      "5 stopped stopped: person answer stopped",
      "6 stopped stopped: person stopped",
    ]);
  });

  it("is the same from pages of the log in any order", async () => {
    const engine = await converse(() => undefined);
    const { turns } = engine.detail()!;
    const entries = must(engine.entries(0));
    // What is learned after a turn may be noted under a message that had joined it.
    const late: Entry = {
      ...{ v: 1, n: entries.at(-1)!.n + 1, turn: 2, at: 0, kind: "notice", code: "learned" },
      parts: [{ source: "outcome", text: "Tea." }],
    };
    const all = [...entries, late];
    const sizes = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: all.length, maxLength: all.length });
    fc.assert(
      fc.property(sizes, fc.infiniteStream(fc.nat()), (lengths, order) => {
        const pages: Entry[][] = [];
        for (let from = 0; from < all.length; from += lengths[from]!)
          pages.push(all.slice(from, from + lengths[from]!));
        const keyed = pages.map((page) => ({ page, key: order.next().value }));
        const mixed = keyed.toSorted((a, b) => a.key - b.key).map(({ page }) => page);
        const shown = applyTurns(mixed.reduce(applyEntries, EMPTY), turns);
        expect(shown.turns).toEqual(applyTurns(applyEntries(EMPTY, all), turns).turns);
        expect(shown.turns.map(({ n }) => n)).toEqual([1, 3, 4, 5, 6]);
      }),
      { numRuns: runs(200) },
    );
  });

  it("asks for a new load when a text does not join what it knows, and skips a text that it knows", () => {
    const delta = (offset: number, text: string): AgentEvent => ({ type: "text_delta", entry: 2, offset, text });
    const begun = [
      { type: "turn_start", turn: 1, entry: 1 },
      { type: "entry_start", turn: 1, entry: 2 },
      delta(0, "Half "),
    ] satisfies AgentEvent[];
    const shown = begun.reduce(applyEvent, EMPTY);
    const textOf = ({ turns }: Conversation) =>
      turns[0]!.items.flatMap((item) => (item.kind === "answer" ? item.text : []));
    expect(applyEvent(shown, delta(6, "it")).isBroken).toBe(true);
    expect(applyEvent(EMPTY, delta(0, "it")).isBroken).toBe(true);
    expect(applyEvent(shown, delta(0, "Half "))).toBe(shown);
    expect(textOf(applyEvent(shown, delta(2, "lf of it")))).toEqual(["Half of it"]);
  });
});
