// Under which name a profile is known to a memory provider. Never built from a text, so that no message can name another
// profile; hashed, because the service has no use for the id that stands in API keys. Pure.
import { sha256Hex } from "../../schemas/learning/digest.ts";

export interface Tenant {
  profile: string;
  session: string;
}

const HASH_CHARS = 32;

export function tenantHash({ profile }: Pick<Tenant, "profile">): string {
  return sha256Hex(`memory ${profile}`).slice(0, HASH_CHARS);
}
