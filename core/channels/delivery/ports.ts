// What deliveries need from outside, and what a pressed button means. Types only.
import type { Result } from "../../errors.ts";
import type { Clock, Random, Sql } from "../../ports.ts";
import type { ChatAddress, Platform, PlatformClient } from "../platform.ts";
import type { MessageForm } from "../render/to-messages.ts";
import type { PlatformName } from "../../schemas/channels/inbound.ts";
import type { SessionId } from "../../schemas/ids.ts";
import type { ButtonMeaning } from "./meaning.ts";

export interface DeliveryPorts {
  sql: Sql;
  clock: Clock;
  /** For jitter. */
  random: Random;
  /** 20 random characters of `[a-z0-9]` that cannot be guessed. */
  newToken(): string;
  /** `null`: there is no such chat. `context` is that of its newest message. */
  findChat(chat: string): DeliveryChat | null;
  /** Failures: `channel_not_found`; any other is waited for. */
  openClient(platform: PlatformName): Promise<Result<OpenedClient>>;
  /** A file of a session's workspace. Failures: it cannot be read, now or ever. Rejects if the session cannot be reached. */
  readFile(session: SessionId, path: string): Promise<Result<Uint8Array>>;
  /** Markdown as messages in the platform's form, each within `limits.text`. */
  toMessages(markdown: string, form: MessageForm): Promise<string[]>;
  /**
   * The message that shows the turn's progress in the chat, which is to become its answer; `null`: there is none. After this nobody else
   * changes it.
   */
  takeProgress?(chat: string, session: SessionId, turn: number): Promise<string | null>;
  /** What became of an attempt, for the channel's state. `null`: it was sent. */
  onAttempt(platform: PlatformName, failure: { code: string; message: string } | null): void;
  report(what: string, error: unknown): void;
}

export interface DeliveryChat {
  platform: PlatformName;
  address: ChatAddress;
}

export interface OpenedClient {
  platform: Pick<Platform, "name" | "title" | "capabilities" | "limits" | "flavour" | "commandPrefix">;
  client: PlatformClient;
}

/** Words of the channel itself. `id` makes a repetition harmless. */
export interface Said {
  id: string;
  chat: string;
  /** Markdown. */
  text: string;
  /** Left out where there are no buttons, so the text must also say how else to answer. */
  buttons?: readonly { label: string; means: ButtonMeaning }[];
  /** The platform's id of the message that it answers. */
  replyTo?: string;
}

/** `over`: the question was decided, or the button is too old. `chat`: where it was asked. */
export type Pressed = { state: "open"; means: ButtonMeaning; chat: string } | { state: "over" };
