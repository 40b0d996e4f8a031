// The protocol of Discord's Gateway for one connection: hello, identify or resume, heartbeats, dispatches. Called by
// durable-objects/channels/discord-socket.ts, which opens sockets and keeps `GatewayState`. https://discord.com/developers/docs/events/gateway
import type { Clock, Random } from "../../core/ports.ts";
import { toObject } from "../../core/unknown-object.ts";
import { readJson } from "../support/events.ts";

/** What a later connection resumes from. */
export interface GatewayState {
  session: string;
  resumeUrl: string;
  seq: number;
  /** The bot's user id. */
  self: string;
}

/** An open socket. */
export interface GatewaySocket {
  send(text: string): void;
  close(code: number): void;
  /** Resolves to the close code when the socket has closed, for whatever reason. */
  onText(listener: (text: string) => void): void;
  closed: Promise<number>;
}

export interface GatewayDeps {
  clock: Clock;
  random: Random;
  token: string;
  state: GatewayState | null;
  /** Stores the state: whenever it changes in kind, and at each heartbeat. `null`: the session is over. */
  save(state: GatewayState | null): void;
  /** A message, as channels/discord.ts reads it. In order. A rejection ends the connection, and Discord repeats the message. */
  onMessage(text: string): Promise<void>;
  /** The session is there: new, or resumed. */
  onReady(): void;
}

/** What to do after a connection has ended. `stop`: no other will fare better; `detail` is for a person. */
export type GatewayEnd = { next: "connect"; waitMs: number } | { next: "stop"; detail: string };

const DISPATCH = 0;
const HEARTBEAT = 1;
const IDENTIFY = 2;
const RESUME = 6;
const RECONNECT = 7;
const INVALID_SESSION = 9;
const HELLO = 10;
const ACK = 11;

/** GUILDS, GUILD_MESSAGES, DIRECT_MESSAGES, MESSAGE_CONTENT. */
export const INTENTS = (1 << 0) | (1 << 9) | (1 << 12) | (1 << 15);

/** Closed by us so that the session can be resumed: 1000 and 1001 would end it. */
const CLOSE_TO_RESUME = 4_900;
/** https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway-gateway-close-event-codes: never to be tried again. */
const FATAL: Record<number, string> = {
  4004: "Discord refuses the bot's token. Set the channel up again.",
  4010: "Discord refuses the shard.",
  4011: "The bot is in too many servers for one connection, and Talaria opens one only.",
  4012: "Discord no longer takes this version of the Gateway. Update Talaria.",
  4013: "Discord refuses the intents.",
  4014: "Message Content Intent is off. Switch it on, on the page Bot of the application, and set the channel up again.",
};
/** The session is over: the next connection identifies. */
const SESSION_OVER = [1_000, 1_001, 4_003, 4_007, 4_009];
/** Too fast. */
const RATE_LIMITED = 4_008;
const RATE_LIMITED_WAIT_MS = 60_000;
/** [own] Hello comes with the connection. */
const HELLO_WITHIN_MS = 20_000;
/** [own] Before a message is asked for again that could not be stored. */
const FAILED_WAIT_MS = 5_000;
const MESSAGES = ["MESSAGE_CREATE", "MESSAGE_UPDATE"];

