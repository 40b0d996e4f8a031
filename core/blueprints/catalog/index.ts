// All blueprints, in the order in which people read them. Pure data.
import { findClosest } from "../../near.ts";
import { type Result, err, ok } from "../../errors.ts";
import type { Blueprint } from "../blueprint.ts";
import { GOAL_BLUEPRINTS } from "./goals.ts";
import { JOB_BLUEPRINTS } from "./jobs.ts";

export const BLUEPRINTS: readonly Blueprint[] = [...JOB_BLUEPRINTS, ...GOAL_BLUEPRINTS];

/** Failure: `blueprint_not_found`. */
export function findBlueprint(id: string): Result<Blueprint> {
  const found = BLUEPRINTS.find((blueprint) => blueprint.id === id);
  if (found) return ok(found);
  const near = findClosest(
    id.slice(0, 40),
    BLUEPRINTS.map((blueprint) => blueprint.id),
  );
  return err(
    "blueprint_not_found",
    `There is no blueprint '${id.slice(0, 40)}'.${near ? ` Did you mean ${near}?` : ""}`,
  );
}
