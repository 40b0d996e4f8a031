// The one interface of all platforms: what it takes, how a request is proved genuine and read, how a message is sent. Implemented by
// channels/<platform>.ts; used by durable-objects/channels. A platform knows nothing of sessions, people's roles or the loop, keeps
// nothing, and reaches the network through `PlatformDeps.request` only.
import type * as z from "zod";
import type { Result } from "../errors.ts";
import type { Clock } from "../ports.ts";
import type {
  ChatPlace,
  InboundEvent,
  InboundFile,
  InboundPress,
  PlatformName,
  ReplyContext,
} from "../schemas/channels/inbound.ts";
import type { Flavour } from "./render/flavour.ts";
import type { MovedPlace } from "./session-key.ts";

/** An HTTP request to `/channels/<platform>/<profile>`, as it arrived. Headers' names are lower case. */
export interface ChannelRequest {
  method: string;
  /** With the scheme and host that the platform was told (the operator's `publicUrl`), and the query as it was sent. */
  url: string;
  headers: Record<string, string>;
  body: Uint8Array;
}

export interface ChannelReply {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}

/** A channel with its settings in the clear. Lives as long as one call. */
export interface OpenChannel<Fields = Record<string, unknown>> {
  profile: string;
  /** What `Platform.fields` parsed: secrets in the clear. */
  fields: Fields;
  /** The channel's address, which the platform calls. `null`: the operator has set no `publicUrl`. */
  address: string | null;
  /** What `probe` found. `null`: never probed. */
  self: BotIdentity | null;
  deps: PlatformDeps;
}

/** The bot itself on the platform. More ids, such as an app's beside a bot user's, are in `also`. */
export interface BotIdentity {
  id: string;
  name: string;
  also?: Record<string, string>;
}

export interface PlatformDeps {
  clock: Clock;
  /** A new random id, for transaction ids of platforms that want one. */
  uuid(): string;
  /** Constant time, wherever and by how much the two differ. Every comparison of a secret or a signature uses it. */
  isSame(a: string, b: string): boolean;
  /** The operator's other server of this platform (`channels.<platform>.apiBase`), without a slash at its end. */
  apiBase: string | null;
  /**
   * Sends a request by the URL policy. Never throws. Failures: those of `Outbound.request`. An address below `apiBase` is excepted from
   * the policy. Default: 15 s, 4 MB.
   */
  request(url: string, options?: PlatformRequest): Promise<Result<PlatformReply>>;
  /** Values that are asked for once and used until they expire: access tokens, key sets. In memory, per channel. */
  cached<T>(key: string, make: () => Promise<Result<{ value: T; expiresAt: number }>>): Promise<Result<T>>;
  /** Drops a cached value, such as a token that was refused. */
  forget(key: string): void;
  /** Sends an e-mail. Fails with a `SendFailure`. Absent: the deployment has no binding for it. */
  sendEmail?(mail: OutgoingEmail): Promise<Result<{ id: string | null }>>;
  /** A file of `Received.files`. `null`: it is no longer kept. */
  keptFile?(ref: string): Promise<Uint8Array | null>;
}

export interface OutgoingEmail {
  from: { email: string; name: string };
  to: string;
  replyTo?: string;
  subject: string;
  text: string;
  /** "": there is no HTML. */
  html: string;
  headers: Record<string, string>;
  files: readonly OutFile[];
}

export interface PlatformRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  timeoutMs?: number;
  maxBytes?: number;
}

/** Any status: a 404 is a reply. */
export interface PlatformReply {
  status: number;
  headers: Headers;
  bytes: Uint8Array;
}

export interface PlatformCapabilities {
  /** Messages can be changed after they were sent. */
  edit: boolean;
  typing: boolean;
  /** Most buttons of one message. 0: none; choices are then numbered. */
  buttons: number;
  /** It can receive, and it can send, files. */
  filesIn: boolean;
  filesOut: boolean;
  groups: boolean;
  /** Chats have threads or forum topics, so that one chat can have several sessions by itself. */
  threads: boolean;
  /** A message can point at the one that it answers. */
  replies: boolean;
  /** Ids of people may be hidden from the model and from lists (`privacy.redactIds`): nothing that the agent writes needs them. */
  redactsIds: boolean;
}

export interface PlatformLimits {
  /** Of one message, in `textUnit`s of the rendered text. */
  text: number;
  textUnit: "utf16" | "codePoints" | "bytes";
  /** Of a file that is fetched or sent. */
  fileBytes: number;
  /** Least time between two edits of one message, or two messages to one chat, in ms. */
  editEveryMs: number;
  /** How long a typing sign is shown, in ms. 0 without typing signs. */
  typingMs: number;
}

/** One field of the platform's settings, as forms and `GET /v1/channels` show it. */
export interface PlatformField {
  name: string;
  /** What it is and where a person finds it, in one sentence. */
  help: string;
  /** Sealed when stored, and never shown again. */
  secret: boolean;
  required: boolean;
  /** It is the content of a file, of several lines: a terminal takes the file's path. */
  file?: true;
}

/**
 * A platform. `Fields`: its settings. All functions return; none throws for what a platform, a person or a network did.
 */
