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
  /** After it was saved, with the fields of before. */
  settle(platform: PlatformName, fields: Fields, before: Fields | null): Promise<void>;
  /** When it is removed. */
  giveBack(platform: PlatformName, fields: Fields): Promise<void>;
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
    async settle(platform, fields, before) {
      if (platform === "discord") await setSocket(env, profile, fields["gateway"] === true);
      const former = before?.["address"];
      if (platform === "email" && typeof former === "string" && former !== fields["address"]) {
        await addresses.release(former, profile);
      }
    },
    async giveBack(platform, { address }) {
      if (platform === "discord") await setSocket(env, profile, false);
      if (platform === "email") await addresses.release(String(address), profile);
    },
  };
}

function refuseAddress(): Result<never> {
  const message =
    "Another profile has this address. Choose one of your own, or one with your profile's id behind a plus.";
  const issues = [{ code: "custom", path: ["address"], message }];
  return err("channel_invalid", "The settings of the channel are not valid.", { issues });
}
