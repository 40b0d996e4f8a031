// Who asks for a change of keys, or is recorded in the audit log. Forms only.
import type { Scope } from "./scope.ts";

/** The name of the operator in `madeBy` and in the audit log. */
export const OPERATOR = "operator";

/**
 * `name`: `operator`, the id of a key or of a sign-in, or a person whom an identity provider named. `key`: the key whose rights bound
 * what it may do; absent for the operator and for such people. `rotation`: which secret of the key was sent; absent if `name` is a
 * sign-in. `scopes`: what the credential may do.
 */
export interface Actor {
  name: string;
  key?: string;
  rotation?: number;
  scopes: readonly Scope[];
}
