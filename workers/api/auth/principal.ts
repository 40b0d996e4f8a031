// Who makes a request: the profile, what the credential allows, and which credential it was. Set by authentication; handlers read
// it from `c.var`. Forms only.
import type { ProfileId } from "../../../core/schemas/ids.ts";
import type { Scope } from "../../../core/schemas/keys/scope.ts";
import type { Env } from "../env.ts";

/**
 * `key`: `rotation` counts the secrets of the key, so that what an old secret has opened can be closed. `cookie`: `id` names the
 * sign-in and `key` the key that it was exchanged for. `access`: `who` is the person whom the identity provider named, and `end` when their token ends, ms since 1970.
 */
export type Via =
  | { kind: "key"; id: string; rotation: number }
  | { kind: "cookie"; id: string; key: string }
  | { kind: "access"; who: string; end: number };

export interface Principal {
  profile: ProfileId;
  /** Revision of the profile's settings when the credential was checked. */
  settingsRev: number;
  scopes: readonly Scope[];
  via: Via;
}

export interface ApiEnv {
  Bindings: Env;
  /** Set by authentication; absent on open routes and for the operator. */
  Variables: {
    principal: Principal;
    profile: ProfileId;
    /** Revision of the profile's settings; sent with each message, so that its session knows whether to read them again. */
    settingsRev: number;
  };
}
