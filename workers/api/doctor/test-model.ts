// Tests one model for POST /v1/models/{model}/test, which loads it when it is asked for.
import type { DoctorLine, DoctorReport } from "../../../core/schemas/doctor.ts";
import type { Settings } from "../../../core/schemas/settings.ts";
import { openModelProbes, readModelChoices, readModelSlots } from "../../../wiring/models.ts";
import { openOutbound } from "../../../wiring/outbound.ts";
import { type Env, parseEnvSettings } from "../env.ts";
import { AppError } from "../problems.ts";
import { type Spent, tryModels } from "./check-models.ts";
import { tellNoModel, tellRehearsal } from "./check-services.ts";

type ModelTest = Pick<DoctorReport, "ms" | "lines" | "spent">;

/** Throws `model_not_found` at once; the test itself is what it returns. */
export function testModel(env: Env, name: string): () => Promise<ModelTest> {
  const settings = parseEnvSettings(env);
  const slots = readModelSlots(env, settings).flatMap(({ models }) => models);
  if (![...readModelChoices(env, settings), ...slots].some((model) => model.name === name))
    throw new AppError("model_not_found", `There is no model '${name.slice(0, 200)}'. GET /v1/models lists them.`);
  return async () => {
    const began = Date.now();
    const spent: Spent = { modelCalls: 0, tokens: 0, usd: 0 };
    const lines = await findLines(env, settings, name, spent);
    return { ms: Date.now() - began, lines, spent };
  };
}

async function findLines(env: Env, settings: Settings, name: string, spent: Spent): Promise<DoctorLine[]> {
  const all = openModelProbes(env, settings, openOutbound(env, settings));
  if (!all.ok) return [tellNoModel(all.failure.message)];
  const probes = all.value.filter((probe) => probe.name === name);
  // Rehearsal has no key to try.
  return probes.length === 0 ? [tellRehearsal()] : tryModels(probes, spent);
}
