// Posts waiting events to their receivers: at least once each, in three attempts at most. Receivers do not wait for each other, and
// a slow one only delays its own events. Created by the Account, which sets an alarm before it calls `sendDue`.
import { type Result, ok } from "../errors.ts";
import { MAX_CONNECTIONS } from "../map-limit.ts";
import type { Outbound } from "../outbound/outbound.ts";
import type { UrlPolicy } from "../outbound/judge-url.ts";
import type { Clock, Sealer } from "../ports.ts";
import type { DeliveryAttempt, HookEvent, HookId, HookSetting } from "../schemas/profile/hooks.ts";
import type { DeliveryRows, DueDelivery } from "./delivery-rows.ts";
import { judgeHookUrl } from "./judge-hook-url.ts";
import { signHook } from "./sign-hook.ts";

/** [Standard Webhooks] recommends 15 to 30 s. [own] Shorter: an object is awake, and billed, while it waits. */
const ATTEMPT_MS = 10_000;
/** After the first and the second failed attempt. */
const RETRY_AFTER_MS = [10_000, 2 * 60_000];
/** After a receiver did not answer, its other events wait this long, so that they do not each wait for a timeout. */
const PAUSE_MS = 10_000;
/** [Standard Webhooks] The receiver wants no further events. */
const GONE = 410;

export interface HookSenderDeps {
  rows: DeliveryRows;
  /** As they are now. */
  readHooks(): Record<HookId, HookSetting>;
  /** The receiver has answered that it is gone. */
  disable(hook: HookId): void;
  outbound: Outbound;
  policy: UrlPolicy;
  sealer: Result<Sealer>;
  clock: Clock;
  report(what: string, error: unknown): void;
}

export type HookSender = ReturnType<typeof createHookSender>;

export function createHookSender(deps: HookSenderDeps) {
  const { rows, readHooks, disable, outbound, policy, sealer, clock, report } = deps;
  const lanes = new Map<HookId, Promise<void>>();
  const pausedUntil = new Map<HookId, number>();

  const dueOf = ({ hook, due }: { hook: HookId; due: number }) => Math.max(due, pausedUntil.get(hook) ?? 0);

  /** One lane for each hook with due deliveries. */
  function openLanes(): void {
    const due = rows.dues().filter((one) => dueOf(one) <= clock.now());
    for (const { hook } of due) {
      if (lanes.has(hook) || lanes.size >= MAX_CONNECTIONS) continue;
      const lane = runLane(hook)
        .catch((error: unknown) => {
          pausedUntil.set(hook, clock.now() + PAUSE_MS);
          report(`hook ${hook}`, error);
        })
        .finally(() => lanes.delete(hook));
      lanes.set(hook, lane);
    }
  }

  async function runLane(hook: HookId): Promise<void> {
    for (;;) {
      const setting = readHooks()[hook];
      if (!setting) return rows.forgetHook(hook);
      if (setting.disabledAt !== undefined) return rows.giveUp(hook, "hook_disabled");
      const delivery = rows.nextDue(hook, clock.now());
      if (!delivery) return;
      const attempt = await post(setting, delivery);
      settle(delivery, attempt);
      if (attempt.status === undefined) {
        pausedUntil.set(hook, clock.now() + PAUSE_MS);
        return;
      }
    }
  }

  function settle(delivery: DueDelivery, attempt: DeliveryAttempt): void {
    const { hook } = delivery;
    const attempts = [...delivery.attempts, attempt];
    const wait = RETRY_AFTER_MS[attempts.length - 1];
    if (isDelivered(attempt)) return rows.attempted(delivery, { attempts, state: "delivered", due: null });
    const isLast = wait === undefined || attempt.status === GONE;
    const end = isLast
      ? { state: "failed" as const, due: null }
      : { state: "waiting" as const, due: clock.now() + wait };
    rows.attempted(delivery, { attempts, ...end });
    if (attempt.status !== GONE) return;
    disable(hook);
    rows.giveUp(hook, "hook_disabled");
  }

  /** Never throws for what the receiver does. The reply's body is not read: its status says all. */
  async function post(
    setting: HookSetting,
    { event, body }: Pick<DueDelivery, "event" | "body">,
  ): Promise<DeliveryAttempt> {
    const at = clock.now();
    const end = (outcome: Pick<DeliveryAttempt, "status" | "error">) => ({ at, ms: clock.now() - at, ...outcome });
    const judged = judgeHookUrl(setting.url, policy);
    if (!judged.ok) return end({ error: judged.failure.code });
    const secrets = await openSecrets(setting, at);
    if (!secrets.ok) return end({ error: secrets.failure.code });
    const signed = signHook({ id: event, body, at }, secrets.value);
    const reply = await outbound.request(setting.url, {
      method: "POST",
      headers: { "content-type": "application/json", "user-agent": "Talaria-Webhooks", ...signed },
      body,
      signal: new AbortController().signal,
      timeoutMs: ATTEMPT_MS,
      maxBytes: 0,
      ignoreBody: true,
    });
    return end(reply.ok ? { status: reply.value.status } : { error: reply.failure.code });
  }

  /**
   * The present one first. A former one that cannot be opened signs nothing: a rotation is how an owner recovers from another
   * sealing key.
   */
  async function openSecrets({ secret, previous }: HookSetting, now: number): Promise<Result<string[]>> {
    if (!sealer.ok) return sealer;
    const present = await sealer.value.open(secret);
    if (!present.ok) return present;
    const former = previous && previous.until > now ? await sealer.value.open(previous.secret) : null;
    return ok(former?.ok ? [present.value, former.value] : [present.value]);
  }

  return {
    /** Posts everything that is due. Returns when nothing is, and no request is under way. Never rejects. */
    async sendDue(): Promise<void> {
      for (openLanes(); lanes.size > 0; openLanes()) await Promise.race(lanes.values());
    },
    /** When the next delivery is due; `null`: none waits. */
    nextDue(): number | null {
      const dues = rows.dues().map(dueOf);
      return dues.length === 0 ? null : Math.min(...dues);
    },
    isSending: (): boolean => lanes.size > 0,
    /** Posts one event to one hook at once, in a single attempt that its log has. */
    async sendNow(hook: HookId, setting: HookSetting, event: HookEvent): Promise<DeliveryAttempt> {
      const attempt = await post(setting, { event: event.id, body: event.body });
      // Deleted meanwhile, it has no log.
      if (readHooks()[hook])
        rows.log(hook, event, { attempt, state: isDelivered(attempt) ? "delivered" : "failed" }, clock.now());
      return attempt;
    },
  };
}

function isDelivered({ status = 0 }: DeliveryAttempt): boolean {
  return status >= 200 && status < 300;
}
