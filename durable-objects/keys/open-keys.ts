// The keys of a profile, the sign-ins that were made with them and the codes of sign-in links, over one database. Called by the Account.
import type { Sql } from "../../core/ports.ts";
import { isSameHash } from "../account-key.ts";
import { type AccountKeys, type AccountKeysDeps, createAccountKeys } from "./account-keys.ts";
import { createKeyRows } from "./key-rows.ts";
import { createKeySockets } from "./key-sockets.ts";
import { type SignInCodes, createSignInCodes } from "./sign-in-codes.ts";
import { type SignInRows, createSignInRows } from "./sign-in-rows.ts";

export interface OpenKeys {
  keys: AccountKeys;
  signIns: SignInRows;
  signInCodes: SignInCodes;
}

export function openKeys(sql: Sql, deps: Pick<AccountKeysDeps, "profile" | "raiseVersion">): OpenKeys {
  const { checkRotation: findKey } = createKeyRows(sql);
  const signIns = createSignInRows({
    ...{ sql, findKey, isSame: isSameHash },
    onEnd: (id, now) => createKeySockets(sql).endOwner(id, now, "signedOut"),
  });
  const signInCodes = createSignInCodes({ sql, findKey, signIns });
  return { keys: createAccountKeys({ ...deps, sql, signIns, signInCodes }), signIns, signInCodes };
}
