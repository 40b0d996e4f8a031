// The Channels object of a profile: its channels, their people and chats, what came in and what goes out. Called by the API, by the profile's
// sessions and by its Account. A profile without channels stores nothing here. See docs/decisions/0088.
import { DurableObject } from "cloudflare:workers";
import { loadPlatform } from "../../channels/index.ts";
import type { ChannelReply, ChannelRequest } from "../../core/channels/platform.ts";
import { createChannelRows } from "../../core/channels/inbox/channel-rows.ts";
import { createChatRows } from "../../core/channels/inbox/chat-rows.ts";
import { createKeptFiles } from "../../core/channels/inbox/kept-files.ts";
import { type InboundRow, createInboundRows } from "../../core/channels/inbox/inbound-rows.ts";
import { createDelivery } from "../../core/channels/delivery/deliver.ts";
import { listBotCommands } from "../../core/channels/commands/bot-commands.ts";
import { createLoopGuard } from "../../core/channels/loop-guard.ts";
import { createPairing } from "../../core/channels/people/pairing.ts";
import { type PeopleDesk, createPeopleDesk } from "./people-desk.ts";
import { createPeopleRows } from "../../core/channels/people/people-rows.ts";
import { type TopicRows, createTopicRows } from "../../core/channels/topics/topic-rows.ts";
import { createPump } from "../../core/channels/inbox/pump.ts";
import { type Result, err, messageOf, ok } from "../../core/errors.ts";
import type { TestedChannel } from "../../core/schemas/channels/channel-api.ts";
import type { ChannelState } from "../../core/schemas/channels/channel.ts";
import type { DeliveryInfo } from "../../core/schemas/channels/ledger.ts";
import type { SessionDelivery } from "../../core/schemas/channels/delivery.ts";
import type { PlatformName } from "../../core/schemas/channels/inbound.ts";
import { DAY_MS, ProfileId, type SessionId } from "../../core/schemas/ids.ts";
import { systemClock } from "../../stores/platform/system-clock.ts";
import { readSettings } from "../../wiring/settings.ts";
import { hasTable, toSql } from "../sql.ts";
import { isSameSecret } from "../account-key.ts";
import { carryEvent } from "./carry-event.ts";
import { carryPress } from "./carry-press.ts";
import { type ChannelsContext, type ChannelsEnv, type OpenedChannel, openAccount, openSession } from "./context.ts";
import { isOwed } from "./is-owed.ts";
import type { SocketAccess } from "./discord-socket.ts";
import type { CarryDeps } from "./heard.ts";
import { createChannelOpener } from "./open-channel.ts";
import { createFollower } from "./follow.ts";
import { createDeliveryPorts } from "./delivery-ports.ts";
import { createOutside } from "./outside.ts";
import { createPoller } from "./poll.ts";
import { createProber } from "./probe.ts";
import { receive } from "./receive.ts";
import { runCommand } from "./run-command.ts";
import { noteSocket, openSocketAccess, takeSocketText } from "./socket-access.ts";
import { type ChannelInput, NOT_FOUND, createSetUp } from "./set-up.ts";
import { CHANNELS_SCHEMA, forgetPlatform, forgetSession, listKnownIds, tidyRows } from "./tables.ts";

