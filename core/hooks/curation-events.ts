// What curations have withdrawn, as events. The curator has no way out, so the profile's Account reads its reports and reports them. Called
// by the Account.
import type { CurationStore } from "../ports.ts";
import type { CurationId, ProfileId } from "../schemas/ids.ts";
import type { CurationRun } from "../schemas/learning/curation.ts";
import type { HookEvent } from "../schemas/profile/hooks.ts";
import { toHookEvent, toWithdrawn } from "./hook-event.ts";

/** [own] Reports that one look reads. The next look reads on. */
const MAX_RUNS = 50;

/** Of finished runs after `since`. `upTo`: the last of them; `null`: there is none. */
export async function findWithdrawn(
  store: Pick<CurationStore, "notes" | "runs" | "report">,
  profile: ProfileId,
  since: CurationId,
): Promise<{ events: HookEvent[]; upTo: CurationId | null }> {
  const { last } = await store.notes(profile);
  if (last === null || last <= since) return { events: [], upTo: null };
  const runs = (await store.runs(profile)).filter((run) => run > since).toSorted();
  const events: HookEvent[] = [];
  let upTo: CurationId | null = null;
  for (const run of runs.slice(0, MAX_RUNS)) {
    const report = await store.report(profile, run);
    if (!report) break; // it still runs, and the runs after it wait for it
    events.push(...toEvents(profile, report.run));
    upTo = run;
  }
  return { events, upTo };
}

function toEvents(profile: ProfileId, { run, finishedAt, verdicts = [], changes = [] }: CurationRun): HookEvent[] {
  const withdrawn = verdicts.filter(({ verdict, result }) => verdict === "withdrawn" && result === "moved");
  return withdrawn.flatMap(({ skill }) => {
    const made = changes.find((change) => change.skill === skill);
    if (!made) return [];
    const { state, rev } = made.to;
    const { type, about, data } = toWithdrawn({ skill, state, rev, inPart: false });
    return [toHookEvent({ profile, type, about, at: finishedAt, data: { ...data, run } })];
  });
}
