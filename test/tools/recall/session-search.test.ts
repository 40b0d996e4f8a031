// The tool session_search over a real index of messages.
import { describe, expect, it } from "vitest";
import { createMessageArchive } from "../../../core/archive/messages/message-archive.ts";
import type { MessageIndex } from "../../../core/ports.ts";
import type { ArchivedMessage, MessageRole } from "../../../core/schemas/archived-message.ts";
import { readRendered, renderForModel } from "../../../core/agent/tool-result.ts";
import { type SessionSearchOptions, createSessionSearch } from "../../../core/tools/recall/session-search.ts";
import { createNodeSql } from "../../support/bindings/node-sql.ts";
import { createTestClock } from "../../support/clock.ts";

const DAY = Date.parse("2026-11-20T09:30:00Z");
const sessionOf = (n: number) => `01J${String(n).padStart(23, "0")}`;
const [PRESENT, TRIP, DISK, LONG] = [sessionOf(9), sessionOf(1), sessionOf(2), sessionOf(3)];

type Said = [role: MessageRole, text: string];

interface Line {
  n: number;
  at: string;
  text: string;
  role?: string;
}
interface Shown {
  session: string;
  title?: string;
  started?: string;
  hit?: number;
  messages: Line[];
}

function setUp(over: Partial<SessionSearchOptions> = {}) {
  const archive = createMessageArchive(createNodeSql());
  const listed: { session: string; title: string; learning: "on"; createdAt: number }[] = [];
  const index: MessageIndex = {
    put: async (turn) => (archive.put(turn), null),
    search: async (query) => ({ found: archive.search(query), missing: [] }),
    around: async (...place) => archive.around(...place),
  };
  const clock = createTestClock();
  const tool = createSessionSearch({
    index,
    sessions: {
      recent: async (limit) => listed.toReversed().slice(0, limit),
      find: async (sessions) => listed.filter(({ session }) => sessions.includes(session)),
    },
    session: PRESENT,
    outOfView: () => null,
    clock,
    ...over,
  });
  /** Entries are numbered from 1, one message a minute. */
  function say(session: string, title: string, said: Said[], at = DAY) {
    listed.push({ session, title, learning: "on", createdAt: at });
    const messages = said.map(([role, text], i): ArchivedMessage => ({ n: i + 1, role, text, at: at + i * 60_000 }));
    archive.put({ session, turn: 1, title, messages });
  }
  async function run(args: Parameters<typeof tool.run>[0]) {
    const result = await tool.run(args, { op: "o", prepared: {}, signal: new AbortController().signal });
    const bySource = Object.fromEntries(result.parts.map(({ source, text }) => [source, JSON.parse(text)]));
    return {
      failed: result.failed,
      outcome: bySource.outcome as { count: number; hint: string; code?: string; error?: string },
      sessions: (bySource.content?.sessions ?? []) as Shown[],
      person: (bySource.principal?.person ?? {}) as Record<string, Line[]>,
      result,
    };
  }
  return { tool, archive, say, run, clock };
}

const TRIP_TALK: Said[] = [
  ["user", "I want to see the aurora in Tromsø in February."],
  ["assistant", "Book the flight early: Tromsø is full in February."],
];
const DISK_TALK: Said[] = [
  ["user", "The build server says disk full."],
  ["tool", "df: /var 100%"],
  ["assistant", "The folder /var/log/build was full, so I removed old logs."],
  ["user", "Thanks, the build works."],
];

