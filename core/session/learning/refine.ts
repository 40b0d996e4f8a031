// Answers `/refine` at once. The review itself is requested when the turn is settled (learn.ts). Called by run-command.ts.
import { decideOnRefine } from "../../learning/observe/triggers/triggers.ts";
import type { EngineContext } from "../context.ts";
import type { NoticeEnding } from "../turn/endings.ts";
import { REFINING } from "./learn.ts";
import { workBefore } from "./meant-turns.ts";
import { learningOffered } from "./observe-job.ts";
import { isReviewing } from "./review-state.ts";

export function answerRefine(context: EngineContext, focus: string): NoticeEnding {
  if (!decideOnRefine(focus, context.host.settings, learningOffered(context))) {
    const text =
      context.meta().learning === "on"
        ? "Reviews are switched off here, so none was begun."
        : "This session was created with learning off, so it is not reviewed.";
    return { state: "failed", code: "refine_off", text };
  }
  if (workBefore(context, context.log.nextEntry()).length === 0) {
    return { state: "failed", code: "refine_nothing", text: "Nothing has been done in this session yet." };
  }
  const text = isReviewing(context)
    ? "A review is running. Another one follows and covers everything since."
    : "A review of the work since the last one has begun. Its result will be shown here.";
  return { state: "done", code: REFINING, text };
}
