// All jobs: what each does, when it runs next, and how it went.
import { Badge } from "../components/badge.tsx";
import { Empty, Listed } from "../components/states.tsx";
import { Time } from "../components/time.tsx";
import { WindowedList } from "../components/windowed-list.tsx";
import { useList } from "../data/list.ts";
import { may } from "../data/sign-in.ts";
import { hrefOf } from "../pages.ts";
import { type Job, describeLast, describeState, formatInZone, readOwnZone } from "./job-words.ts";

const EVERY_MS = 15_000;
const ROW_PX = 64;

export function JobList() {
  const list = useList("GET /v1/jobs", { query: { limit: "100" } }, ({ jobs }) => jobs, { every: EVERY_MS });
  return (
    <Listed
      of={list}
      empty={
        <Empty icon="clock" title="No jobs yet">
          <p>Make one with “New job”, or start from a blueprint, such as a morning brief or a watch on a page.</p>
          {may("write") && (
            <a class="button button-primary" href={hrefOf("jobs", "-", "blueprints")}>
              Start from a blueprint
            </a>
          )}
        </Empty>
      }
    >
      {(items) => (
        <WindowedList
          label="Jobs"
          items={items}
          rowHeight={ROW_PX}
          keyOf={({ id }) => id}
          onEnd={list.more}
          row={(job) => <JobRow job={job} />}
        />
      )}
    </Listed>
  );
}

function JobRow({ job }: { job: Job }) {
  const state = describeState(job);
  const last = describeLast(job);
  return (
    <div class="row">
      <div class="row-main">
        <a class="clip" href={hrefOf("jobs", job.name)}>
          {job.name}
        </a>
        <span class="muted small clip">{job.understood}</span>
      </div>
      <div class="row-side job-side">
        {last && <Badge tone={last.tone}>{last.name}</Badge>}
        <span class="job-next">
          <Badge tone={state.tone}>{state.name}</Badge>
          <NextRun job={job} />
        </span>
      </div>
    </div>
  );
}

/** In the reader's zone, and in the job's own where that is another one. */
export function NextRun({ job }: { job: Job }) {
  const { due, timeZone } = job;
  if (due === null) return null;
  const isElsewhere = timeZone !== readOwnZone();
  return (
    <span class="next-run">
      <Time at={due} isExact />
      {isElsewhere && <span class="muted small"> ({formatInZone(due, timeZone)})</span>}
    </span>
  );
}
