// Carries out one action on a profile's jobs. The agent's tool, `/jobs` and `talaria jobs` each read what they were given into an action, and show
// what this answers. Works over a port.
import { type Result, ok } from "../../errors.ts";
import type { JobInfo, JobRunInfo } from "../../schemas/agenda/job-api.ts";
import type { ChangeJob, CreateJob, JobName } from "../../schemas/agenda/job.ts";
import type { JobCall, JobPort } from "./job-port.ts";

export type JobAction =
  | { do: "list" }
  /** `isNamed: false`: the name was made from the task, so another one is taken if there is such a job. */
  | { do: "create"; spec: CreateJob; isNamed: boolean }
  | { do: "update"; name: JobName; change: ChangeJob }
  | { do: "pause"; name: JobName; why: string }
  | { do: "show" | "resume" | "run" | "remove" | "runs"; name: JobName };

export type JobDone =
  /** `isCut`: there are more. */
  | { did: "list"; jobs: JobInfo[]; isCut: boolean }
  | { did: "show"; job: JobInfo; runs: JobRunInfo[] }
  | { did: "create" | "update" | "pause" | "resume"; job: JobInfo }
  | { did: "run"; run: JobRunInfo }
  | { did: "remove"; name: JobName }
  | { did: "runs"; name: JobName; runs: JobRunInfo[] };

/** [own] More than fit into an answer. */
const MAX_LISTED = 50;
const MAX_RUNS = 10;
const MAX_NAMES = 20;

/** Failures: those of the port. The same `call.op` has one effect. */
export async function performJobAction(jobs: JobPort, action: JobAction, call: JobCall): Promise<Result<JobDone>> {
  switch (action.do) {
    case "list": {
      const listed = await jobs.list({ after: "", limit: MAX_LISTED + 1 });
      return ok({ did: "list", jobs: listed.slice(0, MAX_LISTED), isCut: listed.length > MAX_LISTED });
    }
    case "show":
      return map(await jobs.read(action.name), ({ job, runs }) => ({ did: "show", job, runs }));
    case "create":
      return map(await create(jobs, action, call), (job) => ({ did: "create", job }));
    case "update":
      return map(await jobs.change(action.name, action.change, call), (job) => ({ did: "update", job }));
    case "pause":
      return map(await jobs.pause(action.name, action.why, call), (job) => ({ did: "pause", job }));
    case "resume":
      return map(await jobs.resume(action.name, call), (job) => ({ did: "resume", job }));
    case "run":
      return map(await jobs.run(action.name, call), (run) => ({ did: "run", run }));
    case "remove":
      return map(await jobs.remove(action.name, call), () => ({ did: "remove", name: action.name }));
    case "runs":
      return map(await jobs.listRuns(action.name, MAX_RUNS), (runs) => ({ did: "runs", name: action.name, runs }));
  }
}

const IS_TAKEN = new Set(["job_exists", "op_reused"]);

/** `brief`, `brief-2` … The same call finds the job that it made, whichever of these it is. */
async function create(
  jobs: JobPort,
  { spec, isNamed }: Extract<JobAction, { do: "create" }>,
  call: JobCall,
): Promise<Result<JobInfo>> {
  for (let n = 1; ; n++) {
    const name = n === 1 ? spec.name : `${spec.name}-${n}`;
    const made = await jobs.create({ ...spec, name }, call);
    if (isNamed || made.ok || !IS_TAKEN.has(made.failure.code) || n === MAX_NAMES) return made;
  }
}

function map<T>(result: Result<T>, to: (value: T) => JobDone): Result<JobDone> {
  return result.ok ? ok(to(result.value)) : result;
}
