// What a curation's report says in short. Pure.
import type { Answer } from "../data/api.ts";

export type Report = Answer<"GET /v1/curator/runs/{run}">;
export type CurationChange = NonNullable<Report["run"]["changes"]>[number];

/** The run's own changes and those of its work for models, in the order they were made. */
export function changesOf({ run, work = [] }: Report): CurationChange[] {
  return [...(run.changes ?? []), ...work.flatMap(({ changes }) => changes)];
}

/** There is, or may soon be, something to take back. */
export function isRevertible(report: Report): boolean {
  const { run, work = [] } = report;
  return !run.dryRun && (changesOf(report).length > 0 || (run.work ?? []).length > work.length);
}

/** When a run began, in ms: its id is the UTC time and four characters. */
export function beginsAt(run: string): number {
  return Date.parse(run.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z.*$/, "$1-$2-$3T$4:$5:$6Z"));
}

/** "active → archived", "new, on trial", "revision 2 → 3" */
export function describeMove({ from, to }: Pick<CurationChange, "from" | "to">): string {
  if (from === null) return `new, ${to.state}`;
  const state = from.state === to.state ? "" : `${from.state} → ${to.state}`;
  const rev = from.rev === to.rev ? "" : `revision ${from.rev} → ${to.rev}`;
  return [state, rev].filter(Boolean).join(", ") || to.state;
}
