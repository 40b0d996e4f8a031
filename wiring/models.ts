// Opens the models of a Worker or Durable Object from its variables. Called by the Session, the review Worker and the curator
// Worker. Everything that models learn (resting keys, context windows) is shared by all callers of one isolate.
import * as z from "zod";
import type { ModelChain, ModelSlot } from "../core/agent/contract.ts";
import { type Result, err } from "../core/errors.ts";
import { createKeyHealth } from "../core/models/key-pool.ts";
import { MODEL_SECRETS, MODEL_VARIABLES, type ModelEnv } from "../core/models/model-env.ts";
import { createRehearsalModel } from "../core/models/rehearsal.ts";
import {
  type ChosenModel,
  type ModelDeps,
  createModels,
  listModelChoices,
  listModelProbes,
  listSlots,
} from "../core/models/routing.ts";
import type { Outbound } from "../core/outbound/outbound.ts";
import type { Settings } from "../core/schemas/settings.ts";
import { systemClock } from "../stores/platform/system-clock.ts";

const SHARED: Omit<ModelDeps, "fetch"> = {
  rehearsal: createRehearsalModel,
  keys: createKeyHealth(),
  windows: new Map(),
  clock: systemClock,
};

/** A Worker's environment also holds bindings; unknown fields are therefore ignored. */
const Variables = z.object(
  Object.fromEntries([...MODEL_SECRETS, ...MODEL_VARIABLES].map((name) => [name, z.string().optional()])),
);

/** Failures: `bad_environment`, and those of `createModels`. */
export function openModels(
  env: ModelEnv,
  settings: Settings,
  slot: ModelSlot,
  { fetch }: Pick<Outbound, "fetch">,
  first?: string,
): Result<ModelChain> {
  const variables = Variables.safeParse(env);
  if (!variables.success) {
    const name = String(variables.error.issues[0]?.path[0]);
    return err("bad_environment", `The variable ${name} is not a string. Set it to a string in the configuration.`);
  }
  return createModels(variables.data, settings.models, { ...SHARED, fetch }, slot, first);
}

/** Every key of every model, for `POST /v1/doctor`. Failures: as `openModels`. */
export function openModelProbes(env: ModelEnv, settings: Settings, { fetch }: Pick<Outbound, "fetch">) {
  const variables = Variables.safeParse(env);
  if (!variables.success) return openModels(env, settings, "turn", { fetch }) as Result<never>;
  return listModelProbes(variables.data, settings.models, { ...SHARED, fetch });
}

/** The models that a person may choose for a session, the default first. Those that lack a key or an address are left out. */
export function readModelChoices(env: ModelEnv, settings: Settings): ChosenModel[] {
  const variables = Variables.safeParse(env);
  return variables.success ? listModelChoices(variables.data, settings.models) : [];
}

/** Which models each kind of work uses. */
export function readModelSlots(env: ModelEnv, settings: Settings): ReturnType<typeof listSlots> {
  const variables = Variables.safeParse(env);
  return variables.success ? listSlots(variables.data, settings.models) : [];
}
