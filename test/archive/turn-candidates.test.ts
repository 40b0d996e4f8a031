import { expect, it, vi } from "vitest";
import { createTurnRecords } from "../../core/archive/turn-archive.ts";
import { findCandidates, toIndexed } from "../../core/archive/turn-candidates.ts";
import { areSimilarWords, contentWords } from "../../core/learning/requests.ts";
import type { Sql } from "../../core/ports.ts";
import { createNodeSql } from "../support/bindings/node-sql.ts";
import { createSeededRandom } from "../support/seeded-random.ts";

vi.setConfig({ testTimeout: 60_000 });

/** Enough for a baseline: with a discount of 0.8, all older turns together weigh less than a hundredth. */
const NEWEST = 20;
const TURNS = 2_500;
const QUESTIONS = 40;
const VOCABULARY = 3_000;
const KINDS = 150;
const LETTERS = "abcdefghij";

/** Requests of recurring kinds of work, some daily, some once in thousands of turns, with words as frequent as in a language. */
function createRequests(seed: number): () => string {
  const random = createSeededRandom(seed);
  const rank = (most: number) => Math.floor(Math.exp(random() * Math.log(most)));
  const word = () => `q${[...String(rank(VOCABULARY))].map((digit) => LETTERS[Number(digit)]).join("")}x`;
  const kinds = Array.from({ length: KINDS }, () => Array.from({ length: 8 }, word));
  return () => {
    const kind = kinds[rank(KINDS) % KINDS]!;
    return [...kind.filter(() => random() < 0.8), word(), word(), word()].join(" ");
  };
}

function record(sql: Sql, requests: string[]): void {
  createTurnRecords({ sql, discount: 0.8 }).turns({ limit: 1 }); // makes the tables
  sql.transaction(() => {
    for (const [i, request] of requests.entries()) {
      const words = toIndexed(contentWords(request));
      sql.run("INSERT INTO turn_sign VALUES (?, 0, '{}', ?)", i + 1, words);
      sql.run("INSERT INTO turn_words(rowid, words) VALUES (?, ?)", i + 1, words);
    }
  });
}

/** The reference: ranks all turns that have any of the words, and takes the best two hundred. */
function bestRanked(sql: Sql, words: Set<string>): number[] {
  const match = [...words].map((word) => `"${word}"`).join(" OR ");
  return sql
    .run<{ id: number }>(
      "SELECT rowid AS id FROM turn_words WHERE turn_words MATCH ? ORDER BY bm25(turn_words), rowid DESC LIMIT 200",
      match,
    )
    .map(({ id }) => id);
}

it("the newest similar turns are found as well as by ranking every match", () => {
  const sql = createNodeSql();
  const next = createRequests(11);
  const requests = Array.from({ length: TURNS }, next);
  record(sql, requests);
  const all = requests.map((request) => contentWords(request));
  let wanted = 0;
  const found = { listed: 0, ranked: 0 };
  for (let n = 0; n < QUESTIONS; n++) {
    const words = contentWords(next());
    const alike = all.flatMap((other, i) => (areSimilarWords(words, other) ? [i + 1] : [])).slice(-NEWEST);
    const listed = new Set(findCandidates(sql, words).map(({ id }) => id));
    const ranked = new Set(bestRanked(sql, words));
    wanted += alike.length;
    found.listed += alike.filter((id) => listed.has(id)).length;
    found.ranked += alike.filter((id) => ranked.has(id)).length;
  }
  expect(wanted).toBeGreaterThan(QUESTIONS * 5);
  expect(found.listed / wanted, JSON.stringify({ ...found, wanted })).toBeGreaterThan(0.95);
  expect(found.listed).toBeGreaterThanOrEqual(found.ranked);
});

it("a request finds an old one with exactly the same words, however common each word is", () => {
  const sql = createNodeSql();
  const common = ["alpha", "beta", "gamma", "delta"];
  const others = Array.from(
    { length: 4_000 },
    (_, i) => `${common[i % 4]} ${common[(i + 1) % 4]} other${"x".repeat(i % 9)}`,
  );
  record(sql, ["alpha beta gamma delta", ...others]);
  const found = findCandidates(sql, contentWords("Delta gamma beta alpha"));
  expect(found.map(({ id }) => id)).toContain(1);
});

it("the rows read for each word do not grow with the turns", () => {
  const readOf = (turns: number) => {
    const sql = createNodeSql();
    record(sql, Array.from({ length: turns }, createRequests(5)));
    let bytes = 0;
    const counting: Sql = {
      ...sql,
      run(query, ...values) {
        const rows = sql.run<never>(query, ...values);
        bytes += JSON.stringify(rows).length;
        return rows;
      },
    };
    const next = createRequests(5);
    for (let n = 0; n < 20; n++) findCandidates(counting, contentWords(next()));
    return bytes;
  };
  expect(readOf(8_000)).toBeLessThanOrEqual(readOf(1_000) * 1.2);
});
