// That what people write arrives in the one form of all platforms.
import { expect } from "vitest";
import { InboundEvent } from "../../../../core/schemas/channels/inbound.ts";
import type { PlatformFixture, Said, SaidMessage } from "../fixture.ts";
import type { Check } from "./check.ts";
import { openTestChannel } from "../open-channel.ts";
import { BOB, DIRECT, GROUP, OTHER_BOT, PICTURE, SELF, press, say } from "./said.ts";

/** Texts without marks of any platform. */
const PLAIN_TEXTS = ["x", "two\nlines", "/new", "naïve 日本 👩‍👩‍👧", "1 < 2 && 3 > 2", "a & b", "5 €"];

export function checkReading<Fields>(fixture: PlatformFixture<Fields>, check: Check): void {
  const { lacks } = fixture;
  const { groups, threads, filesIn } = fixture.platform.capabilities;
  const open = () => openTestChannel(fixture);

  /** The one event that becomes of this. */
  async function read(said: Said, channel = open()): Promise<InboundEvent> {
    const received = await channel.receive(await channel.world.request(said));
    expect(received?.events, JSON.stringify(said)).toHaveLength(1);
    return InboundEvent.parse(received!.events[0]);
  }

  async function readMessage(said: SaidMessage, channel = open()) {
    const event = await read(said, channel);
    if (event.kind !== "message") throw new Error(`${event.kind} is not a message`);
    return event;
  }

  check("a message has its words, its author, its chat and its time", async () => {
    const channel = open();
    const message = await readMessage(say(fixture, "e1", { text: "How much rain fell? 🌧 <b>&amp; *so*" }), channel);
    expect(message.text).toContain("How much rain fell?");
    expect(message.text).toContain("🌧");
    expect(message.text).toContain("&amp;");
    expect(message).toMatchObject({ addressed: true, files: [], from: { isBot: false } });
    expect(message.chat.kind).toBe(lacks.direct === undefined ? "direct" : "group");
    expect(message.edited).toBeUndefined();
    expect(Math.abs(message.at - channel.clock.now()), "ms between the event and now").toBeLessThan(2_000);
    expect(message.message === undefined, "whether the message has an id").toBe(lacks.messageIds !== undefined);
    expect(message.from.handle).not.toBe(message.from.id);
  });

  check("a plain text arrives letter for letter", async () => {
    for (const text of PLAIN_TEXTS) expect((await readMessage(say(fixture, "e1", { text }))).text).toBe(text);
  });

  check("a slash command addresses the bot and keeps its words", async () => {
    expect(await readMessage(say(fixture, "e1", { text: "/title Rain in May" }))).toMatchObject({
      text: "/title Rain in May",
      addressed: true,
    });
  });

  check("two events, two authors and two messages have different ids", async () => {
    const first = await readMessage(say(fixture, "e1"));
    const second = await readMessage(say(fixture, "e2"));
    const ofBob = await readMessage(
      say(fixture, "e3", { from: BOB, in: lacks.direct ? GROUP : { ...DIRECT, word: "bob" } }),
    );
    expect(second.id).not.toBe(first.id);
    if (!lacks.messageIds) expect(second.message).not.toBe(first.message);
    expect(second.from.id).toBe(first.from.id);
    expect(second.chat).toEqual(first.chat);
    expect(ofBob.from.id).not.toBe(first.from.id);
    if (!lacks.direct) expect(ofBob.chat.id).not.toBe(first.chat.id);
  });

  check("a long text arrives whole, and a long name is cut without losing the message", async () => {
    const text = "rain ".repeat(Math.min(fixture.platform.limits.text, 8_000) / 5).trim();
    expect((await readMessage(say(fixture, "e1", { text }))).text).toBe(text);
    const ofLong = await readMessage(say(fixture, "e2", { from: { word: `ada-${"x".repeat(300)}` } }));
    expect(ofLong.text).toBe("How much rain fell?");
    expect(ofLong.from.name.length).toBeLessThanOrEqual(200);
  });

  check.if(!lacks.own)("the bot's own messages are left out", async () => {
    const { world, receive } = open();
    for (const where of groups ? [say(fixture, "").in, GROUP] : [DIRECT])
      expect((await receive(await world.request(say(fixture, "e1", { from: SELF, in: where }))))?.events).toEqual([]);
  });

  check.if(!lacks.bots)("another bot's message is left out, or says that a bot wrote it", async () => {
    const { world, receive } = open();
    const where = groups ? GROUP : DIRECT;
    const received = await receive(
      await world.request(say(fixture, "e1", { from: OTHER_BOT, in: where, mentions: groups })),
    );
    expect(received?.events.filter(({ from }) => !from.isBot)).toEqual([]);
  });

  check.if(!lacks.edits)("an edit names the message that it replaces, and is an event of its own", async () => {
    const channel = open();
    const first = await readMessage(say(fixture, "e1", { message: "m1", text: "one" }), channel);
    channel.clock.advance(5_000);
    const edit = await readMessage(say(fixture, "e2", { message: "m1", text: "two", edited: true }), channel);
    expect(edit).toMatchObject({ edited: true, text: "two", message: first.message });
    expect(edit.id).not.toBe(first.id);
    channel.clock.advance(5_000);
    const again = await readMessage(say(fixture, "e3", { message: "m1", text: "three", edited: true }), channel);
    expect(new Set([first.id, edit.id, again.id]).size).toBe(3);
  });

  const inGroup = (event: string, more: Partial<SaidMessage> = {}) =>
    say(fixture, event, { in: GROUP, mentions: false, ...more });

  check.if(groups && !lacks.unaddressed)("in groups, a message to nobody does not address the bot", async () => {
    expect(await readMessage(inGroup("e1"))).toMatchObject({ addressed: false, chat: { kind: "group" } });
  });

  check.if(groups && !lacks.unaddressed)(
    "in groups, the bot's name in a sentence or in a longer name is no mention",
    async () => {
      const { name } = fixture.self;
      for (const text of [`I told ${name} yesterday.`, `@${name}x knows.`, `Write to mail@${name}.example`]) {
        const message = await readMessage(inGroup("e1", { text }));
        expect(message, text).toMatchObject({ addressed: false, text });
      }
    },
  );

  check.if(groups && !lacks.mentions)(
    "in groups, a mention addresses the bot and is not part of the words",
    async () => {
      const message = await readMessage(inGroup("e1", { mentions: true, text: "How much?" }));
      expect(message).toMatchObject({ addressed: true, text: "How much?", chat: { kind: "group" } });
    },
  );

  check.if(groups)("a group and a direct chat have different ids, and two groups too", async () => {
    const here = await readMessage(inGroup("e1", { mentions: true }));
    const there = await readMessage(inGroup("e2", { mentions: true, in: { word: "kitchen", kind: "group" } }));
    expect(there.chat.id).not.toBe(here.chat.id);
    if (!lacks.direct) expect((await readMessage(say(fixture, "e3"))).chat.id).not.toBe(here.chat.id);
    expect((await readMessage(inGroup("e4", { mentions: true, from: BOB }))).chat).toEqual(here.chat);
  });

  check.if(groups && !lacks.replies)(
    "in groups, a reply to the bot addresses it; a reply to somebody else does not",
    async () => {
      const toBot = await readMessage(inGroup("e1", { repliesTo: { text: "12 mm.", ofBot: true } }));
      expect(toBot).toMatchObject({ addressed: true, replyTo: { ofBot: true } });
      if (!lacks.replyText) expect(toBot.replyTo?.text).toBe("12 mm.");
      if (lacks.unaddressed) return;
      const toBob = await readMessage(inGroup("e2", { repliesTo: { text: "No.", ofBot: false } }));
      expect(toBob).toMatchObject({ addressed: false, replyTo: { ofBot: false } });
    },
  );

  check.if(groups && threads)("in groups, a thread is a place of its own in its chat", async () => {
    const main = await readMessage(inGroup("e1", { mentions: true }));
    const thread = await readMessage(inGroup("e2", { mentions: true, in: { ...GROUP, thread: "t1" } }));
    const other = await readMessage(inGroup("e3", { mentions: true, in: { ...GROUP, thread: "t2" } }));
    expect(thread.chat).toMatchObject({ id: main.chat.id, kind: "group", thread: expect.any(String) });
    expect(new Set([main, thread, other].map(({ chat }) => chat.thread)).size).toBe(3);
  });

  check.if(filesIn && !lacks.files)("a file says what it is, and its bytes can be fetched", async () => {
    for (const file of [PICTURE, { ...PICTURE, kind: "file" as const, name: "rain.csv", mediaType: "text/csv" }]) {
      const channel = open();
      const message = await readMessage(
        say(fixture, "e1", { text: lacks.fileText ? "" : "Look.", files: [file] }),
        channel,
      );
      expect(message.text).toBe(lacks.fileText ? "" : "Look.");
      expect(message.files).toHaveLength(1);
      expect(message.files[0]!.kind).toBe(file.kind);
      const fetched = await channel.client.fetchFile!(message.files[0]!);
      expect(fetched).toMatchObject({ ok: true, value: { bytes: file.bytes } });
    }
  });

  check.if(fixture.platform.capabilities.buttons > 0 && !lacks.presses)(
    "a pressed button brings back its token",
    async () => {
      const channel = open();
      const asked = await readMessage(say(fixture, "e1"), channel);
      const sent = await channel.client.send(
        { ...asked.chat, context: asked.context },
        {
          text: "Run it?",
          buttons: [
            { label: "Yes", token: "yes.1" },
            { label: "No", token: "no.1" },
          ],
        },
      );
      if (!sent.ok) throw new Error(sent.failure.message);
      const event = await read(press("e2", "no.1", sent.value.id ?? "", say(fixture, "").in), channel);
      expect(event).toMatchObject({ kind: "press", token: "no.1", from: { id: asked.from.id, isBot: false } });
      expect(event.chat).toMatchObject({ id: asked.chat.id, kind: asked.chat.kind });
      if (event.kind === "press" && sent.value.id !== null && !lacks.pressMessage)
        expect(event.message).toBe(sent.value.id);
      const answered = await channel.client.answerPress?.(event as never, "Not run.");
      expect(answered?.ok ?? true).toBe(true);
    },
  );
}
