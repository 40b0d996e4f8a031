// Carries out the commands of the session: one function for each row of core/commands whose handler is the session.
// Called by run-turn.ts for a turn whose message is such a command. A model is asked only for the summary of `/compress`.
import type { SessionCommand, SessionCommandName } from "../../../commands/commands.ts";
import { compress } from "../../compaction/compact.ts";
import { type CompactionOptions, SAVES_NOTHING } from "../../compaction/shorten.ts";
import type { SummaryCall } from "../../compaction/summarise.ts";
import { turnModels } from "../../choice/choice.ts";
import { choose } from "../../choice/choice-commands.ts";
import type { EngineContext } from "../../context.ts";
import type { TurnRow } from "../../log-turns.ts";
import { runBoard } from "../../board/board-command.ts";
import { runBlueprint } from "../../blueprints/blueprint-command.ts";
import { runGoal, runSubgoal } from "../../goals/goal-commands.ts";
import { answerRefine } from "../../learning/refine.ts";
import { retry, undo } from "../../undo/undo.ts";
import type { NoticeEnding } from "../endings.ts";
import { runApprovalCommand } from "./approval-commands.ts";
import { runJobs } from "./job-commands.ts";
import { refreshPrompt } from "../prepare-turn.ts";
import { rollBack } from "./rollback.ts";

export interface CommandRun {
  context: EngineContext;
  /** The command's own turn. */
  turn: TurnRow;
  signal: AbortSignal;
  compaction: CompactionOptions;
}

type RunCommand = (run: CommandRun, argument: string) => NoticeEnding | Promise<NoticeEnding>;

export const SESSION_COMMANDS: Record<SessionCommandName, RunCommand> = {
  compress: runCompress,
  refresh: runRefresh,
  refine: ({ context }, focus) => answerRefine(context, focus),
  model: (run, name) => choose(run, "model", name),
  reasoning: (run, effort) => choose(run, "effort", effort),
  personality: (run, name) => choose(run, "personality", name),
  title: (run, title) => choose(run, "title", title),
  goal: (run, argument) => runGoal(run, argument),
  subgoal: (run, argument) => runSubgoal(run, argument),
  jobs: (run, argument) => runJobs(run, argument),
  board: (run, argument) => runBoard(run, argument),
  blueprint: (run, argument) => runBlueprint(run, argument),
  undo: ({ context, turn }) => undo(context, turn),
  retry: ({ context, turn }) => retry(context, turn),
  rollback: ({ context }, n) => rollBack(context, n),
  approvals: (run, argument) => decide(run, { name: "approvals", argument }),
  approve: (run, argument) => decide(run, { name: "approve", argument }),
  deny: (run, argument) => decide(run, { name: "deny", argument }),
  answer: (run, argument) => decide(run, { name: "answer", argument }),
  revoke: (run, argument) => decide(run, { name: "revoke", argument }),
};

/** Returns how the turn ends. */
export async function runCommand({ name, argument }: SessionCommand, run: CommandRun): Promise<NoticeEnding> {
  return SESSION_COMMANDS[name](run, argument);
}

function decide({ context, turn }: CommandRun, command: SessionCommand): Promise<NoticeEnding> {
  return runApprovalCommand(context, { ...command, source: turn.more.source });
}

async function runCompress({ context, signal, compaction: options }: CommandRun, focus: string): Promise<NoticeEnding> {
  let compaction: SummaryCall[] = [];
  const onFailedCalls = (calls: SummaryCall[]) => (compaction = calls);
  const done = await compress(context, focus, signal, { ...options, onFailedCalls });
  if (!done.ok) {
    const { code, message: text } = done.failure;
    // "There is nothing to shorten" is an answer to the command, not a failure of the turn.
    return { state: SAVES_NOTHING.has(code) ? "done" : "failed", code, text, compaction };
  }
  const { before, after } = done.value;
  const text = `The conversation was made shorter: from about ${before} to ${after} tokens.`;
  return { state: "done", code: "compressed", text };
}

async function runRefresh({ context }: CommandRun): Promise<NoticeEnding> {
  const models = turnModels(context);
  await refreshPrompt(context, models.ok ? models.value[0].contextWindow : undefined);
  const text = "The prompt was rebuilt from the current skills, memory and files.";
  return { state: "done", code: "refreshed", text };
}
