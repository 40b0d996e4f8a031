// What a compatible request becomes if another request, or a deletion, was faster than its search for the conversation.
import { describe, expect, it } from "vitest";
import type { SessionInfo } from "../../../core/schemas/api.ts";
import { DAY_MS } from "../../../core/schemas/ids.ts";
import { forgetSessionRows, tidyRows } from "../../../durable-objects/account-tables.ts";
import { SESSION_SCHEMA, createSessionRows } from "../../../durable-objects/account-sessions.ts";
import { beginConversation } from "../../../durable-objects/conversations/begin-conversation.ts";
import {
  type BegunRequest,
  type DoorPlan,
  createConversationRows,
} from "../../../durable-objects/conversations/conversation-rows.ts";
import { createKeySockets } from "../../../durable-objects/keys/key-sockets.ts";
import { createNodeSql } from "../../support/bindings/node-sql.ts";

function setUp(...sessions: string[]) {
  const sql = createNodeSql();
  for (const statement of SESSION_SCHEMA) sql.run(statement);
  const list = createSessionRows(sql);
  const register = (session: SessionInfo) => {
    list.add(session);
    return true;
  };
  for (const session of sessions) register({ session, title: "", learning: "on", createdAt: 1 });
  const find = (session: string) => list.find([session])[0];
  const begin = (plan: Partial<DoorPlan>, more: Partial<BegunRequest> = {}) => {
    const whole = { v: 1, key: "K", session: "A", known: 0, isNew: true, learning: "on", guidance: null, createdAt: 1 };
    const asked = { isRepeat: false, request: "r", body: "b", chain: "c", name: null, ...more };
    const begun = { ...asked, plan: { ...whole, ...plan } } as BegunRequest;
    return beginConversation(createConversationRows(sql), { find, register }, begun, 2);
  };
  const count = (table: string) => sql.run<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)[0]!.n;
  return { sql, list, begin, count };
}

describe("a request that becomes a turn", () => {
  it("joins the plan of the request that it repeats, also when both looked at the same time", () => {
    const { list, begin, count } = setUp();
    expect(begin({ key: "K1", session: "A" }, { isRepeat: true })).toMatchObject({ value: { key: "K1" } });
    expect(begin({ key: "K2", session: "B" }, { isRepeat: true })).toMatchObject({
      value: { key: "K1", session: "A" },
    });
    expect(begin({ key: "K3", session: "C" }, { isRepeat: true, body: "other" })).toMatchObject({
      failure: { code: "idempotency_conflict" },
    });
    expect([count("door_turn"), list.find(["A", "B", "C"]).length]).toEqual([1, 1]);
    expect(begin({ key: "K4", session: "D" })).toMatchObject({ value: { key: "K4" } });
  });

  it("branches where another request with the same history was faster, and goes on where none was", () => {
    const { begin, sql, list } = setUp("A");
    begin({ key: "K1", session: "A", isNew: false });
    const row = createConversationRows(sql).find(["c"], null, 2)[0]!.id;
    const next = (key: string, fork: string) =>
      begin({ key, session: "A", isNew: false, known: 2 }, { chain: key, after: { row, turn: 4, fork } });
    expect(next("K2", "B")).toMatchObject({ value: { session: "A", isNew: false } });
    const branch = { session: "A", turn: 4 };
    expect(next("K3", "C")).toMatchObject({ value: { session: "C", isNew: true, branch, known: 2 } });
    // Registered when it is branched, with its origin.
    expect(list.find(["C"])).toEqual([]);
  });

  it("leaves no row of a session that was deleted meanwhile, and no name that leads nowhere", () => {
    const { begin, sql } = setUp("A");
    const gone = { failure: { code: "session_not_found" } };
    expect(begin({ session: "gone", isNew: false }, { name: "n" })).toMatchObject(gone);
    expect(begin({ session: "B", branch: { session: "gone", turn: 1 } }, { name: "n" })).toMatchObject(gone);
    expect(createConversationRows(sql).named("n")).toBeNull();
    expect(begin({ session: "A", isNew: false }, { name: "n" })).toMatchObject({ ok: true });
  });

  it("of a name that another request took first goes on there, unless learning differs", () => {
    const { begin } = setUp();
    begin({ session: "A" }, { name: "n" });
    expect(begin({ session: "B" }, { name: "n" })).toMatchObject({ value: { session: "A" } });
    const off = begin({ session: "C", learning: "off" }, { name: "n" });
    expect(off).toMatchObject({ failure: { code: "learning_differs" } });
  });
});

describe("what the Account keeps of a session for programs", () => {
  it("goes with the session, the sockets of keys too", () => {
    const { sql, begin, count } = setUp();
    for (const session of ["A", "B"]) {
      begin({ session });
      createKeySockets(sql).note({ owner: "k.0", key: "k", session, ownerEnd: null, keyEnd: null }, 1);
    }
    forgetSessionRows(sql, "A");
    expect([count("door_turn"), count("key_socket")]).toEqual([1, 1]);
  });

  it("of requests is removed after half a year, also when no other request comes", () => {
    const { sql, begin, count } = setUp();
    begin({});
    tidyRows(sql, 2 + 179 * DAY_MS);
    expect(count("door_turn")).toBe(1);
    tidyRows(sql, 2 + 180 * DAY_MS);
    expect(count("door_turn")).toBe(0);
  });
});
