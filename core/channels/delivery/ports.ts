// What deliveries need from outside, and what a pressed button means. Types only.
import type { Result } from "../../errors.ts";
import type { Clock, Random, Sql } from "../../ports.ts";
import type { ChatAddress, OutFile, Platform, PlatformClient } from "../platform.ts";
import type { PlatformName } from "../../schemas/channels/inbound.ts";
import type { SessionId } from "../../schemas/ids.ts";

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
  /**
   * A file of a session's workspace. Failures: that it is not there, or cannot be read. Rejects if the session cannot be reached.
   */
  readFile(session: SessionId, path: string): Promise<Result<OutFile>>;
  /** Markdown as messages in the platform's form, each within `limits.text`. */
  toMessages(markdown: string, platform: WritingPlatform): string[];
  /** The message that shows the turn's progress in the chat, if it is to become the answer. It shows no progress any more. */
  takeProgress?(chat: string, session: SessionId, turn: number): string | null;
  /** What became of an attempt, for the channel's state. `null`: it was sent. */
  onAttempt(platform: PlatformName, failure: { code: string; message: string } | null): void;
  report(what: string, error: unknown): void;
}

export type WritingPlatform = Pick<Platform, "flavour" | "limits">;

export interface DeliveryChat {
  platform: PlatformName;
  address: ChatAddress;
}

export interface OpenedClient {
  platform: Pick<Platform, "name" | "title" | "capabilities" | "limits" | "flavour">;
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

/** `approval`: of the session's question. `choice`: from 1. `command`: as if the person had written it. */
export type ButtonMeaning =
  | { does: "approve"; session: SessionId; approval: string; scope: "once" | "session" | "always" }
  | { does: "deny"; session: SessionId; approval: string }
  | { does: "answer"; session: SessionId; approval: string; choice: number }
  | { does: "command"; text: string };

/** `over`: the question was decided, or the button is too old. */
export type Pressed = { state: "open"; means: ButtonMeaning } | { state: "over" };
