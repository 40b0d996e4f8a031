// What a chat sees of a turn while it runs, from invented events and a platform that answers as a test says.
import { describe, expect, test } from "vitest";
import { type Result, err, ok } from "../../core/errors.ts";
import type { AgentEvent } from "../../core/schemas/entry.ts";
import { NO_STATS } from "../../core/schemas/entry.ts";
import type { ChannelOptions } from "../../core/schemas/channels/options.ts";
import { createFollower } from "../../durable-objects/channels/follow.ts";
import { SESSION } from "../support/channels/delivery-rig.ts";
import { createTestClock } from "../support/clock.ts";

const START: AgentEvent = { type: "turn_start", turn: 1, entry: 1 };
const END: AgentEvent = { type: "turn_end", turn: 1, entry: 9, state: "done", reason: "answer", stats: NO_STATS };
const ASK: AgentEvent = {
  ...{ type: "turn_park", turn: 1, entry: 3, text: "The agent asks: Which?" },
  question: { for: "clarify", id: "q", until: 1, questions: [] },
};
const tool = (name: string, args = {}): AgentEvent => ({ type: "tool_start", entry: 2, name, args });
const words = (offset: number, text: string): AgentEvent => ({ type: "text_delta", entry: 3, offset, text });

function setUp({ canEdit = true } = {}) {
  const calls: string[] = [];
  const reads: object[] = [];
  const clock = createTestClock();
  type Sent = Result<{ id: string | null }>;
  const world = { answer: (): Sent | Promise<Sent> => ok({ id: "p1" }) };
  let push: (event: AgentEvent) => void = () => {};
  let close: () => void = () => {};
  const utf8 = new TextEncoder();
  const follower = createFollower({
    clock: {
      now: clock.now,
      // A sign that is renewed must not spin while the test waits.
      sleep: (ms, signal) =>
        ms >= 4_000
          ? new Promise((resolve) => signal!.addEventListener("abort", () => resolve()))
          : clock.sleep(ms, signal),
    },
    findChat: () => ({ platform: "telegram", address: { id: "c1", kind: "direct" } }),
    openClient: async () =>
      ok({
        platform: {
          ...{ name: "telegram", title: "Telegram", flavour: "plain" },
          capabilities: {
            ...{ edit: canEdit, typing: true, buttons: 0, filesIn: true, filesOut: true, groups: true },
            ...{ threads: true, replies: true, redactsIds: true },
          },
          limits: { text: 4_096, textUnit: "utf16", fileBytes: 1, editEveryMs: 1_000, typingMs: 5_000 },
        },
        client: {
          async send(_to, { text }) {
            calls.push(`send ${text}`);
            return world.answer();
          },
          async edit(_to, id, { text }) {
            calls.push(`edit ${id} ${text}`);
            const edited = await world.answer();
            return edited.ok ? ok(null) : edited;
          },
          async typing() {
            calls.push("typing");
            return ok(null);
          },
        },
      }),
    toMessages: async (markdown) => [markdown],
    report: (what, error) => calls.push(`${what}: ${String(error)}`),
    async readEvents(_session, asked) {
      reads.push(asked);
      return ok(
        new ReadableStream<Uint8Array>({
          start(controller) {
            push = (event) => controller.enqueue(utf8.encode(`id: 1.0\nevent: x\ndata: ${JSON.stringify(event)}\n\n`));
            close = () => controller.close();
          },
        }),
      );
    },
  });
  const begin = (progress: ChannelOptions["progress"]) => {
    const following = follower.follow({ chat: "c1", session: SESSION, turn: 1, progress });
    return { following };
  };
  const settle = () => new Promise((resolve) => setTimeout(resolve, 5));
  return {
    ...{ calls, reads, world, begin, follower, settle },
    async tell(...events: AgentEvent[]) {
      await settle();
      for (const event of events) push(event);
      await settle();
    },
    async end() {
      push(END);
      close();
      await settle();
    },
    take: () => follower.takeProgress("c1", SESSION, 1),
  };
}

