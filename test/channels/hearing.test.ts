// When the agent answers in a group.
import { describe, expect, it } from "vitest";
import { isHeard, toListening } from "../../core/channels/hearing.ts";
import type { InboundMessage } from "../../core/schemas/channels/inbound.ts";

const message: InboundMessage = {
  ...{ id: "1", kind: "message", at: 0, text: "hello", addressed: false, files: [] },
  chat: { id: "C1", kind: "group" },
  from: { id: "U1", name: "Ada", isBot: false },
};
const toUs = { addressed: true };
const ofBot = { from: { ...message.from, isBot: true } };

describe("in a group", () => {
  it.each([
    ["something said to all", {}, "mention", "user", false],
    ["something said to all, where it listens", {}, "all", "user", true],
    ["a mention or a reply", toUs, "mention", "user", true],
    ["a mention where it is off", toUs, "off", "owner", false],
    ["a reply to somebody else", { replyTo: { text: "?", ofBot: false } }, "all", "user", false],
    [
      "a reply to the agent that the platform does not count as a mention",
      { replyTo: { text: "?", ofBot: true } },
      "all",
      "user",
      true,
    ],
    [
      "a reply to somebody else that mentions it",
      { replyTo: { text: "?", ofBot: false }, ...toUs },
      "mention",
      "user",
      true,
    ],
    ["another bot, where it listens to all", ofBot, "all", "user", false],
    ["another bot that mentions it", { ...ofBot, ...toUs }, "mention", "user", true],
    ["a command of an admin where it is off", { ...toUs, text: "/listen all" }, "off", "admin", true],
    ["a command of a user where it is off", { ...toUs, text: "/help" }, "off", "user", false],
    ["a command where it is off that is not addressed", { text: "/listen all" }, "off", "owner", false],
    ["a path where it is off", { ...toUs, text: "/etc/hosts" }, "off", "owner", false],
  ] as const)("%s is heard or not", (_, over, listen, role, expected) => {
    expect(isHeard({ ...message, ...over }, listen, role)).toBe(expected);
  });

  it("a pressed button is heard, also where it is off", () => {
    const { id, chat, from, at } = message;
    expect(isHeard({ id, chat, from, at, kind: "press", token: "t" }, "off", "user")).toBe(true);
  });
});

it("in a direct chat everything is heard", () => {
  const heard = (["mention", "all", "off"] as const).map((listen) =>
    isHeard({ ...message, chat: { id: "D1", kind: "direct" } }, listen, "user"),
  );
  expect(heard).toEqual([true, true, true]);
});

it("a chat's own choice goes before the channel's", () => {
  const options = { listen: "all" as const, chats: { C1: { listen: "off" as const }, C2: {} } };
  expect(["C1", "C2", "constructor"].map((chat) => toListening(options, chat))).toEqual(["off", "all", "all"]);
  expect(toListening({ chats: {} }, "C1")).toBe("mention");
});