/** Speaks until the socket has closed. Never throws. */
export async function runGateway(socket: GatewaySocket, deps: GatewayDeps): Promise<GatewayEnd> {
  const { clock, random } = deps;
  let state = deps.state;
  /** Of the newest dispatch that came, and of the newest whose message is stored: a later connection resumes from that. */
  let seq = state?.seq ?? null;
  let settled = seq ?? 0;
  let isAcknowledged = true;
  let waitMs: number | null = null;
  let work = Promise.resolve();
  const over = new AbortController();
  const hello = new AbortController();

  const send = (op: number, d: unknown) => socket.send(JSON.stringify({ op, d }));
  const keep = () => {
    if (state) deps.save((state = { ...state, seq: settled }));
  };
  const end = () => {
    state = null;
    seq = null;
    settled = 0;
    deps.save(null);
  };

  function beat(): void {
    isAcknowledged = false;
    send(HEARTBEAT, seq);
    keep();
  }

  /** The first beat comes at a random part of the interval, so that not all clients beat at once. */
  async function beatOn(intervalMs: number): Promise<void> {
    await clock.sleep(Math.floor(intervalMs * random()), over.signal);
    while (!over.signal.aborted) {
      // Nobody answered the last one: the connection is dead, whatever the socket says.
      if (!isAcknowledged) return socket.close(CLOSE_TO_RESUME);
      beat();
      await clock.sleep(intervalMs, over.signal);
    }
  }

  function start(d: unknown): void {
    hello.abort();
    const { heartbeat_interval: intervalMs } = toObject(d);
    if (typeof intervalMs !== "number" || !(intervalMs >= 1_000)) return socket.close(CLOSE_TO_RESUME);
    void beatOn(intervalMs).catch(() => socket.close(CLOSE_TO_RESUME));
    if (state) return send(RESUME, { token: deps.token, session_id: state.session, seq: state.seq });
    const properties = { os: "linux", browser: "talaria", device: "talaria" };
    send(IDENTIFY, { token: deps.token, intents: INTENTS, properties });
  }

  function dispatch(type: unknown, d: unknown): void {
    if (type === "READY") {
      const { session_id: session, resume_gateway_url: resumeUrl, user } = toObject(d);
      const { id: self } = toObject(user);
      if (typeof session !== "string" || typeof resumeUrl !== "string" || typeof self !== "string") return;
      state = { session, resumeUrl, self, seq: settled };
      keep();
      deps.onReady();
    } else if (type === "RESUMED") {
      deps.onReady();
    } else if (state && typeof type === "string" && MESSAGES.includes(type)) {
      const { author } = toObject(d);
      if (toObject(author)["id"] === state.self) return;
      const text = JSON.stringify({ op: DISPATCH, t: type, d, self: state.self });
      enqueue(() => deps.onMessage(text));
    }
  }

  function enqueue(act: () => Promise<void>): void {
    work = work.then(act);
    work.catch(() => {
      waitMs ??= FAILED_WAIT_MS;
      socket.close(CLOSE_TO_RESUME);
    });
  }

  socket.onText((text) => {
    const { op, d, s, t } = toObject(readJson(text));
    if (op === DISPATCH) {
      if (typeof s === "number") seq = s;
      dispatch(t, d);
      if (typeof s === "number") enqueue(async () => void (settled = s));
    } else if (op === HELLO) start(d);
    else if (op === ACK) isAcknowledged = true;
    else if (op === HEARTBEAT) beat();
    else if (op === RECONNECT) socket.close(CLOSE_TO_RESUME);
    else if (op === INVALID_SESSION) {
      if (d !== true) end();
      // As the documentation asks, one to five seconds before the next.
      waitMs = 1_000 + Math.floor(random() * 4_000);
      socket.close(CLOSE_TO_RESUME);
    }
  });
  void clock.sleep(HELLO_WITHIN_MS, hello.signal).then(() => {
    if (!hello.signal.aborted) socket.close(CLOSE_TO_RESUME);
  });

  const code = await socket.closed;
  over.abort();
  hello.abort();
  await work.catch(() => {}); // its message comes again
  keep();
  const fatal = FATAL[code];
  if (fatal !== undefined) {
    end();
    return { next: "stop", detail: fatal };
  }
  if (SESSION_OVER.includes(code)) end();
  return { next: "connect", waitMs: waitMs ?? (code === RATE_LIMITED ? RATE_LIMITED_WAIT_MS : 0) };
}

/** The address to connect to. `null`: not one of Discord's, nor below the operator's other server. */
export function toGatewayUrl(url: string, apiBase: string | null): string | null {
  const parsed = URL.parse(url);
  if (!parsed) return null;
  const isOfOperator = apiBase !== null && parsed.host === URL.parse(apiBase)?.host;
  const isOfDiscord =
    parsed.protocol === "wss:" && parsed.port === "" && /^([a-z0-9-]+\.)*discord\.gg$/.test(parsed.hostname);
  if (!isOfOperator && !isOfDiscord) return null;
  parsed.search = "?v=10&encoding=json";
  return parsed.href;
}
