// Chooses models from the environment: the one place where a variable becomes a Model. Called where things are wired (the
// Session, the review Worker), and by the API for the model's name. Says what is wrong with a variable, and never repeats a key.
import type { Model, ModelChain, ModelSlot } from "../agent/contract.ts";
import { type Result, err, ok } from "../errors.ts";
import type { Clock } from "../ports.ts";
import type { Settings } from "../schemas/settings.ts";
import { createAnthropicModel } from "./wires/anthropic.ts";
import { DEFAULT_MODELS, factsOf } from "./catalog.ts";
import { type KeyHealth, createKeyPool } from "./key-pool.ts";
import { type LearnedWindows, withLearnedWindow } from "./learned-windows.ts";
import { type ModelEnv, SLOT_VARIABLES, trimmed } from "./model-env.ts";
import { createOpenAiChatModel } from "./wires/openai-chat.ts";
import { OPENAI_URL } from "./wires/openai-client.ts";
import { type Compat, NAMED_SERVERS, type NamedServer, compatOf, toCompat } from "./wires/openai-compat.ts";
import { createOpenAiResponsesModel } from "./wires/openai-responses.ts";

export interface ModelDeps {
  fetch: typeof fetch;
  rehearsal: () => Model;
  /** One an isolate, so that all its models know which keys rest. */
  keys: KeyHealth;
  /** One an isolate: what providers have said of windows that nobody configured. */
  windows: LearnedWindows;
  clock: Clock;
}

type Choice =
  | { wire: "rehearsal"; name: "rehearsal" }
  | (Place & { wire: "anthropic" | "openai"; baseUrl?: string })
  | (Place & { wire: "chat"; baseUrl: string; compat: Compat; headers: Record<string, string> });

interface Place {
  /** As it is recorded with every answer. */
  name: string;
  /** The provider's id of the model. */
  model: string;
  keys: string[];
}

const SERVER_NAMES = NAMED_SERVERS.map(({ name }) => name).join(", ");
const FORMS = `Use anthropic:<model>, openai:<model>, openai-chat:<model>, rehearsal, or <provider>:<model> with one of ${SERVER_NAMES}.`;

/**
 * The models of a kind of work, the primary first. A slot without a variable of its own has those of the turn.
 * Failures: `model_not_configured`, with the variable to set in its sentence.
 */
export function createModels(
  env: ModelEnv,
  settings: Settings["models"],
  deps: ModelDeps,
  slot: ModelSlot,
): Result<ModelChain> {
  const choices = chooseModels(env, slot);
  if (!choices.ok) return choices;
  const [primary, ...fallbacks] = choices.value;
  return ok([createOne(primary, settings, deps), ...fallbacks.map((choice) => createOne(choice, settings, deps))]);
}

/** What answers of a turn will be recorded under (rehearsal adds its version), or `unconfigured`. Asks nobody. */
export function modelNameOf(env: ModelEnv): string {
  const choices = chooseModels(env, "turn");
  return choices.ok ? choices.value[0].name : "unconfigured";
}

/** Whether every kind of work has models that are named as they must be and have what they need. Asks nobody. */
export function checkModels(env: ModelEnv): Result<null> {
  for (const slot of Object.keys(SLOT_VARIABLES) as ModelSlot[]) {
    const choices = chooseModels(env, slot);
    if (!choices.ok) return choices;
  }
  return ok(null);
}

function createOne(choice: Choice, settings: Settings["models"], deps: ModelDeps): Model {
  if (choice.wire === "rehearsal") return deps.rehearsal();
  const keyed = choice.keys.map((key) => ({ key, model: createWithKey(choice, key, settings, deps) }));
  const model =
    keyed.length === 1
      ? keyed[0]!.model
      : createKeyPool({ keyed, health: deps.keys, order: settings.keyOrder, clock: deps.clock });
  return withLearnedWindow(model, deps.windows, Object.hasOwn(settings.windows, choice.name));
}

function createWithKey(
  choice: Exclude<Choice, { wire: "rehearsal" }>,
  apiKey: string,
  settings: Settings["models"],
  deps: ModelDeps,
): Model {
  const provider = choice.wire === "chat" ? choice.compat.catalog : choice.wire;
  const facts = factsOf({ provider, id: choice.model, name: choice.name }, settings);
  const options = { ...choice, apiKey, facts, fetch: deps.fetch, clock: deps.clock };
  switch (options.wire) {
    case "anthropic":
      return createAnthropicModel(options);
    case "openai":
      return createOpenAiResponsesModel(options);
    case "chat":
      return createOpenAiChatModel(options);
  }
}

function chooseModels(raw: ModelEnv, slot: ModelSlot): Result<[Choice, ...Choice[]]> {
  const env = trimmed(raw);
  const own = SLOT_VARIABLES[slot];
  const variable = env[own] ? own : "TALARIA_MODEL";
  const named = env[variable];
  if (!named) return first(chooseByKey(env));
  const choices: Choice[] = [];
  for (const spec of named.split(",").map((part) => part.trim())) {
    if (!spec) continue;
    const choice = chooseNamed(spec, variable, env);
    if (!choice.ok) return choice;
    if (!choices.some(({ name }) => name === choice.value.name)) choices.push(choice.value);
  }
  const [primary, ...fallbacks] = choices;
  return primary ? ok([primary, ...fallbacks]) : refuse(`${variable} names no model. ${FORMS}`);
}

function first(choice: Result<Choice>): Result<[Choice]> {
  return choice.ok ? ok([choice.value]) : choice;
}

