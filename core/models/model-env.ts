// Every variable that chooses or opens a model, by name. Read by routing.ts and by the Workers that are given them; a test
// compares it with what the scripts hand over. Pure data.
import type { ModelSlot } from "../agent/contract.ts";
import { NAMED_SERVERS, type NamedServer, SERVER_VARIABLES, type VariableOfServer } from "./wires/openai-compat.ts";

/** Which variable names the models of a kind of work. */
export const SLOT_VARIABLES = {
  turn: "TALARIA_MODEL",
  review: "TALARIA_MODEL_REVIEW",
  curation: "TALARIA_MODEL_CURATION",
  compaction: "TALARIA_MODEL_COMPACTION",
  title: "TALARIA_MODEL_TITLE",
  approval: "TALARIA_MODEL_APPROVAL",
  judge: "TALARIA_MODEL_JUDGE",
} as const satisfies Record<ModelSlot, string>;

const SHARED_VARIABLES = [
  "ANTHROPIC_BASE_URL",
  "OPENAI_BASE_URL",
  /** The model at `OPENAI_BASE_URL`, when `TALARIA_MODEL` says nothing. */
  "OPENAI_MODEL",
] as const;

export type ModelSecret = "ANTHROPIC_API_KEY" | "OPENAI_API_KEY" | NamedServer["key"];
export type ModelVariable =
  | (typeof SLOT_VARIABLES)[ModelSlot]
  | (typeof SHARED_VARIABLES)[number]
  | VariableOfServer
  | NonNullable<NamedServer["urlVariable"]>;

/** What an operator may set. An empty variable is an absent one. */
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

/** Every variable that a provider of the table reads, by its name. */
export function variablesOf({ key, urlVariable, baseUrl, variableHeaders }: NamedServer): ModelVariableName[] {
  const inUrl = SERVER_VARIABLES.filter((variable) => baseUrl.includes(`{${variable}}`));
  return [key, ...(urlVariable ? [urlVariable] : []), ...inUrl, ...Object.values(variableHeaders ?? {})];
}

export function trimmed(env: ModelEnv): ModelEnv {
  return Object.fromEntries(
    [...MODEL_SECRETS, ...MODEL_VARIABLES].map((name) => [name, env[name]?.trim() || undefined]),
  );
}
