// How much a model is asked to reason: the level it gets when it does not have the one that was asked for. Called by the
// adapters. Pure.
import { EFFORTS, type Effort } from "../schemas/settings.ts";

/**
 * The strongest supported level that is not above the request; the weakest one only where none is at or below it. `xhigh` is
 * `max` for a model that has no `xhigh`: whoever asks for more than `high` means the level above it, whatever it is called.
 * Undefined where there is none at all, or none was asked for: then the request says nothing.
 */
export function chooseEffort(requested: Effort | undefined, supported: readonly Effort[]): Effort | undefined {
  if (requested === undefined) return undefined;
  if (requested === "xhigh" && !supported.includes("xhigh") && supported.includes("max")) return "max";
  const ordered = EFFORTS.filter((effort) => supported.includes(effort));
  const limit = EFFORTS.indexOf(requested);
  return ordered.findLast((effort) => EFFORTS.indexOf(effort) <= limit) ?? ordered[0];
}

/** What a wire can say and a model takes. A model nobody told us about takes what the wire can say. */
export function supportedEfforts(wire: readonly Effort[], model: readonly Effort[] | undefined): readonly Effort[] {
  return model ? wire.filter((effort) => model.includes(effort)) : wire;
}
