// Creates models from environment variables; the only place that does. Called by the wiring (the Session, the review Worker and
// others) and by the API for the model's name. Error messages name the variable to fix and must never contain a key.
import type { Model, ModelChain, ModelSlot } from "../agent/contract.ts";
import { type Result, err, ok } from "../errors.ts";
import type { Clock, Fetch } from "../ports.ts";
import type { Effort, Price, Settings } from "../schemas/settings.ts";
import { createAnthropicModel } from "./wires/anthropic.ts";
import { DEFAULT_MODELS, lookUpFacts } from "./catalog.ts";
import type { ImageApi } from "./image-maker.ts";
import type { PriceList } from "./prices.ts";
import { type KeyHealth, createKeyPool } from "./key-pool.ts";
import { type LearnedWindows, withLearnedWindow } from "./learned-windows.ts";
import { type ModelEnv, SLOT_VARIABLES, trimVariables } from "./model-env.ts";
import { createOpenAiChatModel } from "./wires/openai-chat.ts";
import { OPENAI_URL } from "./wires/openai-client.ts";
import { type Compat, NAMED_SERVERS, type NamedServer, findCompat, toCompat } from "./wires/openai-compat.ts";
import { createOpenAiResponsesModel } from "./wires/openai-responses.ts";

export interface ModelDeps {
  fetch: Fetch;
  rehearsal: () => Model;
  /** One per isolate, so that all its models know which keys are suspended. */
  keys: KeyHealth;
  /** One per isolate: window sizes learned from refusals. */
  windows: LearnedWindows;
  clock: Clock;
}

type ModelChoice =
  | { wire: "rehearsal"; name: "rehearsal" }
  | (ModelPlace & { wire: "anthropic" | "openai"; baseUrl?: string })
  | (ModelPlace & { wire: "chat"; baseUrl: string; compat: Compat; headers: Record<string, string> });

interface ModelPlace {
  /** The name that is recorded with every answer. */
  name: string;
  /** The provider's model id. */
  model: string;
  keys: string[];
}

const PROVIDERS = new Set(["anthropic", "openai", "openai-chat", "openai-responses", "rehearsal"]);
const SERVER_NAMES = NAMED_SERVERS.map(({ name }) => name).join(", ");
const FORMS = `Use anthropic:<model>, openai:<model>, openai-chat:<model>, rehearsal, or <provider>:<model> with one of ${SERVER_NAMES}.`;

/**
 * The models of a slot, the primary first. A slot without its own variable uses the models of the turn. `first`: a name of
 * `listModelChoices`, which then goes before the others.
 * Failures: `model_not_configured`, whose message names the variable to set; `unknown_model`.
 */
export function createModels(
  env: ModelEnv,
  settings: Settings["models"],
  deps: ModelDeps,
  slot: ModelSlot,
  first?: string,
): Result<ModelChain> {
  const choices = chooseModels(env, slot);
  if (!choices.ok) return choices;
  const chosen = first === undefined ? null : offerModels(env, settings).find(({ name }) => name === first);
  if (chosen === undefined) return err("unknown_model", `The model ${first} is not one to choose.`);
  const others = choices.value.filter(({ name }) => name !== chosen?.name);
  const [primary, ...fallbacks] = chosen ? ([chosen, ...others] as const) : choices.value;
  // A model that is named for this slot sees.
  const isForVision = slot === "vision" && Boolean(env[SLOT_VARIABLES.vision]?.trim());
  const create = (choice: ModelChoice) => createModel(choice, settings, { ...deps, isForVision });
  return ok([create(primary), ...fallbacks.map(create)]);
}

/** The model name that answers of a turn will have (rehearsal adds its version), or `unconfigured`. Sends no request. */
export function readModelName(env: ModelEnv): string {
  const choices = chooseModels(env, "turn");
  return choices.ok ? choices.value[0].name : "unconfigured";
}

/** Checks that every slot and every choice names valid models with all the variables they need. Sends no request. */
export function checkModels(env: ModelEnv, { choices: offered }: Pick<Settings["models"], "choices">): Result<null> {
  for (const slot of Object.keys(SLOT_VARIABLES) as ModelSlot[]) {
    const choices = chooseModels(env, slot);
    if (!choices.ok) return choices;
  }
  const refused = offered.map((spec) => chooseNamed(spec.trim(), CHOICES, trimVariables(env))).find(({ ok }) => !ok);
  return refused && !refused.ok ? refused : ok(null);
}

