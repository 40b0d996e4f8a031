import { describe, expect, it } from "vitest";
import { createTurnRecords } from "../../core/archive/turn-archive.ts";
import { MAX_CANDIDATES, toIndexed } from "../../core/archive/turn-candidates.ts";
import { contentWords } from "../../core/learning/requests.ts";
import { eraseTurnsOfSession, eraseTurnsWhere } from "../../core/archive/turn-erasure.ts";
import type { Sql } from "../../core/ports.ts";
import type { TurnSignature } from "../../core/schemas/learning/learning.ts";
import { createNodeSql } from "../support/bindings/node-sql.ts";
import { createSeededRandom } from "../support/seeded-random.ts";

const kind = (text: string) => ({ kind: { text, by: "title" as const } });

/** The tables of version 1. */
const OLDER_TABLES = [
  "CREATE TABLE turn_sign(id INTEGER PRIMARY KEY, at INTEGER NOT NULL, body TEXT NOT NULL) STRICT, WITHOUT ROWID",
  "CREATE TABLE turn_place(turn TEXT PRIMARY KEY, id INTEGER NOT NULL) STRICT, WITHOUT ROWID",
  "CREATE TABLE turn_skill(skill TEXT, id INTEGER, PRIMARY KEY(skill, id)) STRICT, WITHOUT ROWID",
  `CREATE VIRTUAL TABLE turn_words USING fts5(words, content = '', tokenize = "unicode61 remove_diacritics 0")`,
];

const sessionOf = (n: number) => `01J${String(n).padStart(23, "0")}`;
const loaded = (skill: string) => [{ skill, text: "a".repeat(64) }];

function turn(n: number, request: string, over: Partial<TurnSignature> = {}): TurnSignature {
  return {
    turn: `${sessionOf(n)}-1`,
    session: sessionOf(n),
    at: n,
    request,
    tools: { terminal: 2 },
    loaded: [],
    outcome: "success",
    judge: "exit",
    recovered: false,
    effort: { calls: 4, failedCalls: 0, tokens: 100 },
    heldOut: false,
    ...over,
  };
}

function setUp() {
  const sql = createNodeSql();
  return { sql, records: createTurnRecords({ sql, discount: 0.8 }) };
}

/** Inserts turns directly, without computing neighbours. */
function fill(sql: Sql, turns: TurnSignature[]): void {
  createTurnRecords({ sql, discount: 0.8 }).turns({ limit: 1 }); // makes the tables
  sql.transaction(() => {
    for (const [i, signature] of turns.entries()) {
      const words = toIndexed(contentWords(signature.request));
      sql.run("INSERT INTO turn_sign VALUES (?, ?, ?, ?)", i + 1, signature.at, JSON.stringify(signature), words);
      sql.run("INSERT INTO turn_words(rowid, words) VALUES (?, ?)", i + 1, words);
    }
  });
}

describe("recording a turn", () => {
  it("returns its similar earlier turns, whatever their session", () => {
    const { records } = setUp();
    expect(records.observe(turn(1, "Average the prices in the export"))).toEqual({
      ...{ similar: 0, successes: 0, best: null, skills: {} },
    });
    records.observe(turn(2, "Write a poem about rain"));
    const near = records.observe(turn(3, "Average the prices of the new export", { loaded: loaded("prices") }));
    expect(near).toMatchObject({ similar: 1, successes: 1, best: { calls: 4, turn: `${sessionOf(1)}-1` } });
    expect(near.skills.prices?.without).toEqual({ turns: 1, successes: 1, failures: 0, calls: 4 });
  });

  it("a second time replaces the record, and does not make the turn its own neighbour", () => {
    const { records, sql } = setUp();
    const first = turn(1, "Average the prices in the export");
    records.observe(first);
    const known = records.observe({ ...first, outcome: "failure", judge: "rating", loaded: loaded("prices") });
    expect(known.similar).toBe(0);
    expect(records.turns({ limit: 9 })).toEqual([
      { ...first, outcome: "failure", judge: "rating", loaded: loaded("prices") },
    ]);
    expect(records.observe(turn(2, "Average the prices in the export"))).toMatchObject({ similar: 1, successes: 0 });
    const count = (table: string) => sql.run<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)[0]!.n;
    expect(["turn_sign", "turn_place", "turn_skill"].map(count)).toEqual([2, 2, 1]);
  });

  it("accepts any request: quotes, operators, no words at all", () => {
    const { records } = setUp();
    for (const [i, request] of [
      '"OR" NEAR( * ^',
      "",
      "`a` 12",
      "price AND NOT price",
      "価格の平均",
      "été où ça",
    ].entries()) {
      expect(records.observe(turn(2 * i + 1, request)).similar).toBe(0);
      expect(records.observe(turn(2 * i + 2, request)).similar).toBe(/\p{L}{4}|été/u.test(request) ? 1 : 0);
    }
  });

  it("survives an eviction, and a crash between its rows leaves none of them", () => {
    const sql = createNodeSql();
    let left = Infinity;
    const mortal = {
      ...sql,
      run: ((query: string, ...values: never[]) => {
        if (/^INSERT/.test(query) && --left < 0) throw new Error("the power went out");
        return sql.run(query, ...values);
      }) as typeof sql.run,
    };
    for (const writes of [0, 1, 2, 3]) {
      left = writes;
      const records = createTurnRecords({ sql: mortal, discount: 0.8 });
      expect(() => records.observe(turn(1, "Average the prices", { loaded: loaded("x") }))).toThrow("power");
    }
    left = Infinity;
    createTurnRecords({ sql: mortal, discount: 0.8 }).observe(turn(1, "Average the prices"));
    const back = createTurnRecords({ sql, discount: 0.8 });
    expect(back.observe(turn(2, "Average the prices"))).toMatchObject({ similar: 1 });
  });
});

