// `/undo` and `/retry`: take back the last turn from what the model reads, and set the files back to what they were when it began.
// Called by run-command.ts. The restore belongs to the command's turn, and all else is written by the transaction that ends that
// turn, so a command that is repeated after a crash does nothing twice.
import { inForce } from "../../agent/compaction/compaction.ts";
import { parseSessionCommand } from "../../commands/parse-command.ts";
import { type Result, err, ok } from "../../errors.ts";
import { clip, toOneLine } from "../../clip.ts";
import { CompactionEntry, messageOf, spokenParts } from "../../schemas/entry.ts";
import { putClient } from "../client/client-rows.ts";
import { forgetGuidanceNote } from "../client/guidance.ts";
import { restore } from "../files/checkpoints.ts";
import type { EngineContext } from "../context.ts";
import { type TurnRow, isOpen } from "../log-turns.ts";
import { type CompactionState, compactionState } from "../prompt/history.ts";
import { toQueuedTurn } from "../turn/accept-input.ts";
import { ON_HOST, describeRestored } from "../turn/commands/rollback.ts";
import type { NoticeEnding } from "../turn/endings.ts";
import { judgeUndone } from "./judge-undone.ts";
import { restoreTodos } from "./todos-before.ts";
import { isInherited, isUndone, undoneTurns } from "./undone.ts";

/** Codes of the notices that end the turns of these commands. */
const UNDONE = "undone";
const RETRIED = "retried";

const MAX_SHOWN_CHARS = 80;
/** Writes of a turn that stay when it is taken back. */
const KEPT_WRITES = new Set(["skill_manage", "memory"]);

export function undo(context: EngineContext, command: TurnRow): NoticeEnding {
  const found = findLast(context, command);
  if (!found.ok) return toFailure(found.failure);
  return takeBack(context, command, found.value, { code: UNDONE, after: "The model no longer reads it." });
}

/** The message is queued again by the transaction that takes its turn back. */
export function retry(context: EngineContext, command: TurnRow): NoticeEnding {
  const { log } = context;
  const found = findLast(context, command);
  if (!found.ok) return toFailure(found.failure);
  // The message would be answered after those that wait, as if they had been written before it.
  if (log.openTurns().some((turn) => turn.n > command.n)) {
    const text = "Other messages wait behind this one. Send /retry when they are answered, or stop them first.";
    return { state: "failed", code: "messages_waiting", text };
  }
  const input = log.entry(found.value.input!)!;
  const again = (log.lastTurn()?.n ?? 0) + 1;
  const images = input.kind === "user" ? input.images : undefined;
  const { settingsRev, channel } = command.more;
  const isContent = input.kind === "user" && spokenParts(input).some(({ source }) => source === "content");
  return takeBack(context, command, found.value, {
    code: RETRIED,
    after: `The same message is sent again, as turn ${again}.`,
    also() {
      const told = input.kind === "user" && input.told ? input.parts.slice(0, input.told) : [];
      if (told.length > 0) putClient(log, again, { v: 1 }, told);
      const client = told.length > 0 && { client: true as const };
      const goal = input.kind === "user" ? input.goal : undefined;
      const came = { images, settingsRev, channel, goal, ...(isContent && { source: "content" as const }) };
      log.putTurn(toQueuedTurn(again, messageOf(input), { ...came, ...client }));
    },
  });
}

function toFailure({ code, message: text }: { code: string; message: string }): NoticeEnding {
  return { state: "failed", code, text };
}

