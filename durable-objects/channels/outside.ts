// What a channel has outside the profile's Channels object: an e-mail address that no other profile may take, and the object with Discord's socket.
// Called by set-up.ts when a channel is saved or removed.
import { parseAddress } from "../../channels/email/address.ts";
import { type Result, err, ok } from "../../core/errors.ts";
import type { PlatformName } from "../../core/schemas/channels/inbound.ts";
import type { ProfileId } from "../../core/schemas/ids.ts";
import { createEmailAddresses } from "../../stores/email-addresses.ts";
import { toBucket } from "../../stores/platform/r2.ts";
import type { ChannelsContext } from "./context.ts";
import { setSocket } from "./discord-socket.ts";

type Fields = Record<string, unknown>;

export interface Outside {
  /** Before a channel is saved. Failure: `channel_invalid` (fact `issues`), which names the field. */
  reserve(platform: PlatformName, fields: Fields): Promise<Result<null>>;
  /** After it was saved: what belonged to the fields of before is given back. */
  settle(platform: PlatformName, fields: Fields): Promise<void>;
  /** When it is removed. Needs no field, since a secret may be unreadable then. */
  giveBack(platform: PlatformName): Promise<void>;
}

export function createOutside(env: ChannelsContext["env"], profile: ProfileId): Outside {
  const addresses = createEmailAddresses(toBucket(env.SKILLS));
  return {
    async reserve(platform, { address }) {
      if (platform !== "email") return ok(null);
      const parsed = parseAddress(String(address));
      if (parsed?.profile === profile) return ok(null);
      const isOurs = parsed?.profile === null && (await addresses.claim(String(address), profile));
      return isOurs ? ok(null) : refuseAddress();
    },
    async settle(platform, fields) {
      if (platform === "discord") await setSocket(env, profile, fields["gateway"] === true);
      if (platform === "email") await addresses.releaseAll(profile, String(fields["address"]));
    },
    async giveBack(platform) {
      if (platform === "discord") await setSocket(env, profile, false);
      if (platform === "email") await addresses.releaseAll(profile);
    },
  };
}

function refuseAddress(): Result<never> {
  const message =
    "Another profile has this address. Choose one of your own, or one with your profile's id behind a plus.";
  const issues = [{ code: "custom", path: ["address"], message }];
  return err("channel_invalid", "The settings of the channel are not valid.", { issues });
}
