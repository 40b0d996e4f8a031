// Holds the socket to Discord's Gateway for one profile, so that plain messages arrive. One object a profile, named by its id, and only while the
// channel's field `gateway` is true: an open socket keeps the object in memory, about 4 USD a month. It stores what a connection resumes
// from, and neither token nor message: the profile's Channels object has both. Started and stopped by that object.
import { DurableObject } from "cloudflare:workers";
import { type GatewaySocket, type GatewayState, runGateway, toGatewayUrl } from "../../channels/discord/gateway.ts";
import { type Result, err, messageOf, ok } from "../../core/errors.ts";
import type { ProfileId } from "../../core/schemas/ids.ts";
import { systemClock } from "../../stores/platform/system-clock.ts";
import { type OutboundEnv, openOutbound } from "../../wiring/outbound.ts";
import { type SettingsVariable, readSettings } from "../../wiring/settings.ts";

export interface DiscordSocketEnv extends OutboundEnv, SettingsVariable {
  CHANNELS: DurableObjectNamespace;
}

/** What the socket needs for a connection. */
export interface SocketAccess {
  botToken: string;
  apiBase: string | null;
  /** Where the Gateway is, and how many sessions may still begin. */
  url: string;
  remaining: number;
  resetMs: number;
}

/** The calls of the profile's Channels object that the socket makes. */
export interface SocketHome {
  /** `null`: the channel is gone, or wants no socket. A failure: Discord cannot be asked now. */
  openSocket(): Promise<Result<SocketAccess> | null>;
  /** Once this has answered, the message is stored. */
  takeSocketText(text: string): Promise<void>;
  /** Why there is no socket. `null`: there is one. */
  noteSocket(detail: string | null): Promise<void>;
}

/** An object that was evicted, or whose connection was lost with it, connects again within this. */
const WATCH_MS = 60_000;
/** [own] Between connections that fail, doubling. */
const MIN_WAIT_MS = 1_000;
const MAX_WAIT_MS = 120_000;
const STATE_KEY = "state";

export class DiscordSocket extends DurableObject<DiscordSocketEnv> {
  #isRunning = false;
  #socket: GatewaySocket | null = null;
  readonly #kv = this.ctx.storage.kv;

  /** Connects, or connects again with the channel's present settings. Idempotent. */
  async start(): Promise<void> {
    this.#socket?.close(CLOSE_NORMAL);
    this.#kv.delete(STATE_KEY);
    await this.ctx.storage.setAlarm(Date.now());
  }

  /** Disconnects and forgets everything. Idempotent. */
  async stop(): Promise<void> {
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
    this.#socket?.close(CLOSE_NORMAL);
  }

  override async alarm(): Promise<void> {
    await this.ctx.storage.setAlarm(Date.now() + WATCH_MS);
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.ctx.waitUntil(this.#run().finally(() => (this.#isRunning = false)));
  }

  /** Connects until the channel wants no socket. */
  async #run(): Promise<void> {
    for (let failures = 0; ;) {
      const waitMs = await this.#connectOnce(() => (failures = 0)).catch((error: unknown) => {
        console.error(`discord socket: ${messageOf(error)}`);
        return 0;
      });
      if (waitMs === null) return this.stop();
      const restMs = Math.min(MAX_WAIT_MS, MIN_WAIT_MS * 2 ** Math.min(failures++, 10)) * (0.5 + Math.random() / 2);
      await systemClock.sleep(Math.max(waitMs, restMs));
    }
  }

  /** How long to wait at least; `null`: never again. */
  async #connectOnce(onReady: () => void): Promise<number | null> {
    const access = await this.#home.openSocket();
    if (!access) return null;
    if (!access.ok) return this.#rest(access.failure.message);
    const { botToken, apiBase, url, remaining, resetMs } = access.value;
    const state = this.#kv.get<GatewayState>(STATE_KEY) ?? null;
    // Discord resets the token of a bot that begins too many sessions.
    if (!state && remaining <= 0) return this.#rest("Discord allows no further session today.", resetMs);
    const target = toGatewayUrl(state?.resumeUrl ?? url, apiBase);
    if (target === null) {
      this.#kv.delete(STATE_KEY);
      return this.#rest("Discord named an address that is not its own.");
    }
    const socket = await this.openSocket(target);
    if (!socket.ok) {
      // The address to resume at may be gone.
      if (state) this.#kv.delete(STATE_KEY);
      return this.#rest(socket.failure.message);
    }
    this.#socket = socket.value;
    const end = await runGateway(socket.value, {
      clock: systemClock,
      random: Math.random,
      token: botToken,
      state,
      save: (next) => (next ? this.#kv.put(STATE_KEY, next) : void this.#kv.delete(STATE_KEY)),
      onMessage: (text) => this.#home.takeSocketText(text),
      onReady: () => {
        onReady();
        void this.#home.noteSocket(null);
      },
    });
    this.#socket = null;
    if (end.next === "connect") return end.waitMs;
    await this.#home.noteSocket(end.detail);
    return null;
  }

  async #rest(detail: string, waitMs = 0): Promise<number> {
    await this.#home.noteSocket(detail);
    return waitMs;
  }

  /** A test puts a socket of its own in its place. */
  async openSocket(url: string): Promise<Result<GatewaySocket>> {
    const outbound = openOutbound(this.env, readSettings(this.env));
    try {
      const headers = { Upgrade: "websocket" };
      const { webSocket } = await outbound.fetch(url.replace(/^ws/, "http"), { headers });
      return webSocket ? ok(toGatewaySocket(webSocket)) : err("unreachable", "Discord opened no socket.");
    } catch {
      return err("unreachable", "Discord's Gateway could not be reached."); // what was thrown may contain the address
    }
  }

  /** The platform's types turn an `unknown` in an answer into `never`. The values cross unchanged. */
  get #home(): SocketHome {
    return this.env.CHANNELS.getByName(this.ctx.id.name!) as unknown as SocketHome;
  }
}

const CLOSE_NORMAL = 1_000;
/** A socket that broke without a close frame. */
const CLOSE_LOST = 1_006;

function toGatewaySocket(socket: WebSocket): GatewaySocket {
  const { promise: closed, resolve } = Promise.withResolvers<number>();
  socket.accept();
  socket.addEventListener("close", ({ code }) => resolve(code));
  socket.addEventListener("error", () => resolve(CLOSE_LOST));
  return {
    closed,
    send: (text) => socket.send(text),
    close(code) {
      // The other side may be gone, and then no close frame ever comes.
      resolve(code);
      try {
        socket.close(code);
      } catch {
        // it is closed
      }
    },
    onText: (listen) => socket.addEventListener("message", ({ data }) => listen(typeof data === "string" ? data : "")),
  };
}

/** Tells the object of a profile whether its channel wants a socket. */
export async function setSocket(
  env: { DISCORD_SOCKET?: DurableObjectNamespace<DiscordSocket> },
  profile: ProfileId,
  isWanted: boolean,
): Promise<void> {
  const socket = env.DISCORD_SOCKET?.getByName(profile);
  await (isWanted ? socket?.start() : socket?.stop());
}
