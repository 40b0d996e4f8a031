// The base URLs of models that the operator's variables name. Read by wiring/outbound.ts, since the URL policy lets a model's call reach
// them wherever they are. Pure. Never add an address that a profile or a message can set.
import { type ModelEnv, SLOT_VARIABLES, trimVariables } from "./model-env.ts";
import { NAMED_SERVERS } from "./wires/openai-compat.ts";

/** Values of address variables, whatever their form, and the usual addresses of local servers that a slot names. */
export function listModelAddresses(raw: ModelEnv): string[] {
  const env = trimVariables(raw);
  const specs = Object.values(SLOT_VARIABLES).flatMap((variable) => (env[variable] ?? "").split(","));
  const named = new Set(specs.map((spec) => spec.trim().split(":", 1)[0]));
  const given = [
    env.ANTHROPIC_BASE_URL,
    env.OPENAI_BASE_URL,
    ...NAMED_SERVERS.map(({ urlVariable }) => urlVariable && env[urlVariable]),
  ];
  const usual = NAMED_SERVERS.filter(({ name, urlVariable }) => urlVariable && named.has(name) && !env[urlVariable]);
  return [...given.filter((url) => url !== undefined), ...usual.map(({ baseUrl }) => baseUrl)];
}
