// The name under which a memory provider knows a profile. It never contains user text, so no message can name another
// profile. It is a hash, because API keys contain the profile's id. Pure.
import { sha256Hex } from "../../schemas/learning/digest.ts";
import { normaliseMemory } from "../../schemas/memory.ts";

export interface Tenant {
  profile: string;
  session: string;
}

const HASH_CHARS = 32;

export function tenantHash({ profile }: Pick<Tenant, "profile">): string {
  return sha256Hex(`memory ${profile}`).slice(0, HASH_CHARS);
}

/** Identifies a mirrored fact by its text, so that it can be removed without a search. */
export function factHash(text: string): string {
  return sha256Hex(`fact ${normaliseMemory(text)}`).slice(0, HASH_CHARS);
}
