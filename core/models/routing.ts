// Chooses the model from the environment: the one place where a variable becomes a Model. Called where things are wired
// (the Session, the review Worker), and by the API for the model's name. Says what is wrong with a variable, and never repeats a key.
import type { Model } from "../agent/contract.ts";
import { type Result, err, ok } from "../errors.ts";
import { createAnthropicModel } from "./anthropic.ts";
import { DEFAULT_MODELS } from "./catalog.ts";
import { createOpenAiChatModel } from "./openai-chat.ts";
import { createOpenAiResponsesModel } from "./openai-responses.ts";

/** What an operator may set. An empty variable is an absent one. */
export interface ModelEnv {
  /** `anthropic:<id>`, `openai:<id>`, `openai-responses:<id>`, `openai-chat:<id>`, `rehearsal`, or a bare id. */
  TALARIA_MODEL?: string;
  ANTHROPIC_API_KEY?: string;
  ANTHROPIC_BASE_URL?: string;
  OPENAI_API_KEY?: string;
  OPENAI_BASE_URL?: string;
  /** The model at `OPENAI_BASE_URL`, when `TALARIA_MODEL` says nothing. */
  OPENAI_MODEL?: string;
}

export interface ModelDeps {
  fetch: typeof fetch;
  rehearsal: () => Model;
}

type Choice =
  | { wire: "rehearsal" }
  | { wire: "anthropic" | "openai" | "openai-chat"; model: string; apiKey: string; baseUrl?: string };

const VARIABLES = [
  "TALARIA_MODEL",
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_BASE_URL",
  "OPENAI_API_KEY",
  "OPENAI_BASE_URL",
  "OPENAI_MODEL",
] as const;

const FORMS = "Use anthropic:<model>, openai:<model>, openai-chat:<model> or rehearsal.";

/** Failures: `model_not_configured`, with the variable to set in its sentence. */
export function createModel(env: ModelEnv, deps: ModelDeps): Result<Model> {
  const choice = chooseModel(env);
  if (!choice.ok) return choice;
  const { value } = choice;
  if (value.wire === "rehearsal") return ok(deps.rehearsal());
  const options = { ...value, fetch: deps.fetch };
  if (value.wire === "anthropic") return ok(createAnthropicModel(options));
  return ok(value.wire === "openai" ? createOpenAiResponsesModel(options) : createOpenAiChatModel(options));
}

/** What answers will be recorded under (rehearsal adds its version), or `unconfigured`. For health output: asks nobody. */
export function modelNameOf(env: ModelEnv): string {
  const choice = chooseModel(env);
  if (!choice.ok) return "unconfigured";
  return choice.value.wire === "rehearsal" ? "rehearsal" : `${choice.value.wire}:${choice.value.model}`;
}

function chooseModel(raw: ModelEnv): Result<Choice> {
  const env = trimmed(raw);
  const named = env.TALARIA_MODEL;
  if (named === "rehearsal") return ok({ wire: "rehearsal" });
  if (named) return chooseNamed(named, env);
  if (env.ANTHROPIC_API_KEY) return toAnthropic(DEFAULT_MODELS.anthropic, env);
  if (env.OPENAI_BASE_URL && !isOpenAi(env.OPENAI_BASE_URL)) {
    if (env.OPENAI_MODEL) return toOpenAi("openai-chat", env.OPENAI_MODEL, env);
    return refuse("OPENAI_BASE_URL is set, but no model: set OPENAI_MODEL to one that the server offers.");
  }
  if (env.OPENAI_API_KEY) return toOpenAi("openai", env.OPENAI_MODEL ?? DEFAULT_MODELS.openai, env);
  return ok({ wire: "rehearsal" });
}

/** Model ids may hold colons themselves (`llama3.3:70b`), so only a known word before the first one is a provider. */
function chooseNamed(named: string, env: ModelEnv): Result<Choice> {
  const [, provider, model = ""] =
    named.match(/^(anthropic|openai|openai-chat|openai-responses|rehearsal):(.*)$/) ?? [];
  const elsewhere = env.OPENAI_BASE_URL !== undefined && !isOpenAi(env.OPENAI_BASE_URL);
  if (provider === undefined) {
    if (elsewhere) return toOpenAi("openai-chat", named, env);
    return refuse(`TALARIA_MODEL names no provider. ${FORMS}`);
  }
  if (!model.trim() || provider === "rehearsal") return refuse(`TALARIA_MODEL names no model. ${FORMS}`);
  if (provider === "anthropic") return toAnthropic(model.trim(), env);
  const chat = provider === "openai-chat" || (provider === "openai" && elsewhere);
  return toOpenAi(chat ? "openai-chat" : "openai", model.trim(), env);
}

function toAnthropic(model: string, env: ModelEnv): Result<Choice> {
  if (!env.ANTHROPIC_API_KEY) return refuse(`The model anthropic:${model} needs ANTHROPIC_API_KEY: set it.`);
  return withUrl("ANTHROPIC_BASE_URL", { wire: "anthropic", model, apiKey: env.ANTHROPIC_API_KEY }, env);
}

/** A server of one's own often has no keys; OpenAI itself always has. */
function toOpenAi(wire: "openai" | "openai-chat", model: string, env: ModelEnv): Result<Choice> {
  const needsKey = env.OPENAI_BASE_URL === undefined || isOpenAi(env.OPENAI_BASE_URL);
  if (needsKey && !env.OPENAI_API_KEY) return refuse(`The model ${wire}:${model} needs OPENAI_API_KEY: set it.`);
  return withUrl("OPENAI_BASE_URL", { wire, model, apiKey: env.OPENAI_API_KEY ?? "none" }, env);
}

function withUrl(
  variable: "ANTHROPIC_BASE_URL" | "OPENAI_BASE_URL",
  choice: Exclude<Choice, { wire: "rehearsal" }>,
  env: ModelEnv,
): Result<Choice> {
  const given = env[variable];
  if (given === undefined) return ok(choice);
  const url = URL.parse(given);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    return refuse(`${variable} must be an http or https address without a user name, such as https://host/v1.`);
  }
  return ok({ ...choice, baseUrl: given.replace(/\/+$/, "") });
}

function isOpenAi(baseUrl: string): boolean {
  return URL.parse(baseUrl)?.host === "api.openai.com";
}

function trimmed(env: ModelEnv): ModelEnv {
  return Object.fromEntries(VARIABLES.map((name) => [name, env[name]?.trim() || undefined]));
}

function refuse(message: string): Result<never> {
  return err("model_not_configured", message);
}
