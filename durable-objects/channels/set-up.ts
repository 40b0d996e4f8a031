// Sets a channel up, changes it, tries it and removes it. A platform that does not answer refuses nothing: the channel is saved, and not
// verified. Called by channels.ts, after workers/api has checked the form of what a person sent.
import type { BotCommand } from "../../core/channels/platform.ts";
import type { ChannelRow } from "../../core/channels/inbox/channel-rows.ts";
import { type Failure, type Result, err, ok } from "../../core/errors.ts";
import type { ChannelState, StoredChannel } from "../../core/schemas/channels/channel.ts";
import type { PlatformName } from "../../core/schemas/channels/inbound.ts";
import { ChannelOptions } from "../../core/schemas/channels/options.ts";
import type { ChannelsContext, OpenedChannel } from "./context.ts";
import type { ChannelOpener } from "./open-channel.ts";

/** A person waits for the platform this long. */
const PATIENCE_MS = 10_000;

export interface ChannelInput {
  /** What `Platform.fields` parsed, in the clear. */
  fields: Record<string, unknown>;
  options?: ChannelOptions;
}

export function createSetUp(
  context: ChannelsContext,
  deps: {
    opener: ChannelOpener;
    commands(): readonly BotCommand[];
    /** Makes the tables. Inside a transaction. */
    makeTables(): void;
    /** False: the profile was deleted. */
    exists(): Promise<boolean>;
  },
) {
  const { sql, clock, channels } = context;

  async function save(name: PlatformName, input: ChannelInput): Promise<Result<ChannelState>> {
    const sealed = await deps.opener.seal(input.fields);
    if (!sealed.ok) return sealed;
    if (!(await deps.exists())) return err("profile_gone", "This profile has been deleted.");
    sql.transaction(() => {
      deps.makeTables();
      const known = channels.find(name);
      const savedAt = Math.max(clock.now(), (known?.channel.savedAt ?? 0) + 1);
      const options = input.options ?? known?.channel.options ?? ChannelOptions.parse({});
      const fresh = { self: null, verifiedAt: null, registered: null, lastError: null };
      channels.put(name, { v: 1, fields: sealed.value, options, savedAt, ...fresh });
    });
    deps.opener.forget(name);
    await verify(name);
    await context.arm();
    return read(name);
  }

  /** Asks the platform who the bot is, and tells it the address. What it says is stored; never fails. */
  async function verify(name: PlatformName): Promise<void> {
    const opened = await context.open(name);
    if (!opened.ok) return;
    const asked = Promise.all([ask(opened.value), undefined]);
    context.background(asked);
    await Promise.race([asked, clock.sleep(PATIENCE_MS)]);
  }

  async function ask({ platform, channel, row }: OpenedChannel): Promise<void> {
    const note = (changes: Partial<StoredChannel>) => channels.change(platform.name, row.channel.savedAt, changes);
    const toError = ({ code, message }: Failure) => ({ lastError: { at: clock.now(), code, message } });
    const self = await platform.probe(channel);
    if (!self.ok) return note(toError(self.failure));
    note({ self: self.value, verifiedAt: clock.now(), lastError: null });
    if (!platform.register || channel.address === null) return;
    const registered = await platform.register({ ...channel, self: self.value }, deps.commands());
    note(registered.ok ? { registered: channel.address } : toError(registered.failure));
  }

  async function read(name: PlatformName): Promise<Result<ChannelState>> {
    const row = channels.find(name);
    if (!row) return NOT_FOUND;
    const opened = await context.open(name);
    // Secrets that cannot be opened are shown as set; the owner enters them again.
    return ok(toState(row, opened.ok ? opened.value : null));
  }

  return {
    save,
    read,
    verify,
    async list(): Promise<ChannelState[]> {
      const read = channels.list().map(async (row) => {
        const opened = await context.open(row.platform);
        return toState(row, opened.ok ? opened.value : null);
      });
      return Promise.all(read);
    },
    /** The fields in the clear, to be changed. Never leaves this object's callers in durable-objects/. */
    async readFields(name: PlatformName): Promise<Result<Record<string, unknown>>> {
      const opened = await context.open(name);
      return opened.ok ? ok(opened.value.channel.fields) : opened;
    },
    async changeOptions(name: PlatformName, options: ChannelOptions): Promise<Result<ChannelState>> {
      const row = channels.find(name);
      if (!row) return NOT_FOUND;
      channels.change(name, row.channel.savedAt, { options });
      return read(name);
    },
    /** Takes the address back from the platform, as far as it answers. */
    async unregister(name: PlatformName): Promise<void> {
      const opened = await context.open(name);
      if (!opened.ok || !opened.value.platform.unregister) return;
      const taken = opened.value.platform.unregister(opened.value.channel);
      context.background(taken);
      await Promise.race([taken, clock.sleep(PATIENCE_MS)]);
    },
  };
}

export const NOT_FOUND = err(
  "channel_not_found",
  "This profile has no such channel. Set it up with PUT /v1/channels/{platform}.",
);

function toState({ platform, channel, lastIn, lastOut, home }: ChannelRow, opened: OpenedChannel | null): ChannelState {
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
