// Several keys of one provider behind one Model: which is used, and which rests because the provider refused it. What is
// known of keys lives as long as the isolate, in a KeyHealth that the wiring makes and all models share; it holds
// fingerprints, never keys.
import type { Model, ModelFailure } from "../agent/contract.ts";
import { assert } from "../errors.ts";
import type { Clock } from "../ports.ts";
import { sha256Hex } from "../schemas/learning/digest.ts";
import type { Settings } from "../schemas/settings.ts";

type KeyOrder = Settings["models"]["keyOrder"];

interface KeyState {
  uses: number;
  rests: { until: number; failure: ModelFailure } | null;
}

/** By fingerprint. Made once an isolate. */
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

const MINUTE = 60_000;
// Hermes Agent: an hour for a limit, a day for a bill. A key that is wrong is wrong for as long as the isolate lives.
const LIMIT_REST_MS = 60 * MINUTE;
const BILLING_REST_MS = 24 * 60 * MINUTE;
const AUTH_REST_MS = 24 * 60 * MINUTE;
/** A key is put aside only when it was refused twice: the time it was told to wait has been waited for already. */
const MIN_REST_MS = MINUTE;

/**
 * A model keeps its key until that is put aside, for the sake of the provider's cache; the order decides which is taken
 * then. While all rest, it fails at once and says when the first is back.
 */
export function createKeyPool(options: KeyPoolOptions): Model {
  const { health, order, clock } = options;
  assert(options.keyed.length > 1, "a pool of one key");
  const keys = options.keyed.map(({ key, model }) => ({ model, state: stateOf(key, health) }));
  let current: (typeof keys)[number] | null = null;
  const { name, contextWindow, cache, isOwn, server } = keys[0]!.model;

  return {
    name,
    contextWindow,
    ...(isOwn && { isOwn }),
    ...(server !== undefined && { server }),
    // Of the key that is taken first; with another order nobody knows which one the next process takes.
    ...(order === "fill_first" && cache !== undefined && { cache }),
    async *stream(request, signal, noteActivity) {
      current = current && isFit(current) ? current : next();
      if (!current) return yield { type: "failed", failure: toResting() };
      current.state.uses += 1;
      yield* current.model.stream(request, signal, noteActivity);
    },
    rotateKey(failure) {
      if (!current) return false;
      current.state.rests = { until: clock.now() + restOf(failure), failure };
      current = next();
      return current !== null;
    },
  };

  function isFit(key: (typeof keys)[number]): boolean {
    return key.state.rests === null || key.state.rests.until <= clock.now();
  }

  function next() {
    const fit = keys.filter(isFit);
    if (order === "fill_first" || fit.length === 0) return fit[0] ?? null;
    if (order === "least_used") return fit.reduce((least, key) => (key.state.uses < least.state.uses ? key : least));
    // Each in turn: the turn is counted with the health, so that it goes on from one model to the next.
    const turn = turnOf(health, name);
    for (let step = 0; step < keys.length; step++) {
      const key = keys[(turn.uses + step) % keys.length]!;
      if (!isFit(key)) continue;
      turn.uses = (turn.uses + step + 1) % keys.length;
      return key;
    }
    return null;
  }

  /** Of keys that only wait, the first to be back; when none waits, what was said of the last one. */
  function toResting(): ModelFailure {
    const resting = keys.flatMap(({ state }) => state.rests ?? []);
    const waiting = resting.filter(({ failure }) => failure.retry).toSorted((a, b) => a.until - b.until)[0];
    const { until, failure } = waiting ?? resting.at(-1)!;
    const shared = { ...failure, rotateKey: false };
    if (!waiting) return { ...shared, message: `All ${keys.length} keys of ${name} were refused. ${failure.message}` };
    const retryAfterMs = Math.max(0, until - clock.now());
    const seconds = Math.ceil(retryAfterMs / 1_000);
    return {
      ...shared,
      retryAfterMs,
      message: `All ${keys.length} keys of ${name} rest; the first is back in ${seconds} seconds. ${failure.message}`,
    };
  }
}

function restOf(failure: ModelFailure): number {
  if (failure.code === "billing") return BILLING_REST_MS;
  if (!failure.retry) return AUTH_REST_MS;
  return Math.max(MIN_REST_MS, failure.retryAfterMs ?? LIMIT_REST_MS);
}

function stateOf(key: string, health: KeyHealth): KeyState {
  return entryOf(sha256Hex(key), health);
}

function turnOf(health: KeyHealth, name: string): KeyState {
  return entryOf(`turn of ${name}`, health);
}

function entryOf(id: string, health: KeyHealth): KeyState {
  const known = health.get(id);
  if (known) return known;
  const state: KeyState = { uses: 0, rests: null };
  health.set(id, state);
  return state;
}
