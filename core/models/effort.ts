// Chooses the reasoning effort to send if a model lacks the requested level. Called by the adapters. Pure.
import { EFFORTS, type Effort } from "../schemas/settings.ts";

/**
 * The strongest supported level that is not above the request, or the weakest if all are above it. If a model has no `xhigh`,
 * `xhigh` becomes `max`: the request is for the level above `high`. Undefined if no level is supported or requested; then the
 * request leaves the field out.
 */
export function chooseEffort(requested: Effort | undefined, supported: readonly Effort[]): Effort | undefined {
  if (requested === undefined) return undefined;
  if (requested === "xhigh" && !supported.includes("xhigh") && supported.includes("max")) return "max";
  const ordered = EFFORTS.filter((effort) => supported.includes(effort));
  const limit = EFFORTS.indexOf(requested);
  return ordered.findLast((effort) => EFFORTS.indexOf(effort) <= limit) ?? ordered[0];
}

/** The levels that both wire and model support. An unknown model is assumed to support every level of the wire. */
export function supportedEfforts(wire: readonly Effort[], model: readonly Effort[] | undefined): readonly Effort[] {
  return model ? wire.filter((effort) => model.includes(effort)) : wire;
}
