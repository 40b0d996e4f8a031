// Hands what a chat is to be told to the profile's channels. A job leaves when they have stored it. Called by the outbox.
import type { EngineContext } from "../context.ts";
import type { Job, JobRow } from "../jobs.ts";

type DeliveryRow = JobRow & { job: Extract<Job, { kind: "deliver" }> };

/** In the order in which they were said. */
export function deliveryRows({ jobs }: EngineContext): DeliveryRow[] {
  const rows = jobs.all().flatMap((row) => (row.job.kind === "deliver" ? [{ ...row, job: row.job }] : []));
  return rows.toSorted((a, b) => a.job.n - b.job.n);
}

export async function carryDelivery(
  { host, jobs }: EngineContext,
  row: JobRow,
  { delivery }: DeliveryRow["job"],
): Promise<void> {
  await host.channels?.take(delivery);
  jobs.delete(row.id);
}
