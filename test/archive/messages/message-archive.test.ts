import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type ArchivedTurn,
  type MessageArchive,
  createMessageArchive,
} from "../../../core/archive/messages/message-archive.ts";
import { MAX_INDEXED_CHARS } from "../../../core/archive/messages/message-words.ts";
import { StateNewerError } from "../../../core/errors.ts";
import type { Sql } from "../../../core/ports.ts";
import type { ArchivedMessage } from "../../../core/schemas/archived-message.ts";
import type { SessionId } from "../../../core/schemas/ids.ts";
import { anyText } from "../../support/any-text.ts";
import { createNodeSql } from "../../support/bindings/node-sql.ts";
import { createTempFolders } from "../../support/temp-folders.ts";
import { runs } from "../../support/thorough.ts";

const A = "session-a" as SessionId;
const B = "session-b" as SessionId;
const createFolder = createTempFolders();
const AT = Date.UTC(2026, 10, 26);

function setUp() {
  const sql = createNodeSql();
  return { sql, archive: createMessageArchive(sql) };
}

function toTurn(session: SessionId, turn: number, texts: string[], over: Partial<ArchivedMessage> = {}): ArchivedTurn {
  const messages = texts.map((text, i) => ({
    n: turn * 100 + i,
    role: i % 2 ? ("assistant" as const) : ("user" as const),
    at: AT,
    text,
    ...over,
  }));
  return { session, turn, messages };
}

/** As the Archive object's alarm does. Returns how many steps it took. */
function mergeAll(archive: MessageArchive, pages = 500): number {
  let steps = 0;
  while (archive.merge(pages)) steps += 1;
  return steps;
}

function countRows(sql: Sql) {
  const count = (table: string) => sql.run<{ c: number }>(`SELECT count(*) AS c FROM ${table}`)[0]!.c;
  const [sum] = sql.run<{ messages: number; words: number }>("SELECT messages, words FROM message_sum");
  return {
    messages: count("message"),
    turns: count("message_turn WHERE turn >= 0"),
    terms: count("message_terms"),
    sum,
  };
}

describe("putting a turn", () => {
  it("is idempotent by session and turn", () => {
    const { sql, archive } = setUp();
    archive.put(toTurn(A, 1, ["the red bridge", "a bridge indeed"]));
    const once = countRows(sql);
    archive.put(toTurn(A, 1, ["the red bridge", "a bridge indeed"]));
    expect(countRows(sql)).toEqual(once);
    expect(once).toMatchObject({ messages: 2, turns: 1, sum: { messages: 2, words: 4 } });
    archive.put(toTurn(B, 1, ["the red bridge"]));
    archive.put(toTurn(A, 2, ["the red bridge"]));
    expect(countRows(sql).messages).toBe(4);
  });

  it("stores nothing of a turn whose message cannot be stored", () => {
    const { sql, archive } = setUp();
    const before = countRows(sql);
    const broken = toTurn(A, 1, ["first", "second"]);
    broken.messages[1]!.at = Number.NaN;
    expect(() => archive.put(broken)).toThrow();
    expect(countRows(sql)).toEqual(before);
    archive.put(toTurn(A, 1, ["first", "second"]));
    expect(countRows(sql).messages).toBe(2);
  });

  it("accepts a turn without messages and a message without words", () => {
    const { sql, archive } = setUp();
    archive.put(toTurn(A, 1, []));
    archive.put(toTurn(A, 2, ["", "what is it"]));
    expect(countRows(sql)).toMatchObject({ messages: 2, turns: 2, sum: { messages: 2, words: 0 } });
    expect(archive.eraseSession(A)).toBe(2);
  });

  it("stores the first characters of a message of 5 MB", () => {
    const { archive } = setUp();
    archive.put(toTurn(A, 1, [`bridge ${"filler ".repeat(750_000)} tunnel`]));
    const [found] = archive.search({ query: "bridge", limit: 3 });
    expect(found!.text).toHaveLength(MAX_INDEXED_CHARS);
    expect(archive.search({ query: "tunnel", limit: 3 })).toEqual([]);
  });

  it("stores valid text for NUL characters and lone surrogates, which are found and erased", () => {
    const { sql, archive } = setUp();
    archive.put(toTurn(A, 1, ["bridge\0tunnel \ud800lone \udc00 `src/\0x.ts`", "\0", "\ud83d"]));
    expect(archive.search({ query: "tunnel\0 \ud800", limit: 3 })[0]!.text).toBe(
      "bridge tunnel \ufffdlone \ufffd `src/ x.ts`",
    );
    expect(archive.eraseSession(A)).toBe(3);
    expect(countRows(sql)).toEqual({ messages: 0, turns: 0, terms: 0, sum: { messages: 0, words: 0 } });
  });
});

