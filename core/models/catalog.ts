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
  operator: Pick<Settings["models"], "prices" | "windows"> = { prices: {}, windows: {} },
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
  return {
    contextWindow: operator.windows[model.name] ?? row?.[0] ?? UNKNOWN_WINDOW,
    ...(row ? { efforts: row[1].split(" ").filter(Boolean) as Effort[] } : {}),
    ...(prices && { prices }),
  };
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
