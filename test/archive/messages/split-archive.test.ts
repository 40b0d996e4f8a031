// An archive that is split by year answers as one archive with the same messages would: hits, order, windows, erasures. The conversations are
// generated, and one session lives through two New Years.
import { describe, expect, it } from "vitest";
import { createMessageArchive } from "../../../core/archive/messages/message-archive.ts";
import { hashPieces } from "../../../core/archive/messages/purged-texts.ts";
import { firstIdOf } from "../../../core/archive/messages/years.ts";
import type {
  ArchivedTurn,
  IndexedMessage,
  MessageQuery,
  MessageRole,
} from "../../../core/schemas/archived-message.ts";
import { toPieces } from "../../../core/skills/search/text-pieces.ts";
import { createArchiveParts } from "../../support/archive-parts.ts";
import { createNodeSql } from "../../support/bindings/node-sql.ts";
import { createTestClock } from "../../support/clock.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";
import { toUlid } from "../../support/ulid.ts";

const DAY = 24 * 3_600_000;
const SALT = "profile";
const at = (text: string) => Date.parse(`${text}T12:00:00Z`);
const LONG = toUlid(at("2026-01-01"), "A1");
const ALSO_LONG = toUlid(at("2026-12-31"), "A2");
const LATE = toUlid(at("2028-06-01"), "A3");

const NOUNS =
  "bridge tunnel kettle walrus ledger violin saffron harbour lantern meadow orchard pebble quarry ribbon".split(" ");
const VERBS = "repaired painted measured sold borrowed found 黒猫 described counted".split(" ");

/** Turns of three sessions in the order in which they end. `LONG` has one in nearly every month, `ALSO_LONG` one at each New Year. */
function createTurns(seed: number): ArchivedTurn[] {
  const random = createSeededRandom(seed);
  const pick = (list: string[]) => list[Math.floor(random() * list.length)]!;
  const sentence = () =>
    Array.from({ length: 3 + Math.floor(random() * 4) }, () => `${pick(VERBS)} the ${pick(NOUNS)}`).join(" and ");
  const days = [
    ...[30, 180, 330, 363, 364].map((day) => [LONG, Date.UTC(2026, 0, 1) + day * DAY] as const),
    ...[0, 1, 200, 364].map((day) => [LONG, Date.UTC(2027, 0, 1) + day * DAY] as const),
    ...[0, 40].map((day) => [LONG, Date.UTC(2028, 0, 1) + day * DAY] as const),
    ...[at("2026-12-31"), at("2027-06-01"), at("2028-01-01")].map((time) => [ALSO_LONG, time] as const),
    ...[at("2028-06-01"), at("2028-06-02")].map((time) => [LATE, time] as const),
  ].toSorted(([, a], [, b]) => a - b);
  const entries = new Map<string, { turn: number; n: number }>();
  return days.map(([session, time]) => {
    const last = entries.get(session) ?? { turn: 0, n: 0 };
    const roles: MessageRole[] = ["user", "tool", "assistant"].slice(0, 1 + Math.floor(random() * 3)) as MessageRole[];
    const messages = roles.map((role, i) => ({
      ...{ n: last.n + 2 * i + 1, role, at: time + i * 1_000, text: sentence() },
      ...(role === "tool" && { speaker: "terminal" }),
    }));
    entries.set(session, { turn: last.turn + 1, n: messages.at(-1)!.n + 1 });
    return { session, turn: last.turn + 1, title: `The ${session.slice(-2)} work`, endedAt: time + DAY / 4, messages };
  });
}

async function createWorld(turns: ArchivedTurn[] = createTurns(1)) {
  const clock = createTestClock();
  const parts = createArchiveParts({ clock });
  const one = createMessageArchive(createNodeSql(), { salt: SALT });
  /** As a session does: the first part says where the first turn of a year goes. */
  const years = new Map<string, number>();
  const send = async (turn: ArchivedTurn): Promise<void> => {
    const year = new Date(turn.endedAt!).getUTCFullYear();
    const known = years.get(turn.session) === year ? year : null;
    const put = await parts.put(turn, known);
    if (!put.ok) throw new Error(put.failure.code);
    if (put.value.stored) return;
    years.set(turn.session, put.value.year);
    await parts.put(turn, put.value.year);
  };
  for (const turn of turns) {
    await send(turn);
    one.put(turn);
  }
  const strip = (found: (IndexedMessage & { score?: number })[]) =>
    found.map(({ score, ...rest }) => ({ ...rest, id: 0, ...(score !== undefined && { score: score.toFixed(9) }) }));
  return {
    ...parts,
    clock,
    send,
    search: async (query: MessageQuery) => strip((await parts.split.search(query)).found),
    searchOne: (query: MessageQuery) => strip(one.search(query)),
    around: async (...place: [string, number, number, number]) => strip(await parts.split.around(...place)),
    aroundOne: (...place: [string, number, number, number]) => strip(one.around(...place)),
    one,
  };
}

