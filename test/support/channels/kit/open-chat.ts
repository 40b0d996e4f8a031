// A channel, and the chat in which somebody has just written to the bot.
import type { ChatAddress } from "../../../../core/channels/platform.ts";
import { InboundEvent } from "../../../../core/schemas/channels/inbound.ts";
import type { PlatformFixture, Somewhere } from "../fixture.ts";
import { type TestChannel, type TestChannelOptions, openTestChannel } from "../open-channel.ts";
import { say } from "./said.ts";

export interface OpenChat<Fields> extends TestChannel<Fields> {
  event: InboundEvent;
  to: ChatAddress;
}

export async function openChat<Fields>(
  fixture: PlatformFixture<Fields>,
  where: Somewhere = say(fixture, "").in,
  options: TestChannelOptions = {},
): Promise<OpenChat<Fields>> {
  const channel = openTestChannel(fixture, options);
  const said = say(fixture, "e1", { in: where, mentions: where.kind === "group" });
  const received = await channel.receive(await channel.world.request(said));
  const event = InboundEvent.parse(received?.events[0]);
  return { ...channel, event, to: { ...event.chat, ...(event.context ? { context: event.context } : {}) } };
}
