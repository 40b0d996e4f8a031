// Every command of a channel, and who may use it.
import { describe, expect, it } from "vitest";
import { mayDecide } from "../../../core/channels/commands/scene.ts";
import { listBotCommands } from "../../../core/channels/commands/bot-commands.ts";
import { COMMANDS, type CommandRow, offeredCommands } from "../../../core/commands/commands.ts";
import { err } from "../../../core/errors.ts";
import { SESSIONS, createFakeChat, detail, info } from "../../support/channels/fake-chat.ts";

const group = { chat: { id: "C1", kind: "group" as const }, base: "telegram:group:chat=C1" };

describe("what is not a command", () => {
  it.each(["Hello", "/etc/hosts is a file", "//", "/ help", "say /help", "/1"])("%j is a message", async (text) => {
    const chat = createFakeChat();
    expect([await chat.run(text), chat.calls]).toEqual(["(message)", []]);
  });

  it("is a skill's name, which the session loads, also as platforms without hyphens write it", async () => {
    const chat = createFakeChat({ role: "user" });
    expect(await chat.run("/reading-tables x=1 the table")).toBe("(posted)");
    expect(await chat.run("/Reading_Tables")).toBe("(posted)");
    expect(chat.calls).toEqual([
      ["post", "/reading-tables x=1 the table"],
      ["post", "/reading-tables"],
    ]);
  });

  it("is an unknown word, which is answered and not sent to a model", async () => {
    const chat = createFakeChat();
    expect(await chat.run("/stauts")).toBe("There is no command or skill /stauts. Did you mean /status?");
    expect(await chat.run("/weather in Oslo")).toContain("/help lists the commands");
    expect(chat.calls).toEqual([]);
  });

  it("in a group may be another bot's, and is left alone", async () => {
    const chat = createFakeChat(group);
    expect(await chat.run("/weather", { addressed: false })).toBe("(nothing)");
    expect(await chat.run("/help@another_bot")).toBe("(nothing)");
    expect(await createFakeChat().run("/help@this_bot")).toMatch(/^Commands:/);
  });
});

describe("commands of the session and the model", () => {
  it("are posted, with their word in small letters", async () => {
    const chat = createFakeChat();
    for (const text of ["/Compress the plan", "/undo", "/model fast", "/learn to bake", "/skill reading-tables x"]) {
      expect(await chat.run(text)).toBe("(posted)");
    }
    expect(chat.calls.map(([, text]) => text)).toEqual([
      ...["/compress the plan", "/undo", "/model fast", "/learn to bake", "/skill reading-tables x"],
    ]);
  });

  it("are explained when they are written wrongly", async () => {
    expect(await createFakeChat().run("/undo everything")).toBe("Write it as /undo.");
  });

  it("say why the session refused them", async () => {
    const chat = createFakeChat({}, { post: async () => err("too_many_queued", "8 messages are waiting.") });
    expect(await chat.run("/undo")).toBe("8 messages are waiting.");
  });
});