describe("a search", () => {
  it("shows the best hit with the messages around it, and labels the person's words apart", async () => {
    const { say, run } = setUp();
    say(TRIP, "Aurora", TRIP_TALK);
    say(DISK, "Full disk", DISK_TALK);
    const { failed, outcome, sessions, person, result } = await run({ query: "removed logs of the build" });
    expect([failed, outcome.count]).toEqual([false, 1]);
    expect(sessions).toEqual([
      {
        session: DISK,
        title: "Full disk",
        started: "2026-11-20 09:30",
        hit: 3,
        messages: [
          { role: "tool", n: 2, at: "2026-11-20 09:31", text: DISK_TALK[1]![1] },
          { role: "assistant", n: 3, at: "2026-11-20 09:32", text: DISK_TALK[2]![1] },
        ],
      },
    ]);
    expect(person[DISK]!.map(({ n, text }) => [n, text])).toEqual([
      [1, DISK_TALK[0]![1]],
      [4, DISK_TALK[3]![1]],
    ]);
    expect(result.parts.map(({ source }) => source)).toEqual(["outcome", "principal", "content"]);
    const [ours, theirs] = renderForModel(result.parts).split("<content>");
    expect([ours!.includes("disk full"), ours!.includes("removed old logs")]).toEqual([true, false]);
    expect(theirs).toContain("removed old logs");
    expect(readRendered(renderForModel(result.parts))).toMatchObject({ count: 1, person, sessions });
  });

  it("shows one hit a session: the first with its window, the others as a snippet", async () => {
    const { say, run } = setUp();
    for (const n of [1, 2, 3, 4, 5]) {
      const text = `${"Some words before. ".repeat(100)}The kiln fires at ${n}000 degrees. ${"And after. ".repeat(200)}`;
      say(
        sessionOf(n),
        `Kiln ${n}`,
        [
          ["user", "Hello."],
          ["assistant", text],
          ["assistant", `The kiln again: ${text}`],
        ],
        DAY + n,
      );
    }
    const { outcome, sessions } = await run({ query: "kiln degrees" });
    expect([outcome.count, new Set(sessions.map(({ session }) => session)).size]).toEqual([3, 3]);
    const chars = ({ messages }: Shown) => messages.reduce((sum, { text }) => sum + text.length, 0);
    expect(chars(sessions[0]!)).toBeLessThanOrEqual(4_000);
    for (const other of sessions.slice(1)) {
      expect(other.messages).toHaveLength(1);
      expect(chars(other)).toBeLessThanOrEqual(1_200);
      expect(other.messages[0]!.text).toMatch(/kiln fires at \d000 degrees/);
    }
    expect((await run({ query: "kiln degrees", limit: 99 })).outcome.count).toBe(5);
    expect((await run({ query: "kiln degrees", limit: -1 })).outcome.count).toBe(3);
  });

  it("shows the first and the last messages of the best hit's session", async () => {
    const { say, run } = setUp();
    const said = Array.from({ length: 40 }, (_, i): Said => [
      "assistant",
      i === 20 ? "The parrot is green." : `Line ${i + 1}.`,
    ]);
    say(LONG, "Birds", said);
    const { sessions } = await run({ query: "parrot" });
    const shown = sessions[0]!.messages.map(({ n }) => n);
    expect(shown).toEqual([1, 2, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 39, 40]);
  });

  it("orders the best hits by time on request, and filters by role", async () => {
    const { say, run } = setUp();
    const talk = (text: string): Said[] => [
      ["user", `About the ${text}.`],
      ["tool", `result: ${text}`],
      ["assistant", `A ${text}.`],
    ];
    say(sessionOf(1), "", talk("comet"), DAY);
    say(sessionOf(2), "", talk("comet"), DAY + 2e8);
    say(sessionOf(3), "", talk("comet"), DAY + 1e8);
    const order = async (sort: "newest" | "oldest") =>
      (await run({ query: "comet", sort })).sessions.map(({ session }) => session);
    expect(await order("newest")).toEqual([sessionOf(2), sessionOf(3), sessionOf(1)]);
    expect(await order("oldest")).toEqual([sessionOf(1), sessionOf(3), sessionOf(2)]);
    const hits = async (role: MessageRole) => (await run({ query: "comet", role })).sessions.map(({ hit }) => hit);
    expect([await hits("user"), await hits("tool"), await hits("assistant")]).toEqual([
      [1, 1, 1],
      [2, 2, 2],
      [3, 3, 3],
    ]);
    expect((await run({ query: "result" })).sessions.map(({ hit }) => hit)).not.toContain(2);
  });

  it("leaves out the present session, except for what a compaction removed", async () => {
    const own: Said[] = [
      ["user", "The launch code is heron."],
      ["assistant", "Noted: heron."],
    ];
    const { say, run } = setUp();
    say(PRESENT, "Now", own);
    expect((await run({ query: "heron" })).outcome.count).toBe(0);
    const compacted = setUp({
      outOfView:
        () =>
        ({ n }) =>
          n === 1,
    });
    compacted.say(PRESENT, "Now", own);
    expect((await compacted.run({ query: "heron" })).sessions).toMatchObject([{ session: PRESENT, hit: 1 }]);
    const pruned = setUp({ outOfView: () => () => false });
    pruned.say(PRESENT, "Now", own);
    expect((await pruned.run({ query: "heron" })).outcome.count).toBe(0);
  });

  it("finds the named session, and all but the present one, among sessions with many better messages", async () => {
    const { say, run } = setUp({ outOfView: () => () => false });
    const better = Array.from({ length: 120 }, (): Said => ["user", "Heron, heron."]);
    say(PRESENT, "Now", better);
    say(TRIP, "Aurora", [["user", "We saw a heron, and then many other birds of the north, at the lake."]]);
    expect((await run({ query: "heron" })).sessions.map(({ session }) => session)).toEqual([TRIP]);
    say(DISK, "Birds", better);
    expect((await run({ query: "heron", session: TRIP })).sessions.map(({ session }) => session)).toEqual([TRIP]);
  });

  it("searches one session when it is named", async () => {
    const { say, run } = setUp();
    say(TRIP, "Aurora", TRIP_TALK);
    say(DISK, "Disk", [...DISK_TALK, ["assistant", "Tromsø has no disk."]]);
    const { sessions } = await run({ query: "Tromsø February", session: TRIP });
    expect(sessions.map(({ session }) => session)).toEqual([TRIP, TRIP]);
    const all = Array.from({ length: 40 }, (_, i): Said => [
      "user",
      i % 20 === 5 ? `Otter ${i + 1}.` : `Line ${i + 1}.`,
    ]);
    say(LONG, "Otters", all);
    const { person } = await run({ query: "otter", session: LONG, message: undefined });
    const otters = person[LONG]!.filter(({ text }) => text.startsWith("Otter")).map(({ n }) => n);
    expect(otters.toSorted((a, b) => a - b)).toEqual([6, 26]);
    expect((await run({ query: "aurora", session: DISK })).outcome.count).toBe(0);
  });

  it.each([
    "",
    "   ",
    "???",
    "the of and",
    '"',
    '""',
    "AND OR NOT",
    "(",
    "NEAR(",
    "*",
    "a* OR",
    "words:x",
    "'; DROP TABLE message; --",
    "\u0000",
    "😀",
  ])("answers the query %j with nothing and a hint", async (query) => {
    const { say, run } = setUp();
    say(TRIP, "Aurora", TRIP_TALK);
    const { failed, outcome, sessions, person } = await run({ query });
    expect({ failed, count: outcome.count, sessions, person }).toEqual({
      failed: false,
      count: 0,
      sessions: [],
      person: {},
    });
    expect(outcome.hint).toMatch(/\.$/);
  });

  it("is given up after fifteen seconds, and says so when the index fails", async () => {
    const never = setUp({ index: { search: () => new Promise(() => {}) } as unknown as MessageIndex });
    const waiting = never.run({ query: "anything" });
    never.clock.advance(15_000);
    expect((await waiting).outcome.code).toBe("search_unavailable");
    const broken = setUp({ index: { search: () => Promise.reject(new Error("down")) } as unknown as MessageIndex });
    expect((await broken.run({ query: "anything" })).outcome.code).toBe("search_unavailable");
  });
});

