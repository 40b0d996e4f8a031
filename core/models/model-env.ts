// The name of every variable that selects a model or gives access to one. Read by routing.ts and the Workers. A test compares this
// list with the variables that the scripts pass on. Pure data.
import type { ModelSlot } from "../agent/contract.ts";
import { NAMED_SERVERS, type NamedServer, SERVER_VARIABLES, type VariableOfServer } from "./wires/openai-compat.ts";

/** The variable that names the models of each slot. */
export const SLOT_VARIABLES = {
  turn: "TALARIA_MODEL",
  review: "TALARIA_MODEL_REVIEW",
  curation: "TALARIA_MODEL_CURATION",
  compaction: "TALARIA_MODEL_COMPACTION",
  title: "TALARIA_MODEL_TITLE",
  approval: "TALARIA_MODEL_APPROVAL",
  judge: "TALARIA_MODEL_JUDGE",
  vision: "TALARIA_MODEL_VISION",
  goal: "TALARIA_MODEL_GOAL",
  plan: "TALARIA_MODEL_PLAN",
  replay: "TALARIA_MODEL_REPLAY",
} as const satisfies Record<ModelSlot, string>;

const SHARED_VARIABLES = [
  "ANTHROPIC_BASE_URL",
  "OPENAI_BASE_URL",
  /** The model at `OPENAI_BASE_URL` if `TALARIA_MODEL` is not set. */
  "OPENAI_MODEL",
] as const;

export type ModelSecret = "ANTHROPIC_API_KEY" | "OPENAI_API_KEY" | NamedServer["key"];
export type ModelVariable =
  | (typeof SLOT_VARIABLES)[ModelSlot]
  | (typeof SHARED_VARIABLES)[number]
  | VariableOfServer
  | NonNullable<NamedServer["urlVariable"]>;

/** Every variable an operator may set. An empty variable counts as absent. */
export type ModelVariableName = ModelSecret | ModelVariable;
export type ModelEnv = { [Name in ModelVariableName]?: string };

export const MODEL_SECRETS: readonly ModelSecret[] = [
  ...new Set(["ANTHROPIC_API_KEY" as const, "OPENAI_API_KEY" as const, ...NAMED_SERVERS.map(({ key }) => key)]),
];
export const MODEL_VARIABLES: readonly ModelVariable[] = [
  ...Object.values(SLOT_VARIABLES),
  ...SHARED_VARIABLES,
  ...SERVER_VARIABLES,
  ...NAMED_SERVERS.flatMap(({ urlVariable }) => urlVariable ?? []),
];

/** The names of all variables that a listed provider reads. */
export function listVariables({ key, urlVariable, baseUrl, variableHeaders }: NamedServer): ModelVariableName[] {
  const inUrl = SERVER_VARIABLES.filter((variable) => baseUrl.includes(`{${variable}}`));
  return [key, ...(urlVariable ? [urlVariable] : []), ...inUrl, ...Object.values(variableHeaders ?? {})];
}

export function trimVariables(env: ModelEnv): ModelEnv {
  return Object.fromEntries(
    [...MODEL_SECRETS, ...MODEL_VARIABLES].map((name) => [name, env[name]?.trim() || undefined]),
  );
}