describe("reading around an entry", () => {
  it("returns messages of the session alone, in their order, across turns", () => {
    const { archive } = setUp();
    archive.put(toTurn(A, 1, ["a1", "a2"]));
    archive.put(toTurn(B, 1, ["b1", "b2"]));
    archive.put(toTurn(A, 2, ["a3", "a4"]));
    const texts = (...[n, before, after]: [number, number, number]) =>
      archive.around(A, n, before, after).map(({ text }) => text);
    expect(texts(101, 1, 1)).toEqual(["a1", "a2", "a3"]);
    expect(texts(102, 0, 9)).toEqual(["a3", "a4"]); // no entry 102: the next is 200
    expect(texts(0, 5, 0)).toEqual(["a1"]);
    expect(texts(202, 1, 5)).toEqual(["a3", "a4"]); // past the last entry: around the last message
    expect(archive.around("nobody" as SessionId, 0, 5, 5)).toEqual([]);
    expect(archive.around(B, 100, 0, 0)).toEqual([
      { id: 3, session: B, turn: 1, n: 100, role: "user", at: AT, text: "b1" },
    ]);
  });

  it("reads 100 messages on each side at most", () => {
    const { archive } = setUp();
    archive.put(
      toTurn(
        A,
        0,
        Array.from({ length: 500 }, (_, i) => `m${i}`),
      ),
    );
    expect(archive.around(A, 250, 1e9, 1e9).map(({ n }) => n)).toEqual(Array.from({ length: 201 }, (_, i) => 150 + i));
  });
});

describe("erasing a session", () => {
  it("leaves no row, no word and no trigram in the pages of the file", () => {
    const path = join(createFolder(), "archive.sqlite");
    const sql = createNodeSql(path);
    sql.run("PRAGMA secure_delete = ON"); // freed pages are the platform's; this test reads those in use
    const archive = createMessageArchive(sql);
    for (let i = 0; i < 60; i += 1) archive.put(toTurn(B, i, [`kept bridge ${i}`, `kept tunnel ${i}`]));
    archive.put({ ...toTurn(A, 1, ["Zyxwquark lives at Qjvzk street"]), title: "Xylqth" });
    for (let i = 60; i < 120; i += 1) archive.put(toTurn(B, i, [`kept bridge ${i}`, `kept tunnel ${i}`]));
    // FTS5 stores words as suffixes of those before them.
    const traces = ["zyxwquark", "yxwquark", "qjvzk", "zyx", "jvz", "xylqth", "session-a"];
    const tracesIn = () => {
      const pages = readFileSync(path, "latin1").toLowerCase();
      return traces.filter((trace) => pages.includes(trace));
    };
    expect(tracesIn()).toEqual(expect.arrayContaining(["zyxwquark", "zyx", "session-a"]));
    expect(archive.eraseSession(A)).toBe(1);
    expect(archive.search({ query: "Zyxwquark", limit: 9 })).toEqual([]);
    expect(archive.search({ query: '"Qjvzk street"', limit: 9 })).toEqual([]);
    mergeAll(archive);
    expect(tracesIn()).toEqual(["session-a"]); // its tombstone
    expect(archive.search({ query: '"kept bridge 77"', limit: 1 })[0]!.text).toBe("kept bridge 77");
    sql.close();
  });

  it("keeps both indexes consistent with the remaining messages", () => {
    const { sql, archive } = setUp();
    archive.put(toTurn(A, 1, ["the red bridge 黒猫", "über Σίσυφος ΟΔΟΣ 𞤀𞤣𞤤𞤢𞤥"]));
    archive.put(toTurn(B, 1, ["the blue bridge"]));
    archive.eraseSession(A);
    for (const index of ["message_words", "message_pieces"]) {
      sql.run(`INSERT INTO ${index}(${index}, rank) VALUES('integrity-check', 1)`);
    }
    mergeAll(archive, 5);
    for (const index of ["message_words", "message_pieces"]) {
      sql.run(`INSERT INTO ${index}(${index}, rank) VALUES('integrity-check', 1)`);
    }
    expect(countRows(sql)).toMatchObject({ messages: 1, turns: 1, sum: { messages: 1, words: 2 } });
    expect(archive.eraseSession(A)).toBe(0);
  });

  it("of ten thousand messages removes each", { timeout: 60_000 }, () => {
    const { sql, archive } = setUp();
    for (let turn = 0; turn < 100; turn += 1) {
      archive.put(
        toTurn(
          A,
          turn,
          Array.from({ length: 100 }, (_, i) => `message ${turn} ${i} about bridges`),
        ),
      );
    }
    archive.put(toTurn(B, 1, ["about bridges"]));
    expect(archive.search({ query: "message 77 13", limit: 1 })[0]!.text).toBe("message 77 13 about bridges");
    expect(archive.around(A, 5050, 1, 1).map(({ n }) => n)).toEqual([5049, 5050, 5051]);
    expect(archive.eraseSession(A)).toBe(10_000);
    expect(countRows(sql)).toMatchObject({ messages: 1, turns: 1, sum: { messages: 1, words: 1 } });
  });
});

