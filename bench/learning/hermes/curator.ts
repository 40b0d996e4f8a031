// The curator of Hermes Agent: once a week, between sessions, it moves skills to other states by the time since their last
// activity. Its consolidation by a model is off by default, and off here.
import { ok } from "../../../core/errors.ts";
import { HERMES, moveByAge } from "./rules.ts";
import type { HermesShelf } from "./skill-tool.ts";

export interface HermesCurator {
  /** Called between sessions. */
  idle(): Promise<void>;
  runs(): number;
}

export function createHermesCurator(shelf: HermesShelf): HermesCurator {
  let lastRunAt: number | null = null;
  let runs = 0;
  return {
    runs: () => runs,
    async idle() {
      const now = shelf.now();
      // The first run is due one interval after the first call.
      lastRunAt ??= now;
      if (now - lastRunAt < HERMES.curatorIntervalMs) return;
      lastRunAt = now;
      runs += 1;
      for (const [name, known] of shelf.telemetry) {
        const to = moveByAge(known, now);
        if (!to) continue;
        known.state = to;
        const since = (await shelf.skills.head(name))?.rev ?? 0;
        await shelf.skills.change({
          name,
          op: `hermes:curator.${runs}.${name}`,
          since,
          decide: () => ok({ state: to }),
        });
      }
    },
  };
}
