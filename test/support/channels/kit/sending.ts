// That what the agent says arrives whole, where it belongs, at the server that the operator chose.
import { expect } from "vitest";
import { render, toMessages } from "../../../../core/channels/render/to-messages.ts";
import type { PlatformFixture } from "../fixture.ts";
import { openTestChannel } from "../open-channel.ts";
import type { Check } from "./check.ts";
import { openChat } from "./open-chat.ts";
import { GROUP, PICTURE, say } from "./said.ts";

const BASE = "http://127.0.0.1:9/some/base";

const LONG = [
  "# Rain",
  ...Array.from(
    { length: 400 },
    (_, index) => `Line ${index} has **bold**, \`code\`, 👩‍👩‍👧 and [a link](https://x.test/${index}).`,
  ),
  `\`\`\`js\n${Array.from({ length: 400 }, (_, index) => `line(${index}, "<&>");`).join("\n")}\n\`\`\``,
].join("\n\n");

export function checkSending<Fields>(fixture: PlatformFixture<Fields>, check: Check): void {
  const { platform, lacks } = fixture;
  const { capabilities } = platform;

  check("a message arrives in its chat", async () => {
    const { client, world, to } = await openChat(fixture);
    const sent = await client.send(to, { text: render("12 **mm**.", platform.flavour) });
    if (!sent.ok) throw new Error(sent.failure.message);
    expect(world.messages).toHaveLength(1);
    expect(world.messages[0]!.text).toContain("mm");
    expect(world.messages[0]).toMatchObject({ chat: to.id, id: sent.value.id, buttons: [] });
  });

  check("a message arrives that the channel sends by itself, later, without the context of an event", async () => {
    const { client, world, to } = await openChat(fixture);
    const { context, ...place } = to;
    const sent = await client.send(place, { text: "12 mm." });
    if (context === undefined || sent.ok) expect(world.messages[0]?.chat).toBe(to.id);
    else expect(sent.failure.code).toMatch(/^channel_(?:refused|window_closed)$/);
  });

  check("two messages arrive as two, in order", async () => {
    const { client, world, to } = await openChat(fixture);
    for (const text of ["one", "two"]) expect((await client.send(to, { text })).ok).toBe(true);
    expect(world.messages.map(({ text }) => text.replaceAll(/[^a-z]/g, "").slice(-3))).toEqual(["one", "two"]);
    if (world.messages[0]!.id !== null) expect(world.messages[0]!.id).not.toBe(world.messages[1]!.id);
  });

  check("a text is not changed on its way", async () => {
    const { client, world, to } = await openChat(fixture);
    for (const text of ["naïve 日本 👩‍👩‍👧 \"quoted\" 'so' \\ / % + = #1 5 €", "a\nb\n\nc"]) {
      const written = render(text, platform.flavour);
      expect((await client.send(to, { text: written })).ok).toBe(true);
      expect(world.messages.at(-1)!.text).toContain(written);
    }
  });

  check("a long answer arrives in messages that the platform takes, with all its words", async () => {
    const { client, world, to } = await openChat(fixture);
    const messages = toMessages(LONG, platform);
    for (const text of messages) {
      const sent = await client.send(to, { text });
      expect(sent, text.slice(0, 100)).toMatchObject({ ok: true });
    }
    expect(world.messages).toHaveLength(messages.length);
    const all = world.messages.map(({ text }) => text).join("\n");
    for (const index of [0, 1, 123, 399]) {
      expect(all).toContain(`Line ${index} has`);
      expect(all).toContain(`line(${index}, `);
    }
  });

  check("a message of the full length is taken", async () => {
    const { client, world, to } = await openChat(fixture);
    const length =
      platform.limits.textUnit === "bytes" ? platform.limits.text : Math.min(platform.limits.text, 100_000);
    const [text] = toMessages("x".repeat(length), platform);
    expect(await client.send(to, { text: text! })).toMatchObject({ ok: true });
    expect(world.messages[0]!.text).toContain(text);
  });

  check.if(capabilities.groups && capabilities.threads)("a message arrives in its thread", async () => {
    const { client, world, to } = await openChat(fixture, { ...GROUP, thread: "t1" });
    expect((await client.send(to, { text: "12 mm." })).ok).toBe(true);
    expect(world.messages[0]).toMatchObject({ chat: to.id, thread: to.thread });
  });

  check.if(capabilities.replies && !lacks.messageIds)("a message points at the one that it answers", async () => {
    const { client, world, to, event } = await openChat(fixture);
    const id = event.kind === "message" ? event.message! : "";
    expect((await client.send(to, { text: "12 mm.", replyTo: id })).ok).toBe(true);
    expect(world.messages[0]!.replyTo).toBe(id);
  });

  check.if(capabilities.edit)("an edit changes the message, gives it buttons, and takes them away", async () => {
    const { client, world, to } = await openChat(fixture);
    const buttons = capabilities.buttons > 0 ? [{ label: "Yes & <no>", token: "yes.1" }] : [];
    const sent = await client.send(to, { text: "Run it?", buttons });
    if (!sent.ok || sent.value.id === null) throw new Error("a message that can be edited has an id");
    const edits = [{ text: "Run it now?", buttons }, { text: "It was run." }];
    for (const edit of edits) {
      expect(await client.edit!(to, sent.value.id, edit)).toMatchObject({ ok: true });
      expect(world.messages).toHaveLength(1);
      expect(world.messages[0]).toMatchObject({
        text: expect.stringContaining(edit.text),
        buttons: edit.buttons ?? [],
      });
    }
    expect(await client.edit!(to, sent.value.id, { text: "It was run." }), "the same again").toMatchObject({
      ok: true,
    });
  });

  check.if(capabilities.buttons > 0)(
    "as many buttons as it takes arrive, each with its label and its token",
    async () => {
      const { client, world, to } = await openChat(fixture);
      const buttons = Array.from({ length: Math.min(capabilities.buttons, 10) }, (_, index) => ({
        label: `Choice ${index}`,
        token: `${"a".repeat(30)}.${index}`,
      }));
      expect(await client.send(to, { text: "Which?", buttons })).toMatchObject({ ok: true });
      expect(world.messages[0]!.buttons).toEqual(buttons);
    },
  );

  check.if(capabilities.typing)("a typing sign arrives", async () => {
    const { client, world, to } = await openChat(fixture);
    expect(await client.typing!(to)).toMatchObject({ ok: true });
    expect(world.typingSigns).toBe(1);
    expect(world.messages).toEqual([]);
  });

  check.if(capabilities.filesOut)("files arrive byte for byte, whatever their names", async () => {
    const { client, world, to } = await openChat(fixture);
    const bytes = Uint8Array.from({ length: 3_000 }, (_, index) => index % 256);
    for (const [name, mediaType] of [
      ["rain.png", "image/png"],
      ['a "b"; ü 日.txt', "text/plain"],
      ["noextension", "application/octet-stream"],
    ] as const) {
      const content = mediaType === "image/png" ? PICTURE.bytes : bytes;
      expect(await client.sendFile!(to, { name, mediaType, bytes: content }), name).toMatchObject({ ok: true });
      expect(world.files.at(-1)).toMatchObject({ chat: to.id, bytes: content });
    }
    expect(world.files).toHaveLength(3);
  });

  check("a thread that the bot opens can be written in and renamed", async () => {
    const { client, world, to } = await openChat(fixture, capabilities.groups ? GROUP : say(fixture, "").in);
    if (!client.openThread) return;
    const opened = await client.openThread(to, "Rain in May");
    if (!opened.ok) throw new Error(opened.failure.message);
    const { thread } = opened.value;
    expect(world.threads?.get(thread)).toBe("Rain in May");
    expect(await client.send({ ...to, thread }, { text: "12 mm." })).toMatchObject({ ok: true });
    expect(world.messages.at(-1)).toMatchObject({ thread });
    if (!client.renameThread) return;
    expect(await client.renameThread({ ...to, thread }, "Snow")).toMatchObject({ ok: true });
    expect(world.threads?.get(thread)).toBe("Snow");
  });

  check.if(!lacks.probe)("the platform says who the bot is", async () => {
    const { channel } = openTestChannel(fixture);
    expect(await platform.probe(channel)).toEqual({ ok: true, value: fixture.self });
  });

  check("the address is registered, twice without harm, and taken back", async () => {
    const { channel, world } = openTestChannel(fixture);
    if (!platform.register) return;
    const commands = [{ name: "new", help: "Start a new conversation." }];
    for (let time = 0; time < 2; time += 1) {
      expect(await platform.register(channel, commands)).toMatchObject({ ok: true });
      expect(world.registered).toBe(channel.address);
    }
    if (!platform.unregister) return;
    for (let time = 0; time < 2; time += 1) {
      expect(await platform.unregister(channel)).toMatchObject({ ok: true });
      expect(world.registered).toBeNull();
    }
  });

  check("what is polled reads as what is pushed, and once", async () => {
    const { channel, world, receive } = openTestChannel(fixture);
    if (!platform.poll) return;
    const said = [say(fixture, "e1"), say(fixture, "e2")];
    const pushed = [];
    for (const one of said) pushed.push(...(await receive(await world.request(one)))!.events);
    world.hold!(said.slice(0, 1));
    const first = await poll(null);
    world.hold!(said.slice(1));
    const second = await poll(first.mark);
    expect([...first.events, ...second.events]).toEqual(pushed);

    /** The requests are read as if they had come to the channel's address. */
    async function poll(mark: string | null) {
      const got = await platform.poll!(channel, mark);
      if (!got.ok) throw new Error(got.failure.message);
      const request = { method: "POST", url: channel.address!, headers: {}, body: new Uint8Array() };
      const events = [];
      for (const text of got.value.texts) events.push(...(await platform.parse({ request, text }, channel)).events);
      return { events, mark: got.value.mark };
    }
  });

  check.if(!lacks.network && !lacks.apiBase)(
    "every request goes to the operator's server where one is set",
    async () => {
      const { client, to, seen, channel } = await openChat(fixture, undefined, { apiBase: BASE });
      expect(await client.send(to, { text: "12 mm." })).toMatchObject({ ok: true });
      if (client.typing) await client.typing(to);
      if (client.sendFile)
        await client.sendFile(to, { name: "rain.png", mediaType: "image/png", bytes: PICTURE.bytes });
      await platform.probe(channel);
      expect(seen.length).toBeGreaterThan(0);
      for (const { url } of seen) expect(url.startsWith(`${BASE}/`), url).toBe(true);
    },
  );
}