/** When nothing is named, the keys decide; and without a key, rehearsal. */
function chooseByKey(env: ModelEnv): Result<Choice> {
  if (env.ANTHROPIC_API_KEY) return toAnthropic(DEFAULT_MODELS.anthropic, env);
  if (env.OPENAI_BASE_URL && !isOpenAi(env.OPENAI_BASE_URL)) {
    if (env.OPENAI_MODEL) return toOpenAi("chat", env.OPENAI_MODEL, env);
    return refuse("OPENAI_BASE_URL is set, but no model: set OPENAI_MODEL to one that the server offers.");
  }
  if (env.OPENAI_API_KEY) return toOpenAi("openai", env.OPENAI_MODEL ?? DEFAULT_MODELS.openai, env);
  return ok({ wire: "rehearsal", name: "rehearsal" });
}

/**
 * Model ids may hold colons themselves (`llama3.3:70b`, `mistral:7b`), so only a known word before the first one is a
 * provider; and where OPENAI_BASE_URL names a server of one's own, only one whose key is there.
 */
function chooseNamed(spec: string, variable: string, env: ModelEnv): Result<Choice> {
  if (spec === "rehearsal") return ok({ wire: "rehearsal", name: "rehearsal" });
  const elsewhere = env.OPENAI_BASE_URL !== undefined && !isOpenAi(env.OPENAI_BASE_URL);
  const [, word, rest = ""] = spec.match(/^([a-z-]+):(.*)$/s) ?? [];
  const model = rest.trim();
  const server = NAMED_SERVERS.find(({ name }) => name === word);
  const isServer = server && (!elsewhere || server.keyless || env[server.key]);
  if (!isServer && !["anthropic", "openai", "openai-chat", "openai-responses", "rehearsal"].includes(word ?? "")) {
    return elsewhere ? toOpenAi("chat", spec, env) : refuse(`${variable} names no provider for ${spec}. ${FORMS}`);
  }
  if (!model || word === "rehearsal") return refuse(`${variable} names no model with ${spec}. ${FORMS}`);
  if (isServer) return toServer(server, model, env);
  if (word === "anthropic") return toAnthropic(model, env);
  return toOpenAi(word === "openai-chat" || (word === "openai" && elsewhere) ? "chat" : "openai", model, env);
}

function toAnthropic(model: string, env: ModelEnv): Result<Choice> {
  const name = `anthropic:${model}`;
  const keys = toKeys(env.ANTHROPIC_API_KEY);
  if (keys.length === 0) return refuse(`The model ${name} needs ANTHROPIC_API_KEY: set it.`);
  const baseUrl = readUrl("ANTHROPIC_BASE_URL", env);
  return baseUrl.ok ? ok({ wire: "anthropic", name, model, keys, baseUrl: baseUrl.value }) : baseUrl;
}

/** A server of one's own often has no keys; OpenAI itself always has. */
function toOpenAi(wire: "openai" | "chat", model: string, env: ModelEnv): Result<Choice> {
  const name = `${wire === "chat" ? "openai-chat" : "openai"}:${model}`;
  const given = readUrl("OPENAI_BASE_URL", env);
  if (!given.ok) return given;
  const keys = toKeys(env.OPENAI_API_KEY);
  const baseUrl = given.value ?? OPENAI_URL;
  if (isOpenAi(baseUrl) && keys.length === 0) return refuse(`The model ${name} needs OPENAI_API_KEY: set it.`);
  const place = { name, model, keys: keys.length > 0 ? keys : [NO_KEY], baseUrl };
  return ok(wire === "chat" ? { ...place, wire, compat: compatOf(baseUrl), headers: {} } : { ...place, wire });
}

function toServer(server: NamedServer, model: string, env: ModelEnv): Result<Choice> {
  const name = `${server.name}:${model}`;
  const keys = toKeys(env[server.key]);
  if (keys.length === 0 && !server.keyless) return refuse(`The model ${name} needs ${server.key}: set it.`);
  const given = server.urlVariable ? readUrl(server.urlVariable, env) : ok(undefined);
  if (!given.ok) return given;
  let missing: string | undefined;
  const baseUrl = (given.value ?? server.baseUrl).replace(/\{(\w+)\}/g, (_, variable: keyof ModelEnv) => {
    // A part of a host or a path, and never more: the key goes where the table says.
    if (!/^[\w-]+$/.test(env[variable] ?? "")) missing ??= variable;
    return env[variable] ?? "";
  });
  if (missing) return refuse(`The model ${name} needs ${missing}, in letters, digits and dashes: set it.`);
  const headers = Object.entries(server.variableHeaders ?? {}).flatMap(([header, variable]) =>
    env[variable] ? [[header, env[variable]] as const] : [],
  );
  return ok({
    wire: "chat",
    name,
    model,
    keys: keys.length > 0 ? keys : [NO_KEY],
    baseUrl,
    compat: toCompat(server),
    headers: Object.fromEntries(headers),
  });
}

/** The SDK sends some key in any case. */
const NO_KEY = "none";

/** Several keys stand in one variable, parted by commas or white space. */
function toKeys(value: string | undefined): string[] {
  return [...new Set((value ?? "").split(/[\s,]+/).filter(Boolean))];
}

function readUrl(variable: keyof ModelEnv, env: ModelEnv): Result<string | undefined> {
  const given = env[variable];
  if (given === undefined) return ok(undefined);
  const url = URL.parse(given);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    return refuse(`${variable} must be an http or https address without a user name, such as https://host/v1.`);
  }
  return ok(given.replace(/(?<!\/)\/+$/, ""));
}

function isOpenAi(baseUrl: string): boolean {
  return URL.parse(baseUrl)?.host === "api.openai.com";
}

function refuse(message: string): Result<never> {
  return err("model_not_configured", message);
}
