// Makes, changes, rotates and removes the webhook routes of a profile. A secret is sealed before it is stored and leaves once, in the answer
// that made it. Called by webhooks.ts.
import { type Result, err, ok } from "../../core/errors.ts";
import { SECRET_BYTES, toHookSecret } from "../../core/hooks/sign-hook.ts";
import type { Clock, Sealer, Sql } from "../../core/ports.ts";
import { DAY_MS, type ProfileId } from "../../core/schemas/ids.ts";
import {
  type ChangeWebhook,
  type CreateWebhook,
  type CreatedWebhook,
  type RotatedWebhook,
  type StoredWebhook,
  WebhookInfo,
  type WebhookName,
} from "../../core/schemas/webhooks/webhook.ts";
import { type DeliveryRows, DELIVERY_SCHEMA } from "../../core/webhooks/delivery-rows.ts";
import { checkFilter } from "../../core/webhooks/filters.ts";
import { ROUTE_SCHEMA, type RouteRows } from "../../core/webhooks/route-rows.ts";

/** [own] A route costs nothing while nothing comes in; longer lists are not useful. */
const MAX_ROUTES = 50;
/** How long a former secret is accepted after a rotation. */
const ROTATION_MS = DAY_MS;

export interface ManagingDeps {
  sql: Sql;
  clock: Clock;
  profile: ProfileId;
  routes: RouteRows;
  deliveries: DeliveryRows;
  sealer: Result<Sealer>;
  /** Without a slash at its end; `null`: the operator has set none. */
  publicUrl(): string | null;
  hasTables(): boolean;
  /** False: the profile was deleted. */
  exists(): Promise<boolean>;
  /** What is remembered of the route is outdated. */
  forget(name: WebhookName): void;
}

const NOT_FOUND = err("webhook_not_found", "This profile has no webhook of that name. GET /v1/webhooks lists them.");

export function createRouteManager(deps: ManagingDeps) {
  const { sql, clock, profile, routes, deliveries, sealer, hasTables, forget } = deps;

  const find = (name: WebhookName): Result<StoredWebhook> => {
    const route = hasTables() ? routes.find(name) : null;
    return route ? ok(route) : NOT_FOUND;
  };

  async function sealSecret(given: string | undefined): Promise<Result<{ secret: string; sealed: string }>> {
    if (!sealer.ok) return sealer;
    const secret = given ?? toHookSecret(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)));
    return ok({ secret, sealed: await sealer.value.seal(secret) });
  }

  function put(name: WebhookName, route: StoredWebhook): void {
    routes.put(name, route);
    forget(name);
  }

  function toInfo(name: WebhookName, route: StoredWebhook): WebhookInfo {
    const path = `/hooks/${profile}/${name}`;
    const base = deps.publicUrl();
    return WebhookInfo.parse({ ...route, name, path, url: base === null ? null : `${base}${path}` });
  }

  return {
    /** Failures: `webhook_exists`, `too_many_webhooks`, `webhook_invalid`, `sealing_key_missing`, `profile_gone`. */
    async create({ name, secret: given, ...input }: CreateWebhook): Promise<Result<CreatedWebhook>> {
      const checked = checkRoute(input);
      if (!checked.ok) return checked;
      const made = await sealSecret(given);
      if (!made.ok) return made;
      if (!(await deps.exists())) return err("profile_gone", "This profile has been deleted.");
      const { secret, sealed } = made.value;
      const route: StoredWebhook = { v: 1, ...input, secret: sealed, createdAt: clock.now() };
      const stored = sql.transaction((): Result<null> => {
        for (const statement of [...ROUTE_SCHEMA, ...DELIVERY_SCHEMA]) sql.run(statement);
        if (routes.find(name))
          return err("webhook_exists", `There is a webhook \`${name}\`. Change it, or choose another name.`);
        if (routes.count() >= MAX_ROUTES) {
          return err("too_many_webhooks", `A profile has at most ${MAX_ROUTES} webhooks: delete one first.`);
        }
        put(name, route);
        return ok(null);
      });
      return stored.ok ? ok({ ...toInfo(name, route), secret }) : stored;
    },

    list: (): WebhookInfo[] => (hasTables() ? routes.list().map(({ name, route }) => toInfo(name, route)) : []),

    /** Failure: `webhook_not_found`. */
    read(name: WebhookName): Result<WebhookInfo> {
      const route = find(name);
      return route.ok ? ok(toInfo(name, route.value)) : route;
    },

    /** What was accepted before keeps its text and its session. Failures: `webhook_not_found`, `webhook_invalid`. */
    change(name: WebhookName, changes: ChangeWebhook): Result<WebhookInfo> {
      const found = find(name);
      if (!found.ok) return found;
      const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
      const route = { ...found.value, ...given } as StoredWebhook;
      const checked = checkRoute(route);
      if (!checked.ok) return checked;
      put(name, route);
      return ok(toInfo(name, route));
    },

    /** With its log and what waits. Its sessions stay. Failure: `webhook_not_found`. */
    remove(name: WebhookName): Result<null> {
      const found = find(name);
      if (!found.ok) return found;
      sql.transaction(() => {
        routes.remove(name);
        deliveries.forgetRoute(name);
      });
      forget(name);
      return ok(null);
    },

    /** Failures: `webhook_not_found`, `sealing_key_missing`. */
    async rotate(name: WebhookName, given: string | undefined): Promise<Result<RotatedWebhook>> {
      const made = await sealSecret(given);
      if (!made.ok) return made;
      const found = find(name);
      if (!found.ok) return found;
      const previousUntil = clock.now() + ROTATION_MS;
      const previous = { secret: found.value.secret, until: previousUntil };
      put(name, { ...found.value, secret: made.value.sealed, previous });
      return ok({ secret: made.value.secret, previousUntil });
    },
  };
}

/** What the form of a route does not say. Failure: `webhook_invalid`. */
function checkRoute(
  route: Pick<StoredWebhook, "scheme" | "hmac" | "filters" | "deliver" | "deliverOnly">,
): Result<null> {
  const { scheme, hmac, filters, deliver, deliverOnly } = route;
  if (deliverOnly && deliver === null) {
    return err("webhook_invalid", "`deliverOnly` needs `deliver`: say where the text goes.");
  }
  if (hmac && scheme !== "hmac") {
    return err("webhook_invalid", `\`hmac\` is only for the scheme \`hmac\`; this route has \`${scheme}\`.`);
  }
  if (hmac?.signed !== undefined && !isWholeRequestSigned(hmac.signed, hmac.timestampHeader !== null)) {
    return err(
      "webhook_invalid",
      "`hmac.signed` names `{body}` once, and `{timestamp}` if and only if the time is signed.",
    );
  }
  for (const filter of filters) {
    const checked = checkFilter(filter);
    if (!checked.ok) return err("webhook_invalid", checked.failure.message);
  }
  return ok(null);
}

function isWholeRequestSigned(signed: string, hasTime: boolean): boolean {
  return signed.split("{body}").length === 2 && signed.includes("{timestamp}") === hasTime;
}
