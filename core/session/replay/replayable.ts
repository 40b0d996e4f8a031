// Whether a turn can be run again, and if not, why. Called when a turn is described, and before a replay copies it. Reads the log and the
// list of checkpoints.
import { toResultPlace } from "../../agent/tool-calls.ts";
import { isAnswered } from "../../learning/observe/observe.ts";
import { readOutcome } from "../../learning/tool-facts.ts";
import type { Entry, ToolEntry } from "../../schemas/entry.ts";
import type { NotReplayable, Replayability } from "../../schemas/learning/experiment.ts";
import type { EngineContext } from "../context.ts";
import { readTurnEntries } from "../learning/observations.ts";
import { type TurnRow, isOpen } from "../log-turns.ts";
import { toSpilledPath } from "../turn/journal/spill.ts";
import { listMadeTools } from "../turn/session-tools.ts";
import { isInherited, isUndone } from "../undo/undone.ts";
import { type Obstacle, judgeCall } from "./judge-call.ts";

/** [own] Entries before the turn, of about 2 KB: forty megabytes, which one alarm can copy. */
const MAX_ENTRIES = 20_000;
/** [own] Files when the turn began. Above the operator's usual limit of a whole workspace. */
const MAX_FILE_BYTES = 64 << 20;

/** `n`: for an input that was put into a running turn, that turn. A turn that does not exist has not ended. */
export function findReplayability(context: EngineContext, n: number): Replayability {
  const asked = context.log.turn(n);
  const turn = asked?.more.into === undefined ? asked : context.log.turn(asked.more.into);
  const obstacle = turn ? findObstacle(context, turn) : because("not_ended", "There is no such turn.");
  return obstacle ? { replayable: false, ...obstacle } : { replayable: true };
}

/** The cheap questions first. */
function findObstacle(context: EngineContext, turn: TurnRow): Obstacle | null {
  const { log, meta } = context;
  if (isOpen(turn)) return because("not_ended", "It has not ended.");
  if (isUndone(log, turn.n)) return because("not_ended", "It was taken back.");
  if (isInherited(context, turn.n)) {
    return because(
      "files_not_kept",
      "It was copied from another session, which has kept its files: run it again there.",
    );
  }
  const entries = readTurnEntries(context, turn);
  if (turn.state === "done" && turn.stats.modelCalls === 0) {
    return because("not_answered", "It carried out a command, without a model.");
  }
  if (turn.state !== "done" || !isAnswered(entries)) {
    return because("not_answered", "It ended without an answer of the model.");
  }
  // A message that answered a question of the turn left no entry of its own: the answer is a result.
  if (entries.some((entry) => entry.kind === "user" && entry.steer)) {
    return because("steered", "Another message joined it while it ran.");
  }
  if (meta().backend === "host") return because("on_host", "It worked on a real machine, not in a workspace.");
  if (turn.more.ofClient || entries.some(isClientWait)) {
    return because("client", "The client that asked it gave it tools or a form of the answer, which are not kept.");
  }
  return findCallObstacle(context, entries) ?? findCopyObstacle(context, turn);
}

function because(reason: NotReplayable, why: string): Obstacle {
  return { reason, why };
}

function isClientWait(entry: Entry): boolean {
  return entry.kind === "notice" && entry.asked?.for === "client";
}

function findCallObstacle(context: EngineContext, entries: Entry[]): Obstacle | null {
  const calls = entries.filter((entry): entry is ToolEntry => entry.kind === "tool");
  if (calls.length === 0) return null;
  const tools = new Map(listMadeTools(context).made.map((tool) => [tool.name, tool]));
  for (const entry of calls) {
    const obstacle = judgeCall(entry, { tools, isKept: (one) => isSpillKept(context, one) });
    if (obstacle) return obstacle;
  }
  return null;
}

/** The result says how long the text in its file is. */
function isSpillKept({ workspace }: EngineContext, entry: ToolEntry): boolean {
  const bytes = workspace.read(toSpilledPath(toResultPlace(entry.n, entry.call.name)));
  const [, chars] = /\bits (\d+) characters/.exec(String(readOutcome(entry).moved)) ?? [];
  return bytes !== null && new TextDecoder().decode(bytes).length === Number(chars);
}

function findCopyObstacle({ workspace }: EngineContext, { n, input }: TurnRow): Obstacle | null {
  const kept = workspace.checkpoints.ofBeginning(n);
  if (!kept.ok) return because("files_not_kept", "What its files were when it began is no longer kept.");
  if (input! > MAX_ENTRIES) return because("too_large", `More than ${MAX_ENTRIES} entries are before it.`);
  const bytes = workspace.checkpoints.nodesAt(kept.value).reduce((sum, { size }) => sum + size, 0);
  const limit = `${MAX_FILE_BYTES >> 20} MB`;
  return bytes > MAX_FILE_BYTES ? because("too_large", `Its files had more than ${limit} when it began.`) : null;
}
