// The Channels object of a profile: its channels, their people and chats, what came in and what goes out. Called by the API, by the profile's
// sessions and by its Account. A profile without channels stores nothing here. See docs/decisions/0088.
import { DurableObject } from "cloudflare:workers";
import { loadPlatform } from "../../channels/index.ts";
import type { ChannelReply, ChannelRequest } from "../../core/channels/platform.ts";
import { createChannelRows } from "../../core/channels/inbox/channel-rows.ts";
import { createChatRows } from "../../core/channels/inbox/chat-rows.ts";
import { createKeptFiles } from "../../core/channels/inbox/kept-files.ts";
import { type InboundRow, createInboundRows } from "../../core/channels/inbox/inbound-rows.ts";
import { createPump } from "../../core/channels/inbox/pump.ts";
import { type Result, messageOf, ok } from "../../core/errors.ts";
import type { TestedChannel } from "../../core/schemas/channels/channel-api.ts";
import type { ChannelState } from "../../core/schemas/channels/channel.ts";
import type { SessionDelivery } from "../../core/schemas/channels/delivery.ts";
import type { PlatformName } from "../../core/schemas/channels/inbound.ts";
import { ProfileId, type SessionId } from "../../core/schemas/ids.ts";
import { systemClock } from "../../stores/platform/system-clock.ts";
import { readSettings } from "../../wiring/settings.ts";
import { hasTable, toSql } from "../sql.ts";
import type { SocketAccess } from "./discord-socket.ts";
import { type ChannelsContext, type ChannelsEnv, type OpenedChannel, openAccount, openSession } from "./context.ts";
import { createChannelOpener } from "./open-channel.ts";
import { createOutside } from "./outside.ts";
import { noteSocket, openSocketAccess, takeSocketText } from "./socket-access.ts";
import { receive } from "./receive.ts";
import { type ChannelInput, NOT_FOUND, createSetUp } from "./set-up.ts";
import { CHANNELS_SCHEMA, forgetPlatform, forgetSession, tidyRows } from "./tables.ts";

/** The alarm returns after this if the object dies while it works. */
const WATCH_MS = 30_000;
const DAY_MS = 86_400_000;

