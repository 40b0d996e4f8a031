// That what the agent says arrives, and that a platform which does not take it is understood.
import { describe, expect, test } from "vitest";
import type { ChatAddress } from "../../../../core/channels/platform.ts";
import { type Result, err } from "../../../../core/errors.ts";
import { InboundEvent } from "../../../../core/schemas/channels/inbound.ts";
import type { PlatformFixture } from "../fixture.ts";
import { type Fault, openTestChannel } from "../open-channel.ts";
import { GROUP, say } from "./said.ts";

export function describeSending<Fields>(fixture: PlatformFixture<Fields>): void {
  const { platform, lacks } = fixture;
  const { capabilities } = platform;

  /** A channel, and the chat in which somebody has just written. */
  async function open(where = say(fixture, "").in) {
    const channel = openTestChannel(fixture);
    const received = await channel.receive(
      await channel.world.request(say(fixture, "e1", { in: where, mentions: where.kind === "group" })),
    );
    const event = InboundEvent.parse(received!.events[0]);
    const to: ChatAddress = { ...event.chat, ...(event.context ? { context: event.context } : {}) };
    return { ...channel, event, to };
  }

  test("a message arrives in its chat", async () => {
    const { client, world, to } = await open();
    const sent = await client.send(to, { text: "12 mm." });
    expect(sent.ok).toBe(true);
    expect(world.messages).toHaveLength(1);
    expect(world.messages[0]!.text).toContain("12 mm.");
    expect(world.messages[0]!.chat).toBe(to.id);
    if (sent.ok) expect(world.messages[0]!.id).toBe(sent.value.id);
  });

  test.runIf(capabilities.groups && capabilities.threads)("a message arrives in its thread", async () => {
    const { client, world, to } = await open({ ...GROUP, thread: "t1" });
    expect((await client.send(to, { text: "12 mm." })).ok).toBe(true);
    expect(world.messages[0]).toMatchObject({ chat: to.id, thread: to.thread });
  });

  test.runIf(capabilities.edit)("an edit changes the message and takes its buttons away", async () => {
    const { client, world, to } = await open();
    const buttons = capabilities.buttons > 0 ? [{ label: "Yes", token: "yes.1" }] : [];
    const sent = await client.send(to, { text: "Run it?", buttons });
    expect(world.messages[0]!.buttons).toEqual(buttons);
    if (!sent.ok || sent.value.id === null) throw new Error("a message that can be edited has an id");
    expect((await client.edit!(to, sent.value.id, { text: "It was run." })).ok).toBe(true);
    expect(world.messages).toHaveLength(1);
    expect(world.messages[0]).toMatchObject({ text: expect.stringContaining("It was run."), buttons: [] });
  });

  describe.runIf(!lacks.network)("when the platform does not take it", () => {
    async function sendWith(fault: Fault) {
      const { client, to, setFault } = await open();
      expect((await client.send(to, { text: "First." })).ok, "before").toBe(true);
      setFault(fault);
      return client.send(to, { text: "Second." });
    }

    test("a rate limit says how long to wait", async () => {
      const { world } = await open();
      const refusal = world.refusal("rate_limited", 7);
      if (refusal === null) return;
      expectFailure(await sendWith(() => refusal.clone()), "channel_rate_limited", { retryAfterMs: 7_000 });
    });

    test("a refused token is `channel_auth_failed`, a refused message `channel_refused`", async () => {
      const { world } = await open();
      for (const [kind, code] of [
        ["auth_failed", "channel_auth_failed"],
        ["refused", "channel_refused"],
        ["window_closed", "channel_window_closed"],
      ] as const) {
        const refusal = world.refusal(kind, 0);
        if (refusal) expectFailure(await sendWith(() => refusal.clone()), code);
      }
    });

    test("a timeout and a server's error may have sent it", async () => {
      const maybe = { maybeSent: true };
      expectFailure(await sendWith(() => err("timed_out", "Late.")), "channel_unreachable", maybe);
      expectFailure(await sendWith(() => err("unreachable", "No.")), "channel_unreachable", maybe);
      for (const status of [500, 502, 504])
        expectFailure(await sendWith(() => new Response("<html>Oops", { status })), "channel_unavailable", maybe);
    });
  });
}

function expectFailure(result: Result<unknown>, code: string, facts?: Record<string, unknown>): void {
  expect(result).toMatchObject({ ok: false, failure: { code, ...(facts ? { facts } : {}) } });
}
