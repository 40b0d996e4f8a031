// The lease of an open turn: the job `drive`, whose alarm brings the turn back if its driver dies. A live driver renews it.
// Called inside the caller's transaction.
import type { EngineContext } from "../context.ts";

/** `tries` of a failed drive are kept, so that a drive that fails again waits longer. */
export function renewLease({ host, jobs }: Pick<EngineContext, "host" | "jobs">, tries?: number): void {
  jobs.put("drive", host.clock.now() + host.settings.turn.leaseMs, { kind: "drive" }, tries);
}
