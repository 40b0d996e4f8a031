// The Worker's e-mail handler: finds the profile that a message is for, and hands it to the profile's Channels object, which proves the sender.
// Every message that is not taken is rejected with the same words, which say nothing of a profile.
import { EMAIL_METHOD, ENVELOPE_FROM, ENVELOPE_TO } from "../../../channels/email/envelope.ts";
import { parseAddress } from "../../../channels/email/address.ts";
import { ProfileId } from "../../../core/schemas/ids.ts";
import { createEmailAddresses } from "../../../stores/email-addresses.ts";
import { toBucket } from "../../../stores/platform/r2.ts";
import type { Env } from "../env.ts";

/** Cloudflare takes messages of 25 MiB; more than 20 would not fit into one call with what is around it. */
const MAX_BYTES = 20 * 1024 * 1024;
const REFUSED = "This address does not take your message.";

export async function receiveEmail(message: ForwardableEmailMessage, env: Env): Promise<void> {
  const profile = message.rawSize <= MAX_BYTES ? await findProfile(message.to, env) : null;
  if (profile === null) return message.setReject(REFUSED);
  const body = new Uint8Array(await new Response(message.raw).arrayBuffer());
  const reply = await env.CHANNELS.getByName(profile).receive("email", {
    method: EMAIL_METHOD,
    url: `https://email.invalid/channels/email/${profile}`,
    headers: { [ENVELOPE_FROM]: message.from, [ENVELOPE_TO]: message.to },
    body,
  });
  if (!reply) message.setReject(REFUSED);
}

/** By the profile in the address, else by who named the address first. */
async function findProfile(recipient: string, env: Env): Promise<ProfileId | null> {
  const address = parseAddress(recipient);
  if (!address) return null;
  const { profile, name, domain } = address;
  const owner = profile ?? (await createEmailAddresses(toBucket(env.SKILLS)).find(`${name}@${domain}`));
  return ProfileId.safeParse(owner).data ?? null;
}
