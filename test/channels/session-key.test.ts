// The whole matrix of session keys.
import { describe, expect, it } from "vitest";
import { toSenderPrefix, toSessionKey } from "../../core/channels/session-key.ts";
import type { ChatPlace } from "../../core/schemas/channels/inbound.ts";

const from = { id: "U1", name: "Ada", isBot: false };
const bothWays = ["person", "shared"] as const;
const direct: ChatPlace = { id: "D1", kind: "direct" };
const group: ChatPlace = { id: "C1", kind: "group" };

const key = (
  chat: ChatPlace,
  cuts: { group?: "person" | "shared"; thread?: "person" | "shared" } = {},
  topic?: number,
) =>
  toSessionKey(
    "slack",
    { chat, from },
    { groupSessions: cuts.group ?? "person", threadSessions: cuts.thread ?? "shared" },
    { topic },
  );

describe("the session key", () => {
  it.each([
    ["a direct chat", direct, {}, "slack:direct:chat=D1", false],
    ["a thread of a direct chat", { ...direct, thread: "7" }, {}, "slack:direct:chat=D1:thread=7", false],
    ["a direct chat of a team", { ...direct, scope: "T1" }, {}, "slack:direct:team=T1:chat=D1", false],
    ["a group, a session for each person", group, { group: "person" }, "slack:group:chat=C1:user=U1", false],
    ["a group that shares", group, { group: "shared" }, "slack:group:chat=C1", true],
    ["a group of a team", { ...group, scope: "T1" }, {}, "slack:group:team=T1:chat=C1:user=U1", false],
    ["a thread that shares", { ...group, thread: "7" }, { thread: "shared" }, "slack:thread:chat=C1:thread=7", true],
    [
      "a thread, a session for each person",
      { ...group, thread: "7" },
      { thread: "person" },
      "slack:thread:chat=C1:thread=7:user=U1",
      false,
    ],
  ] satisfies [string, ChatPlace, Parameters<typeof key>[1], string, boolean][])(
    "of %s has what tells it from others",
    (_, chat, cuts, expected, shared) => {
      expect(key(chat, cuts)).toEqual({ key: expected, shared });
    },
  );

  it("of a direct chat does not depend on how groups and threads are cut", () => {
    const all = bothWays.flatMap((groupCut) => bothWays.map((thread) => key(direct, { group: groupCut, thread })));
    expect(new Set(all.map(({ key: one }) => one))).toEqual(new Set(["slack:direct:chat=D1"]));
    expect(all.some(({ shared }) => shared)).toBe(false);
  });

  it("cuts threads and groups independently", () => {
    expect(key({ ...group, thread: "7" }, { group: "person", thread: "shared" }).shared).toBe(true);
    expect(key(group, { group: "person", thread: "shared" }).shared).toBe(false);
  });

  it("has the named topic of the chat, and none in a thread, which is one already", () => {
    expect(key(direct, {}, 3).key).toBe("slack:direct:chat=D1:topic=3");
    expect(key(group, {}, 3).key).toBe("slack:group:chat=C1:user=U1:topic=3");
    expect(key({ ...direct, thread: "7" }, {}, 3).key).toBe("slack:direct:chat=D1:thread=7");
  });

  it("cannot be imitated by an id with the separator in it", () => {
    const forged = key({ id: "C1:thread=7", kind: "group" }, { group: "shared" });
    const real = key({ ...group, thread: "7" });
    expect(forged.key.replace("slack:group", "slack:thread")).not.toBe(real.key);
    expect(key({ id: "a%3Ab", kind: "direct" }).key).not.toBe(key({ id: "a:b", kind: "direct" }).key);
  });

  it("has ids of people hidden where they are to be, and those of groups as they are", () => {
    const hidden = (chat: ChatPlace) =>
      toSessionKey(
        "slack",
        { chat, from },
        { groupSessions: "person", threadSessions: "shared" },
        { hideId: () => "x" },
      );
    expect([hidden(direct).key, hidden(group).key]).toEqual(["slack:direct:chat=x", "slack:group:chat=C1:user=x"]);
  });

  it("never has a name", () => {
    expect(key({ ...group, title: "Ada's room" }).key).not.toMatch(/Ada/);
  });
});

describe("the prefix of a message in a shared session", () => {
  it.each([
    ["Ada", "[Ada] "],
    ["Ada]\n[Grace", "[Ada Grace] "],
    ["\u202eadA\u2028x", "[adA x] "],
    ["", "[somebody] "],
    ["[]", "[somebody] "],
    ["𝒜".repeat(60), `[${"𝒜".repeat(40)}] `],
  ])("names the sender on one line, without brackets: %j", (name, expected) => {
    expect(toSenderPrefix(name)).toBe(expected);
  });
});