describe("the turns of a profile", () => {
  it("are listed newest first, from a given time, up to a limit", () => {
    const { records } = setUp();
    for (const n of [1, 2, 3, 4]) records.observe(turn(n, `Request number ${n}`));
    const listed = (asked: { since?: number; limit: number }) => records.turns(asked).map(({ at }) => at);
    expect(listed({ limit: 9 })).toEqual([4, 3, 2, 1]);
    expect(listed({ limit: 2 })).toEqual([4, 3]);
    expect(listed({ since: 3, limit: 9 })).toEqual([4, 3]);
  });

  it("are listed without those that the owner did not ask for", () => {
    const { records } = setUp();
    for (const n of [1, 2, 3, 4]) records.observe(turn(n, `Request number ${n}`, n === 3 ? {} : { asked: "owner" }));
    expect(records.turns({ since: 2, limit: 9, own: true }).map(({ at }) => at)).toEqual([4, 2]);
    expect(records.turns({ limit: 2, own: true }).map(({ at }) => at)).toEqual([4, 2]);
  });

  it("cost a query no more at ten thousand than at two hundred", () => {
    const { sql } = setUp();
    const random = createSeededRandom(7);
    const things = ["prices", "weights", "orders", "invoices", "letters", "photos", "tickets", "reports"];
    const deeds = ["average", "sort", "summarise", "rename", "translate", "count", "merge", "check"];
    const pick = (list: string[]) => list[Math.floor(random() * list.length)]!;
    const many = Array.from({ length: 10_000 }, (_, i) =>
      turn(i + 1, `Please ${pick(deeds)} the ${pick(things)} of week ${i + 1}`),
    );
    fill(sql, many);
    let rows = 0;
    const counting = {
      ...sql,
      run: ((query: string, ...values: never[]) => {
        const found = sql.run(query, ...values);
        rows += found.length;
        return found;
      }) as typeof sql.run,
    };
    const asked = createTurnRecords({ sql: counting, discount: 0.8 });
    const known = asked.observe(turn(10_001, "Please average the prices of this week"));
    // About 156 share both words, and the newest of those are asked for first; all share the week.
    const [compared, places, words] = [32, 2, 4];
    expect(known.similar).toBe(compared);
    expect(rows).toBeLessThanOrEqual(MAX_CANDIDATES + compared + places + words + 1);
  }, 60_000);

  it("recorded by version 2, which had no kinds, are kept when the tables are opened", () => {
    const { sql, records } = setUp();
    records.observe(turn(1, "Average the prices in the export"));
    sql.run("DROP TABLE turn_kind");
    sql.run("UPDATE archive_part SET version = 2 WHERE name = 'turns'");
    const again = createTurnRecords({ sql, discount: 0.8 });
    expect(again.observe(turn(2, "Average the prices in the export", kind("average prices")))).toMatchObject({
      similar: 1,
    });
  });

  it("recorded by version 1, without their words, are still found as neighbours", () => {
    const { sql } = setUp();
    for (const statement of OLDER_TABLES) sql.run(statement);
    const older = turn(1, "Average the prices in the export");
    sql.run("INSERT INTO turn_sign VALUES (1, 1, ?)", JSON.stringify(older));
    sql.run("INSERT INTO turn_place VALUES (?, 1)", older.turn);
    sql.run("INSERT INTO turn_words(rowid, words) VALUES (1, ?)", [...contentWords(older.request)].join(" "));
    for (const n of [2, 3]) {
      const records = createTurnRecords({ sql, discount: 0.8 }); // a new object after an eviction
      expect(records.observe(turn(n, "Average the prices in the export"))).toMatchObject({ similar: n - 1 });
    }
    const again = { ...older, outcome: "failure" as const };
    createTurnRecords({ sql, discount: 0.8 }).observe(again);
    expect(createTurnRecords({ sql, discount: 0.8 }).turns({ limit: 9 }).at(-1)).toEqual(again);
  });
});

