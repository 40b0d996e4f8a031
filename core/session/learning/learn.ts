// What a settled turn leaves behind for learning: a row that has it looked at behind the answer, a day of activity, the
// review a person asked for. Decides before the transaction and writes inside it.
import { decideOnRefine } from "../../learning/observe/triggers.ts";
import { textOf } from "../../schemas/entry.ts";
import type { Entry } from "../../schemas/entry.ts";
import { dayOf } from "../../schemas/ids.ts";
import type { Booking } from "../../schemas/usage.ts";
import { parseSessionCommand } from "../../commands/parse-command.ts";
import type { EngineContext } from "../context.ts";
import type { TurnRow } from "../log.ts";
import { turnsMeant } from "./meant-turns.ts";
import { observeRow, offeredTo } from "./observe-job.ts";
import { askForReview, noteActiveDay, reviewState } from "./review-state.ts";

/** Of the notice with which `/refine` is granted: the review is asked for in the transaction that writes it. */
export const REFINING = "refining";

export interface Learnt {
  /** Call inside the transaction that settles the turn. True: the row that has the turn looked at takes the booking along. */
  write(booking: Booking | null): boolean;
}

export function learnFromTurn(context: EngineContext, turn: TurnRow, entries: Entry[]): Learnt {
  const { host, log, jobs } = context;
  const { settings } = host;
  const now = host.clock.now();
  const day = dayOf(now);
  const isNewDay = reviewState(log).activeDay !== day;
  // An order to the session itself, or a turn that no model could be asked for, has nothing to be learned from.
  const isObserved = context.meta().learning === "on" && turn.stats.modelCalls > 0;
  const final = entries.at(-1);
  const isRefined = final?.kind === "notice" && final.code === REFINING;
  const focus = isRefined ? focusOf(entries) : "";
  const decision = isRefined ? decideOnRefine(focus, settings, offeredTo(context)) : null;
  const extraTurns = decision ? turnsMeant(context, focus, turn) : [];
  return {
    write(booking) {
      if (isNewDay) {
        noteActiveDay(log, day);
        jobs.put(`active:${day}`, now, { kind: "active", day });
      }
      // Due late only so that no alarm has to be set for it: it goes right behind the turn's end.
      if (isObserved) {
        const job = { kind: "observe", turn: turn.n, ...(booking && { booking }) } as const;
        jobs.put(observeRow(turn.n), now + settings.turn.leaseMs, job);
      }
      if (decision) askForReview(context, decision, { to: final!.n, extraTurns });
      return isObserved;
    },
  };
}

function focusOf(entries: Entry[]): string {
  const input = entries.find((entry) => entry.kind === "user");
  const command = input && parseSessionCommand(textOf(input));
  return command?.name === "refine" ? command.argument : "";
}
