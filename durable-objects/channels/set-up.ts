// Sets a channel up, changes it, tries it and removes it. A platform that does not answer refuses nothing: the channel is saved, and not
// verified. Called by channels.ts, after workers/api has checked the form of what a person sent.
import type * as z from "zod";
import { loadPlatform } from "../../channels/index.ts";
import type { ChannelRow } from "../../core/channels/inbox/channel-rows.ts";
import { type Result, err, ok } from "../../core/errors.ts";
import { DEFAULT_OPTIONS, type TestedChannel } from "../../core/schemas/channels/channel-api.ts";
import type { ChannelState } from "../../core/schemas/channels/channel.ts";
import type { PlatformName } from "../../core/schemas/channels/inbound.ts";
import { ChannelOptions } from "../../core/schemas/channels/options.ts";
import type { ChannelsContext, OpenedChannel } from "./context.ts";
import { readModelChoices } from "../../wiring/models.ts";
import { findUnknownNames } from "./check-options.ts";
import type { Outside } from "./outside.ts";
import { type ChannelOpener, readPublicUrl } from "./open-channel.ts";
import { MIN_PAUSE_MS, type Prober } from "./probe.ts";

/** A person waits for the platform this long. */
const PATIENCE_MS = 10_000;

/** As a person sent it: unknown until it was parsed. */
export interface ChannelInput {
  fields: Record<string, unknown>;
  options?: Record<string, unknown> | undefined;
}

export interface SetUpDeps {
  opener: ChannelOpener;
  prober: Pick<Prober, "ask">;
  /** The chat that takes what concerns no other; `null`: none. */
  home(platform: PlatformName): string | null;
  /** The channel was set up again: what waited for that is due. */
  wake(platform: PlatformName): void;
  /** Makes the tables. Inside a transaction. */
  makeTables(): void;
  /** Whether the tables are there. */
  hasTables(): boolean;
  outside: Outside;
  /** False: the profile was deleted. */
  exists(): Promise<boolean>;
}

