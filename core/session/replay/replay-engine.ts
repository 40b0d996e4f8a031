// Runs an earlier turn again, over the engine of a session and a storage of its own.
import { ok } from "../../errors.ts";
import type { SessionHost } from "../context.ts";
import type { ReplayEngine, ReplayPorts } from "./contract.ts";

export function createReplayEngine(_host: SessionHost, _ports: ReplayPorts): ReplayEngine {
  return {
    begin: async () => ok(null),
    alarm: async () => {},
    look: () => null,
    entryPage: () => ({ entries: [] }),
    end() {},
  };
}
