// Measures what a turn costs the objects of its profile as the profile grows: the Archive's observation and the Account's booking,
// over node:sqlite. Earlier turns are inserted directly into the tables; the measured turns go through the product's code. Called
// by growth.ts and its test.
import { performance } from "node:perf_hooks";
import { openTurnTables } from "../../core/archive/schema.ts";
import { createTurnRecords } from "../../core/archive/turn-archive.ts";
import { toIndexed } from "../../core/archive/turn-candidates.ts";
import { contentWords } from "../../core/learning/requests.ts";
import { DEFAULTS } from "../../core/limits.ts";
import type { Sql } from "../../core/ports.ts";
import { NO_USAGE } from "../../core/schemas/entry.ts";
import type { TurnSignature } from "../../core/schemas/learning/learning.ts";
import { LEDGER_SCHEMA, createAccountLedger } from "../../durable-objects/account-ledger.ts";
import { createBenchSql } from "../learning/platform/sql.ts";
import { median, roundToHundredths } from "../support/figures.ts";

export interface ProfileRow {
  /** Turns of the profile before the measured ones. */
  turns: number;
  /** Medians per turn. */
  observeMs: number;
  bookMs: number;
  /** Means per turn: rows and bytes that SQLite returned. */
  observeRows: number;
  observeBytes: number;
  bookRows: number;
}

const COUNTED = 100;
const WARM_UP = 20;
const SESSION_TURNS = 20;
const DAY_MS = 24 * 60 * 60_000;
const TURNS_A_DAY = 500;
const VOCABULARY = 4_000;
const KINDS = 400;
const OLDEST = Date.UTC(2026, 0, 5);

export function measureProfile(sizes: readonly number[], say: (line: string) => void = () => {}): ProfileRow[] {
  const archive = countReads(createBenchSql());
  const account = countReads(createBenchSql());
  openTurnTables(archive.sql);
  for (const statement of LEDGER_SCHEMA) account.sql.run(statement);
  const records = createTurnRecords({ sql: archive.sql, discount: DEFAULTS.learning.discount });
  const ledger = createAccountLedger(account.sql);
  const next = createTurns();
  let turns = 0;
  return sizes.map((size) => {
    const inserted = Array.from({ length: Math.max(0, size - turns) }, next);
    archive.sql.transaction(() => inserted.forEach((turn, i) => insertTurn(archive.sql, turns + i + 1, turn)));
    for (const turn of inserted) ledger.book(toBooking(turn));
    turns += inserted.length;
    const observed: number[] = [];
    const booked: number[] = [];
    for (let n = -WARM_UP; n < COUNTED; n++) {
      if (n === 0) [archive, account].forEach((meter) => meter.reset());
      const turn = next();
      const began = performance.now();
      records.observe(turn);
      const seen = performance.now();
      ledger.book(toBooking(turn));
      if (n >= 0) {
        observed.push(seen - began);
        booked.push(performance.now() - seen);
      }
    }
    turns += WARM_UP + COUNTED;
    say(`${size} turns of a profile`);
    return {
      turns: size,
      observeMs: roundToHundredths(median(observed)),
      bookMs: roundToHundredths(median(booked)),
      observeRows: roundToHundredths(archive.counts().rows / COUNTED),
      observeBytes: Math.round(archive.counts().bytes / COUNTED),
      bookRows: roundToHundredths(account.counts().rows / COUNTED),
    };
  });
}

/** Requests of recurring kinds of work. Kinds and words have skewed frequencies, as in natural language. */
function createTurns(): () => TurnSignature {
  let seed = 7;
  let n = 0;
  const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  const rank = (most: number) => Math.floor(Math.exp(random() * Math.log(most)));
  const word = () => `q${[...String(rank(VOCABULARY))].map((digit) => "abcdefghij"[Number(digit)]).join("")}x`;
  const kinds = Array.from({ length: KINDS }, () => Array.from({ length: 8 }, word));
  return () => {
    const kind = kinds[rank(KINDS) % KINDS]!;
    const session = `01J${String(Math.floor(n / SESSION_TURNS)).padStart(23, "0")}`;
    const turn = (n++ % SESSION_TURNS) + 1;
    return {
      turn: `${session}-${turn}`,
      session,
      at: OLDEST + Math.floor((n / TURNS_A_DAY) * DAY_MS),
      request: [...kind.filter(() => random() < 0.8), word(), word(), word()].join(" "),
      tools: { terminal: 1 + Math.floor(random() * 4), write_file: 1 },
      loaded: [],
      outcome: random() < 0.7 ? "success" : "failure",
      judge: "exit",
      recovered: false,
      effort: { calls: 2 + Math.floor(random() * 6), failedCalls: 0, tokens: 4_000 },
      heldOut: false,
    };
  };
}

/** Inserts a turn as the Archive records it, without its search for similar turns. */
function insertTurn(sql: Sql, id: number, turn: TurnSignature): void {
  const words = toIndexed(contentWords(turn.request));
  sql.run("INSERT INTO turn_sign VALUES (?, ?, ?, ?)", id, turn.at, JSON.stringify(turn), words);
  sql.run("INSERT INTO turn_place VALUES (?, ?)", turn.turn, id);
  sql.run("INSERT INTO turn_words(rowid, words) VALUES (?, ?)", id, words);
}

function toBooking({ turn, session, at }: TurnSignature) {
  const usage = { ...NO_USAGE, input: 3_000, output: 1_000 };
  const line = { kind: "turn" as const, model: "bench", source: "none" as const, calls: 4, usage, usdMicros: 0 };
  return { id: turn, session, at, lines: [line] };
}

function countReads(inner: Sql) {
  let rows = 0;
  let bytes = 0;
  const sql: Sql = {
    ...inner,
    run<Row>(query: string, ...values: never[]): Row[] {
      const found = inner.run<Row>(query, ...values);
      rows += found.length;
      for (const row of found) {
        for (const value of Object.values(row as object)) bytes += typeof value === "string" ? value.length : 8;
      }
      return found;
    },
  };
  return { sql, counts: () => ({ rows, bytes }), reset: () => void (rows = bytes = 0) };
}
