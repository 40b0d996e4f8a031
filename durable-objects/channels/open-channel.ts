// Opens a stored channel for one call: its secrets in the clear, and what a platform may reach. Called by channels.ts. The one place
// where the fields of a channel are sealed and opened.
import { createOutboundRequest } from "./platform-request.ts";
import type { OpenChannel, Platform, PlatformDeps } from "../../core/channels/platform.ts";
import type { KeptFiles } from "../../core/channels/inbox/kept-files.ts";
import type { ChannelRow } from "../../core/channels/inbox/channel-rows.ts";
import { type Result, err, ok } from "../../core/errors.ts";
import type { Clock } from "../../core/ports.ts";
import type { PlatformName } from "../../core/schemas/channels/inbound.ts";
import type { Settings } from "../../core/schemas/settings.ts";
import { openOutbound } from "../../wiring/outbound.ts";
import { openSealer } from "../../wiring/sealing.ts";
import { isSameSecret } from "../account-key.ts";
import type { ChannelsEnv } from "./context.ts";
import { createEmailSender } from "./send-email.ts";

export interface ChannelOpener {
  /** Failures: `secret_unreadable`, `sealing_key_missing`, `channel_outdated`. */
  open(platform: Platform, row: ChannelRow): Promise<Result<OpenChannel>>;
  /** A channel that is not stored, such as one that is being set up. */
  toOpen(platform: Platform, fields: Record<string, unknown>, self: OpenChannel["self"]): OpenChannel;
  /** Failure: `sealing_key_missing`. */
  seal(fields: Record<string, unknown>): Promise<Result<string>>;
  /** Drops what was cached for the platform, whose settings have changed. */
  forget(platform: PlatformName): void;
}

export function createChannelOpener(options: {
  env: ChannelsEnv;
  profile: string;
  clock: Clock;
  settings(): Settings;
  keptFiles: KeptFiles;
}): ChannelOpener {
  const { env, profile, clock, settings, keptFiles } = options;
  const sealer = openSealer(env, profile);
  const caches = new Map<PlatformName, ReturnType<typeof createCache>>();

  function toDeps(platform: PlatformName): PlatformDeps {
    const operator = settings();
    const apiBase = operator.channels[platform]?.apiBase?.replace(/(?<!\/)\/+$/, "") ?? null;
    const cache = caches.get(platform) ?? createCache(clock);
    caches.set(platform, cache);
    return {
      clock,
      uuid: () => crypto.randomUUID(),
      isSame: isSameSecret,
      apiBase,
      request: createOutboundRequest(openOutbound(env, operator), apiBase),
      ...cache,
      sendEmail: createEmailSender(env.EMAIL),
      keptFile: async (ref) => keptFiles.read(platform, ref),
    };
  }

  function toOpen(platform: Platform, fields: Record<string, unknown>, self: OpenChannel["self"]): OpenChannel {
    return {
      profile,
      fields,
      address: toAddress(env, settings(), platform.name, profile),
      self,
      deps: toDeps(platform.name),
    };
  }

  return {
    toOpen,
    async open(platform, { channel }) {
      if (!sealer.ok) return sealer;
      const opened = await sealer.value.open(channel.fields);
      if (!opened.ok) return opened;
      const fields = platform.fields.safeParse(JSON.parse(opened.value));
      if (!fields.success) {
        const detail = `This version cannot read the stored settings of ${platform.title}. Set the channel up again.`;
        return err("channel_outdated", detail);
      }
      return ok(toOpen(platform, fields.data, channel.self));
    },
    async seal(fields) {
      return sealer.ok ? ok(await sealer.value.seal(JSON.stringify(fields))) : sealer;
    },
    forget: (platform) => void caches.delete(platform),
  };
}

/** The operator's public address, without a slash at its end. `null`: none is set. */
export function readPublicUrl(
  { TALARIA_PUBLIC_URL }: Pick<ChannelsEnv, "TALARIA_PUBLIC_URL">,
  { publicUrl }: Settings,
): string | null {
  const url = publicUrl || TALARIA_PUBLIC_URL?.trim();
  return url ? url.replace(/(?<!\/)\/+$/, "") : null;
}

/** What the platform calls. */
function toAddress(env: ChannelsEnv, settings: Settings, platform: PlatformName, profile: string): string | null {
  const base = readPublicUrl(env, settings);
  return base === null ? null : `${base}/channels/${platform}/${profile}`;
}

/** A value is made once for all that ask meanwhile. */
function createCache(clock: Clock): Pick<PlatformDeps, "cached" | "forget"> {
  const known = new Map<string, { value: unknown; expiresAt: number }>();
  const making = new Map<string, Promise<Result<unknown>>>();
  return {
    async cached<T>(key: string, make: () => Promise<Result<{ value: T; expiresAt: number }>>): Promise<Result<T>> {
      const kept = known.get(key);
      if (kept && kept.expiresAt > clock.now()) return ok(kept.value as T);
      const underWay = making.get(key) ?? remember(key, make).finally(() => making.delete(key));
      making.set(key, underWay);
      return (await underWay) as Result<T>;
    },
    forget: (key) => void known.delete(key),
  };
  async function remember<T>(key: string, make: () => Promise<Result<{ value: T; expiresAt: number }>>) {
    const made = await make();
    if (!made.ok) return made;
    known.set(key, made.value);
    return ok(made.value.value);
  }
}
