// The keys of a profile, over SQL. Stores hashes of their secrets, never a secret. Called by the Account.
import type { Sql } from "../../core/ports.ts";
import { ALL_SCOPES, type Scope } from "../../core/schemas/keys/scope.ts";
import { sha256Hex } from "../../core/schemas/learning/digest.ts";
import { isSameHash } from "../account-key.ts";

/** What a good key may do. `rotation`: which of its secrets was given. `end`: when it ends, ms; `null`: never. */
export interface CheckedKey {
  id: string;
  rotation: number;
  scopes: readonly Scope[];
  end: number | null;
  settingsRev: number;
}

/** `null`: no key has this secret. */
export function findKey(sql: Sql, secret: string): Omit<CheckedKey, "settingsRev"> | null {
  const hash = sha256Hex(secret);
  const rows = sql.run<{ id: string; hash: string }>("SELECT id, hash FROM keys WHERE revoked_at IS NULL");
  // Compares with all hashes, so that the time does not reveal which one matched.
  const [known] = rows.filter((row) => isSameHash(row.hash, hash));
  return known ? { id: known.id, rotation: 0, scopes: ALL_SCOPES, end: null } : null;
}
