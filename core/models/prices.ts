// What a model call costs, in whole millionths of a US dollar. Called by stream-guard.ts for every answer and for what a
// failed call was charged. Pure.
import { type Cost, type Usage, promptTokens } from "../schemas/entry.ts";
import type { Price } from "../schemas/settings.ts";

/** US dollars per million tokens, which are millionths of a dollar per token. */
export interface PriceList extends Price {
  source: "operator" | "catalog";
  /** For a request whose prompt is longer: then all of it costs this. */
  long?: Price & { aboveTokens: number };
}

/** The dearest request there can be is some hundred dollars; a reply that says more is not to be believed. */
const MAX_CALL_USD = 10_000;

/** What a provider's own reply says a call cost, in US dollars; undefined where that is not a price. */
export function toldCost(usd: number | null | undefined): Cost | undefined {
  if (usd == null || !(usd >= 0 && usd <= MAX_CALL_USD)) return undefined;
  return { usdMicros: roundUp(usd * 1e6), source: "provider" };
}

/** Rounded up: a budget must not be passed in small steps. */
export function costOf(usage: Usage, prices: PriceList | undefined): Cost {
  if (!prices) return { usdMicros: 0, source: "none" };
  const { long, source } = prices;
  const price: Price = long && promptTokens(usage) > long.aboveTokens ? long : prices;
  // Without a price of its own a cached token is paid as any other.
  const usd =
    usage.input * price.input +
    usage.output * price.output +
    usage.cacheRead * (price.cacheRead ?? price.input) +
    usage.cacheWrite * (price.cacheWrite ?? price.input);
  return { usdMicros: roundUp(usd), source };
}

/** Decimal prices are not exact in binary: 3 tokens at 0.1 are 0.30000000000000004, and no dearer for it. */
function roundUp(usdMicros: number): number {
  return Math.ceil(Number(usdMicros.toFixed(6)));
}
