// Who may talk, in every place of the order.
import { describe, expect, it } from "vitest";
import { type JudgedSender, isPerson, judgeSender } from "../../core/channels/judge-sender.ts";

const ada = { id: "U1", name: "Ada", handle: "@ada", isBot: false };
const nobody = { owners: [], admins: [], users: [], everyone: false };

function judge(over: Partial<Omit<JudgedSender, "options">> & { options?: Partial<JudgedSender["options"]> } = {}) {
  const { options, ...rest } = over;
  return judgeSender({
    ...{ from: ada, chat: { kind: "direct" }, approved: null, pairs: true, ...rest },
    options: { ...nobody, ...options },
  });
}

describe("who may talk", () => {
  const everywhere = { owners: ["U1"], admins: ["U1"], users: ["U1"], everyone: true };

  it.each([
    ["a listed owner", { options: everywhere, approved: "user" }, { may: "talk", role: "owner", by: "list" }],
    [
      "a listed admin",
      { options: { ...everywhere, owners: [] }, approved: "owner" },
      { may: "talk", role: "admin", by: "list" },
    ],
    [
      "a listed user",
      { options: { users: ["U1"], everyone: true }, approved: "admin" },
      { may: "talk", role: "user", by: "list" },
    ],
    ["an approved owner", { approved: "owner" }, { may: "talk", role: "owner", by: "pairing" }],
    [
      "an approved admin",
      { options: { everyone: true }, approved: "admin" },
      { may: "talk", role: "admin", by: "pairing" },
    ],
    ["everybody", { options: { everyone: true } }, { may: "talk", role: "user", by: "everyone" }],
    [
      "everybody in a group",
      { options: { everyone: true }, chat: { kind: "group" } },
      { may: "talk", role: "user", by: "everyone" },
    ],
    ["a stranger", {}, { may: "pair" }],
    ["a stranger in a group", { chat: { kind: "group" } }, { may: "nothing" }],
    ["a stranger who is to be ignored", { options: { strangers: "ignore" } }, { may: "nothing" }],
    ["a stranger where the platform does not pair", { pairs: false }, { may: "nothing" }],
    [
      "a stranger where it does not and the owner wants it",
      { pairs: false, options: { strangers: "pair" } },
      { may: "pair" },
    ],
    ["another bot", { from: { ...ada, isBot: true } }, { may: "nothing" }],
    [
      "another bot, where everybody may",
      { from: { ...ada, isBot: true }, options: { everyone: true } },
      { may: "nothing" },
    ],
    [
      "a bot that is listed",
      { from: { ...ada, isBot: true }, options: { users: ["U1"] } },
      { may: "talk", role: "user", by: "list" },
    ],
  ] satisfies [string, Parameters<typeof judge>[0], ReturnType<typeof judge>][])(
    "is decided for %s",
    (_, asked, verdict) => {
      expect(judge(asked)).toEqual(verdict);
    },
  );
});

describe("a person in a list", () => {
  it.each([
    ["U1", ada, true],
    ["u1", ada, false],
    ["@ada", ada, true],
    ["@ADA", ada, true],
    ["ada@example.org", { ...ada, handle: "Ada@Example.org" }, true],
    // An id may be written without an @ only, so a handle that looks like somebody's id gives nothing.
    ["1234", { ...ada, id: "9", handle: "1234" }, false],
    ["ada", ada, false],
    // The Kelvin sign is lower-cased to k.
    ["@kim", { ...ada, handle: "@\u212aim" }, false],
    ["@ada", { id: "U9", name: "@ada", isBot: false }, false],
    ["Ada", { id: "U9", name: "Ada", isBot: false }, false],
    ["", { ...ada, handle: "" }, false],
    ["@", { ...ada, handle: "" }, false],
  ])("is known by id or handle and never by name: %j", (listed, from, expected) => {
    expect(isPerson(listed, from)).toBe(expected);
  });

  it("gets no role by a name that somebody with rights has", () => {
    const options = { owners: ["@ada", "Ada", "U1"] };
    const imitators = ["Ada", "@ada", "U1"].map((name) => ({ id: "U666", name, isBot: false }));
    expect(imitators.map((from) => judge({ from, options }))).toEqual([
      { may: "pair" },
      { may: "pair" },
      { may: "pair" },
    ]);
  });
});
