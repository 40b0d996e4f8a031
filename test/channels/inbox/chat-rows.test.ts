// Chats over node:sqlite: a chat that its platform gives another id keeps its row, session and topics.
import { beforeEach, describe, expect, it } from "vitest";
import { CHAT_SCHEMA, createChatRows } from "../../../core/channels/inbox/chat-rows.ts";
import { moveKey, toSessionKey } from "../../../core/channels/session-key.ts";
import { SessionId } from "../../../core/schemas/ids.ts";
import { createNodeSql } from "../../support/bindings/node-sql.ts";

const SESSION = SessionId.parse("01JGTT0000000000000000SESS");
const LATER = SessionId.parse("01JGTT0000000000000000SES2");
const DAY_MS = 86_400_000;
const CUTS = { groupSessions: "person", threadSessions: "shared" } as const;
const MOVED = { from: "-5", to: "-1005" };

let rows: ReturnType<typeof createChatRows>;
beforeEach(() => {
  const sql = createNodeSql();
  for (const statement of CHAT_SCHEMA) sql.run(statement);
  rows = createChatRows(sql);
});

function touch(id: string, user = "7", now = 1) {
  const event = { chat: { id, kind: "group" as const }, from: { id: user, name: "Ada", isBot: false } };
  return rows.touch({ platform: "telegram", address: event.chat, ...toSessionKey("telegram", event, CUTS) }, now);
}

describe("a chat that has another id from now on", () => {
  it("keeps its row and its session, for each member", () => {
    const [ada, eve] = [touch("-5", "7"), touch("-5", "8")];
    const other = touch("-55", "7");
    rows.bind(ada.id, SESSION);
    rows.move("telegram", MOVED);
    expect(touch("-1005", "7")).toMatchObject({ id: ada.id, session: SESSION, address: { id: "-1005" } });
    expect(touch("-1005", "8")).toMatchObject({ id: eve.id, session: null, address: { id: "-1005" } });
    expect(rows.find(other.id)).toEqual(other);
    expect(rows.list("telegram")).toHaveLength(3);
  });

  it("takes what still comes under the old id, and goes on at the new place", () => {
    const { id } = touch("-5");
    rows.bind(id, SESSION);
    rows.move("telegram", MOVED);
    expect(touch("-5")).toMatchObject({ id, session: SESSION, address: { id: "-1005" } });
    rows.move("telegram", MOVED);
    expect(touch("-1005")).toMatchObject({ id, session: SESSION });
  });

  it("goes on with its session although a message under the new id came first", () => {
    const before = touch("-5");
    rows.bind(before.id, SESSION);
    const after = touch("-1005");
    rows.bind(after.id, LATER);
    rows.move("telegram", MOVED);
    expect(touch("-1005")).toMatchObject({ id: after.id, session: SESSION, sessions: [LATER, SESSION] });
    // What is still owed to the old row arrives at the new place.
    expect(rows.find(before.id)).toMatchObject({ session: null, sessions: [], address: { id: "-1005" } });
  });

  it("is told by the part of the key alone", () => {
    expect(moveKey("telegram:group:chat=-5:user=-5", MOVED)).toBe("telegram:group:chat=-1005:user=-5");
    expect(moveKey("telegram:group:chat=-55", MOVED)).toBeNull();
    expect(moveKey("x:group:chat=a%3Ab:topic=1", { from: "a:b", to: "c%d" })).toBe("x:group:chat=c%25d:topic=1");
  });
});

describe("a chat in which only strangers have written", () => {
  const knock = (id: string, now = 1) =>
    rows.touch(
      { platform: "telegram", key: `k${id}`, address: { id, kind: "direct" }, shared: false, stranger: true },
      now,
    );

  it("is removed after two days; one in which somebody may talk is kept", () => {
    const [stranger, admitted, spoke] = [knock("8"), knock("9"), touch("-5")];
    rows.admit(admitted.id);
    rows.tidy(2 * DAY_MS);
    expect(rows.find(stranger.id)).toEqual(stranger);
    rows.tidy(2 * DAY_MS + 2);
    expect(
      rows
        .list("telegram")
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual([admitted.id, spoke.id].toSorted());
  });

  it("is kept while it has a session, and once somebody who may talk has written", () => {
    const [one, two] = [knock("8"), knock("9")];
    rows.bind(one.id, SESSION);
    rows.touch({ platform: "telegram", key: "k9", address: { id: "9", kind: "direct" }, shared: false }, 2);
    rows.tidy(9 * DAY_MS);
    expect([rows.find(one.id), rows.find(two.id)]).not.toContain(null);
    rows.forgetSession(SESSION);
    rows.tidy(9 * DAY_MS);
    expect([rows.find(one.id), rows.find(two.id)]).toEqual([null, expect.anything()]);
  });

  it("is one whose person is dismissed, direct or their own in a group", () => {
    const direct = rows.touch({ platform: "slack", key: "k8", address: { id: "8", kind: "direct" }, shared: false }, 1);
    const [own, others] = [touch("-5", "8"), touch("-5", "88")];
    rows.dismiss("telegram", "8");
    rows.tidy(9 * DAY_MS);
    expect([rows.find(direct.id), rows.find(own.id), rows.find(others.id)]).toEqual([direct, null, others]);
  });
});
