// Computes the cost of a model call in whole millionths of a US dollar. Called by stream-guard.ts for every answer and for the
// usage of failed calls. Pure.
import { type Cost, type Usage, promptTokens } from "../schemas/entry.ts";
import type { Price } from "../schemas/settings.ts";

/** In US dollars per million tokens, which equals millionths of a dollar per token. */
export interface PriceList extends Price {
  source: "operator" | "catalog";
  /** The prices of all tokens of a request whose prompt is longer than `aboveTokens`. */
  long?: Price & { aboveTokens: number };
}

/** The most expensive request costs some hundred dollars, so a larger reported cost is implausible. */
const MAX_CALL_USD = 10_000;

/** The cost that a provider reports for a call, given in US dollars. Undefined if the number is not a plausible cost. */
export function toReportedCost(usd: number | null | undefined): Cost | undefined {
  if (usd == null || !(usd >= 0 && usd <= MAX_CALL_USD)) return undefined;
  return { usdMicros: roundUp(usd * 1e6), source: "provider" };
}

/** Rounds up, so that many small calls cannot exceed a budget unnoticed. */
export function computeCost(usage: Usage, prices: PriceList | undefined): Cost {
  if (!prices) return { usdMicros: 0, source: "none" };
  const { long, source } = prices;
  const price: Price = long && promptTokens(usage) > long.aboveTokens ? long : prices;
  // Cached tokens without their own price cost as much as other input.
  const usd =
    usage.input * price.input +
    usage.output * price.output +
    usage.cacheRead * (price.cacheRead ?? price.input) +
    usage.cacheWrite * (price.cacheWrite ?? price.input);
  return { usdMicros: roundUp(usd), source };
}

/** Ignores binary rounding errors: 3 tokens at 0.1 cost 0.30000000000000004 in floating point. */
function roundUp(usdMicros: number): number {
  return Math.ceil(Number(usdMicros.toFixed(6)));
}
