// What the person of a chaos run does, and waits for: ratings, curation, and what came of it. Used by reviews.ts. All of it over
// the product's API, which may be killed at any moment.
import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "../../cli/client.ts";

export const SETTLED_MS = 120_000;

/** Three times the same, of which two change nothing. */
export async function rate(client: Client, session: string): Promise<void> {
  for (let time = 0; time < 3; time += 1) await client.rate(session, 1, { rating: "up" });
}

export async function curate(client: Client, merges: boolean): Promise<void> {
  const { run } = await client.runCurator(false, merges);
  if (!(await workEnded(client, run))) throw new Error(`the curation ${run} has no report`);
}

/** There is a report, and all that was left to a model has ended; what has not by then, the measure finds. */
export async function workEnded(client: Client, run: string): Promise<boolean> {
  let hasReport = false;
  for (const end = Date.now() + SETTLED_MS; Date.now() < end; await pause(200)) {
    const report = await client.curationReport(run).catch(() => null);
    hasReport ||= report !== null;
    if (report && (report.run.work ?? []).length <= (report.work ?? []).length) return true;
  }
  return hasReport;
}
