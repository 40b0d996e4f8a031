// Asks platforms for what they hold ready, where there is no public address that they could call: a bot at home. Events take the same path as
// those of a request, and the mark to go on from is stored with them. Called by channels.ts, whose alarm begins it again after a crash.
import type { PlatformName } from "../../core/schemas/channels/inbound.ts";
import type { ChannelsContext, OpenedChannel } from "./context.ts";
import { readPublicUrl } from "./open-channel.ts";
import { storeEvents } from "./receive.ts";

const MIN_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;

export interface Poller {
  /** Begins to poll every channel that can be polled and is not polled yet. */
  begin(): Promise<void>;
  /** Whether the object must be woken soon: it polls, or shall after a start without the public address that there is now. */
  isAtHome(): boolean;
}

/** `onStored`: something came in. */
export function createPoller(context: ChannelsContext, onStored: () => void): Poller {
  const polled = new Set<PlatformName>();
  const mayPoll = () =>
    Boolean(context.env.TALARIA_POLL_CHANNELS) && readPublicUrl(context.env, context.settings()) === null;

  /** Until the channel is removed, or set up again. */
  async function follow(name: PlatformName): Promise<void> {
    let misses = 0;
    for (;;) {
      const opened = await context.open(name);
      if (!opened.ok || !opened.value.platform.poll || !mayPoll()) return;
      const polledOnce = await pollOnce(opened.value);
      misses = polledOnce ? 0 : misses + 1;
      if (misses > 0) await context.clock.sleep(Math.min(MIN_PAUSE_MS * 2 ** (misses - 1), MAX_PAUSE_MS));
    }
  }

  /** False: the platform did not answer. */
  async function pollOnce(opened: OpenedChannel): Promise<boolean> {
    const { platform, channel, row } = opened;
    const got = await platform.poll!(channel, context.channels.find(platform.name)?.mark ?? null);
    if (!got.ok) {
      const { code, message } = got.failure;
      context.channels.change(platform.name, row.channel.savedAt, {
        lastError: { at: context.clock.now(), code, message },
      });
      return false;
    }
    const { texts, mark } = got.value;
    for (const [n, text] of texts.entries()) {
      const request = {
        method: "POST",
        url: "https://polled.invalid/",
        headers: {},
        body: new TextEncoder().encode(text),
      };
      // The mark moves with the last of them: after a crash they come again, and are found.
      const isLast = n === texts.length - 1;
      const stored = await storeEvents(context, opened, { request, text }, isLast ? mark : undefined);
      if (stored === null) return true; // set up again meanwhile
    }
    if (texts.length > 0) onStored();
    return true;
  }

  return {
    async begin() {
      if (!mayPoll()) return;
      for (const name of context.channels.platforms()) {
        if (polled.has(name)) continue;
        polled.add(name);
        context.background(follow(name).finally(() => polled.delete(name)));
      }
    },
    isAtHome: () => Boolean(context.env.TALARIA_POLL_CHANNELS) && context.channels.platforms().length > 0,
  };
}
