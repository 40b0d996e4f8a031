import { describe, expect, it } from "vitest";
import {
  completeCommand,
  isCommand,
  nearestCommand,
  parseLineOf,
  parseSessionCommand,
  parseTypedLine,
  refusedCommand,
} from "../../core/commands/parse-command.ts";

describe("a command that a participant may not send", () => {
  it.each([
    ["/approve", "approve"],
    ["  /approve 0a1b once, please", "approve"],
    ["/reject 0a1b", "deny"],
    ["/learn pottery", "learn"],
    ["/stop", "stop"],
    ["/refresh", null],
    ["/answer 1", null],
    ["/skill kiln-keeping 900 degrees", null],
    ["/etc/hosts", null],
    ["please /approve", null],
  ])("%j is %j", (message, expected) => {
    expect(refusedCommand(message, "participant")).toBe(expected);
  });

  it("is one of the client, for an owner", () => {
    expect([refusedCommand("/approve", "owner"), refusedCommand("/stop", "owner")]).toEqual([null, "stop"]);
  });
});

describe("a message to the session", () => {
  it.each([
    ["/compress", { name: "compress", argument: "" }],
    ["  /compress the migration \n", { name: "compress", argument: "the migration" }],
    ["/compress\nthe migration,\nplease", { name: "compress", argument: "the migration,\nplease" }],
    ["/refresh", { name: "refresh", argument: "" }],
    ["/refresh everything", null],
    ["/compressor", null],
    ["/Compress", null],
    ["/refine", { name: "refine", argument: "" }],
    ["/refine how the table was read", { name: "refine", argument: "how the table was read" }],
    ["/refined", null],
    ["/pending", { name: "approvals", argument: "" }],
    ["/revoke 0a1b", { name: "revoke", argument: "0a1b" }],
    ["/pending work is what I have", null],
    ["/approve 0a1b", { name: "approve", argument: "0a1b" }],
    ["/reject", { name: "deny", argument: "" }],
    ["/approve", { name: "approve", argument: "" }],
    ["/approve 0a1b session", { name: "approve", argument: "0a1b session" }],
    ["/deny 0a1b it is mine", { name: "deny", argument: "0a1b it is mine" }],
    ["/approve everything", { name: "approve", argument: "everything" }],
    ["/approve of this plan", null],
    ["please /compress", null],
    ["/learn this", null],
    ["/skill a", null],
    ["/stop", null],
    ["", null],
  ])("%j is read as %j", (text, command) => {
    expect(parseSessionCommand(text)).toEqual(command);
  });
});

describe("a line typed into a client", () => {
  it.each([
    ["Hello", { kind: "message", text: "Hello" }],
    ["  /steer  left  ", { kind: "command", name: "steer", argument: "left" }],
    ["/queue then\tthis", { kind: "command", name: "queue", argument: "then\tthis" }],
    ["/stop", { kind: "command", name: "stop", argument: "" }],
    ["/quit", { kind: "command", name: "exit", argument: "" }],
    ["/learning ", { kind: "command", name: "learning", argument: "" }],
    ["/learning tables", { kind: "command", name: "learning", argument: "tables" }],
    ["/steering is hard", { kind: "message", text: "/steering is hard" }],
    ["/compress the plan", { kind: "message", text: "/compress the plan" }],
    ["/learn", { kind: "message", text: "/learn" }],
    ["/status", { kind: "message", text: "/status" }],
    ["/topic", { kind: "message", text: "/topic" }],
    ["/stop it", { kind: "misused", hint: "Write it as /stop." }],
    ["/queue", { kind: "misused", hint: "Write it as /queue TEXT." }],
    ["/learning two skills", { kind: "misused", hint: "Write it as /learning [SKILL]." }],
  ])("%j is read as %j", (line, typed) => {
    expect(parseTypedLine(line)).toEqual(typed);
  });
});

describe("a line written in a channel", () => {
  it.each([
    ["/status", { kind: "command", name: "status", argument: "" }],
    ["/resume", { kind: "command", name: "sessions", argument: "" }],
    ["/listen loudly", { kind: "misused", hint: "Write it as /listen [mention|all|off]." }],
    ["/quit", { kind: "message", text: "/quit" }],
    ["/image a.png", { kind: "message", text: "/image a.png" }],
  ])("%j is read as %j", (line, typed) => {
    expect(parseLineOf("channel", line)).toEqual(typed);
  });

  it("does not make the session take a skill's name for a command", () => {
    expect(["status", "topic", "listen"].map(isCommand)).toEqual([false, false, false]);
    expect([refusedCommand("/status", "participant"), nearestCommand("statu")]).toEqual([null, undefined]);
  });
});

describe("a word after a slash", () => {
  it("is a command by its name or an alias", () => {
    expect(["compress", "exit", "quit", "skill", "compres", "constructor", ""].map(isCommand)).toEqual([
      ...[true, true, true, true, false, false, false],
    ]);
  });

  it.each([
    ["refin", "refine"],
    ["comprss", "compress"],
    ["usge", "usage"],
    ["hel", undefined],
    ["weather", undefined],
    ["learnig", "learning"],
  ])("%j may mean %j", (word, command) => {
    expect(nearestCommand(word)).toBe(command);
  });

  it.each([
    ["/", "terminal", "participant", ["/compress", "/refresh", "/skill", "/answer", "/steer", "/interrupt", "/queue"]],
    ["/re", "web", "owner", ["/refresh", "/refine", "/reasoning", "/retry", "/reject", "/revoke"]],
    ["/q", "terminal", "owner", ["/queue", "/quit"]],
    ["/q", "channel", "owner", ["/queue"]],
    ["/stop it", "terminal", "owner", []],
    ["re", "terminal", "owner", []],
  ] as const)("%j is completed in the %s for the %s", (typed, client, role, words) => {
    expect(completeCommand(typed, client, role).slice(0, 7)).toEqual(words);
  });
});