describe("roles", () => {
  const rows: readonly CommandRow[] = COMMANDS;
  /** With an argument, where the command needs one. */
  const write = ({ name, argument }: CommandRow) => (argument?.required ? `/${name} x` : `/${name}`);
  const refused = async (over: Parameters<typeof createFakeChat>[0]) => {
    const names: string[] = [];
    for (const row of offeredCommands("channel", "owner")) {
      const said = await createFakeChat(over, { learning: async () => ledger }).run(write(row));
      if (/ is for (?:the owner|owners and admins) of this agent/.test(said)) names.push(row.name);
    }
    return names;
  };
  const ledger = {
    turns: { seen: 0, more: false, since: null, all: {} as never, by: "day" as const, periods: [], stretches: [] },
    reuse: { had: 0, loaded: 0, rate: null },
    skills: [],
  };

  it("an owner may use every command", async () => {
    expect(await refused({ role: "owner" })).toEqual([]);
    expect(await refused({ role: "owner", shared: true })).toEqual([]);
  });

  it("an admin may use all but those that are the owner's own", async () => {
    expect(await refused({ role: "admin" })).toEqual(["learn", "jobs", "board", "blueprint", "memory", "search"]);
  });

  it("a user may use what participants may, and in a shared session nothing that ends it", async () => {
    const own = rows.filter(({ access }) => access !== "participant").map(({ name }) => name);
    const here = (await refused({ role: "user" })).filter((name) => !own.includes(name));
    expect(here).toEqual([]);
    const shared = (await refused({ role: "user", shared: true })).filter((name) => !own.includes(name));
    expect(shared).toEqual(["sessions", "new", "topic"]);
  });

  it("help and whoami are for everybody, and help shows only what the person may use", async () => {
    const chat = createFakeChat({ role: "user", shared: true, ...group });
    expect(await chat.run("/whoami")).toBe("You are `Ada` (`U1`) on Telegram, and this agent knows you as a user.");
    const help = await chat.run("/help");
    expect(help).toContain("`/whoami`");
    expect(help).not.toContain("/approve");
    expect(help).not.toContain("`/new`");
    expect(await createFakeChat().run("/help")).toContain("- `/approve [ID SCOPE]` allow ID");
  });

  it("approvals are for owners and admins, in words and by buttons", async () => {
    const chat = createFakeChat({ role: "user" });
    const said = [await chat.run("/approve"), await chat.run("/deny"), await chat.run("/pending")];
    expect([said.filter((text) => text.includes("is for owners and admins")).length, chat.calls]).toEqual([3, []]);
    const roles = ["owner", "admin", "user"] as const;
    expect(roles.map((role) => mayDecide(role, "approval"))).toEqual([true, true, false]);
    expect(roles.map((role) => mayDecide(role, "clarify"))).toEqual([true, true, true]);
  });

  it("a name gives nothing, whatever is in it", async () => {
    const chat = createFakeChat({ role: "user", from: { id: "U2", name: "`owner`\n# Ada [x](http://x)" } });
    expect(await chat.run("/whoami")).toBe(
      "You are `'owner' # Ada [x](http://x)` (`U2`) on Telegram, and this agent knows you as a user.",
    );
  });
});

describe("commands of the chat", () => {
  it.each([
    ["/new", [["begin"]], /new session/],
    ["/stop", [["stop"]], /^Stopped\.$/],
    ["/queue then this", [["post", "then this", "queue"]], /posted/],
    ["/steer left", [["post", "left", "steer"]], /posted/],
    ["/interrupt now this", [["post", "now this", "interrupt"]], /posted/],
    ["/branch", [["branch", undefined]], /branch/],
    ["/branch 3", [["branch", 3]], /branch/],
    ["/branch x", [], /number of a turn/],
    ["/sethome", [["home"]], /home/],
    ["/listen", [], /direct chat I hear everything/],
    ["/start deep-link", [], /^Hello!/],
  ])("%s does what it says", async (text, calls, said) => {
    const chat = createFakeChat();
    expect(await chat.run(text)).toMatch(said);
    expect(chat.calls).toEqual(calls);
  });

  it("/stop says what it stopped", async () => {
    const said = async (n: number) => createFakeChat({}, { stop: async () => n }).run("/stop");
    expect([await said(0), await said(3)]).toEqual(["Nothing runs.", "Stopped, and 2 waiting with it."]);
  });

  it("/listen shows and sets when the agent answers in a group", async () => {
    const chat = createFakeChat({ ...group, listening: "off" });
    expect(await chat.run("/listen")).toMatch(/^I do not answer here.*Change it with/);
    expect(await chat.run("/listen all")).toBe("I answer every message here.");
    expect(await chat.run("/listen loudly")).toMatch(/^Write it as/);
    expect(chat.calls).toEqual([["listen", "all"]]);
  });

  it("/status says what runs and what was chosen", async () => {
    const turn = {
      turn: `${SESSIONS[0]}-1`,
      n: 1,
      input: 1,
      final: null,
      attempts: 1,
      startedAt: 1,
      endedAt: null,
    } as const;
    const stats = { modelCalls: 0, toolCalls: 0, failedCalls: 0 } as never;
    const turns = [
      { ...turn, stats, state: "parked" as const, parked: { for: "approval" as const, id: "a", since: 1, until: 2 } },
      { ...turn, n: 2, stats, state: "queued" as const },
    ];
    const chat = createFakeChat({}, { session: async () => detail({ title: "*Taxes*", model: "fast", turns }) });
    expect(await chat.run("/status")).toBe(
      [
        `Session \`${SESSIONS[0]}\`: \\*Taxes\\*`,
        "Turn 1 waits for an approval, 1 message waiting.",
        "Chosen: model fast",
        "2 turns, 2 model calls, 1200 tokens, $0.0100",
      ].join("\n"),
    );
    expect(await createFakeChat({}, { session: async () => null }).run("/status")).toMatch(/no session yet/);
  });

  it("/usage shows the session and the profile", async () => {
    expect(await createFakeChat().run("/usage")).toBe(
      "This session: 2 model calls, 1200 tokens, $0.0100\nAll sessions, 30 days: 9 model calls, 9000 tokens, $1.0000",
    );
  });
});

