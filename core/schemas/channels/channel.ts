// A profile's channel on one platform: as it is stored, and as the API shows it. Forms only. A stored form: for a change, raise `v`.
import * as z from "zod";
import { PlatformName } from "./inbound.ts";
import { ChannelOptions } from "./options.ts";

export const BotSelf = z.object({
  id: z.string(),
  name: z.string(),
  also: z.record(z.string(), z.string()).optional(),
});

/** The last thing that went wrong, in a sentence for the owner. */
export const ChannelError = z.object({ at: z.int(), code: z.string(), message: z.string() });
export type ChannelError = z.infer<typeof ChannelError>;

/** Times: Unix ms. */
export const StoredChannel = z.object({
  v: z.literal(1),
  /** JSON of what `Platform.fields` parsed, sealed. */
  fields: z.string(),
  options: ChannelOptions,
  /** `null`: the platform was never asked, or did not answer. */
  self: BotSelf.nullable(),
  savedAt: z.int(),
  /** The platform accepted the credentials. */
  verifiedAt: z.int().nullable(),
  /** The platform was told this address. */
  registered: z.string().nullable(),
  lastError: ChannelError.nullable(),
  /** When the platform is asked again who the bot is and told the address. `null` or absent: both are done, or cannot be. */
  retryAt: z.int().nullable().optional(),
});
export type StoredChannel = z.infer<typeof StoredChannel>;

/** Without secrets. */
export const ChannelState = z.object({
  platform: PlatformName,
  /** `verified`: the platform accepted the credentials. */
  state: z.enum(["saved", "verified"]),
  /** Fields that have a value; those that are not secret with it. */
  fields: z.record(z.string(), z.union([z.unknown(), z.null()])),
  options: ChannelOptions,
  self: BotSelf.nullable(),
  savedAt: z.int(),
  verifiedAt: z.int().nullable(),
  lastIn: z.int().nullable(),
  lastOut: z.int().nullable(),
  lastError: ChannelError.nullable(),
  /** The chat that takes what nobody asked for. */
  home: z.string().nullable(),
});
export type ChannelState = z.infer<typeof ChannelState>;
