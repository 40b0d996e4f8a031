// The Webhooks object of a profile: the routes that other systems post events to, what came in, and the sessions that get it. Called by the
// API, by the profile's sessions and by its Account. A profile without routes stores nothing here. See docs/decisions/0096.
import { DurableObject } from "cloudflare:workers";
import { ulid } from "ulid";
import { type Result, messageOf, ok } from "../../core/errors.ts";
import type { SessionDelivery } from "../../core/schemas/channels/delivery.ts";
import { ProfileId, type SessionId } from "../../core/schemas/ids.ts";
import type {
  ChangeWebhook,
  CreateWebhook,
  InboundDelivery,
  StoredWebhook,
  WebhookAnswer,
  WebhookName,
} from "../../core/schemas/webhooks/webhook.ts";
import { createDeliveryRows } from "../../core/webhooks/delivery-rows.ts";
import { readBeginner } from "../../core/session/channel/begun-by.ts";
import { createPump } from "../../core/webhooks/pump.ts";
import { type RateLimit, createRateLimit } from "../../core/webhooks/rate-limit.ts";
import { createRouteRows } from "../../core/webhooks/route-rows.ts";
import { type WebhookRequest, proveRequest } from "../../core/webhooks/schemes.ts";
import { takeRequest } from "../../core/webhooks/take-request.ts";
import { systemClock } from "../../stores/platform/system-clock.ts";
import { openSealer } from "../../wiring/sealing.ts";
import { readSettings } from "../../wiring/settings.ts";
import { isSameSecret } from "../account-key.ts";
import { readPublicUrl } from "../channels/open-channel.ts";
import { hasTable, toSql } from "../sql.ts";
import { type WebhooksEnv, openAccount, openChannels, openSession } from "./context.ts";
import { createRouteManager } from "./manage-routes.ts";
import { createPoster } from "./post-delivery.ts";
import { sendAnswer, sendText } from "./send-on.ts";

/** The alarm returns after this if the object dies while it works. */
const WATCH_MS = 30_000;
const MINUTE_MS = 60_000;
/** Old rows are removed this often. */
const TIDY_MS = 10 * MINUTE_MS;
/** For requests to routes that do not exist: proving takes as long. */
const NOBODY: Pick<OpenRoute, "route" | "secrets"> = {
  route: { scheme: "github" } as StoredWebhook,
  secrets: ["no route has this secret"],
};

/** A route with its secrets in the clear. In memory only. */
interface OpenRoute {
  route: StoredWebhook;
  secrets: string[];
  /** When the former secret ends. */
  until: number;
}

export class Webhooks extends DurableObject<WebhooksEnv> {
  readonly #profile = ProfileId.parse(this.ctx.id.name);
  readonly #sql = toSql(this.ctx.storage);
  readonly #routes = createRouteRows(this.#sql);
  readonly #deliveries = createDeliveryRows(this.#sql);
  readonly #sealer = openSealer(this.env, this.#profile);
  readonly #open = new Map<WebhookName, OpenRoute>();
  readonly #account = openAccount(this.env, this.#profile);
  /** Of routes: secrets that were being opened meanwhile are outdated. */
  #changes = 0;
  #limit: RateLimit | null = null;
  /** Cached, so that an alarm that is set need not be set again. */
  #armed: number | null = null;
  #working: Promise<void> | null = null;
  #tidiedAt = 0;

