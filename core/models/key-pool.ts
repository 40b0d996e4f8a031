// Offers several keys of one provider as one Model: chooses the key to use, and suspends a refused key for a cooldown. Created by
// routing.ts. All models of an isolate share one KeyHealth, which holds fingerprints and must never hold keys.
import type { Model, ModelFailure } from "../agent/contract.ts";
import { assert } from "../errors.ts";
import type { Clock } from "../ports.ts";
import { sha256Hex } from "../schemas/learning/digest.ts";
import type { Settings } from "../schemas/settings.ts";

type KeyOrder = Settings["models"]["keyOrder"];

interface KeyState {
  uses: number;
  /** Until when the key is suspended, and the failure that caused it. */
  cooldown: { until: number; failure: ModelFailure } | null;
}

/** By fingerprint. Created once per isolate. */
export type KeyHealth = Map<string, KeyState>;

export function createKeyHealth(): KeyHealth {
  return new Map();
}

export interface KeyPoolOptions {
  /** The same model with each key, in the operator's order: at least two. */
  keyed: { key: string; model: Model }[];
  health: KeyHealth;
  order: KeyOrder;
  clock: Clock;
}

const MINUTE_MS = 60_000;
// As in Hermes Agent: an hour after a rate limit, a day after a billing failure. The cooldown of an invalid key lasts
// about as long as an isolate.
const RATE_LIMIT_COOLDOWN_MS = 60 * MINUTE_MS;
const BILLING_COOLDOWN_MS = 24 * 60 * MINUTE_MS;
const AUTH_COOLDOWN_MS = 24 * 60 * MINUTE_MS;
/** A cooldown starts only after a key's second refusal, so the wait that the provider asked for is already over. */
const MIN_COOLDOWN_MS = MINUTE_MS;

/**
 * Uses one key until it is suspended, since a provider's cache belongs to a key. `order` decides which key is next. While all
 * keys are suspended, a call fails at once and says when the first key is available again.
 */
export function createKeyPool(options: KeyPoolOptions): Model {
  const { health, order, clock } = options;
  assert(options.keyed.length > 1, "a pool of one key");
  const keys = options.keyed.map(({ key, model }) => ({ model, state: findKeyState(key, health) }));
  let current: (typeof keys)[number] | null = null;
  const { name, contextWindow, cache, isOwn, server, sees, imageTokens } = keys[0]!.model;

  return {
    name,
    contextWindow,
    ...(isOwn && { isOwn }),
    ...(sees && { sees }),
    ...(imageTokens && { imageTokens }),
    ...(server !== undefined && { server }),
    // The cache of the first key. With another order it is unknown which key the next process takes.
    ...(order === "fill_first" && cache !== undefined && { cache }),
    async *stream(request, signal, noteActivity) {
      current = current && isAvailable(current) ? current : next();
      if (!current) return yield { type: "failed", failure: toNoKeyFailure() };
      current.state.uses += 1;
      yield* current.model.stream(request, signal, noteActivity);
    },
    rotateKey(failure) {
      if (!current) return false;
      current.state.cooldown = { until: clock.now() + cooldownMs(failure), failure };
      current = next();
      return current !== null;
    },
  };

  function isAvailable(key: (typeof keys)[number]): boolean {
    return key.state.cooldown === null || key.state.cooldown.until <= clock.now();
  }

  function next() {
    const available = keys.filter(isAvailable);
    if (order === "fill_first" || available.length === 0) return available[0] ?? null;
    if (order === "least_used")
      return available.reduce((least, key) => (key.state.uses < least.state.uses ? key : least));
    // Round robin: `uses` is the index of the next key. It is kept in the shared health, so it continues across models.
    const position = findPosition(health, name);
    for (let step = 0; step < keys.length; step++) {
      const index = (position.uses + step) % keys.length;
      if (!isAvailable(keys[index]!)) continue;
      position.uses = (index + 1) % keys.length;
      return keys[index]!;
    }
    return null;
  }

  /** The failure of the retryable key that is available first; if no key is retryable, the failure of the last key. */
  function toNoKeyFailure(): ModelFailure {
    const cooldowns = keys.flatMap(({ state }) => state.cooldown ?? []);
    const waiting = cooldowns.filter(({ failure }) => failure.retry).toSorted((a, b) => a.until - b.until)[0];
    const { until, failure } = waiting ?? cooldowns.at(-1)!;
    const shared = { ...failure, rotateKey: false };
    if (!waiting) return { ...shared, message: `All ${keys.length} keys of ${name} were refused. ${failure.message}` };
    const retryAfterMs = Math.max(0, until - clock.now());
    const seconds = Math.ceil(retryAfterMs / 1_000);
    return {
      ...shared,
      retryAfterMs,
      message: `All ${keys.length} keys of ${name} are suspended; the first is available in ${seconds} seconds. ${failure.message}`,
    };
  }
}

function cooldownMs(failure: ModelFailure): number {
  if (failure.code === "billing") return BILLING_COOLDOWN_MS;
  if (!failure.retry) return AUTH_COOLDOWN_MS;
  return Math.max(MIN_COOLDOWN_MS, failure.retryAfterMs ?? RATE_LIMIT_COOLDOWN_MS);
}

function findKeyState(key: string, health: KeyHealth): KeyState {
  return openState(sha256Hex(key), health);
}

function findPosition(health: KeyHealth, name: string): KeyState {
  return openState(`turn of ${name}`, health);
}

function openState(id: string, health: KeyHealth): KeyState {
  const known = health.get(id);
  if (known) return known;
  const state: KeyState = { uses: 0, cooldown: null };
  health.set(id, state);
  return state;
}