export function createSetUp(context: ChannelsContext, deps: SetUpDeps) {
  const { sql, clock, channels } = context;
  const find = (name: PlatformName) => (deps.hasTables() ? channels.find(name) : null);

  /** Failures: `channel_invalid` (fact `issues`), `platform_unavailable`, `sealing_key_missing`, `profile_gone`. */
  async function put(name: PlatformName, input: ChannelInput): Promise<Result<ChannelState>> {
    const platform = await loadPlatform(name);
    if (!platform) return UNAVAILABLE;
    const fields = platform.fields.safeParse(input.fields);
    if (!fields.success) return toInvalid(fields.error.issues);
    const options = input.options ? readOptions(name, input.options) : ok(undefined);
    if (!options.ok) return options;
    const sealed = await deps.opener.seal(fields.data);
    if (!sealed.ok) return sealed;
    const reserved = await deps.outside.reserve(name, fields.data);
    if (!reserved.ok) return reserved;
    if (!(await deps.exists())) {
      await deps.outside.giveBack(name);
      return err("profile_gone", "This profile has been deleted.");
    }
    sql.transaction(() => {
      deps.makeTables();
      const known = channels.find(name)?.channel;
      // Events that the former settings proved are told apart by it.
      const savedAt = Math.max(clock.now(), (known?.savedAt ?? 0) + 1);
      const fresh = {
        self: null,
        verifiedAt: null,
        registered: null,
        lastError: null,
        retryAt: clock.now() + MIN_PAUSE_MS,
      };
      const chosen = options.value ?? known?.options ?? DEFAULT_OPTIONS;
      channels.put(name, { v: 1, fields: sealed.value, options: chosen, savedAt, ...fresh });
    });
    deps.opener.forget(name);
    await deps.outside.settle(name, fields.data);
    deps.wake(name);
    await verify(name);
    await context.arm();
    return read(name);
  }

  /** Failures: `channel_not_found`, those of `put`, and `secret_unreadable` where fields are to be merged. */
  async function change(name: PlatformName, input: ChannelInput): Promise<Result<ChannelState>> {
    const platform = await loadPlatform(name);
    if (!platform) return UNAVAILABLE;
    const unknown = Object.keys(input.fields).filter((field) => !platform.form.some((one) => one.name === field));
    if (unknown.length > 0) {
      const message = `Unrecognized key: "${unknown[0]}"`;
      return toInvalid([{ code: "unrecognized_keys", path: [], message }]);
    }
    const row = find(name);
    if (!row) return NOT_FOUND;
    const options = input.options && merge(row.channel.options, input.options);
    if (Object.keys(input.fields).length > 0) {
      const opened = await context.open(name);
      if (!opened.ok) return opened;
      return put(name, { fields: merge(opened.value.channel.fields, input.fields), options });
    }
    if (!options) return read(name);
    const parsed = readOptions(name, options);
    if (!parsed.ok) return parsed;
    channels.change(name, row.channel.savedAt, { options: parsed.value });
    return read(name);
  }

  /** Failure: `channel_invalid`. */
  function readOptions(name: PlatformName, input: Record<string, unknown>): Result<ChannelOptions> {
    const parsed = ChannelOptions.safeParse(input);
    if (!parsed.success) return toInvalid(parsed.error.issues, ["options"]);
    const models = readModelChoices(context.env, context.settings()).map((choice) => choice.name);
    const unknown = findUnknownNames(parsed.data, find(name)?.channel.options ?? DEFAULT_OPTIONS, models);
    return unknown.length > 0 ? toInvalid(unknown, ["options"]) : ok(parsed.data);
  }

  /** Asks the platform who the bot is, and tells it the address. What it says is stored; never fails. */
  async function verify(name: PlatformName): Promise<void> {
    const opened = await context.open(name);
    if (!opened.ok) return;
    const asked = deps.prober.ask(opened.value);
    context.background(asked);
    await Promise.race([asked, clock.sleep(PATIENCE_MS)]);
  }

  async function sendTrial(name: PlatformName, chat: string): Promise<Result<unknown>> {
    const opened = await context.open(name);
    if (!opened.ok) return opened;
    const known = context.chats.find(chat);
    const address = known?.platform === name ? known.address : { id: chat, kind: "direct" as const };
    const { platform, channel } = opened.value;
    return platform.open(channel).send(address, { text: "This is Talaria. The channel works." });
  }

  async function read(name: PlatformName): Promise<Result<ChannelState>> {
    const row = find(name);
    if (!row) return NOT_FOUND;
    const opened = await context.open(name);
    return ok(toState(row, opened.ok ? opened.value : null, deps.home(row.platform)));
  }

  return {
    put,
    change,
    read,
    async list(): Promise<ChannelState[]> {
      const shown = channels.list().map(async (row) => {
        const opened = await context.open(row.platform);
        return toState(row, opened.ok ? opened.value : null, deps.home(row.platform));
      });
      return Promise.all(shown);
    },
    /** `chat`: the id of a chat's row, or the platform's id of a chat. Failure: `channel_not_found`. */
    async tryOut(name: PlatformName, chat?: string): Promise<Result<TestedChannel>> {
      if (!find(name)) return NOT_FOUND;
      await verify(name);
      const sent = chat === undefined ? null : await sendTrial(name, chat);
      const row = find(name);
      if (!row) return NOT_FOUND;
      const { self, verifiedAt, registered, lastError } = row.channel;
      const platform = await loadPlatform(name);
      const hasAddress = readPublicUrl(context.env, context.settings()) !== null;
      const isRegistered = platform?.register && hasAddress ? registered !== null : null;
      return ok({
        ...{ verified: verifiedAt !== null, self, registered: isRegistered, sent: sent && sent.ok },
        error:
          sent && !sent.ok ? { at: clock.now(), code: sent.failure.code, message: sent.failure.message } : lastError,
      });
    },
    /** Takes the address back from the platform, as far as it answers. */
    async unregister(name: PlatformName): Promise<void> {
      const opened = await context.open(name);
      await deps.outside.giveBack(name);
      if (!opened.ok || !opened.value.platform.unregister) return;
      const taken = opened.value.platform.unregister(opened.value.channel);
      context.background(taken);
      await Promise.race([taken, clock.sleep(PATIENCE_MS)]);
    },
  };
}

const UNAVAILABLE = err("platform_unavailable", "This version of Talaria has no such platform.");

export const NOT_FOUND = err(
  "channel_not_found",
  "This profile has no such channel. Set it up with PUT /v1/channels/{platform}.",
);

function toState(
  { platform, channel, lastIn, lastOut }: ChannelRow,
  opened: OpenedChannel | null,
  home: string | null,
): ChannelState {
  const { options, self, savedAt, verifiedAt, lastError } = channel;
  const shown = (opened?.platform.form ?? []).flatMap(({ name, secret }): [string, unknown][] => {
    const value = opened?.channel.fields[name];
    return value === undefined ? [] : [[name, secret ? null : value]];
  });
  return {
    ...{ platform, state: verifiedAt === null ? "saved" : "verified", fields: Object.fromEntries(shown), options },
    ...{ self, savedAt, verifiedAt, lastIn, lastOut, lastError, home },
  };
}

/** `null` takes a value away. */
function merge(known: Record<string, unknown>, changes: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...known, ...changes }).filter(([, value]) => value !== null));
}

/** Without the values: they may be secrets. */
function toInvalid(issues: Pick<z.core.$ZodIssue, "code" | "path" | "message">[], under: string[] = []): Result<never> {
  const shown = issues.map(({ code, path, message }) => ({ code, path: [...under, ...path.map(String)], message }));
  return err("channel_invalid", "The settings of the channel are not valid.", { issues: shown });
}
