// `/jobs`: the owner sets work that runs by the clock, looks at it and steers it. Called by run-command.ts. Each call is named after the command's
// turn, so that a command that is repeated after a crash has one effect.
import { describeJobDone } from "../../../commands/jobs/describe-jobs.ts";
import { performJobAction } from "../../../commands/jobs/perform-job-action.ts";
import { readJobCommand } from "../../../commands/jobs/read-job-words.ts";
import { toTurnId } from "../../../schemas/ids.ts";
import type { EngineContext } from "../../context.ts";
import type { TurnRow } from "../../log-turns.ts";
import { chatOfTurn } from "../profile-jobs.ts";
import type { NoticeEnding } from "../endings.ts";

interface JobsRun {
  context: EngineContext;
  turn: TurnRow;
}

/** The answers of a job that was set in a chat go there. */
export async function runJobs({ context, turn }: JobsRun, argument: string): Promise<NoticeEnding> {
  const { host, meta } = context;
  const { profileJobs } = host;
  if (!profileJobs || meta().kind !== undefined) return refuse("jobs_not_here", "Jobs are set in a chat.");
  // Clients refuse it too: jobs say what the owner said elsewhere, and run in the owner's name.
  if (turn.more.source === "content") return refuse("jobs_not_yours", "Only the owner of this agent may use /jobs.");
  const chat = chatOfTurn(turn);
  const read = readJobCommand(argument, chat === null ? {} : { deliver: { to: "chat", chat } });
  if (!read.ok) return refuse(read.failure.code, read.failure.message);
  const call = { author: { by: "owner" as const }, op: `command:${toTurnId(host.session, turn.n)}` };
  const done = await performJobAction(profileJobs, read.value, call);
  if (!done.ok) return refuse(done.failure.code, done.failure.message);
  return { state: "done", code: "jobs", text: describeJobDone(done.value) };
}

function refuse(code: string, text: string): NoticeEnding {
  return { state: "failed", code, text };
}