async function eraseAll(world: Awaited<ReturnType<typeof createWorld>>, text: string): Promise<void> {
  const texts = toPieces([text]);
  await world.split.putPurge({ subject: "s", at: at("2029-01-01"), pieces: hashPieces(texts, SALT) });
  for (let after: number | null = 0; after !== null;) after = await world.split.erasePieces({ texts }, after);
}

const QUERIES = [
  ...[
    "walrus",
    "who painted the bridge",
    "saffron ledger violin",
    "黒",
    "黒猫 kettle",
    '"sold the harbour"',
    "terminal",
    "december",
  ],
  ...["2027", "January 2028 meadow", "a2 work", "quarry ribbon pebble orchard", "", "the of"],
];

describe("an archive over three years", () => {
  it("has a part for each year after the first, and ids that rise from one to the next", async () => {
    const { others, sqls } = await createWorld();
    expect([...others.keys()]).toEqual([2027, 2028]);
    const counts = sqls().map(
      (sql) =>
        sql.run<{ a: number; b: number; n: number }>(
          "SELECT min(id) AS a, max(id) AS b, count(*) AS n FROM message",
        )[0]!,
    );
    expect(counts.every(({ n }) => n > 2)).toBe(true);
    expect(counts[1]!.a).toBe(firstIdOf(2027) + 1);
    expect(counts[0]!.b < counts[1]!.a && counts[1]!.b < counts[2]!.a).toBe(true);
  });

  it.each([1, 2, 3, 4])(
    "finds what one archive finds, in the same order and with the same scores (conversations %i)",
    async (seed) => {
      const world = await createWorld(createTurns(seed));
      for (const query of QUERIES) {
        for (const limit of [3, 100]) {
          expect(await world.search({ query, limit }), query).toEqual(world.searchOne({ query, limit }));
        }
        const filters: Partial<MessageQuery>[] = [
          { roles: ["user"] },
          { only: LONG },
          { only: LATE },
          { without: [LONG] },
          { roles: ["tool", "assistant"], without: [LATE] },
        ];
        for (const filter of filters) {
          const asked = { query, limit: 50, ...filter };
          const found = await world.search(asked);
          // A search of one session asks fewer parts, so its words count as in those.
          const scores = filter.only !== LATE;
          const clean = (list: typeof found) => (scores ? list : list.map(({ text }) => text).toSorted());
          expect(clean(found), `${query} ${JSON.stringify(filter)}`).toEqual(clean(world.searchOne(asked)));
        }
      }
    },
  );

  it("finds a message by the words of its neighbour on the other side of New Year", async () => {
    const turn = (n: number, day: string, text: string): ArchivedTurn => ({
      ...{ session: LONG, turn: n, endedAt: at(day) },
      messages: [{ n, role: "user", at: at(day), text }],
    });
    const world = await createWorld([
      turn(1, "2026-12-30", "Where is the violin?"),
      turn(2, "2026-12-31", "I asked my sister."),
      turn(3, "2027-01-01", "It stands in the attic."),
      turn(4, "2028-01-01", "So it was dusty."),
    ]);
    const found = await world.search({ query: "violin", limit: 9 });
    expect(found).toEqual(world.searchOne({ query: "violin", limit: 9 }));
    expect(found.map(({ n }) => n).slice(0, 3)).toEqual([1, 2, 3]);
    expect((await world.search({ query: "dusty", limit: 9 })).map(({ n }) => n)).toContain(2);
  });

  it("asks only parts that may have something", async () => {
    const world = await createWorld();
    const askedBy = async (query: Partial<MessageQuery>) => {
      world.calls.length = 0;
      await world.split.search({ query: "walrus", limit: 5, ...query });
      return [...new Set(world.calls.map((call) => call.split(" ")[1]))].toSorted();
    };
    expect(await askedBy({})).toEqual(["2027", "2028"]);
    expect(await askedBy({ from: at("2028-01-02") })).toEqual(["2028"]);
    expect(world.calls).toEqual(["search 2028"]);
    // A turn of 2026 may have ended in 2027.
    expect(await askedBy({ to: at("2026-12-01") })).toEqual(["2027"]);
    expect(await askedBy({ from: at("2029-01-01") })).toEqual([]);
    expect(await askedBy({ only: LATE })).toEqual(["2028"]);
    world.calls.length = 0;
    await world.split.around(LATE, 1, 5, 5);
    expect(world.calls).toEqual(["near 2028"]);
  });

  it("answers days that end at New Year as one archive does", async () => {
    const world = await createWorld();
    for (const [from, to] of [
      ["2026-12-31", "2027-01-02"],
      ["2027-01-01", "2028-01-01"],
      ["2026-01-01", "2026-12-31"],
    ]) {
      const asked = { query: "walrus bridge kettle ledger", limit: 100, from: Date.parse(from!), to: Date.parse(to!) };
      const byTime = (list: { session: string; n: number }[]) =>
        list.map(({ session, n }) => `${session} ${n}`).toSorted();
      expect(byTime(await world.search(asked))).toEqual(byTime(world.searchOne(asked)));
    }
  });

  it("reads a session across New Year, from any entry", async () => {
    const world = await createWorld();
    const last = world.aroundOne(LONG, 1e9, 0, 0)[0]!.n;
    for (let n = 0; n <= last + 2; n++) {
      for (const [before, after] of [
        [0, 0],
        [2, 3],
        [5, 5],
        [100, 100],
      ] as const) {
        expect(await world.around(LONG, n, before, after)).toEqual(world.aroundOne(LONG, n, before, after));
      }
    }
    expect(await world.around(LONG, Number.MAX_SAFE_INTEGER, 9, 0)).toEqual(
      world.aroundOne(LONG, Number.MAX_SAFE_INTEGER, 9, 0),
    );
    expect(await world.around(toUlid(at("2026-01-01"), "A9"), 1, 5, 5)).toEqual([]);
  });

  it("erases a session in every part, and takes no late turn of it in any", async () => {
    const turns = createTurns(1);
    const world = await createWorld(turns);
    const erased = await world.split.eraseSession(LONG);
    expect(erased).toBe(world.one.eraseSession(LONG));
    for (const turn of turns) await world.send({ ...turn, turn: turn.turn + 100 * Number(turn.session === LONG) });
    await world.send({ ...turns[0]!, session: LONG, turn: 999, endedAt: at("2029-03-01") });
    expect([...world.others.keys()]).toEqual([2027, 2028]);
    for (const query of QUERIES) {
      expect(await world.search({ query, limit: 50 })).toEqual(world.searchOne({ query, limit: 50 }));
    }
    expect(await world.around(LONG, 1, 5, 5)).toEqual([]);
  });

  it("erases a text in every part", async () => {
    const world = await createWorld();
    const [said] = await world.around(LONG, Number.MAX_SAFE_INTEGER, 0, 0);
    const early = world.aroundOne(LONG, 1, 0, 0)[0]!;
    for (const text of [said!.text, early.text]) {
      await eraseAll(world, text);
      world.one.eraseWhere((one) => one === text);
    }
    expect((await world.around(LONG, 0, 0, 100)).map(({ n }) => n)).toEqual(
      world.aroundOne(LONG, 0, 0, 100).map(({ n }) => n),
    );
    for (const { text } of [said!, early])
      expect(await world.search({ query: `"${text.slice(0, 100)}"`, limit: 50 })).not.toContainEqual(
        expect.objectContaining({ text }),
      );
  });
});