export class Channels extends DurableObject<ChannelsEnv> {
  readonly #profile = ProfileId.parse(this.ctx.id.name);
  readonly #sql = toSql(this.ctx.storage);
  readonly #keptFiles = createKeptFiles(this.#sql);
  readonly #opener = createChannelOpener({
    env: this.env,
    profile: this.#profile,
    clock: systemClock,
    settings: () => readSettings(this.env),
    keptFiles: this.#keptFiles,
  });
  readonly #context: ChannelsContext = {
    profile: this.#profile,
    env: this.env,
    sql: this.#sql,
    clock: systemClock,
    settings: () => readSettings(this.env),
    channels: createChannelRows(this.#sql),
    chats: createChatRows(this.#sql),
    inbound: createInboundRows(this.#sql),
    keptFiles: this.#keptFiles,
    open: (platform) => this.#open(platform),
    session: (id) => openSession(this.env, this.#profile, id),
    account: openAccount(this.env, this.#profile),
    arm: () => this.#arm(),
    background: (work) => this.ctx.waitUntil(work.catch((error: unknown) => this.#report("background", error))),
    report: (what, error) => this.#report(what, error),
  };
  readonly #pump = createPump({
    rows: this.#context.inbound,
    clock: systemClock,
    carry: (row) => this.#carry(row),
    giveUp: (row, error) => this.#giveUp(row, error),
    report: (what, error) => this.#report(what, error),
  });
  readonly #setUp = createSetUp(this.#context, {
    opener: this.#opener,
    commands: () => [],
    makeTables: () => CHANNELS_SCHEMA.forEach((statement) => void this.#sql.run(statement)),
    hasTables: () => this.#exists(),
    outside: createOutside(this.env, this.#profile),
    exists: async () => (await this.#context.account.checkProfile()) !== null,
  });

  /**
   * A request to the channel's address. Every event in it is stored before this answers. `null`: forged, stale, mis-addressed, or there is
   * no such channel.
   */
  async receive(platform: PlatformName, request: ChannelRequest): Promise<ChannelReply | null> {
    if (!this.#exists()) return null;
    const reply = await receive(this.#context, platform, request);
    if (reply) this.#work();
    return reply;
  }

  // ---- what Discord's socket calls; discord-socket.ts documents the calls ----

  async openSocket(): Promise<Result<SocketAccess> | null> {
    return this.#exists() ? openSocketAccess(this.#context) : null;
  }
  async takeSocketText(text: string): Promise<void> {
    await takeSocketText(this.#context, text);
    this.#work();
  }
  async noteSocket(detail: string | null): Promise<void> {
    if (this.#exists() && detail !== null) noteSocket(this.#context, detail);
  }

  // ---- what a session hands over ----

  /** Once this has answered, the delivery is stored. Idempotent by its id. One for a chat that is gone is dropped. */
  async takeDelivery(_delivery: SessionDelivery): Promise<void> {
    if (!this.#exists()) return;
  }

  // ---- set-up; set-up.ts documents the calls ----

  async list(): Promise<ChannelState[]> {
    return this.#exists() ? this.#setUp.list() : [];
  }
  async read(platform: PlatformName): Promise<Result<ChannelState>> {
    return this.#setUp.read(platform);
  }
  async put(platform: PlatformName, input: ChannelInput): Promise<Result<ChannelState>> {
    return this.#setUp.put(platform, input);
  }
  async change(platform: PlatformName, input: ChannelInput): Promise<Result<ChannelState>> {
    return this.#setUp.change(platform, input);
  }
  async tryOut(platform: PlatformName, chat?: string): Promise<Result<TestedChannel>> {
    return this.#setUp.tryOut(platform, chat);
  }
  /** Failure: `channel_not_found`. */
  async remove(platform: PlatformName): Promise<Result<null>> {
    if (!this.#exists()) return NOT_FOUND;
    await this.#setUp.unregister(platform);
    this.#opener.forget(platform);
    return this.#sql.transaction(() => forgetPlatform(this.#sql, platform)) ? ok(null) : NOT_FOUND;
  }

  // ---- deletion ----

  /** Idempotent. Called by the profile's Account. */
  async forgetSession(session: SessionId): Promise<void> {
    if (this.#exists()) this.#sql.transaction(() => forgetSession(this.#sql, session));
  }

  /** Deletes everything. Idempotent. Called by the profile's Account, which no longer knows the profile. */
  async erase(): Promise<void> {
    if (this.#exists()) {
      const platforms = this.#context.channels.platforms();
      await Promise.allSettled(platforms.map((platform) => this.#setUp.unregister(platform)));
    }
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  // ---- work ----

  override async alarm(): Promise<void> {
    if (!this.#exists()) return;
    await this.ctx.storage.setAlarm(Date.now() + WATCH_MS);
    tidyRows(this.#sql, Date.now());
    this.#work();
  }

  /** Not awaited: a platform may be slow. */
  #work(): void {
    this.#context.background(this.#pump.run().then(() => this.#arm()));
  }

  async #carry(_row: InboundRow): Promise<void> {
    // Wired in the next step.
  }

  #giveUp(row: InboundRow, error: unknown): void {
    const message = `A message could not be carried out: ${messageOf(error)}`;
    this.#context.channels.noteError(row.platform, { at: Date.now(), code: "message_failed", message });
  }

  async #open(name: PlatformName): Promise<Result<OpenedChannel>> {
    const row = this.#exists() ? this.#context.channels.find(name) : null;
    const platform = row && (await loadPlatform(name));
    if (!platform) return NOT_FOUND;
    const channel = await this.#opener.open(platform, row);
    return channel.ok ? ok({ row, platform, channel: channel.value }) : channel;
  }

  async #arm(): Promise<void> {
    if (!this.#exists()) return;
    const dues = [this.#context.inbound.nextDue()].filter((due) => due !== null);
    if (this.#pump.isBusy()) dues.push(Date.now() + WATCH_MS);
    await this.ctx.storage.setAlarm(Math.max(Date.now(), Math.min(...dues, Date.now() + DAY_MS)));
  }

  /** Without creating tables: anyone may guess a profile's id, and a guess must not leave rows. */
  #exists(): boolean {
    return hasTable(this.#sql, "channel");
  }

  #report(what: string, error: unknown): void {
    console.error(`channels: ${what}: ${messageOf(error)}`);
  }
}