describe("reading", () => {
  const said = Array.from({ length: 60 }, (_, i): Said => [
    i % 2 === 0 ? "user" : "assistant",
    `Line ${i + 1}. ${"x".repeat(5_000)}`,
  ]);
  const numbers = ({ sessions, person }: { sessions: Shown[]; person: Record<string, Line[]> }) =>
    [...sessions.flatMap(({ messages }) => messages), ...Object.values(person).flat()]
      .map(({ n }) => n)
      .toSorted((a, b) => a - b);
  const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

  it("scrolls to a message: five on each side without a window, twenty at most", async () => {
    const { say, run } = setUp();
    say(LONG, "Long", said);
    expect(numbers(await run({ session: LONG, message: 30 }))).toEqual(range(25, 35));
    expect(numbers(await run({ session: LONG, message: 30, window: 1 }))).toEqual([29, 30, 31]);
    expect(numbers(await run({ session: LONG, message: 30, window: 500 }))).toEqual(range(10, 50));
    expect(numbers(await run({ session: LONG, message: 999, window: 2 }))).toEqual([58, 59, 60]);
    const { sessions, person, outcome } = await run({ session: LONG, message: 30, window: 2 });
    expect(outcome.hint).toContain("message 28 or 32");
    expect(sessions[0]!.messages.map(({ n, text }) => [n, text.length])).toEqual([
      [28, 1_200],
      [30, 4_000],
      [32, 1_200],
    ]);
    expect(person[LONG]!.map(({ text }) => text.length)).toEqual([1_200, 1_200]);
  });

  it("reads the first twenty and the last ten messages of a session, or all of a shorter one", async () => {
    const { say, run } = setUp();
    say(LONG, "Long", said);
    say(DISK, "Disk", DISK_TALK);
    const long = await run({ session: LONG });
    expect(numbers(long)).toEqual([...range(1, 20), ...range(51, 60)]);
    expect(long.outcome).toMatchObject({ count: 30, hint: expect.stringContaining("missing after n 20") });
    const short = await run({ session: DISK, query: "" });
    expect(numbers(short)).toEqual([1, 2, 3, 4]);
    expect(short.outcome.hint).toContain("whole session");
  });

  it("refuses a session that it cannot read with the same words, whatever the reason", async () => {
    const { run } = setUp();
    const answers = await Promise.all(
      [sessionOf(77), "no-such-id", "../other"].flatMap((session) => [run({ session }), run({ session, message: 3 })]),
    );
    const [first, ...others] = answers.map(({ failed, outcome }) => ({ failed, outcome }));
    expect(first).toMatchObject({ failed: true, outcome: { code: "session_not_found" } });
    for (const other of others) expect(other).toEqual(first);
    expect((await run({ message: 3 })).outcome.code).toBe("bad_arguments");
  });

  it("lists the recent sessions without arguments: title, start, first message, and not the present one", async () => {
    const { say, run } = setUp();
    say(TRIP, "Aurora", TRIP_TALK, DAY);
    say(DISK, "", DISK_TALK, DAY + 86_400_000);
    say(PRESENT, "Now", [["user", "Hello."]], DAY + 2 * 86_400_000);
    const { outcome, sessions, person } = await run({});
    expect(outcome.count).toBe(2);
    expect(sessions).toEqual([
      { session: DISK, started: "2026-11-21 09:30", messages: [] },
      { session: TRIP, title: "Aurora", started: "2026-11-20 09:30", messages: [] },
    ]);
    expect(person[TRIP]).toEqual([{ n: 1, at: "2026-11-20 09:30", text: TRIP_TALK[0]![1] }]);
    expect((await setUp().run({})).outcome).toMatchObject({ count: 0, hint: "There is no other session yet." });
  });
});

describe("years that cannot be searched", () => {
  it("are named with what was found, and when nothing was", async () => {
    const missing = [2025, 2026];
    const archive = createMessageArchive(createNodeSql());
    const index: MessageIndex = {
      put: async () => null,
      search: async (query) => ({ found: archive.search(query), missing }),
      around: async (...place) => archive.around(...place),
    };
    const { say, run } = setUp({ index });
    say(DISK, "The kiln", [["user", "Our kiln fires at 1260 degrees."]]);
    archive.put({
      session: DISK,
      turn: 1,
      messages: [{ n: 1, role: "user", at: DAY, text: "Our kiln fires at 1260 degrees." }],
    });
    for (const [query, count] of [
      ["kiln", 1],
      ["orchid", 0],
    ] as const) {
      const { outcome } = await run({ query });
      expect(outcome).toMatchObject({ count, missing, partly: expect.stringContaining("cannot be searched now") });
    }
  });
});
