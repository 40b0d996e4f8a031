// A platform by the word that a person writes for it. Called by the verb `channels`.
import { ChannelList, type PlatformInfo } from "../../core/schemas/channels/channel-api.ts";
import type { Client } from "../connection/client.ts";
import { UsageError } from "../connection/connection.ts";

/** By its name or its title, in any case. Throws a UsageError that lists the platforms. */
export async function findPlatform(api: Client, word: string): Promise<PlatformInfo> {
  const { channels } = await api.call(ChannelList, "GET /v1/channels");
  const wanted = word.toLowerCase();
  const found = channels.find(({ platform, title }) => platform === wanted || title.toLowerCase() === wanted);
  if (found) return found;
  const names = channels.map(({ platform }) => platform).join(", ");
  throw new UsageError(`${JSON.stringify(word)} is not one of: ${names}.`);
}