export interface Platform<Fields = Record<string, unknown>> {
  name: PlatformName;
  /** As people write it: `Telegram`. */
  title: string;
  /** Strict. Its keys are those of `form`. */
  fields: z.ZodType<Fields>;
  form: readonly PlatformField[];
  /** What a person does on the platform before `PUT`, in a few imperative sentences. `{address}` stands for the channel's address. */
  steps: readonly string[];
  capabilities: PlatformCapabilities;
  limits: PlatformLimits;
  /** How Markdown is written there. */
  flavour: Flavour;
  /** What a person writes before a command where the platform keeps words with a slash for itself. Absent: nothing. */
  commandPrefix?: string;
  /** Whether a stranger's direct message is answered with a pairing code. False: by silence, as for e-mail. */
  pairs: boolean;

  /**
   * Proves that the request comes from the platform and is fresh. `null`: it does not, or cannot be told. Nothing of the request may be
   * used before, and nothing is parsed that the proof does not need. `text`: the body, decrypted where the platform encrypts.
   */
  verify(request: ChannelRequest, channel: OpenChannel<Fields>): Promise<{ text: string } | null>;
  /** Reads a request that was proved. An event that concerns nobody (own messages, receipts, joins) is left out. */
  parse(verified: VerifiedRequest, channel: OpenChannel<Fields>): Promise<Received>;
  open(channel: OpenChannel<Fields>): PlatformClient;

  /** Asks the platform who the bot is. Failures: `channel_auth_failed`, and those of `SendFailure`. */
  probe(channel: OpenChannel<Fields>): Promise<Result<BotIdentity>>;
  /**
   * Tells the platform the channel's address and the bot's commands, where it can be told. Idempotent. Absent: a person does it, by
   * `steps`. `channel.address` is set.
   */
  register?(channel: OpenChannel<Fields>, commands: readonly BotCommand[]): Promise<Result<null>>;
  /** Takes the address back, when the channel is removed or polled. Idempotent. */
  unregister?(channel: OpenChannel<Fields>): Promise<Result<null>>;
  /**
   * Where there is no public address: the requests that the platform holds ready, each as it would have sent it, and the mark to go on
   * from. Waits up to 25 s for the first.
   */
  poll?(channel: OpenChannel<Fields>, mark: string | null): Promise<Result<{ texts: string[]; mark: string }>>;
}

export interface VerifiedRequest {
  request: ChannelRequest;
  text: string;
}

/** `reply`: what the platform wants to hear at once, such as a challenge. Absent: 200 without a body. */
export interface Received {
  events: InboundEvent[];
  /** Files that came with the messages themselves. They are kept until these are carried out: `PlatformDeps.keptFile`. */
  files?: { ref: string; bytes: Uint8Array }[];
  reply?: ChannelReply;
  /** Chats that have another id from now on: the platform's old and new one. */
  moved?: MovedPlace[];
}

export interface BotCommand {
  /** Without the slash. */
  name: string;
  help: string;
}

/** Where a message goes. `context`: of the newest message of that chat. */
export interface ChatAddress extends ChatPlace {
  context?: ReplyContext;
}

export interface Button {
  label: string;
  /** At most 40 characters of `[a-z0-9.]`. Comes back as `InboundPress.token`. */
  token: string;
}

export interface OutMessage {
  /** Rendered in the platform's flavour, within its limit. Never empty. */
  text: string;
  /** The platform's id of the message that this one answers. */
  replyTo?: string;
  buttons?: readonly Button[];
}

export interface OutFile {
  name: string;
  mediaType: string;
  bytes: Uint8Array;
}

/**
 * Codes of failures of a client:
 * `channel_rate_limited` (fact `retryAfterMs`), `channel_unreachable` and `channel_unavailable` (no answer, or 5xx; fact `maybeSent: true`
 * if the message may have arrived), `channel_auth_failed` (the token is refused), `channel_refused` (the platform refuses this message for
 * good), `channel_window_closed` (the platform lets the bot speak only for a time after the person has).
 */
export type SendFailure =
  | "channel_rate_limited"
  | "channel_unreachable"
  | "channel_unavailable"
  | "channel_auth_failed"
  | "channel_refused"
  | "channel_window_closed";

/** Each function fails with a `SendFailure`. `id`: of the message on the platform; `null` where it says none. */
export interface PlatformClient {
  send(to: ChatAddress, message: OutMessage): Promise<Result<{ id: string | null }>>;
  /** Buttons that are absent are taken away. */
  edit?(to: ChatAddress, id: string, message: OutMessage): Promise<Result<null>>;
  typing?(to: ChatAddress): Promise<Result<null>>;
  sendFile?(to: ChatAddress, file: OutFile): Promise<Result<{ id: string | null }>>;
  fetchFile?(file: InboundFile): Promise<Result<{ bytes: Uint8Array; mediaType?: string }>>;
  /** Tells the person who pressed a button that it was heard; `text` is shown if the platform can. */
  answerPress?(press: InboundPress, text: string): Promise<Result<null>>;
  /** Opens a thread or forum topic in a chat. */
  openThread?(to: ChatAddress, title: string): Promise<Result<{ thread: string }>>;
  renameThread?(to: ChatAddress, title: string): Promise<Result<null>>;
}