describe("sessions", () => {
  it("are all of the profile for the owner in a direct chat, and those of the chat for others and in groups", async () => {
    const owner = await createFakeChat().run("/sessions");
    expect(owner).toBe(
      `1. Taxes, 2026-11-02\n2. \`${SESSIONS[0]}\`, 2026-11-01 (this one)\n\n\`/sessions NUMBER\` goes on with one of them.`,
    );
    for (const over of [{ role: "admin" as const }, { role: "user" as const }, { ...group }]) {
      expect(await createFakeChat(over).run("/sessions")).not.toContain("Taxes");
    }
  });

  it("are gone on with by number or id", async () => {
    const chat = createFakeChat();
    expect(await chat.run("/resume 1")).toMatch(/goes on with/);
    expect(await chat.run(`/sessions ${SESSIONS[2]!.toLowerCase()}`)).toMatch(/goes on with/);
    expect(await chat.run("/sessions x")).toMatch(/^Write it as/);
    expect(await chat.run("/sessions 9")).toMatch(/no such session/);
    expect(chat.calls).toEqual([
      ["resume", SESSIONS[1]],
      ["resume", SESSIONS[2]],
    ]);
  });

  it("of others are out of reach, also by id", async () => {
    const chat = createFakeChat({ role: "admin" });
    expect(await chat.run(`/sessions ${SESSIONS[1]}`)).toBe("This chat had no such session. /sessions lists them.");
    expect(await chat.run(`/sessions ${SESSIONS[0]}`)).toMatch(/goes on/);
    expect(chat.calls).toEqual([["resume", SESSIONS[0]]]);
  });

  it("say why they cannot be gone on with", async () => {
    const chat = createFakeChat({}, { resume: async () => err("session_elsewhere", "Another chat has it.") });
    expect(await chat.run("/sessions 1")).toBe("Another chat has it.");
  });
});

describe("pages", () => {
  it("show skills, and one of them whole in a fence that it cannot close", async () => {
    const chat = createFakeChat();
    expect(await chat.run("/skills")).toBe("- `reading-tables` (on trial): Read \\*tables\\*");
    expect(await chat.run("/skills reading-tables")).toBe("````\n# Read\n```sh\nls\n```\n````");
    expect(await chat.run("/skills cooking")).toBe("There is no skill `cooking`. /skills lists them.");
  });

  it("show memory and search to the owner, and not in a group", async () => {
    expect(await createFakeChat().run("/memory")).toBe("- you: likes \\[tea\\](http://x)");
    const found = [
      {
        session: info(1).session,
        title: "Tea",
        role: "user" as const,
        at: 0,
        snippet: { text: "*tea*", highlights: [] },
      },
    ];
    expect(await createFakeChat({}, { search: async () => found }).run("/search tea")).toBe(
      "- 1970-01-01, you, in Tea: \\*tea\\*",
    );
    const chat = createFakeChat(group, { listMemory: () => expect.unreachable(), search: () => expect.unreachable() });
    expect([await chat.run("/memory"), await chat.run("/search tea")]).toEqual([
      "Ask me that in a direct chat: others here could read the answer.",
      "Ask me that in a direct chat: others here could read the answer.",
    ]);
  });
});

it("a platform is told the commands of channels, as Telegram takes them", () => {
  const told = listBotCommands();
  expect(told.length).toBeLessThanOrEqual(100);
  expect(told.filter(({ name, help }) => !/^[a-z0-9_]{1,32}$/.test(name) || help.length > 256)).toEqual([]);
  expect(told.map(({ name }) => name)).toEqual(expect.arrayContaining(["new", "topic", "help"]));
});
