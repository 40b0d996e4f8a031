// The person of a chaos run: rates turns, requests curation, and waits for its results, all over the product's API, which may be
// killed at any moment. Used by reviews.ts.
import { setTimeout as pause } from "node:timers/promises";
import type { Client } from "../../cli/connection/client.ts";

export const SETTLED_MS = 120_000;

/** Sends the same rating three times. Two of them must change nothing. */
export async function rate(client: Client, session: string): Promise<void> {
  for (let time = 0; time < 3; time += 1) await client.rate(session, 1, { rating: "up" });
}

export async function curate(client: Client, merges: boolean): Promise<void> {
  const { run } = await client.runCurator(false, merges);
  if (!(await hasWorkEnded(client, run))) throw new Error(`the curation ${run} has no report`);
}

/** Waits for the report and for all work left to a model. Whatever has not ended by the deadline shows up in the measure. */
export async function hasWorkEnded(client: Client, run: string): Promise<boolean> {
  let hasReport = false;
  for (const end = Date.now() + SETTLED_MS; Date.now() < end; await pause(200)) {
    const report = await client.curationReport(run).catch(() => null);
    hasReport ||= report !== null;
    if (report && (report.run.work ?? []).length <= (report.work ?? []).length) return true;
  }
  return hasReport;
}