describe("a turn whose kind of work a model has named", () => {
  const RENEW = kind("renew a TLS certificate");
  const count = (sql: Sql) => sql.run<{ n: number }>("SELECT count(*) AS n FROM turn_kind")[0]!.n;

  it("is similar to one without a common word, even if its kind was named later", () => {
    const { records, sql } = setUp();
    records.observe(turn(1, "The lock in the browser is red"));
    const later = turn(2, "Unsere Seite gilt als unsicher", RENEW);
    expect(records.observe(later).similar).toBe(0);
    records.putKinds([
      { turn: `${sessionOf(1)}-1`, kind: { text: "renew TLS certificates", by: "review" } },
      { turn: `${sessionOf(9)}-1`, kind: RENEW.kind },
    ]);
    expect(records.observe(later)).toMatchObject({ similar: 1, successes: 1 });
    expect(records.turns({ limit: 9 }).at(-1)?.kind).toEqual({ text: "renew TLS certificates", by: "review" });
    records.putKinds([{ turn: `${sessionOf(1)}-1`, kind: kind("bake bread").kind }]);
    expect(records.observe(later).similar).toBe(1);
    expect(count(sql)).toBe(6);
  });

  it("counts with the lift of a skill that turns of its kind have used", () => {
    const { records } = setUp();
    records.observe(turn(1, "Unsere Seite gilt als unsicher", RENEW));
    records.observe(turn(5, "The lock in the browser is red", { ...RENEW, loaded: loaded("certificates") }));
    expect(records.lift("certificates", "certificates", 3)).toMatchObject({
      before: { turns: 1 },
      after: { turns: 1 },
    });
  });

  it("is compared with the newest of its kind only, and a turn without a kind writes no kind row", () => {
    const { records, sql } = setUp();
    for (let n = 1; n <= 200; n++) records.observe(turn(n, `word${"abcdefghij"[n % 10]} letter`, n > 150 ? RENEW : {}));
    expect(count(sql)).toBe(3 * 50);
    expect(records.observe(turn(201, "anything", RENEW)).similar).toBe(32);
  });

  it("is erased with its session, or when the text of its kind is erased", () => {
    const { records, sql } = setUp();
    records.observe(turn(1, "The lock in the browser is red", RENEW));
    records.observe(turn(2, "Another thing", kind("plan a wedding")));
    expect(eraseTurnsWhere(sql, (text) => text.includes("wedding"))).toBe(1);
    expect(eraseTurnsOfSession(sql, sessionOf(1))).toBe(1);
    expect([count(sql), records.turns({ limit: 9 })]).toEqual([0, []]);
  });
});

describe("an erased turn", () => {
  const vocabulary = (sql: Sql) => {
    sql.run("CREATE VIRTUAL TABLE temp.found USING fts5vocab('main', 'turn_words', 'instance')");
    return sql.run<{ term: string }>("SELECT term FROM temp.found").map(({ term }) => term);
  };

  it("leaves neither a word nor its task in the index", () => {
    const { records, sql } = setUp();
    records.observe(turn(1, "Sum the parcel ledger of the harbour"));
    eraseTurnsOfSession(sql, sessionOf(1));
    expect(vocabulary(sql)).toEqual([]);
  });

  it("with an erased text in its request is not recorded again by a later judge, until its session is erased", () => {
    const { records, sql } = setUp();
    const first = turn(1, "The depot closes at noon");
    records.observe(first);
    expect(eraseTurnsWhere(sql, (text) => text.includes("depot"))).toBe(1);
    expect(records.observe({ ...first, outcome: "failure" })).toMatchObject({ similar: 0 });
    expect([records.turns({ limit: 9 }), vocabulary(sql)]).toEqual([[], []]);
    expect(eraseTurnsOfSession(sql, sessionOf(1))).toBe(1);
    expect(sql.run("SELECT turn FROM turn_place")).toEqual([]);
  });
});

