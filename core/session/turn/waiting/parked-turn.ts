// Takes up a parked turn: carries out what the person sent meanwhile (commands, and the answer to its question), ends a wait whose time is over, and lets the turn
// go on once its wait has ended. Called by the driver whenever a parked turn is due.
import { isBesideCommand, parseSessionCommand } from "../../../commands/parse-command.ts";
import { assert } from "../../../errors.ts";
import type { NoticeEntry } from "../../../schemas/entry.ts";
import type { EngineContext } from "../../context.ts";
import type { TurnRow } from "../../log-turns.ts";
import { answerQuestion } from "../../approvals/approvals.ts";
import { toNotice } from "../../prompt/notices.ts";
import { placeNotice } from "../../readers/events.ts";
import { runApprovalCommand } from "../commands/approval-commands.ts";
import { planAnswer } from "../../channel/plan-delivery.ts";
import { dropClient } from "../../client/client-rows.ts";
import type { DriveState } from "../drive-state.ts";
import { REDIRECTED } from "../endings.ts";
import { endTurn } from "../end-turn.ts";
import { isInterrupted } from "../interrupted.ts";
import { renewLease } from "../lease.ts";
import { endWait } from "./park-turn.ts";
import { WAIT_ENDS } from "./wait-ends.ts";

/** The turn as it continues; `null`: it still waits, or it has ended. */
export async function takeUpParked(drive: DriveState, n: number): Promise<TurnRow | null> {
  const { context } = drive;
  const { host, log, jobs } = context;
  for (let row = nextCommand(context, n); row; row = nextCommand(context, n)) await answerBeside(context, n, row);
  const turn = log.turn(n)!;
  if (turn.state !== "parked") return null;
  const { parked } = turn.more;
  // Its sender's request died before it ended the turn.
  if (parked && !parked.over && isInterrupted(log, n)) {
    endTurn(drive, n, REDIRECTED);
    return null;
  }
  if (parked && !parked.over && parked.until > host.clock.now()) {
    host.sql.transaction(() => jobs.put("drive", parked.until, { kind: "drive", paused: true }));
    return null;
  }
  if (parked && !parked.over) {
    endWait(context, turn, { record: () => WAIT_ENDS[parked.for].expire(context, parked.id) });
  }
  return continueAfterWait(drive, n);
}

/** The wait is not a crash: it does not count as an attempt. */
function continueAfterWait({ context, begun }: DriveState, n: number): TurnRow {
  const { host, log, jobs } = context;
  const parked = log.turn(n)!;
  const { parked: _, ...more } = parked.more;
  const turn: TurnRow = { ...parked, state: "running", more };
  host.sql.transaction(() => {
    log.putTurn(turn);
    renewLease(context, jobs.get("drive")?.tries);
  });
  begun.add(n);
  return turn;
}

/** A message that answers the turn's question, or a command about approvals that its author sent after the turn had been parked. */
function nextCommand({ log }: EngineContext, n: number): TurnRow | null {
  const { state, more } = log.turn(n)!;
  const { parked } = more;
  if (state !== "parked" || !parked || parked.over) return null;
  const waiting = log.openTurns().filter((row) => row.state === "queued" && row.n > (parked.newest ?? n));
  return waiting.find((row) => isBesideCommand(row.waiting ?? "") || row.more.answers === parked.id) ?? null;
}

/**
 * Carries out a command beside the parked turn. Its words and its answer become notices of that turn, which no model reads, and
 * its own turn ends with that turn, like one that steered it.
 */
async function answerBeside(context: EngineContext, n: number, row: TurnRow): Promise<void> {
  const { host, log, hub } = context;
  const answers = row.more.answers !== undefined && row.more.answers === log.turn(n)!.more.parked?.id;
  const toTurn = (code: string, text: string) =>
    toNotice({ n: log.nextEntry(), turn: n, at: host.clock.now(), code, text });
  let isPlaced = false;
  /** Inside a transaction. */
  const place = (): NoticeEntry => {
    isPlaced = true;
    const said = { ...toTurn(answers ? "message_answer" : "command", row.waiting!), said: { accepted: row.n } };
    log.put(said);
    const startedAt = host.clock.now();
    dropClient(log, row);
    const { channel } = row.more;
    const more = { into: n, ...(channel && { channel }) };
    log.putTurn({ ...row, state: "steered", waiting: null, input: said.n, startedAt, more });
    return said;
  };
  if (answers) return answerByMessage(context, row, place);
  const command = parseSessionCommand(row.waiting!)!;
  const { source } = row.more;
  const text = await runApprovalCommand(context, { ...command, source }, place).then(
    (answer) => answer.text,
    (error: unknown) => {
      if (isPlaced) throw error; // the transaction was rolled back
      // A store that is out must not keep the turn from its timeout.
      host.report(`/${command.name}`, error);
      return "A store did not answer, so this may not be done. Send the command again.";
    },
  );
  // Stopped meanwhile, which has ended the command too; or the decision has placed it.
  if (isPlaced || log.turn(row.n)?.state !== "queued" || log.turn(n)?.state !== "parked") return;
  const written: NoticeEntry[] = [];
  host.sql.transaction(() => {
    written.push(place());
    written.push(toTurn("command_answer", text));
    log.put(written[1]!);
    planAnswer(context, row, { n: written[1]!.n, text });
  });
  for (const notice of written) hub.emit(placeNotice(notice));
}

/** A message with images joins the turn as a whole, like one that steers it: a result of a tool holds no images. */
function answerByMessage(context: EngineContext, { waiting, more }: TurnRow, place: () => NoticeEntry): void {
  const hasImages = (more.images ?? []).length > 0;
  const answered = hasImages
    ? answerQuestion(context, more.answers!, { follows: true })
    : answerQuestion(context, more.answers!, { words: waiting!, source: more.source }, place);
  assert(answered.ok, "the question that the turn waits for takes any words");
}
