// What a route demands of the credential, checked after the route was matched, so that no spelling of a path and no method lets a
// request through. Every router adds it to every route (router.ts).
import type { MiddlewareHandler } from "hono";
import type { Scope } from "../../../core/schemas/keys/scope.ts";
import { AppError } from "../problems.ts";
import { assertOperator } from "./operator.ts";
import type { ApiEnv } from "./principal.ts";

/** `security` of a route that the operator and a key of the profile may call. Without a key, `c.var.principal` is absent. */
export const OPERATOR_OR_KEY: Record<string, string[]>[] = [{ operator: [] }, { key: [] }];

/** The parts of a route's declaration that say who may call it. */
interface GuardedRoute {
  method: string;
  /** By default a GET needs `read` and every other method `write`. */
  scope?: Scope;
  /** Absent: a key. Empty: everyone. */
  security?: Record<string, string[]>[];
}

/** The checks of a route, and its `security` as the API's description shows it: with the scope. */
export function guardRoute({ method, scope = method === "get" ? "read" : "write", security }: GuardedRoute): {
  guard: MiddlewareHandler<ApiEnv>[];
  security: Record<string, string[]>[];
} {
  const schemes = security ?? [{ key: [] }];
  const takesKey = schemes.some((scheme) => Object.hasOwn(scheme, "key"));
  const takesOperator = schemes.some((scheme) => Object.hasOwn(scheme, "operator"));
  const shown = schemes.map((scheme) => (Object.hasOwn(scheme, "key") ? { key: [scope] } : scheme));
  return {
    guard: schemes.length === 0 ? [] : [requireCaller({ takesOperator, scope: takesKey ? scope : null })],
    security: shown,
  };
}

/** For routes that are not declared with `openapi`. */
export function requireScope(scope: Scope): MiddlewareHandler<ApiEnv> {
  return requireCaller({ takesOperator: false, scope });
}

function requireCaller({
  takesOperator,
  scope,
}: {
  takesOperator: boolean;
  scope: Scope | null;
}): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const { principal } = c.var;
    if (!principal || scope === null) {
      if (!takesOperator) throw new AppError("key_missing", "Send `Authorization: Bearer <key>`.");
      assertOperator(c);
    } else if (!principal.scopes.includes(scope)) {
      const detail = `This key has ${principal.scopes.join(" and ") || "no scope"}; the request needs ${scope}. Use another key.`;
      throw new AppError("scope_missing", detail);
    }
    await next();
  };
}
