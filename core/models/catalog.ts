// Looks up what is known about a model: window, efforts and prices. Called by routing.ts and the adapters. A model that is not in
// the catalog gets a default window and no price. Pure.
import type { Effort, Price, Settings } from "../schemas/settings.ts";
import { MODELS, type ModelRow, type Prices } from "./catalog-models.ts";
import type { PriceList } from "./prices.ts";

/** The model of a provider if only its key is set. */
export const DEFAULT_MODELS = { anthropic: "claude-sonnet-5-5", openai: "gpt-6.1-terra" } as const;

export interface ModelFacts {
  contextWindow: number;
  /** Absent: unknown. Empty: it does not reason. */
  efforts?: readonly Effort[];
  /** The model reads images. Absent: unknown. */
  sees?: boolean;
  /** Absent: unknown. */
  prices?: PriceList;
}

const BY_PROVIDER = new Map<string, ModelRow>();
const ROWS_OF_ALL_PROVIDERS = new Map<string, ModelRow>();
for (const [provider, rows] of Object.entries(MODELS)) {
  for (const [id, row] of Object.entries(rows)) {
    const common = toCommonId(id);
    BY_PROVIDER.set(`${provider}:${common}`, row);
    if (!ROWS_OF_ALL_PROVIDERS.has(common)) ROWS_OF_ALL_PROVIDERS.set(common, row);
  }
}

/** Hermes Agent's default for an unknown model. */
const UNKNOWN_WINDOW = 200_000;

/**
 * `provider`: its section of the catalog; `null` for the operator's own server. `name`: the model's name in the operator's settings.
 * If only another provider lists the model, its window and efforts are used, but never its prices.
 */
export function lookUpFacts(
  model: { provider: string | null; id: string; name: string },
  operator: Pick<Settings["models"], "prices" | "windows"> & Partial<Settings["models"]> = {
    prices: {},
    windows: {},
  },
): ModelFacts {
  const known = model.provider === null ? undefined : MODELS[model.provider];
  const own =
    known && Object.hasOwn(known, model.id)
      ? known[model.id]
      : BY_PROVIDER.get(`${model.provider}:${toCommonId(model.id)}`);
  const row = own ?? ROWS_OF_ALL_PROVIDERS.get(toCommonId(model.id));
  const operatorPrices = operator.prices[model.name];
  const catalogPrices = own && toPriceList(own);
  const prices: PriceList | undefined = operatorPrices ? { ...operatorPrices, source: "operator" } : catalogPrices;
  const sees = operator.vision?.[model.name] ?? readsImages(toCommonId(model.id));
  return {
    ...(sees !== undefined && { sees }),
    contextWindow: operator.windows[model.name] ?? row?.[0] ?? UNKNOWN_WINDOW,
    ...(row ? { efforts: row[1].split(" ").filter(Boolean) as Effort[] } : {}),
    ...(prices && { prices }),
  };
}

// By normalised model id, from the providers' model pages as of November 2026. Of a family, the exception comes first.
const BLIND =
  /^(o1-mini|o3-mini|gpt-3|gpt-5-3-codex-spark|gpt-oss|codestral|devstral|deepseek|glm-[45](?!.*v)|llama-3-[13]|llama3|granite|nemotron|qwen3-30b|qwen2-5-\d|mistral-7b|mixtral|phi-[34](?!.*(vision|multimodal)))/;
const SEEING =
  /^(claude-|gpt-4|gpt-[5-9]|chatgpt-4o|o1|o[3-9]|gemini-|grok-[4-9]|mistral-(large|medium|small)|ministral-|magistral-|pixtral|kimi-k[23]|gemma-[3-9]|gemma[3-9]|llama-4|llama4|qwen3-[5-9]|llava|moondream|minicpm-v|internvl)|(^|[-_])(vl|vision|multimodal|omni)([-_\d]|$)/;

/** Undefined for a model that nobody knows. */
function readsImages(id: string): boolean | undefined {
  if (/(^|[-_\d])(vl|vision)([-_\d]|$)/.test(id)) return true;
  if (BLIND.test(id)) return false;
  return SEEING.test(id) ? true : undefined;
}

function toPriceList([, , prices, long]: ModelRow): PriceList {
  const list = { source: "catalog", ...toPrice(prices) } as const;
  if (!long) return list;
  const [aboveTokens, ...longPrices] = long;
  return { ...list, long: { aboveTokens, ...toPrice(longPrices) } };
}

/** In the catalog, 0 means that the cache has no separate price. */
function toPrice([input, output, cacheRead, cacheWrite]: Prices): Price {
  return { input, output, ...(cacheRead ? { cacheRead } : {}), ...(cacheWrite ? { cacheWrite } : {}) };
}

/**
 * Normalises a model id, since gateways spell the same model differently: `anthropic/claude-sonnet-5.5:free`,
 * `us.anthropic.claude-sonnet-5-5-v1:0` and `claude-sonnet-5-5-20261001` are one model.
 */
function toCommonId(id: string): string {
  return id
    .toLowerCase()
    .replace(/^.*\//, "")
    .replace(/:[^:]*$/, "")
    .replace(/^(?:[a-z]+\.)+/, "")
    .replace(/-v\d+$/, "")
    .replace(/-(?:\d{8}|\d{4}-\d{2}-\d{2})$/, "")
    .replaceAll(".", "-");
}
