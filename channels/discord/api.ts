// Discord's REST API: its address and the platform's settings. Used by the files of channels/discord.
import * as z from "zod";
import type { OpenChannel } from "../../core/channels/platform.ts";
import { Snowflake } from "./wire.ts";

export const DiscordFields = z.strictObject({
  applicationId: Snowflake,
  publicKey: z.string().regex(/^[0-9a-fA-F]{64}$/, "64 hexadecimal digits"),
  botToken: z.string().regex(/^[\w.-]{1,200}$/, "the bot's token, without `Bot `"),
  gateway: z.boolean().default(false),
});
export type DiscordFields = z.infer<typeof DiscordFields>;

const API = "https://discord.com/api/v10";

/** `path` begins with a slash. */
export function atDiscord({ deps }: Pick<OpenChannel, "deps">, path: string): string {
  return `${deps.apiBase ?? API}${path}`;
}
