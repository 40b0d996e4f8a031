// The operator's settings for delegated work: the group `delegation` of core/schemas/settings.ts. Forms only.
import * as z from "zod";

const ms = z.int().min(0);
const count = z.int().min(0);

export const DelegationSettings = z
  .strictObject({
    maxTasks: count.min(1).max(50).describe("Tasks of one call, which run side by side."),
    maxDepth: count
      .max(5)
      .describe("How deep sessions may delegate: 1 lets a conversation delegate, and its children not. 0: nobody can."),
    maxSteps: count.min(1).describe("Model calls of a delegated turn, if `turn.maxSteps` does not allow fewer."),
    stallMs: ms
      .min(1_000)
      .describe(
        "A delegated session that makes no progress for this long is stopped, and the turn goes on without it.",
      ),
    waitMs: ms.min(1_000).describe("The longest time that a turn waits for delegated work."),
    summaryChars: count
      .min(500)
      .describe(
        "Characters of one task's answer in the result; the whole answer is then in a file. Several share the room of a result.",
      ),
  })
  .describe("Work that a session gives to sessions of its own (`delegate_task`).");