describe("a title that held a purged text", () => {
  const toTurn = (session: string, turn: number, year: number): ArchivedTurn => ({
    ...{ session, turn, title: "The vault of the orchid house", endedAt: Date.UTC(year, 5) },
    messages: [{ n: turn, role: "user", at: Date.UTC(year, 5), text: "Hello" }],
  });

  it("leads no search to the session's messages of other years, whether their part exists or begins later", async () => {
    const other = toTurn(ALSO_LONG, 1, 2027);
    const world = await createWorld([toTurn(LONG, 1, 2026), { ...other, title: "Plans" }]);
    await eraseAll(world, "Remember: the vault of the orchid house opens with 4711.");
    for (const year of [2027, 2028]) await world.send(toTurn(LONG, year, year));
    expect(await world.around(LONG, 1, 0, 9)).toHaveLength(3);
    expect(await world.search({ query: "orchid", limit: 9 })).toEqual([]);
  });

  it("and was in a later part only, does not come back either", async () => {
    const world = await createWorld([{ ...toTurn(LONG, 1, 2026), title: "" }, toTurn(LONG, 2, 2027)]);
    await eraseAll(world, "Remember: the vault of the orchid house opens with 4711.");
    for (const [i, year] of [2026, 2027, 2028].entries()) await world.send(toTurn(LONG, 10 + i, year));
    expect(await world.around(LONG, 1, 0, 9)).toHaveLength(5);
    expect(await world.search({ query: "orchid", limit: 9 })).toEqual([]);
  });

  it("does not stay in a part that begins while the last one is erased", async () => {
    const world = await createWorld([{ ...toTurn(LONG, 1, 2026), title: "" }, toTurn(LONG, 2, 2027)]);
    const { push } = world.calls;
    const begun: Promise<unknown>[] = [];
    world.calls.push = (...made) => {
      const next = toTurn(LONG, 3, 2028);
      if (made[0] === "erasePieces 2027") begun.push(world.put(next, null), world.put(next, 2028));
      return push.apply(world.calls, made);
    };
    await eraseAll(world, "Remember: the vault of the orchid house opens with 4711.");
    await Promise.all(begun);
    expect(begun).toHaveLength(2);
    expect(await world.around(LONG, 1, 0, 9)).toHaveLength(3);
    expect(await world.search({ query: "orchid", limit: 9 })).toEqual([]);
  });
});

