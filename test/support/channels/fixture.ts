// What the conformance kit (kit.ts) must know of a platform to judge it. Each test/channels/<platform>.test.ts has one `PlatformFixture`: it
// writes and signs requests as the platform does, and serves the platform's API. It knows nothing of how Talaria reads or sends them, and
// shares no code with channels/<platform>.ts.
import type {
  BotIdentity,
  ChannelReply,
  ChannelRequest,
  Platform,
  PlatformDeps,
} from "../../../core/channels/platform.ts";
import type { TestClock } from "../clock.ts";

/** A person or another bot, by a short word. The fixture makes the platform's ids of it: another word, another id. */
export interface Somebody {
  word: string;
  isBot?: boolean;
  /** The bot of the channel itself. */
  isSelf?: boolean;
}

/** A chat, by a short word. A direct one is the chat of `word` with the bot. */
export interface Somewhere {
  word: string;
  kind: "direct" | "group";
  /** A thread or forum topic in it. */
  thread?: string;
}

export interface SaidFile {
  kind: "image" | "voice" | "file";
  name: string;
  mediaType: string;
  bytes: Uint8Array;
}

/** A message that somebody wrote. */
export interface SaidMessage {
  kind: "message";
  /** One event: the same word is the platform's retry of it, another word another event. */
  event: string;
  /** One message: an edit has the word of the message that it changes. */
  message: string;
  /** Without the mention. "" for files alone. */
  text: string;
  from: Somebody;
  in: Somewhere;
  /** The bot is mentioned by the platform's syntax, before the text. */
  mentions?: boolean;
  edited?: boolean;
  repliesTo?: { text: string; ofBot: boolean };
  files?: readonly SaidFile[];
}

/** A pressed button of a message that the bot sent. */
export interface SaidPress {
  kind: "press";
  event: string;
  token: string;
  /** The platform's id of the message with the button, as `PlatformClient.send` returned it. */
  of: string;
  from: Somebody;
  in: Somewhere;
}

export type Said = SaidMessage | SaidPress;

/** How a request is signed. `at`: the platform's clock, in ms; default: the world's. `forged`: with a secret or key that is not the channel's. */
export interface Signing {
  at?: number;
  forged?: boolean;
}

/** A message of the bot as the platform has it now. */
export interface SentMessage {
  id: string | null;
  /** The platform's id of the chat, and of the thread. */
  chat: string;
  thread?: string;
  /** As it arrived: in the platform's own form. */
  text: string;
  buttons: readonly { label: string; token: string }[];
  replyTo?: string;
}

export interface SentFile {
  chat: string;
  thread?: string;
  name: string;
  bytes: Uint8Array;
}

/** The platform, for one test: its chats, its files, what the bot sent. */
export interface PlatformWorld {
  /** The request that the platform makes for this. Genuinely signed, unless `forged`. */
  request(said: Said, signing?: Signing): Promise<ChannelRequest> | ChannelRequest;
  /** The same request with another text in place of what `Platform.verify` returned, genuinely signed (and encrypted where it encrypts). */
  resign(request: ChannelRequest, text: string, signing?: Signing): Promise<ChannelRequest> | ChannelRequest;
  /** What the platform asks when the address is set, and the reply that it wants. Absent where it asks nothing. */
  challenge?(
    signing?: Signing,
  ): Promise<{ request: ChannelRequest; reply: ChannelReply }> | { request: ChannelRequest; reply: ChannelReply };
  /**
   * The platform's API. `url` begins with the platform's usual address, also when the channel has an `apiBase`. Throws, or answers as the
   * platform does, for what the platform does not take: an unknown path, a wrong token (`fields` of the fixture are right), a text
   * above its limit.
   */
  serve(url: string, init: { method: string; headers: Headers; body: Uint8Array }): Promise<Response> | Response;
  /** In the order in which they were sent, as they are now. */
  readonly messages: readonly SentMessage[];
  readonly files: readonly SentFile[];
  /** How many typing signs were sent. */
  readonly typingSigns: number;
  /** Texts of answered presses. */
  readonly answeredPresses: readonly string[];
  /** The address that the platform calls, by `Platform.register`. */
  readonly registered: string | null;
  /** The names of the threads that the bot opened, by their ids. Absent where the bot opens none. */
  readonly threads?: ReadonlyMap<string, string>;
  /** E-mail: takes a message that the bot sends. Absent: the deployment has no binding for it. */
  sendEmail?: PlatformDeps["sendEmail"];
  /** What `Platform.poll` will get for these. Absent where there is no polling. */
  hold?(said: readonly Said[]): void;
  /** How the API says no. `null`: this platform never says it. */
  refusal(kind: Refusal, retryAfterS: number): Response | null;
}

export type Refusal = "rate_limited" | "auth_failed" | "refused" | "window_closed";

/**
 * What shows that a request is genuine.
 * `secret`: it contains a secret. `hmac`: a signature with a shared secret. `key`: a signature with the platform's private key.
 * `sender-rules`: e-mail, whose request comes from the Worker itself.
 */
export interface Proof {
  kind: "secret" | "hmac" | "key" | "sender-rules";
  /** What carries it: header names in lower case, query parameters as `?name`. Each is necessary. */
  carriers: readonly string[];
  /** What the signature covers, beside the carriers: one changed byte in it is noticed. */
  covers: readonly ("body" | "path" | "query" | "method")[];
  /** How old, and how far in the future, a signed time may be. `null`: time is not signed, or not to be checked. */
  toleranceMs: { past: number; future: number } | null;
}

/** What a platform may be unable to tell or to do beside its capabilities. */
export type Lack =
  | "edits" // nobody tells the bot of an edit
  | "mentions" // there is no mention, or a message without one does not arrive
  | "unaddressed" // a group's message that concerns not the bot does not arrive
  | "replies" // a reply does not say what it answers
  | "replyText" // a reply says whom it answers, and not the text
  | "bots" // messages of other bots do not arrive
  | "own" // the bot's own messages do not arrive
  | "files" // files do not arrive in a message
  | "fileText" // a message has files or text, not both
  | "presses" // no button can be pressed
  | "pressMessage" // a press does not say to which message its button belongs
  | "messageIds" // messages have no ids to reply to or to edit
  | "direct" // there is no chat with one person alone
  | "probe" // the platform cannot be asked who the bot is
  | "apiBase" // it is answered at addresses that the platform names
  | "network"; // sending uses no HTTP request

export interface PlatformFixture<Fields = Record<string, unknown>> {
  platform: Platform<Fields>;
  /** As `PUT /v1/channels/{platform}` takes them: all that are secret or required are there. */
  fields: Record<string, unknown>;
  /** Settings of other channels, each of which must refuse what is signed for `fields`: another secret, another application. */
  others: readonly Record<string, unknown>[];
  self: BotIdentity;
  /** The channel's address on `publicUrl`. Default: `https://talaria.test/channels/<platform>/<profile>`. */
  address?: string;
  /** Where the platform's API usually is, without a slash at its end: what `apiBase` takes the place of. */
  api: string;
  proof: Proof;
  /** Whether the body of a request to the API would call everybody in a chat, or anybody by an id. A sentence: why no text can. */
  callsEverybody: ((body: string) => boolean) | string;
  /** What it cannot do, each with the reason, in a sentence. */
  lacks: Partial<Record<Lack, string>>;
  createWorld(clock: TestClock): PlatformWorld;
}
