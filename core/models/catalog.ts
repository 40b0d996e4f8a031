// What is known of a model without asking anyone: its window, the efforts it takes, what it costs. Read by routing.ts and
// the adapters. A model that is not in the catalog gets a usual window and no price. Pure.
import type { Effort, Price, Settings } from "../schemas/settings.ts";
import { MODELS, type ModelRow, type Prices } from "./catalog-models.ts";
import type { PriceList } from "./prices.ts";

/** Which model a provider is asked for when only its key is given. */
export const DEFAULT_MODELS = { anthropic: "claude-sonnet-5-5", openai: "gpt-6.1-terra" } as const;

export interface ModelFacts {
  contextWindow: number;
  /** Absent: unknown. Empty: it does not reason. */
  efforts?: readonly Effort[];
  /** Absent: nobody told. */
  prices?: PriceList;
}

const BY_PROVIDER = new Map<string, ModelRow>();
const ANYWHERE = new Map<string, ModelRow>();
for (const [provider, rows] of Object.entries(MODELS)) {
  for (const [id, row] of Object.entries(rows)) {
    const common = toCommonId(id);
    BY_PROVIDER.set(`${provider}:${common}`, row);
    if (!ANYWHERE.has(common)) ANYWHERE.set(common, row);
  }
}

/** Hermes Agent's for a model it does not know. */
const UNKNOWN_WINDOW = 200_000;

/**
 * `provider` as in the catalog; `null` for a server of one's own. `name` is what the operator's settings call the model.
 * Other providers' rows tell window and efforts of the same model, but never what it costs elsewhere.
 */
export function factsOf(
  model: { provider: string | null; id: string; name: string },
  operator: Pick<Settings["models"], "prices" | "windows"> = { prices: {}, windows: {} },
): ModelFacts {
  const known = model.provider === null ? undefined : MODELS[model.provider];
  const own =
    known && Object.hasOwn(known, model.id)
      ? known[model.id]
      : BY_PROVIDER.get(`${model.provider}:${toCommonId(model.id)}`);
  const row = own ?? ANYWHERE.get(toCommonId(model.id));
  const told = operator.prices[model.name];
  return {
    contextWindow: operator.windows[model.name] ?? row?.[0] ?? UNKNOWN_WINDOW,
    ...(row ? { efforts: row[1].split(" ").filter(Boolean) as Effort[] } : {}),
    ...(told ? { prices: { ...told, source: "operator" } } : own ? { prices: toPriceList(own) } : {}),
  };
}

function toPriceList([, , prices, long]: ModelRow): PriceList {
  const list = { source: "catalog", ...toPrice(prices) } as const;
  if (!long) return list;
  const [aboveTokens, ...longPrices] = long;
  return { ...list, long: { aboveTokens, ...toPrice(longPrices) } };
}

/** A price list says 0 where a cache has no price of its own. */
function toPrice([input, output, cacheRead, cacheWrite]: Prices): Price {
  return { input, output, ...(cacheRead ? { cacheRead } : {}), ...(cacheWrite ? { cacheWrite } : {}) };
}

/**
 * One spelling for a model that everyone spells in a way of his own: `anthropic/claude-sonnet-5.5:free`,
 * `us.anthropic.claude-sonnet-5-5-v1:0` and `claude-sonnet-5-5-20261001` are the same model.
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
