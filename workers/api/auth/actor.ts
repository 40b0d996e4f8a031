// Who makes a request, as keys and the audit log name them.
import { type Actor, OPERATOR } from "../../../core/schemas/keys/actor.ts";
import { ALL_SCOPES } from "../../../core/schemas/keys/scope.ts";
import type { Principal } from "./principal.ts";

/** Without a principal: the operator, whom the route has checked. */
export function toActor(principal: Principal | undefined): Actor {
  if (!principal) return { name: OPERATOR, scopes: ALL_SCOPES };
  const { via, scopes } = principal;
  if (via.kind === "access") return { name: via.who, scopes };
  if (via.kind === "cookie") return { name: via.id, key: via.key, scopes };
  return { name: via.id, key: via.id, rotation: via.rotation, scopes };
}