  readonly #manager = createRouteManager({
    ...{
      sql: this.#sql,
      clock: systemClock,
      profile: this.#profile,
      routes: this.#routes,
      deliveries: this.#deliveries,
    },
    sealer: this.#sealer,
    publicUrl: () => readPublicUrl(this.env, readSettings(this.env)),
    hasTables: () => this.#exists(),
    exists: async () => (await this.#account.checkProfile()) !== null,
    forget: (name) => {
      this.#open.delete(name);
      this.#changes++;
    },
  });
  readonly #targets = {
    account: this.#account,
    channels: openChannels(this.env, this.#profile),
    profile: this.#profile,
  };
  readonly #poster = createPoster({
    clock: systemClock,
    account: this.#account,
    session: (id) => openSession(this.env, this.#profile, id),
    isOneOff: ({ route }) => this.#routes.find(route)?.session === "new",
    replace: (row) => this.#replaceSession(row),
  });
  readonly #pump = createPump({
    rows: this.#deliveries,
    clock: systemClock,
    sessions: this.#poster,
    sendOn: async (row) => sendText(this.#targets, this.#routes.find(row.route)?.deliver ?? null, row),
    report: (what, error) => this.#report(what, error),
  });

  /**
   * A request to `/hooks/<profile>/<name>`. Once this has answered well, it is stored. `null`: it is not proved, or there is no such route.
   * Failure: `webhook_limited`.
   */
  async receive(name: WebhookName, request: WebhookRequest): Promise<Result<WebhookAnswer> | null> {
    const now = systemClock.now();
    const opened = this.#exists() ? await this.#openRoute(name, now) : null;
    const { scheme, hmac } = (opened ?? NOBODY).route;
    const proof = { scheme, hmac, secrets: (opened ?? NOBODY).secrets, now, isSame: isSameSecret };
    const proved = proveRequest(request, proof);
    if (!proved || !opened) return null;
    const deps = { sql: this.#sql, routes: this.#routes, deliveries: this.#deliveries, newSession: () => ulid() };
    const taken = takeRequest(
      { ...deps, limit: this.#rateLimit(now) },
      { name, route: opened.route, id: proved.id, request, now },
    );
    if (taken.ok && taken.value.status === "accepted") {
      await this.#arm();
      this.#work();
    }
    return taken;
  }

  /** What a turn that a webhook began has to say. Once this has answered, it is stored where it goes. Idempotent by its id. */
  async takeDelivery(delivery: SessionDelivery): Promise<void> {
    if (!this.#exists()) return;
    const beginner = readBeginner(delivery.origin);
    if (beginner.kind !== "webhook") return;
    const { route: name } = beginner;
    const target = this.#routes.find(name)?.deliver ?? null;
    const sent = await sendAnswer(this.#targets, target, { name, delivery });
    if (sent.ok || sent.failure.facts?.isFinal === true) return;
    throw new Error(sent.failure.message);
  }

  // ---- routes; manage-routes.ts documents the calls ----

  async create(input: CreateWebhook) {
    return this.#manager.create(input);
  }
  async list() {
    return this.#manager.list();
  }
  async read(name: WebhookName) {
    return this.#manager.read(name);
  }
  async change(name: WebhookName, changes: ChangeWebhook) {
    return this.#manager.change(name, changes);
  }
  async remove(name: WebhookName) {
    return this.#manager.remove(name);
  }
  async rotate(name: WebhookName, secret: string | undefined) {
    return this.#manager.rotate(name, secret);
  }

  /** The route's log, newest first. `next`: to pass as `before` for the next page. Failure: `webhook_not_found`. */
  async listDeliveries(
    name: WebhookName,
    { before, limit }: { before: number | null; limit: number },
  ): Promise<Result<{ deliveries: InboundDelivery[]; next: number | null }>> {
    const found = this.#manager.read(name);
    if (!found.ok) return found;
    const rows = this.#deliveries.list(name, { before, limit: limit + 1 });
    const next = rows.length > limit ? rows[limit - 1]!.n : null;
    return ok({ deliveries: rows.slice(0, limit).map(({ delivery }) => delivery), next });
  }

  /** Idempotent. Called by the profile's Account. */
  async forgetSession(session: SessionId): Promise<void> {
    if (!this.#exists()) return;
    this.#sql.transaction(() => {
      this.#routes.forgetSession(session);
      this.#deliveries.forgetSession(session);
    });
  }

  /** Deletes everything. Idempotent. Called by the profile's Account, which no longer knows the profile. */
  async erase(): Promise<void> {
    this.#open.clear();
    this.#armed = null;
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  // ---- work ----

  override async alarm(): Promise<void> {
    this.#armed = null;
    if (!this.#exists()) return;
    await this.#arm();
    this.#work();
  }

  /** Not awaited. One run at a time, which takes up what comes meanwhile. */
  #work(): void {
    if (this.#working) return this.#pump.wake();
    this.#working = this.#runDue()
      .catch((error: unknown) => this.#report("work", error))
      .finally(() => (this.#working = null));
    this.ctx.waitUntil(this.#working);
  }

  async #runDue(): Promise<void> {
    await this.#pump.run();
    if (!this.#exists()) return;
    const now = systemClock.now();
    if (now >= this.#tidiedAt + TIDY_MS) {
      this.#tidiedAt = now;
      this.#deliveries.tidy(now);
    }
    await this.#arm(true);
  }

  /** Before the work: an alarm that comes if the object dies. `isOver`: after it, for what is due later. */
  async #arm(isOver = false): Promise<void> {
    const now = systemClock.now();
    if (!isOver) {
      if (this.#armed !== null && this.#armed > now && this.#armed <= now + WATCH_MS) return;
      this.#armed = now + WATCH_MS;
      return this.ctx.storage.setAlarm(this.#armed);
    }
    const expiry = this.#deliveries.nextExpiry();
    const due = this.#pump.nextDue() ?? (expiry === null ? null : Math.max(expiry, this.#tidiedAt + TIDY_MS));
    if (due === this.#armed) return;
    this.#armed = due;
    if (due === null) await this.ctx.storage.deleteAlarm();
    else await this.ctx.storage.setAlarm(Math.max(due, now));
  }

  async #openRoute(name: WebhookName, now: number): Promise<OpenRoute | null> {
    const known = this.#open.get(name);
    if (known && now < known.until) return known;
    const route = this.#routes.find(name);
    if (!route || !this.#sealer.ok) return null;
    const changes = this.#changes;
    const previous = route.previous && now < route.previous.until ? route.previous : null;
    const secrets = await Promise.all(
      [route.secret, ...(previous ? [previous.secret] : [])].map(
        (sealed) => this.#sealer.ok && this.#sealer.value.open(sealed),
      ),
    );
    if (changes !== this.#changes) return this.#openRoute(name, now);
    const opened = secrets.flatMap((secret) => (secret && secret.ok ? [secret.value] : []));
    if (opened.length < secrets.length) this.#report(name, "a secret was sealed with another key of the deployment");
    if (opened.length === 0) return null;
    const open = { route, secrets: opened, until: previous ? previous.until : Infinity };
    this.#open.set(name, open);
    return open;
  }

  #rateLimit(now: number): RateLimit {
    const { perMinute } = readSettings(this.env).webhooks;
    return (this.#limit ??= createRateLimit({ perMinute, seen: this.#deliveries.countSince(now - MINUTE_MS), now }));
  }

  #replaceSession({ n, route, session }: { n: number; route: WebhookName; session: string }): void {
    if (this.#routes.find(route)?.session === "new") {
      return this.#deliveries.end(n, "failed", { reason: "Its session was deleted." });
    }
    const fresh = ulid();
    this.#sql.transaction(() => {
      this.#routes.rebind(route, session, fresh);
      this.#deliveries.moveLane(session, fresh);
    });
  }

  /** Without creating tables: anyone may guess a profile's id, and a guess must not leave rows. */
  #exists(): boolean {
    return hasTable(this.#sql, "webhook_route");
  }

  #report(what: string, error: unknown): void {
    console.error(`webhooks: ${what}: ${messageOf(error)}`);
  }
}