/** `efforts`: those it has, as far as known. `window`: in tokens. `price`: absent if unknown. */
export interface KnownModel {
  name: string;
  window?: number;
  efforts?: readonly Effort[];
  price?: Price & { source: "operator" | "catalog" };
}

/** A model that a person may choose for a session. */
export interface ChosenModel extends KnownModel {
  isDefault: boolean;
}

/** The default first, its fallbacks, then `models.choices`. Those that lack a key or an address are left out. */
export function listModelChoices(env: ModelEnv, settings: Settings["models"]): ChosenModel[] {
  return offerModels(env, settings).map((choice, i) => ({ ...describeModel(choice, settings), isDefault: i === 0 }));
}

/** The models of each slot, the primary first; none where they lack a key or an address. `own`: the slot has a variable of its own. */
export function listSlots(
  env: ModelEnv,
  settings: Settings["models"],
): { slot: ModelSlot; own: boolean; models: KnownModel[] }[] {
  return (Object.keys(SLOT_VARIABLES) as ModelSlot[]).map((slot) => {
    const chosen = chooseModels(env, slot);
    const models = chosen.ok ? chosen.value.map((choice) => describeModel(choice, settings)) : [];
    return { slot, own: Boolean(env[SLOT_VARIABLES[slot]]?.trim()), models };
  });
}

function describeModel(choice: ModelChoice, settings: Settings["models"]): KnownModel {
  const lookUp =
    choice.wire === "rehearsal" ? { provider: null, id: choice.name, name: choice.name } : toLookUp(choice);
  const { efforts, contextWindow: window, prices } = lookUpFacts(lookUp, settings);
  return { name: choice.name, window, ...(efforts && { efforts }), ...(prices && { price: toPrice(prices) }) };
}

/** Without what a long prompt costs. */
function toPrice({ source, input, output, cacheRead, cacheWrite }: PriceList): NonNullable<KnownModel["price"]> {
  const cached = { ...(cacheRead !== undefined && { cacheRead }), ...(cacheWrite !== undefined && { cacheWrite }) };
  return { source, input, output, ...cached };
}

/** One key of one model, for a call that tests both. */
export interface ModelProbe {
  /** As in `listModelChoices`. */
  name: string;
  /** The variable that holds the key; `null`: the model needs none. */
  variable: string | null;
  /** Which of the variable's keys, from 1, and how many it has. */
  nth: number;
  of: number;
  /** Uses this key only, and does not remember its failures. */
  model: Model;
}

/**
 * Every key of every model that a slot or a choice names, each once. Rehearsal has no key and is left out. Failures: as `createModels`.
 */
export function listModelProbes(env: ModelEnv, settings: Settings["models"], deps: ModelDeps): Result<ModelProbe[]> {
  const choices = [...offerModels(env, settings)];
  for (const slot of Object.keys(SLOT_VARIABLES) as ModelSlot[]) {
    const chosen = chooseModels(env, slot);
    if (!chosen.ok) return chosen;
    choices.push(...chosen.value);
  }
  const each = [...new Map(choices.map((choice) => [choice.name, choice])).values()];
  return ok(each.flatMap((choice) => (choice.wire === "rehearsal" ? [] : toProbes(choice, settings, deps))));
}

function toProbes(
  choice: Exclude<ModelChoice, { wire: "rehearsal" }>,
  settings: Settings["models"],
  deps: ModelDeps,
): ModelProbe[] {
  const server = NAMED_SERVERS.find(({ name }) => choice.name.startsWith(`${name}:`));
  const named = choice.wire === "anthropic" ? "ANTHROPIC_API_KEY" : (server?.key ?? "OPENAI_API_KEY");
  return choice.keys.map((key, i) => ({
    name: choice.name,
    variable: key === NO_KEY ? null : named,
    nth: i + 1,
    of: choice.keys.length,
    model: createWithKey(choice, key, settings, { ...deps, isForVision: false }),
  }));
}

const CHOICES = "models.choices";

