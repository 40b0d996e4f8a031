// Makes a board or an agenda of a given size. Called inside workerd: by the bench's Worker and by a test.
import type { Sql } from "../../core/ports.ts";
import { createCardWorld } from "./cards.ts";
import { createJobWorld } from "./jobs.ts";
import type { World, WorldSize } from "./world.ts";

/** `sql` must be empty. */
export async function createWorld(sql: Sql, { cards, jobs }: WorldSize): Promise<World> {
  return cards > 0 ? createCardWorld(sql, cards) : createJobWorld(sql, jobs);
}