/** The newest turn before the command that was a message to the model and was not taken back. */
function findLast({ log }: EngineContext, command: TurnRow): Result<TurnRow> {
  for (let turn = log.turn(command.n - 1); turn; turn = log.turn(turn.n - 1)) {
    const input = turn.state === "steered" || isOpen(turn) || turn.input === null ? null : log.entry(turn.input);
    if (!input || parseSessionCommand(messageOf(input)) || isUndone(log, turn.n)) continue;
    const newest = compactionState(log).entries.at(-1);
    const compaction = newest && log.entry(newest.n);
    if (compaction?.kind === "compaction" && compaction.turn !== turn.n && isInGap(compaction, turn.input!)) {
      const message = `Turn ${turn.n} is a part of the summary that the model reads, so it cannot be taken back. POST /v1/sessions/{session}/branch with an earlier turn begins a session without it.`;
      return err("turn_summarised", message);
    }
    return ok(turn);
  }
  return err("nothing_to_undo", "There is no turn to take back.");
}

function isInGap({ head, tail }: CompactionEntry, entry: number): boolean {
  return entry > head && entry < tail;
}

function takeBack(
  context: EngineContext,
  command: TurnRow,
  turn: TurnRow,
  { code, after, also }: { code: string; after: string; also?: () => void },
): NoticeEnding {
  const { log } = context;
  const said = clip(toOneLine(messageOf(log.entry(turn.input!)!)), MAX_SHOWN_CHARS);
  const kept = log
    .entries(turn.input!, turn.final!)
    .some(
      (entry) => entry.kind === "tool" && entry.turn === turn.n && !entry.failed && KEPT_WRITES.has(entry.call.name),
    );
  const lines = [
    `Turn ${turn.n} was taken back: “${said}”. ${after}`,
    ...setFilesBack(context, turn.n),
    ...(kept ? ["What it saved in skills or memory stays."] : []),
    ...(context.meta().backend === "host" ? [ON_HOST] : []),
  ];
  return {
    state: "done",
    code,
    text: lines.join("\n"),
    undid: { turn: turn.n },
    also() {
      context.changeMeta({ undone: [...undoneTurns(log), { turn: turn.n, by: command.n }] });
      forgetGuidanceNote(log, turn);
      dropCompactions(context, turn);
      restoreTodos(context, turn);
      judgeUndone(context, turn);
      also?.();
    },
  };
}

/** What happened to the files, for the person. */
function setFilesBack(context: EngineContext, turn: number): string[] {
  if (isInherited(context, turn)) return ["The files stay as they are: the turn was copied from another session."];
  const checkpoint = context.workspace.checkpoints.ofBeginning(turn);
  if (!checkpoint.ok) return [`The files stay as they are: ${checkpoint.failure.message}`];
  if (checkpoint.value === null) return [];
  const restored = restore(context, checkpoint.value, { isTold: false });
  if (!restored.ok) return [`The files stay as they are: ${restored.failure.message}`];
  const { changes } = restored.value;
  return changes.length === 0 ? [] : ["The files are as they were before it.", ...describeRestored(restored.value)];
}

/** A compaction that the turn made is no longer applied: those before it are. */
function dropCompactions({ host, log }: EngineContext, turn: TurnRow): void {
  const state = compactionState(log);
  if (!state.entries.some(({ n }) => log.entry(n)?.turn === turn.n)) return;
  const undone = new Set([turn.n, ...undoneTurns(log).map((one) => one.turn)]);
  log.setMeta("compaction", { ...state, entries: compactionsUpTo(host, Number.MAX_SAFE_INTEGER, undone) });
}

/** The compactions in force after the entry `to`, as `CompactionState` names them. `undone`: turns whose compactions do not count. */
export function compactionsUpTo(
  { sql }: Pick<EngineContext["host"], "sql">,
  to: number,
  undone: ReadonlySet<number>,
): CompactionState["entries"] {
  const rows = sql.run<{ body: string }>(
    "SELECT body FROM entry WHERE n <= ? AND json_extract(body, '$.kind') = 'compaction' ORDER BY n",
    to,
  );
  const made = rows.map(({ body }) => CompactionEntry.parse(JSON.parse(body))).filter(({ turn }) => !undone.has(turn));
  return inForce(made).map(({ n, method }) => ({ n, method }));
}