/** The alarm returns after this if the object dies while it works. */
const WATCH_MS = 10_000;
const NO_HOME = err("channel_no_home", "There is no home chat. Send /sethome in the chat that is to be it.");
const NO_CHAT = err("chat_not_found", "This profile has no such chat.");

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
  /** The newest call that saves or removes a platform's channel. */
  readonly #changing = new Map<PlatformName, Promise<unknown>>();
  /** Calls of `sendDue` that have not settled. */
  #sending = 0;
  readonly #ports = createDeliveryPorts(this.#context);
  readonly #follower = createFollower({
    ...this.#ports,
    readEvents: (session, asked) => this.#context.session(session).events(asked),
  });
  readonly #delivery = createDelivery({
    ...this.#ports,
    takeProgress: (chat, session, turn) => this.#follower.takeProgress(chat, session, turn),
  });
  readonly #poller = createPoller(this.#context, () => this.#work());
  readonly #prober = createProber(this.#context, listBotCommands);
  readonly #setUp = createSetUp(this.#context, {
    opener: this.#opener,
    prober: this.#prober,
    home: (platform) => this.#delivery.home(platform),
    wake: (platform) => this.#delivery.wake(platform),
    makeTables: () => CHANNELS_SCHEMA.forEach((statement) => void this.#sql.run(statement)),
    hasTables: () => this.#exists(),
    outside: createOutside(this.env, this.#profile),
    exists: async () => (await this.#context.account.checkProfile()) !== null,
  });
  readonly #pairing = createPairing({
    sql: this.#sql,
    clock: systemClock,
    randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
    isSame: isSameSecret,
  });
  readonly #deps: CarryDeps & { topics: TopicRows } = {
    people: createPeopleRows(this.#sql),
    pairing: this.#pairing,
    loopGuard: createLoopGuard(this.#sql),
    topics: createTopicRows(this.#sql),
    runCommand: (heard) => runCommand(this.#context, this.#deps, heard),
    carryPress: (heard) =>
      carryPress(this.#context, { runCommand: this.#deps.runCommand, delivery: this.#delivery }, heard),
    say: (said) => this.#delivery.say(said),
    setHome: (platform, chat) => this.#delivery.setHome(platform, chat),
    reopen: (chat) => this.#delivery.reopen(chat),
    follow: ({ chat, row }, { session, turn }) => {
      const { progress } = row.channel.options;
      this.#context.background(this.#follower.follow({ chat: chat.id, session, turn, progress }));
    },
  };

  readonly #people = createPeopleDesk({
    context: this.#context,
    pairing: this.#pairing,
    people: createPeopleRows(this.#sql),
    topics: this.#deps.topics,
    say: (said) => this.#deps.say(said),
    home: (platform) => this.#delivery.home(platform),
    setHome: (platform, chat) => this.#delivery.setHome(platform, chat),
    hasTables: () => this.#exists(),
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

  /** Once this has answered, the delivery is stored. Idempotent by its id. Dropped where its channel or its session is gone. */
  async takeDelivery(delivery: SessionDelivery): Promise<void> {
    if (!this.#exists() || !(await isOwed(this.#context, delivery)) || !this.#exists()) return;
    this.#delivery.take(delivery);
    await this.#sendSoon();
  }

  /** To the home chat of a platform, or to the one that was set last. Idempotent by `id`. Failure: `channel_no_home`. */
  async sendHome(platform: PlatformName | null, said: { id: string; text: string }): Promise<Result<{ chat: string }>> {
    if (!this.#exists()) return NO_HOME;
    const sent = this.#delivery.sendHome(platform, said);
    if (sent.ok) await this.#sendSoon();
    return sent;
  }

  /** Words to a chat by its row's id. Idempotent by `id`. Failure: `chat_not_found`, also if nobody there may talk. */
  async say(said: { id: string; chat: string; text: string }): Promise<Result<null>> {
    const chat = this.#exists() ? this.#context.chats.find(said.chat) : null;
    if (!chat || chat.stranger) return NO_CHAT;
    this.#delivery.say(said);
    await this.#sendSoon();
    return ok(null);
  }

  /** The ledger, newest first. */
  async listDeliveries(asked: {
    limit: number;
    before?: number | undefined;
  }): Promise<{ page: DeliveryInfo[]; next?: number }> {
    return this.#exists() ? this.#delivery.list(asked) : { page: [] };
  }

  // ---- set-up; set-up.ts documents the calls ----

  async list(): Promise<ChannelState[]> {
    return this.#exists() ? this.#setUp.list() : [];
  }
  async read(platform: PlatformName): Promise<Result<ChannelState>> {
    return this.#setUp.read(platform);
  }
  async put(platform: PlatformName, input: ChannelInput): Promise<Result<ChannelState>> {
    return this.#begun(await this.#inOrder(platform, () => this.#setUp.put(platform, input)));
  }
  async change(platform: PlatformName, input: ChannelInput): Promise<Result<ChannelState>> {
    return this.#begun(await this.#inOrder(platform, () => this.#setUp.change(platform, input)));
  }
  async tryOut(platform: PlatformName, chat?: string): Promise<Result<TestedChannel>> {
    return this.#begun(await this.#setUp.tryOut(platform, chat));
  }
  /** Failure: `channel_not_found`. */
  async remove(platform: PlatformName): Promise<Result<null>> {
    return this.#inOrder(platform, async () => {
      if (!this.#exists()) return NOT_FOUND;
      await this.#setUp.unregister(platform);
      this.#opener.forget(platform);
      const isRemoved = this.#sql.transaction(() => {
        this.#delivery.forgetPlatform(platform);
        return forgetPlatform(this.#sql, platform);
      });
      return isRemoved ? ok(null) : NOT_FOUND;
    });
  }

  /** A call of people-desk.ts, which documents it. */
  async people<Name extends keyof PeopleDesk>(
    name: Name,
    ...args: Parameters<PeopleDesk[Name]>
  ): Promise<Awaited<ReturnType<PeopleDesk[Name]>>> {
    const call = this.#people[name] as (...given: unknown[]) => Promise<Awaited<ReturnType<PeopleDesk[Name]>>>;
    return call(...args);
  }

  /** Ids of chats and people on their platforms, so that they can be redacted. At most some thousand. */
  async knownIds(): Promise<string[]> {
    return this.#exists() ? listKnownIds(this.#sql) : [];
  }

  // ---- deletion ----

  /** Idempotent. Called by the profile's Account. */
  async forgetSession(session: SessionId): Promise<void> {
    if (!this.#exists()) return;
    this.#sql.transaction(() => {
      this.#delivery.forgetSession(session);
      forgetSession(this.#sql, session);
    });
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
    this.#delivery.tidy();
    this.#work();
  }

  /**
   * Saving or removing a channel reserves an e-mail address or gives one back. Two calls at once would give back what the other has just
   * reserved.
   */
  #inOrder<T>(platform: PlatformName, work: () => Promise<T>): Promise<T> {
    const done = (this.#changing.get(platform) ?? Promise.resolve()).then(work);
    this.#changing.set(
      platform,
      done.catch(() => {}), // the caller is told
    );
    return done;
  }

  /** A channel that was just set up is polled at once, where it is polled at all. */
  #begun<T>(done: Result<T>): Result<T> {
    if (done.ok) this.#work();
    return done;
  }

  /** What was stored is begun, and survives a crash once this has settled. */
  async #sendSoon(): Promise<void> {
    this.#work();
    await this.#arm();
  }

  /** Not awaited: a platform may be slow. */
  #work(): void {
    const sent = () => this.#send();
    this.#context.background(
      Promise.all([this.#poller.begin(), this.#pump.run().then(sent), sent()]).then(() => this.#arm()),
    );
    this.#context.background(this.#prober.askDue());
  }

  async #carry(row: InboundRow): Promise<void> {
    await carryEvent(this.#context, this.#deps, row);
    this.#context.background(this.#send());
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

  async #send(): Promise<void> {
    this.#sending++;
    await this.#delivery.sendDue().finally(() => this.#sending--);
  }

  async #arm(): Promise<void> {
    if (!this.#exists()) return;
    const { inbound, channels } = this.#context;
    const dues = [inbound.nextDue(), this.#delivery.nextDue(), channels.nextProbe()].filter((due) => due !== null);
    if (this.#sending > 0 || this.#pump.isBusy() || this.#poller.isAtHome()) dues.push(Date.now() + WATCH_MS);
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
