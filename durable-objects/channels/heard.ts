// What one event is carried out with: the channel, the person's role, the chat. And what carrying out needs from the other parts of a
// Channels object. Types only.
import type { Said } from "../../core/channels/delivery/ports.ts";
import type { ChatRow } from "../../core/channels/inbox/chat-rows.ts";
import type { LoopGuard } from "../../core/channels/loop-guard.ts";
import type { Pairing } from "../../core/channels/people/pairing.ts";
import type { PeopleRows } from "../../core/channels/people/people-rows.ts";
import type { TopicRows } from "../../core/channels/topics/topic-rows.ts";
import type {
  InboundEvent,
  InboundMessage,
  InboundPress,
  PlatformName,
  Sender,
} from "../../core/schemas/channels/inbound.ts";
import type { ChannelRole } from "../../core/schemas/channels/options.ts";
import type { SessionId } from "../../core/schemas/ids.ts";
import type { OpenedChannel } from "./context.ts";

export interface Heard extends OpenedChannel {
  event: InboundEvent;
  /** How often it was tried before. */
  tries: number;
  role: ChannelRole;
  chat: ChatRow;
  /** What the agent and others may read of people. */
  hideName(from: Pick<Sender, "id" | "name">): string;
  hideId(id: string): string;
}

export type HeardMessage = Heard & { event: InboundMessage };
export type HeardPress = Heard & { event: InboundPress };

export interface CarryDeps {
  people: Pick<PeopleRows, "find">;
  pairing: Pick<Pairing, "request">;
  loopGuard: Pick<LoopGuard, "admit">;
  topics: Pick<TopicRows, "current">;
  /** True: the text was a command of the channel, and is carried out. */
  runCommand(heard: HeardMessage): Promise<boolean>;
  carryPress(heard: HeardPress): Promise<void>;
  /** Stores words of the channel itself for a chat. Idempotent by `id`. */
  say(said: Said): void;
  setHome(platform: PlatformName, chat: string): void;
  /** The person has written: what the platform held back may be sent. */
  reopen(chat: string): void;
  /** Shows that the agent works. Nothing depends on it. */
  follow(heard: Heard, posted: { session: SessionId; turn: number }): void;
}