describe("a turn in a chat", () => {
  test("shows that the agent works, and its tool calls as one message, which the answer takes over", async () => {
    const rig = setUp();
    const { following } = rig.begin("tools");
    await rig.tell(START, tool("terminal", { command: "ls\n-la" }));
    await rig.tell(words(0, "Looking"), tool("read_file"));
    expect(rig.calls.toSorted()).toEqual([
      "edit p1 - terminal: `ls -la`\n- read_file",
      "send - terminal: `ls -la`",
      "typing",
    ]);
    await rig.end();
    await following;
    expect(await rig.take()).toBe("p1");
    expect(await rig.take()).toBeNull();
  });

  test("shows what follows a question below the question, also when the message above it was still being sent", async () => {
    const rig = setUp();
    const ids = ["p1", "p2"];
    let arrive = () => {};
    const arrived = new Promise<void>((resolve) => (arrive = resolve));
    rig.world.answer = () => arrived.then(() => ok({ id: ids.shift() ?? "p3" }));
    const { following } = rig.begin("tools");
    await rig.tell(START, tool("clarify", { question: "Which?" }));
    await rig.tell(ASK);
    arrive();
    await rig.tell({ type: "entry_start", entry: 4, turn: 1 }, tool("read_file"));
    expect(rig.calls.filter((one) => one !== "typing")).toEqual(["send - clarify: `Which?`", "send - read_file"]);
    await rig.end();
    await following;
    expect(await rig.take()).toBe("p2");
  });

  test("leaves the message above a question alone when nothing follows but the answer", async () => {
    const rig = setUp();
    const { following } = rig.begin("tools");
    await rig.tell(START, tool("clarify"), ASK);
    await rig.end();
    await following;
    expect(await rig.take()).toBeNull();
  });

  test("shows the answer as it grows, but never a token of silence", async () => {
    const rig = setUp();
    const { following } = rig.begin("stream");
    await rig.tell(START, words(0, "[SIL"));
    await rig.tell(words(4, "ENT]"));
    expect(rig.calls.filter((one) => one !== "typing")).toEqual([]);
    await rig.tell({ type: "entry_restart", entry: 3 }, words(0, "Hello"));
    await rig.tell(words(5, " there"));
    expect(rig.calls.filter((one) => one !== "typing")).toEqual(["send Hello …", "edit p1 Hello there …"]);
    await rig.end();
    await following;
  });

  test.each([
    ["[SILENT]\n\nMEDIA:a.csv\n", []],
    ["MEDIA:a.csv\n[SILENT]", []],
    ["- MEDIA:a.csv\nMEDIA is a word.", ["edit p1 MEDIA is a word. …"]],
  ])("shows no line that names a file, nor silence beside it: %j", async (text, shown) => {
    const rig = setUp();
    const { following } = rig.begin("stream");
    await rig.tell(START);
    for (let at = 0; at < text.length; at += 1) await rig.tell(words(at, text[at]!));
    const seen = rig.calls.filter((one) => one !== "typing");
    expect(seen.slice(-1)).toEqual(shown);
    expect(seen.join("\n")).not.toMatch(/MEDIA:|SILENT/);
    await rig.end();
    await following;
  });

  test("shows no message where it cannot be edited, nor where only signs are wanted", async () => {
    for (const [rig, progress] of [
      [setUp({ canEdit: false }), "stream"],
      [setUp(), "typing"],
    ] as const) {
      const { following } = rig.begin(progress);
      await rig.tell(START, tool("terminal"), words(0, "Hello"));
      await rig.end();
      await following;
      expect(new Set(rig.calls)).toEqual(new Set(["typing"]));
      expect(await rig.take()).toBeNull();
    }
  });

  test("is not watched by a chat that follows it, where nobody sees in time that it loops", async () => {
    const rig = setUp();
    const { following } = rig.begin("stream");
    await rig.tell(START);
    await rig.end();
    await following;
    expect(rig.reads).toEqual([{ turn: 1, relay: true }]);
  });

  test("shows nothing where that is switched off", async () => {
    const rig = setUp();
    await rig.begin("off").following;
    expect(rig.calls).toEqual([]);
  });

  test("stops changing its message when the answer comes first", async () => {
    const rig = setUp();
    const { following } = rig.begin("tools");
    await rig.tell(START, tool("terminal"));
    expect(await rig.take()).toBe("p1");
    await following;
    expect(rig.calls.filter((one) => one.startsWith("edit"))).toEqual([]);
  });

  test("gives up its message after three refusals, and goes on after a wait by rate", async () => {
    const rig = setUp();
    rig.world.answer = () => err("channel_refused", "no");
    const { following } = rig.begin("tools");
    await rig.tell(START, tool("a"));
    for (const name of ["b", "c", "d"]) await rig.tell(tool(name));
    expect(rig.calls.filter((one) => one.startsWith("send"))).toHaveLength(3);
    expect(await rig.take()).toBeNull();
    await following;
  });
});
