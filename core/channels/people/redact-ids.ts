// Hides the ids of people, such as telephone numbers, where the operator wants it (`privacy.redactIds`) and the platform can do without them.
// Used for session keys, lists and what a model reads. Pure. An id that a message is sent to is never hidden.
import type { Sender, PlatformName } from "../../schemas/channels/inbound.ts";
import { sha256Hex } from "../../schemas/learning/digest.ts";

/** The first twelve hex digits, as Hermes Agent shows. */
const HASH_CHARS = 12;

export interface IdRedaction {
  /** `user_` and a hash. The same for the same person of a platform in this profile, and another one in another profile. */
  hideId(id: string): string;
  /** The name that others may read: a name that gives the id away, such as a number, is replaced. */
  hideName(from: Pick<Sender, "id" | "name">): string;
}

const HIDES_NOTHING: IdRedaction = { hideId: (id) => id, hideName: ({ name }) => name };

export function createIdRedaction(
  { profile, platform }: { profile: string; platform: PlatformName },
  isOn: boolean,
): IdRedaction {
  if (!isOn) return HIDES_NOTHING;
  const hideId = (id: string) => `user_${sha256Hex(`${profile}\n${platform}\n${id}`).slice(0, HASH_CHARS)}`;
  return {
    hideId,
    hideName: ({ id, name }) => (isRevealing(name, id) ? hideId(id) : name),
  };
}

/** [own] Shorter runs of digits say nothing. */
const MIN_DIGITS = 5;

/** Platforms fill in the number of a person who has set no name, sometimes with other signs between the digits. */
function isRevealing(name: string, id: string): boolean {
  if (name.includes(id)) return true;
  const digits = (text: string) => text.replace(/\D/g, "");
  return digits(id).length >= MIN_DIGITS && digits(name).includes(digits(id));
}
