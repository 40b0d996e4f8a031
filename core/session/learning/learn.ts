// Plans what is done with a settled turn: a job that observes it, one that indexes its messages, a day of activity, and the review that
// `/refine` asked for.
// Decides before the transaction and writes inside it.
import { decideOnRefine } from "../../learning/observe/triggers/triggers.ts";
import { messageOf } from "../../schemas/entry.ts";
import type { Entry } from "../../schemas/entry.ts";
import { dayOf } from "../../schemas/ids.ts";
import type { Booking } from "../../schemas/usage.ts";
import { parseSessionCommand } from "../../commands/parse-command.ts";
import type { EngineContext } from "../context.ts";
import { planIndexing } from "../index-messages.ts";
import { isOfPerson } from "../of-person.ts";
import type { TurnRow } from "../log-turns.ts";
import { selectTurns } from "./meant-turns.ts";
import { observeRow, learningOffered } from "./observe-job.ts";
import { askForReview, noteActiveDay, reviewState } from "./review-state.ts";

/** Code of the notice that grants `/refine`. The transaction that writes it also requests the review. */
export const REFINING = "refining";

export interface LearningPlan {
  /** Call inside the transaction that settles the turn. True: the job that observes the turn takes the booking along. */
  write(booking: Booking | null): boolean;
}

export function learnFromTurn(context: EngineContext, turn: TurnRow, entries: Entry[]): LearningPlan {
  const { host, log, jobs } = context;
  const { settings } = host;
  const now = host.clock.now();
  const day = dayOf(now);
  const { learning, kind } = context.meta();
  // Nobody judges a delegated turn or the answer to an event, and neither starts a review. The parent of a delegated session has noted the day.
  const isNewDay = isOfPerson(kind) && reviewState(log).activeDay !== day;
  // A job is observed, as its work ends well or badly. But it runs also while the person is away, so it makes no day an active one.
  const isLearning = isOfPerson(kind) || kind === "job";
  // A command, or a turn without a model call, has nothing to learn from.
  const isObserved = learning === "on" && isLearning && turn.stats.modelCalls > 0;
  const final = entries.at(-1);
  const isRefined = final?.kind === "notice" && final.code === REFINING;
  const focus = isRefined ? readRefineFocus(entries) : "";
  const decision = isRefined ? decideOnRefine(focus, settings, learningOffered(context)) : null;
  const extraTurns = decision ? selectTurns(context, focus, turn) : [];
  return {
    write(booking) {
      if (isNewDay) {
        noteActiveDay(log, day);
        jobs.put(`active:${day}`, now, { kind: "active", day });
      }
      // Runs right after the turn's end. The late due time only avoids setting an alarm.
      if (isObserved) {
        const job = { kind: "observe", turn: turn.n, ...(booking && { booking }) } as const;
        jobs.put(observeRow(turn.n), now + settings.turn.leaseMs, job);
      }
      planIndexing(context, turn.n, isObserved);
      if (decision) askForReview(context, decision, { to: final!.n, extraTurns });
      return isObserved;
    },
  };
}

function readRefineFocus(entries: Entry[]): string {
  const input = entries.find((entry) => entry.kind === "user");
  const command = input && parseSessionCommand(messageOf(input));
  return command?.name === "refine" ? command.argument : "";
}
