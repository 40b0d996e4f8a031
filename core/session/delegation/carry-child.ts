// The jobs between a parent and its children, carried out by the outbox: orders to begin and to stop, looks at silent children, and
// the report of a child. A row leaves when the other side has answered; until then it is sent again, which ids make harmless.
import type { EngineContext } from "../context.ts";
import type { Job, JobRow } from "../jobs.ts";
import { toReport } from "./child-report.ts";
import { isOpenChild, openChildRows } from "./child-rows.ts";
import { giveUpChild, orderRow, takeReport, watchRow } from "./settle-children.ts";

type RowOf<Kind extends Job["kind"]> = JobRow & { job: Extract<Job, { kind: Kind }> };

/** Longest time between two looks at children that are silent. */
const MAX_LOOK_MS = 5 * 60_000;

export async function carryOrder(context: EngineContext, { id, job }: RowOf<"child">): Promise<void> {
  const { host, jobs } = context;
  const { session, order } = job;
  const known = openChildRows(context).find(session);
  if (!host.children || !known) return jobs.delete(id);
  const answer = await host.children[order](session, known.given);
  host.sql.transaction(() => {
    const now = jobs.get(id);
    // While the order was on its way the child may have reported, or may have been given up, whose order replaced this one.
    if (now?.job.kind !== "child" || now.job.order !== order) return;
    const row = openChildRows(context).find(session)!;
    jobs.delete(id);
    if (answer.ok && row.state === "starting") openChildRows(context).put({ ...row, state: "running" });
  });
  if (!answer.ok) {
    host.report(`child ${session}`, `${answer.failure.code}: ${answer.failure.message}`);
    giveUpChild(context, session, "lost");
  }
}

/** Looks at the open children of a call: adopts a report that has not arrived, and gives up those that made no progress. */
export async function carryWatch(context: EngineContext, { id, job }: RowOf<"children">): Promise<void> {
  const { host, jobs } = context;
  const { stallMs } = host.settings.delegation;
  const open = openChildRows(context).ofCall(job.op).filter(isOpenChild);
  for (const { session, given } of host.children ? open : []) {
    const seen = await host.children!.look(session).catch((error: unknown) => host.report(`child ${session}`, error));
    if (seen === undefined) continue; // out of reach just now
    const isBegun = jobs.get(orderRow(session)) === null;
    const silentMs = host.clock.now() - Math.max(given.createdAt, seen?.activeAt ?? 0);
    if (seen?.report) takeReport(context, session, seen.report);
    else if (!seen && isBegun) giveUpChild(context, session, "lost");
    else if (!seen?.isWaiting && silentMs >= stallMs) giveUpChild(context, session, "stalled");
  }
  const left = openChildRows(context).ofCall(job.op).some(isOpenChild);
  if (!left) return jobs.delete(id);
  if (jobs.get(watchRow(job.op))) jobs.put(id, host.clock.now() + Math.min(stallMs, MAX_LOOK_MS), job);
}

export async function carryReport(context: EngineContext, { id }: JobRow): Promise<void> {
  const { host, jobs, meta } = context;
  const { parent } = meta();
  const report = toReport(context);
  if (parent && host.children && report) await host.children.report(parent, host.session, report);
  jobs.delete(id);
}