describe("the lift of a skill", () => {
  it("counts the turns that used it and similar ones, before it was created and since", () => {
    const { records } = setUp();
    const request = "Average the prices in the export";
    records.observe(turn(1, request, { outcome: "failure" }));
    records.observe(turn(2, request, { outcome: "unknown" }));
    records.observe(turn(3, "Write a poem about rain"));
    records.observe(turn(11, request, { loaded: loaded("prices") }));
    records.observe(turn(12, request, { outcome: "failure" }));
    records.observe(turn(13, "Translate a letter", { loaded: loaded("prices") }));
    records.observe(turn(14, "Write a poem about rain"));
    expect(records.lift("prices", "Averages of prices.", 10)).toEqual({
      before: { turns: 2, judged: 1, successes: 0 },
      after: { turns: 3, judged: 3, successes: 2 },
    });
  });

  it("is empty for a skill that was never used", () => {
    const { records } = setUp();
    records.observe(turn(1, "Average the prices in the export"));
    const none = { turns: 0, judged: 0, successes: 0 };
    expect(records.lift("prices", "Average the prices in the export.", 1)).toEqual({ before: none, after: none });
  });

  it("covers both sides, however many turns one of them has", () => {
    const { records, sql } = setUp();
    const request = "Average the prices in the export";
    fill(
      sql,
      Array.from({ length: 400 }, (_, i) => turn(i + 1, request, { outcome: i < 5 ? "failure" : "success" })),
    );
    records.observe(turn(401, request, { loaded: loaded("prices") }));
    expect(records.lift("prices", "", 6)).toMatchObject({ before: { turns: 5, judged: 5, successes: 0 } });
  });
});

describe("turns similar to a text", () => {
  const about = "Averages a column of a table.\nWhat is the average price in the list?\nMean of a column";

  it("are those whose request is like one of its lines, newest first and none after the given time", () => {
    const { records } = setUp();
    const requests = [
      "Average price of the list",
      "Book a flight to Rome",
      "Average price in my list",
      "The mean column",
    ];
    for (const [i, request] of requests.entries()) records.observe(turn(i + 1, request));
    const find = (before: number, limit = 9) =>
      records.findSimilarTurns({ skill: "prices", words: about, before, limit }).map((id) => Number(id.slice(3, 26)));
    expect(find(9)).toEqual([4, 3, 1]);
    expect(find(3)).toEqual([3, 1]);
    expect(find(9, 1)).toEqual([4]);
    expect(records.findSimilarTurns({ skill: "prices", words: "", before: 9, limit: 9 })).toEqual([]);
  });

  it("are those that used the skill, then similar ones, then those whose request a long description covers", () => {
    const { records } = setUp();
    const words =
      "How to work out a total or a mean of a column in an office's delimited text file: semicolons, decimal commas, a row of units.";
    const totals = "What is the total of `rain` in `rain.csv`? Give it to two decimals.";
    records.observe(turn(1, "Make the report of the month", { loaded: loaded("office") }));
    records.observe(
      turn(2, "Total or mean of a decimal column in an office's text file of units, a semicolon at each row"),
    );
    for (const [n, request] of [
      [3, totals],
      [4, "Add up the total"],
      [5, "Bake bread, two loaves"],
      [6, totals],
    ] as const)
      records.observe(turn(n, request));
    const found = records.findSimilarTurns({ skill: "office", words, before: 9, limit: 9 });
    expect(found.map((id) => Number(id.slice(3, 26)))).toEqual([1, 2, 6, 3]);
    records.observe(turn(7, "What is the total of `snow` in `rain.txt`?"));
    const named = {
      skill: "new",
      words: "Sums up the rain of a station: a total for each CSV file.",
      before: 9,
      limit: 9,
    };
    expect(records.findSimilarTurns(named).map((id) => Number(id.slice(3, 26)))).toEqual([6, 3, 7]);
  });

  it("are never turns of a session that was deleted", () => {
    const { sql, records } = setUp();
    for (const n of [1, 2]) records.observe(turn(n, "Average price of the list"));
    eraseTurnsOfSession(sql, sessionOf(2));
    expect(records.findSimilarTurns({ skill: "prices", words: about, before: 9, limit: 9 })).toEqual([
      `${sessionOf(1)}-1`,
    ]);
  });
});
