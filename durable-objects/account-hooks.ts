// The webhooks of a profile, as its Account keeps them: subscriptions among its settings, secrets sealed, and the deliveries. Called
// by the Account, which owns the alarm. A profile without hooks has no table and no row here.
import { type Result, err, messageOf, ok } from "../core/errors.ts";
import { findWithdrawn } from "../core/hooks/curation-events.ts";
import { openDeliveryRows } from "../core/hooks/delivery-rows.ts";
import { toHookEvent } from "../core/hooks/hook-event.ts";
import { type HookSender, createHookSender } from "../core/hooks/hook-sender.ts";
import { judgeHookUrl } from "../core/hooks/judge-hook-url.ts";
import { SECRET_BYTES, toHookSecret } from "../core/hooks/sign-hook.ts";
import type { OutboundPolicy } from "../core/outbound/judge-url.ts";
import type { CurationStore, Sql } from "../core/ports.ts";
import { DAY_MS, type ProfileId, type SessionId, toCurationId } from "../core/schemas/ids.ts";
import {
  type CreateHook,
  type CreatedHook,
  type HookDelivery,
  type HookEvent,
  type HookId,
  HookInfo,
  type HookSetting,
  type HookTest,
  type RotatedSecret,
} from "../core/schemas/profile/hooks.ts";
import { systemClock } from "../stores/platform/system-clock.ts";
import { type OutboundEnv, openOutbound, readPolicy } from "../wiring/outbound.ts";
import { type SealingEnv, openSealer } from "../wiring/sealing.ts";
import { type SettingsVariable, readSettings } from "../wiring/settings.ts";
import { createHookId } from "./account-key.ts";
import type { createAccountSettings } from "./account-settings.ts";

export type HookEnv = OutboundEnv & SealingEnv & SettingsVariable;

/** [own] Each event is one row and up to three requests for every hook. */
const MAX_HOOKS = 10;
/** Until the operator's settings are read again when they were wrong. */
const BLOCKED_MS = 60_000;
/** How long a former secret still signs after a rotation. */
const ROTATION_MS = DAY_MS;
const HOUR_MS = 60 * 60_000;
/** While events are being sent, the alarm only matters if the object dies. */
const SENDING_MS = 60_000;

export type AccountHooks = ReturnType<typeof createAccountHooks>;