describe("a part out of reach", () => {
  it("is named by a search, which finds what the others have", async () => {
    const world = await createWorld();
    world.unreachable.add(2027);
    const { found, missing } = await world.split.search({ query: "walrus bridge kettle", limit: 50 });
    expect(missing).toEqual([2027]);
    expect(found.length).toBeGreaterThan(3);
    expect(found.some(({ id }) => id > firstIdOf(2027) && id < firstIdOf(2028))).toBe(false);
    const only = await world.split.search({ query: "walrus", limit: 5, from: at("2027-02-01"), to: at("2027-03-01") });
    expect(only.missing).toEqual([2027]);
    world.unreachable.add(2028);
    expect((await world.split.search({ query: "walrus", limit: 5, from: at("2028-02-01") })).missing).toEqual([2028]);
  });

  it("that does not answer is named too, after five seconds, and fails a reading", async () => {
    const world = await createWorld();
    world.silent.add(2027);
    const began = world.clock.now();
    expect((await world.split.search({ query: "walrus bridge kettle", limit: 50 })).missing).toEqual([2027]);
    await expect(world.split.around(LONG, 1, 5, 5)).rejects.toThrow("no answer within 5000 ms");
    expect(world.clock.now() - began).toBeGreaterThanOrEqual(10_000);
  });

  it.each(["windows", "edges", "read"] as const)("while it answers (%s) is left out too", async (call) => {
    const world = await createWorld();
    const { push } = world.calls;
    world.calls.push = (...made) => {
      if (made[0] === `${call} 2028`) world.unreachable.add(2028);
      return push.apply(world.calls, made);
    };
    const { found, missing } = await world.split.search({ query: "walrus bridge kettle violin ledger", limit: 50 });
    expect(missing).toEqual([2028]);
    expect(found.filter(({ id }) => id > firstIdOf(2028))).toEqual([]);
    expect(found.length).toBeGreaterThan(3);
  });

  it("lets a reading and an erasure fail, which then succeeds", async () => {
    const world = await createWorld();
    world.unreachable.add(2028);
    await expect(world.split.around(LONG, 1, 5, 5)).rejects.toThrow("unreachable");
    await expect(world.split.eraseSession(LONG)).rejects.toThrow("unreachable");
    world.unreachable.clear();
    await world.split.eraseSession(LONG);
    expect(await world.around(LONG, 1, 5, 5)).toEqual([]);
  });
});

describe("an archive of an earlier version", () => {
  it("becomes the first part, up to the year of its newest message, and nothing is moved", async () => {
    const turns = createTurns(1);
    const early = turns.filter(({ endedAt }) => endedAt! < Date.UTC(2028, 0, 1));
    const world = await createWorld([]);
    for (const turn of early) world.first.put(turn);
    // As version 1 left it.
    for (const table of ["title", "year", "purge", "merge"]) world.firstSql.run(`DROP TABLE message_${table}`);
    world.firstSql.run("UPDATE archive_part SET version = 1 WHERE name = 'messages'");
    createMessageArchive(world.firstSql, { salt: SALT });
    expect(world.firstSql.run("SELECT year FROM message_year")).toEqual([{ year: 2027 }]);
    for (const turn of turns) {
      await world.send(turn);
      world.one.put(turn);
    }
    expect([...world.others.keys()]).toEqual([2028]);
    for (const query of QUERIES) {
      expect(await world.search({ query, limit: 50 })).toEqual(world.searchOne({ query, limit: 50 }));
    }
  });
});

describe("a full part", () => {
  it("refuses turns of its year, and the next year begins another", async () => {
    let bytes = 0;
    const parts = createArchiveParts({ clock: createTestClock(), readBytes: () => bytes });
    const turns = createTurns(1).filter(({ session }) => session === ALSO_LONG);
    expect(await parts.put(turns[0]!, null)).toEqual({ ok: true, value: { stored: true } });
    bytes = 9_000_000_001;
    expect(await parts.put({ ...turns[0]!, turn: 9 }, null)).toMatchObject({ failure: { code: "archive_full" } });
    expect(await parts.put(turns[1]!, null)).toEqual({ ok: true, value: { stored: false, year: 2027 } });
    bytes = 0;
    expect(await parts.put(turns[1]!, 2027)).toEqual({ ok: true, value: { stored: true } });
  });
});