function offerModels(raw: ModelEnv, { choices }: Pick<Settings["models"], "choices">): ModelChoice[] {
  const env = trimVariables(raw);
  const turn = chooseModels(env, "turn");
  const named = choices.map((spec) => chooseNamed(spec.trim(), CHOICES, env));
  const all = [...(turn.ok ? turn.value : []), ...named.flatMap((choice) => (choice.ok ? [choice.value] : []))];
  return [...new Map(all.map((choice) => [choice.name, choice])).values()];
}

type SlotDeps = ModelDeps & { isForVision: boolean };

/**
 * Where a provider's images API is. Failures: `model_not_configured`, also where the API cannot be: `openai` means OpenAI itself, and
 * `openai-chat` the server at OPENAI_BASE_URL.
 */
export function findImageApi(env: ModelEnv, spec: string): Result<ImageApi> {
  return findMediaApi(env, spec, { setting: "images.model", api: "an images API" });
}

/** The same for the API that turns speech into text. */
export function findAudioApi(env: ModelEnv, spec: string): Result<ImageApi> {
  return findMediaApi(env, spec, { setting: "voice.model", api: "a transcription API" });
}

function findMediaApi(raw: ModelEnv, spec: string, of: { setting: string; api: string }): Result<ImageApi> {
  const env = trimVariables(raw);
  const choice = chooseNamed(spec.trim(), of.setting, env);
  if (!choice.ok) return choice;
  const { value } = choice;
  const [key] = "keys" in value ? value.keys : [];
  if (value.wire === "rehearsal" || value.wire === "anthropic" || !value.baseUrl || !key) {
    return refuse(`${of.setting} names no provider with ${of.api}: ${spec}. ${FORMS}`);
  }
  if (/^openai:/.test(spec.trim()) && !isOpenAi(value.baseUrl)) {
    return refuse(`${of.setting} names OpenAI, but OPENAI_BASE_URL is another server: write openai-chat:<model>.`);
  }
  const { name, model, baseUrl } = value;
  return ok({ name, model, baseUrl, key });
}

function createModel(choice: ModelChoice, settings: Settings["models"], deps: SlotDeps): Model {
  if (choice.wire === "rehearsal") return deps.rehearsal();
  const keyed = choice.keys.map((key) => ({ key, model: createWithKey(choice, key, settings, deps) }));
  const model =
    keyed.length === 1
      ? keyed[0]!.model
      : createKeyPool({ keyed, health: deps.keys, order: settings.keyOrder, clock: deps.clock });
  return withLearnedWindow(model, deps.windows, Object.hasOwn(settings.windows, choice.name));
}

