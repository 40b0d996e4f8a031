// The rows of conversations, over node:sqlite: what is found, joined and forgotten, and how many there may be.
import { describe, expect, it } from "vitest";
import { DAY_MS } from "../../../core/schemas/ids.ts";
import { type BegunRequest, createConversationRows } from "../../../durable-objects/conversations/conversation-rows.ts";
import { createSessionRows, SESSION_SCHEMA } from "../../../durable-objects/account-sessions.ts";
import { createNodeSql } from "../../support/bindings/node-sql.ts";

function setUp(...sessions: string[]) {
  const sql = createNodeSql();
  for (const statement of SESSION_SCHEMA) sql.run(statement);
  for (const session of sessions) {
    createSessionRows(sql).add({ session, title: "", learning: "on", createdAt: 1 });
  }
  return { sql, rows: createConversationRows(sql) };
}

function begun(chain: string, session: string, more: Partial<BegunRequest> = {}): BegunRequest {
  const plan = { v: 1 as const, key: `key of ${chain}`, session, known: 0, isNew: true, learning: "on" as const };
  return {
    isRepeat: false,
    request: `of ${chain}`,
    body: chain,
    chain,
    name: null,
    plan: { ...plan, guidance: null, createdAt: 1 },
    ...more,
  };
}

describe("rows of conversations", () => {
  it("are made with the first one", () => {
    const { rows } = setUp();
    expect(rows.find(["a"], null, 1)).toEqual([]);
    expect(rows.named("n")).toBeNull();
    expect(rows.joined({ request: "r", body: "b" }, 1)).toEqual({ ok: true, value: null });
    rows.forgetSession("A");
  });

  it("find the newest first, of sessions that exist, of one session if it is named, for half a year", () => {
    const { rows } = setUp("A", "B");
    for (const session of ["A", "B", "gone"]) rows.put(begun("a", session), 1);
    const sessionsOf = (of: string | null, now = 2) => rows.find(["a", "b"], of, now).map(({ plan }) => plan.session);
    expect([sessionsOf(null), sessionsOf("A")]).toEqual([["B", "A"], ["A"]]);
    expect(sessionsOf(null, 181 * DAY_MS)).toEqual([]);
  });

  it("join a repeated request for a day, and refuse another body", () => {
    const { rows } = setUp("A");
    const request = begun("a", "A");
    rows.put(request, 1);
    expect(rows.joined(request, DAY_MS)).toEqual({ ok: true, value: request.plan });
    expect(rows.joined(request, DAY_MS + 2)).toEqual({ ok: true, value: null });
    expect(rows.joined({ ...request, body: "other" }, 2)).toMatchObject({ failure: { code: "idempotency_conflict" } });
  });

  it("keep the first session of a name, and go with their session", () => {
    const { rows } = setUp("A", "B");
    rows.put(begun("a", "A", { name: "n" }), 1);
    rows.put(begun("b", "B", { name: "n" }), 2);
    expect(rows.named("n")).toBe("A");
    rows.forgetSession("A");
    expect([rows.named("n"), rows.find(["a", "b"], null, 3).map(({ chain }) => chain)]).toEqual([null, ["b"]]);
  });

  it("are bounded in number and age", () => {
    const { sql, rows } = setUp("A");
    const count = (table: string) => sql.run<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)[0]!.n;
    rows.put(begun("first", "A", { name: "first" }), 1);
    sql.run(
      `INSERT INTO door_turn (chain, request, body, session, plan, at)
        WITH RECURSIVE many(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < 20000) SELECT 'c', 'r', 'b', 'A', '{}', 2 FROM many`,
    );
    sql.run(
      "INSERT INTO door_name WITH RECURSIVE many(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < 10000) SELECT 'n' || n, 'A', 2 FROM many",
    );
    rows.put(begun("last", "A", { name: "last" }), 3);
    expect([count("door_turn"), rows.find(["first"], null, 3), rows.named("first")]).toEqual([20_000, [], null]);
    expect(count("door_name")).toBeLessThanOrEqual(10_000);
    for (let n = 0; n < 4; n++) rows.put(begun(`later ${n}`, "A"), 200 * DAY_MS);
    expect(count("door_turn")).toBe(20_004 - 40);
  });
});