export function createAccountHooks(options: {
  sql: Sql;
  env: HookEnv;
  profile: ProfileId;
  settings: ReturnType<typeof createAccountSettings>;
  /** False: the profile was deleted. */
  exists(): boolean;
}) {
  const { sql, env, profile, settings, exists } = options;
  const rows = openDeliveryRows(sql);
  const sealer = openSealer(env, profile);
  const clock = systemClock;
  const readHooks = () => settings.read().sections.hooks;
  const find = (id: HookId): Result<HookSetting> => {
    const hook = readHooks()[id];
    return hook ? ok(hook) : err("hook_not_found", "This profile has no hook of that id.");
  };
  const report = (what: string, error: unknown) => console.error(`account: ${what}: ${messageOf(error)}`);

  let opened: { policy: OutboundPolicy; sender: HookSender } | null = null;
  /** Events wait until then, because the operator's settings are wrong. */
  let blockedUntil = 0;
  /** When reports of curations were last looked at. */
  let curationsSeenAt = 0;

  /** Throws while the operator's settings are wrong. */
  function open(): { policy: OutboundPolicy; sender: HookSender } {
    if (opened) return opened;
    const operator = readSettings(env);
    const policy = readPolicy(env, operator);
    const sender = createHookSender({
      ...{ rows, readHooks, policy, sealer, clock, report },
      outbound: openOutbound(env, operator),
      disable(id) {
        const hook = readHooks()[id];
        if (hook) settings.put("hooks", id, { ...hook, disabledAt: clock.now() });
      },
    });
    return (opened = { policy, sender });
  }

  async function sealNewSecret(): Promise<Result<{ secret: string; sealed: string }>> {
    if (!sealer.ok) return sealer;
    const secret = toHookSecret(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)));
    const sealed = await sealer.value.seal(secret);
    return exists() ? ok({ secret, sealed }) : err("profile_gone", "This profile has been deleted.");
  }

  /** Adds a delivery for each hook that wants the event. Idempotent while the log has it. False: no hook wants it. */
  function take(event: HookEvent): boolean {
    const wanted = Object.entries(readHooks()).filter(
      ([, { events, disabledAt }]) => disabledAt === undefined && events.includes(event.type),
    );
    if (wanted.length === 0) return false;
    sql.transaction(() => {
      for (const [id] of wanted) rows.add(id, event, clock.now());
    });
    return true;
  }

  return {
    /** The only answer with the secret. Failures: `url_refused`, `too_many_hooks`, `sealing_key_missing`, `profile_gone`. */
    async create({ url, events, description }: CreateHook): Promise<Result<CreatedHook>> {
      const judged = judgeHookUrl(url, open().policy);
      if (!judged.ok) return judged;
      const made = await sealNewSecret();
      if (!made.ok) return made;
      if (Object.keys(readHooks()).length >= MAX_HOOKS) {
        return err("too_many_hooks", `A profile has at most ${MAX_HOOKS} hooks: delete one first.`);
      }
      const { secret, sealed } = made.value;
      const id = createHookId();
      const hook: HookSetting = {
        ...{ v: 1, url: judged.value.href, events: [...new Set(events)] },
        ...(description !== undefined && { description }),
        ...{ createdAt: clock.now(), secret: sealed },
      };
      const put = settings.put("hooks", id, hook);
      return put.ok ? ok({ ...toInfo(id, hook), secret }) : put;
    },

    /** Oldest first. */
    list: (): HookInfo[] =>
      Object.entries(readHooks())
        .map(([id, hook]) => toInfo(id, hook))
        .toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)),

    /** Failure: `hook_not_found`. */
    read(id: HookId): Result<HookInfo> {
      const hook = find(id);
      return hook.ok ? ok(toInfo(id, hook.value)) : hook;
    },

    /** Failure: `hook_not_found`. */
    remove(id: HookId): Result<null> {
      const hook = find(id);
      if (!hook.ok) return hook;
      sql.transaction(() => rows.forgetHook(id));
      settings.remove("hooks", id);
      return ok(null);
    },

    /** The only answer with the new secret. Failures: `hook_not_found`, `sealing_key_missing`, `profile_gone`. */
    async rotate(id: HookId): Promise<Result<RotatedSecret>> {
      const made = await sealNewSecret();
      if (!made.ok) return made;
      const hook = find(id);
      if (!hook.ok) return hook;
      const { secret, sealed } = made.value;
      const previousUntil = clock.now() + ROTATION_MS;
      const previous = { secret: hook.value.secret, until: previousUntil };
      const put = settings.put("hooks", id, { ...hook.value, secret: sealed, previous });
      return put.ok ? ok({ secret, previousUntil }) : put;
    },

    /** Posts a `ping` at once, also to a disabled hook. Failure: `hook_not_found`. */
    async test(id: HookId): Promise<Result<HookTest>> {
      const hook = find(id);
      if (!hook.ok) return hook;
      const about = crypto.randomUUID();
      const event = toHookEvent({ profile, type: "ping", about, at: clock.now(), data: { hook: id } });
      return ok({ event: event.id, ...(await open().sender.sendNow(id, hook.value, event)) });
    },

    /** Newest first. Failure: `hook_not_found`. */
    deliveries(id: HookId): Result<HookDelivery[]> {
      const hook = find(id);
      return hook.ok ? ok(rows.list(id)) : hook;
    },

    take,

    /**
     * Takes what curations have withdrawn since the last look, or since a hook wanted to know. At most once an hour. True: there was something.
     */
    async lookAtCurations(openStore: () => CurationStore): Promise<boolean> {
      const now = clock.now();
      if (now - curationsSeenAt < HOUR_MS) return false;
      curationsSeenAt = now;
      const wanted = Object.values(readHooks()).filter(
        ({ events, disabledAt }) => disabledAt === undefined && events.includes("skill.withdrawn"),
      );
      if (wanted.length === 0) return false;
      const subscribed = toCurationId(Math.min(...wanted.map(({ createdAt }) => createdAt)), () => 0);
      const last = rows.lastCuration() ?? "";
      const { events, upTo } = await findWithdrawn(openStore(), profile, last > subscribed ? last : subscribed);
      if (upTo === null || !exists()) return false;
      for (const event of events) take(event);
      rows.putLastCuration(upTo);
      return events.length > 0;
    },

    forgetSession: (session: SessionId): void => rows.forgetSession(session),
    tidy: (now: number): void => rows.tidy(now),
    /** Posts everything that is due, until no request is under way. Never rejects. */
    async sendDue(): Promise<void> {
      try {
        await open().sender.sendDue();
      } catch (error) {
        blockedUntil = clock.now() + BLOCKED_MS;
        report("hooks", error);
      }
    },
    /** When the next delivery is due; `null`: none waits. */
    nextDue(): number | null {
      const dues = rows.dues().map(({ due }) => due);
      const next = opened ? opened.sender.nextDue() : dues.length > 0 ? Math.min(...dues) : null;
      if (next === null) return null;
      const sendingUntil = opened?.sender.isSending() ? clock.now() + SENDING_MS : 0;
      return Math.max(next, blockedUntil, sendingUntil);
    },
  };
}

function toInfo(id: HookId, hook: HookSetting): HookInfo {
  return HookInfo.parse({ id, ...hook });
}