describe("the tables", () => {
  it("are kept when they are opened again", () => {
    const { sql, archive } = setUp();
    archive.put(toTurn(A, 1, ["the red bridge"]));
    expect(createMessageArchive(sql).search({ query: "bridge", limit: 1 })).toHaveLength(1);
  });

  it("of a newer version are refused and left alone", () => {
    const { sql, archive } = setUp();
    archive.put(toTurn(A, 1, ["the red bridge"]));
    sql.run("UPDATE archive_part SET version = 99 WHERE name = 'messages'");
    expect(() => createMessageArchive(sql)).toThrow(StateNewerError);
    expect(countRows(sql).messages).toBe(1);
  });
});

const words = [
  "bridge",
  "tunnel",
  "猫",
  "黒猫",
  "ERR_404",
  '"red bridge"',
  "ς",
  "\0",
  "\ud800",
  "%",
  "_",
  "*",
  "🎉",
  "the",
];
const anyMessage = fc.oneof(
  anyText({ maxLength: 30 }),
  fc.array(fc.constantFrom(...words), { maxLength: 6 }).map((parts) => parts.join(" ")),
);
const anySession = fc.constantFrom(A, B, "session-c" as SessionId);
type Step = { kind: "put" | "erase" | "erase text"; session: SessionId; turn: number; texts: string[] };
const anyStep: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom("put", "put", "put", "erase", "erase text"),
  session: anySession,
  turn: fc.nat(4),
  texts: fc.array(anyMessage, { maxLength: 5 }),
});

describe("whatever is put and erased", () => {
  it("leaves totals that equal the table, sound indexes, and searches that find existing messages alone", () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 12 }), anyMessage, (steps, query) => {
        const { sql, archive } = setUp();
        for (const { kind, session, turn, texts } of steps) {
          if (kind === "put") archive.put(toTurn(session, turn, texts));
          else if (kind === "erase") archive.eraseSession(session);
          else archive.eraseWhere((text) => text.includes("bridge"));
          if (turn % 2 === 0) archive.merge(2);
        }
        const rows = sql.run<{ id: number; session: string; text: string; words: string }>("SELECT * FROM message");
        const total = rows.reduce((sum, row) => sum + row.words.split(" ").filter(Boolean).length, 0);
        expect(countRows(sql).sum).toEqual({ messages: rows.length, words: total });
        for (const index of ["message_words", "message_pieces"]) {
          sql.run(`INSERT INTO ${index}(${index}, rank) VALUES('integrity-check', 1)`);
        }
        const terms = sql.run<{ term: string }>("SELECT term FROM message_terms").map(({ term }) => term);
        expect(
          rows.flatMap((row) => row.words.split(" ").filter(Boolean)).filter((word) => !terms.includes(word)),
        ).toEqual([]);
        const byId = new Map(rows.map((row) => [row.id, row]));
        const found = archive.search({ query, limit: 50 });
        expect(found.map(({ id, session, text }) => ({ id, session, text }))).toEqual(
          found.map(({ id }) => ({ id, session: byId.get(id)!.session, text: byId.get(id)!.text })),
        );
        expect(new Set(found.map(({ id }) => id)).size).toBe(found.length);
        sql.close();
      }),
      { numRuns: runs(300) },
    );
  });
});