function createWithKey(
  choice: Exclude<ModelChoice, { wire: "rehearsal" }>,
  apiKey: string,
  settings: Settings["models"],
  deps: SlotDeps,
): Model {
  const known = lookUpFacts(toLookUp(choice), settings);
  const facts = deps.isForVision ? { ...known, sees: known.sees ?? true } : known;
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

function toLookUp(choice: Exclude<ModelChoice, { wire: "rehearsal" }>): Parameters<typeof lookUpFacts>[0] {
  const provider = choice.wire === "chat" ? choice.compat.catalog : choice.wire;
  return { provider, id: choice.model, name: choice.name };
}

function chooseModels(raw: ModelEnv, slot: ModelSlot): Result<[ModelChoice, ...ModelChoice[]]> {
  const env = trimVariables(raw);
  const own = SLOT_VARIABLES[slot];
  const variable = env[own] ? own : "TALARIA_MODEL";
  const named = env[variable];
  if (!named) return toSingleChoice(chooseByKey(env));
  const choices: ModelChoice[] = [];
  for (const spec of named.split(",").map((part) => part.trim())) {
    if (!spec) continue;
    const choice = chooseNamed(spec, variable, env);
    if (!choice.ok) return choice;
    if (!choices.some(({ name }) => name === choice.value.name)) choices.push(choice.value);
  }
  const [primary, ...fallbacks] = choices;
  return primary ? ok([primary, ...fallbacks]) : refuse(`${variable} names no model. ${FORMS}`);
}

function toSingleChoice(choice: Result<ModelChoice>): Result<[ModelChoice]> {
  return choice.ok ? ok([choice.value]) : choice;
}

/** Without a named model, the keys decide. Without a key, it is rehearsal. */
function chooseByKey(env: ModelEnv): Result<ModelChoice> {
  if (env.ANTHROPIC_API_KEY) return toAnthropic(DEFAULT_MODELS.anthropic, env);
  if (env.OPENAI_BASE_URL && !isOpenAi(env.OPENAI_BASE_URL)) {
    if (env.OPENAI_MODEL) return toOpenAi("chat", env.OPENAI_MODEL, env);
    return refuse("OPENAI_BASE_URL is set, but no model: set OPENAI_MODEL to one that the server offers.");
  }
  if (env.OPENAI_API_KEY) return toOpenAi("openai", env.OPENAI_MODEL ?? DEFAULT_MODELS.openai, env);
  return ok({ wire: "rehearsal", name: "rehearsal" });
}

/**
 * Model ids may contain colons (`llama3.3:70b`, `mistral:7b`), so the part before the first colon is a provider only if it is a
 * known name. If OPENAI_BASE_URL is another server, the provider's key must be set as well.
 */
function chooseNamed(spec: string, variable: string, env: ModelEnv): Result<ModelChoice> {
  if (spec === "rehearsal") return ok({ wire: "rehearsal", name: "rehearsal" });
  const isOtherServer = env.OPENAI_BASE_URL !== undefined && !isOpenAi(env.OPENAI_BASE_URL);
  const [, provider, rest = ""] = spec.match(/^([a-z-]+):(.*)$/s) ?? [];
  const model = rest.trim();
  const server = NAMED_SERVERS.find(({ name }) => name === provider);
  const isNamedServer = server && (!isOtherServer || server.keyless || env[server.key]);
  if (!isNamedServer && !PROVIDERS.has(provider ?? "")) {
    return isOtherServer ? toOpenAi("chat", spec, env) : refuse(`${variable} names no provider for ${spec}. ${FORMS}`);
  }
  if (!model || provider === "rehearsal") return refuse(`${variable} names no model with ${spec}. ${FORMS}`);
  if (isNamedServer) return toServer(server, model, env);
  if (provider === "anthropic") return toAnthropic(model, env);
  // Only OpenAI itself surely has the Responses API.
  const isChat = provider === "openai-chat" || (provider === "openai" && isOtherServer);
  return toOpenAi(isChat ? "chat" : "openai", model, env);
}

function toAnthropic(model: string, env: ModelEnv): Result<ModelChoice> {
  const name = `anthropic:${model}`;
  const keys = toKeys(env.ANTHROPIC_API_KEY);
  if (keys.length === 0) return refuse(`The model ${name} needs ANTHROPIC_API_KEY: set it.`);
  const baseUrl = readUrl("ANTHROPIC_BASE_URL", env);
  return baseUrl.ok ? ok({ wire: "anthropic", name, model, keys, baseUrl: baseUrl.value }) : baseUrl;
}

/** The operator's own server often needs no key; OpenAI itself always does. */
function toOpenAi(wire: "openai" | "chat", model: string, env: ModelEnv): Result<ModelChoice> {
  const name = `${wire === "chat" ? "openai-chat" : "openai"}:${model}`;
  const given = readUrl("OPENAI_BASE_URL", env);
  if (!given.ok) return given;
  const keys = toKeys(env.OPENAI_API_KEY);
  const baseUrl = given.value ?? OPENAI_URL;
  if (isOpenAi(baseUrl) && keys.length === 0) return refuse(`The model ${name} needs OPENAI_API_KEY: set it.`);
  const place = { name, model, keys: keys.length > 0 ? keys : [NO_KEY], baseUrl };
  return ok(wire === "chat" ? { ...place, wire, compat: findCompat(baseUrl), headers: {} } : { ...place, wire });
}

function toServer(server: NamedServer, model: string, env: ModelEnv): Result<ModelChoice> {
  const name = `${server.name}:${model}`;
  const keys = toKeys(env[server.key]);
  if (keys.length === 0 && !server.keyless) return refuse(`The model ${name} needs ${server.key}: set it.`);
  const given = server.urlVariable ? readUrl(server.urlVariable, env) : ok(undefined);
  if (!given.ok) return given;
  let missing: string | undefined;
  const baseUrl = (given.value ?? server.baseUrl).replace(/\{(\w+)\}/g, (_, variable: keyof ModelEnv) => {
    // Only part of a host or path, so that a value cannot redirect the key to another address.
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

/** Sent to servers without a key, since the SDK requires one. */
const NO_KEY = "none";

/** A variable may hold several keys, separated by commas or white space. */
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
