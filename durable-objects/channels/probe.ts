// Asks platforms who the bot is, and tells them the channel's address: when a channel is set up or tried, and again by the alarm while the platform
// could not be asked. Called by set-up.ts and channels.ts. What comes of it is stored with the channel.
import type { BotCommand } from "../../core/channels/platform.ts";
import type { Failure } from "../../core/errors.ts";
import type { ChannelError, StoredChannel } from "../../core/schemas/channels/channel.ts";
import type { PlatformName } from "../../core/schemas/channels/inbound.ts";
import { DAY_MS } from "../../core/schemas/ids.ts";
import type { ChannelsContext, OpenedChannel } from "./context.ts";

/** [own] The pauses double, since each is as long as the channel has waited, between these. After a week only a person has it asked again. */
export const MIN_PAUSE_MS = 30_000;
const MAX_PAUSE_MS = 15 * 60_000;
const MAX_WAIT_MS = 7 * DAY_MS;
/** [own] Longer than the requests of a probe and a registration: nobody asks again meanwhile, and a crash delays no longer. */
const LEASE_MS = 60_000;
/** The platform has answered: asked again, it would say the same. */
const FINAL = ["channel_auth_failed", "channel_refused"];

export type Prober = ReturnType<typeof createProber>;

export function createProber(
  { clock, channels, open, arm, report }: ChannelsContext,
  commands: () => readonly BotCommand[],
) {
  const toError = ({ code, message }: Failure): ChannelError => ({ at: clock.now(), code, message });

  /** Nobody else asks meanwhile. */
  function reserve(name: PlatformName): void {
    const row = channels.find(name);
    if (row) channels.change(name, row.channel.savedAt, { retryAt: clock.now() + LEASE_MS });
  }

  async function ask({ platform, channel, row }: OpenedChannel): Promise<void> {
    const { savedAt } = row.channel;
    const note = (changes: Partial<StoredChannel>) => channels.change(platform.name, savedAt, changes);
    const fail = (failure: Failure) => note({ lastError: toError(failure), retryAt: toRetry(failure, savedAt) });
    reserve(platform.name);
    const self = await platform.probe(channel);
    if (!self.ok) return fail(self.failure);
    note({ self: self.value, verifiedAt: clock.now(), lastError: null });
    if (!platform.register || channel.address === null) return note({ retryAt: null });
    const registered = await platform.register({ ...channel, self: self.value }, commands());
    if (!registered.ok) return fail(registered.failure);
    note({ registered: channel.address, retryAt: null });
  }

  function toRetry({ code }: Failure, savedAt: number): number | null {
    const waited = clock.now() - savedAt;
    if (FINAL.includes(code) || waited > MAX_WAIT_MS) return null;
    return clock.now() + Math.min(Math.max(waited, MIN_PAUSE_MS), MAX_PAUSE_MS);
  }

  return {
    /** Never fails: what the platform says is stored. */
    ask,
    /** Asks those platforms again whose time has come. Settles when all have answered, and sets the alarm for the next time. */
    async askDue(): Promise<void> {
      const asked = channels.dueProbes(clock.now()).map(async (name) => {
        reserve(name);
        const opened = await open(name);
        if (opened.ok) return ask(opened.value);
        // Only the operator can mend it, such as a sealing key that is missing.
        const row = channels.find(name);
        if (row) channels.change(name, row.channel.savedAt, { lastError: toError(opened.failure), retryAt: null });
      });
      for (const done of await Promise.allSettled(asked)) if (done.status === "rejected") report("probe", done.reason);
      if (asked.length > 0) await arm();
    },
  };
}
