// The objects of a split archive stop at every write of any part, and before and after every call between two: in a purge, in a deletion of
// a session, in turns that begin a part, and in the merges after them. Once the work is repeated, every part has what it has without a stop.
import { describe, expect, it } from "vitest";
import { hashPieces } from "../../../core/archive/messages/purged-texts.ts";
import type { ArchivedTurn } from "../../../core/schemas/archived-message.ts";
import { toPieces } from "../../../core/skills/search/text-pieces.ts";
import { type ArchiveParts, createArchiveParts } from "../../support/archive-parts.ts";
import { createTestClock } from "../../support/clock.ts";
import { toUlid } from "../../support/ulid.ts";

const FACT = "Remember: the vault of the orchid house opens with 4711.";
const LONG = toUlid(Date.UTC(2026, 0), "A1");
/** Its title is in one part. */
const SHORT = toUlid(Date.UTC(2027, 0), "A2");
const TITLES = new Map([
  [LONG, "The vault of the orchid house"],
  [SHORT, "What the orchid house opens with"],
]);

function toTurn(session: string, turn: number, year: number): ArchivedTurn {
  return {
    ...{ session, turn, title: TITLES.get(session)!, endedAt: Date.UTC(year, 5) },
    messages: ["Hello", FACT].map((text, i) => ({ n: turn * 10 + i, role: "user", at: Date.UTC(year, 5), text })),
  };
}

/** As a session does for the first turn of a year. */
async function send(parts: ArchiveParts, turn: ArchivedTurn): Promise<void> {
  const put = await parts.put(turn, null);
  if (!put.ok) throw new Error(put.failure.code);
  if (!put.value.stored) await parts.put(turn, put.value.year);
}

async function purge(parts: ArchiveParts): Promise<void> {
  const texts = toPieces([FACT]);
  await parts.split.putPurge({ subject: "s", at: Date.UTC(2028, 6), pieces: hashPieces(texts, "profile") });
  for (let after: number | null = 0; after !== null;) after = await parts.split.erasePieces({ texts }, after);
}

async function beginParts(parts: ArchiveParts): Promise<void> {
  for (const year of [2029, 2030]) for (const session of [LONG, SHORT]) await send(parts, toTurn(session, year, year));
}

function merge(parts: ArchiveParts): void {
  for (const own of [parts.first, ...[...parts.others.values()].map((part) => part.own)]) while (own.merge(250));
}

const TABLES = ["message", "message_title", "message_turn", "message_sum", "message_year", "message_merge"];

/** The rows of every part. Throws if an index is not of its part's words. */
function readParts(parts: ArchiveParts) {
  return parts.sqls().map((sql) => {
    for (const index of ["message_words", "message_pieces"])
      sql.run(`INSERT INTO ${index}(${index}, rank) VALUES('integrity-check', 1)`);
    const purged = sql.run(
      "SELECT subject, at, value ->> 'hash' AS hash FROM message_purge, json_each(pieces) ORDER BY subject, hash",
    );
    return [purged, ...TABLES.map((table) => sql.run(`SELECT * FROM ${table} ORDER BY 1`))];
  });
}

interface Work {
  before?(parts: ArchiveParts): Promise<void>;
  run(parts: ArchiveParts): Promise<unknown>;
}

async function runWithStop({ before, run }: Work, stopAt: number) {
  let [steps, last] = [0, Infinity];
  const step = () => {
    if (++steps >= last) throw new Error("stopped");
  };
  const parts = createArchiveParts({ clock: createTestClock(), step });
  for (const year of [2026, 2028]) await send(parts, toTurn(LONG, year, year));
  await send(parts, toTurn(SHORT, 2027, 2027));
  await before?.(parts);
  [steps, last] = [0, stopAt];
  const work = async () => {
    await run(parts);
    merge(parts);
  };
  if (stopAt === Infinity) await work();
  else await expect(work()).rejects.toThrow("stopped");
  const taken = steps;
  await new Promise((resolve) => setImmediate(resolve)); // calls beside the one that failed
  last = Infinity;
  if (stopAt !== Infinity) await work();
  for (const year of [2028, 2031])
    for (const session of TITLES.keys()) await send(parts, toTurn(session, 9_000 + year, year));
  merge(parts);
  return { parts, steps: taken };
}

describe.each([
  ["a purge", { run: purge }],
  ["a deletion of a session", { before: purge, run: (parts) => parts.split.eraseSession(LONG) }],
  ["the first turns of years after a purge", { before: purge, run: beginParts }],
] as [string, Work][])("%s", async (_, work) => {
  const whole = await runWithStop(work, Infinity);
  const expected = readParts(whole.parts);

  it("leaves nothing that is found by the purged text or by a title made of it", async () => {
    expect((await whole.parts.split.search({ query: "orchid vault", limit: 9 })).found).toEqual([]);
    expect((await whole.parts.split.search({ query: "hello", limit: 9 })).found).not.toEqual([]);
    expect(whole.steps).toBeGreaterThan(15);
  });

  it.each(Array.from({ length: whole.steps }, (_unused, i) => i + 1))(
    "does the same after a stop at step %i",
    async (at) => {
      expect(readParts((await runWithStop(work, at)).parts)).toEqual(expected);
    },
  );
});
