// A platform by the word that a person writes for it, and the channel that is set up there. Called by the verb `channels`.
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

/** The same, of a platform that is set up. Throws a UsageError that says how to. */
export async function findChannel(api: Client, word: string): Promise<PlatformInfo> {
  const found = await findPlatform(api, word);
  if (found.channel) return found;
  throw new UsageError(`${found.title} is not set up. Set it up with \`talaria channels set ${found.platform}\`.`);
}
