// Who asks for a change of keys, or is recorded in the audit log. Forms only.
import type { Scope } from "./scope.ts";

/** The name of the operator in `madeBy` and in the audit log. */
export const OPERATOR = "operator";

/**
 * `name`: `operator`, the id of a key, or a person by their sign-in. `key`: the key whose rights bound what it may do; absent for
 * the operator and for people whom an identity provider named. `scopes`: what the credential may do.
 */
export interface Actor {
  name: string;
  key?: string;
  scopes: readonly Scope[];
}
