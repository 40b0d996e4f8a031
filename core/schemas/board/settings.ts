// The operator's settings for boards: the group `board` of core/schemas/settings.ts. Forms only.
import * as z from "zod";

const ms = z.int().min(0);

export const BoardSettings = z
  .strictObject({
    maxRunning: z
      .int()
      .min(0)
      .max(50)
      .describe("Cards of one board that are worked on at the same time. 0: none begins."),
    maxRunningPerProfile: z
      .int()
      .min(0)
      .max(200)
      .describe("Cards of all boards of a profile that are worked on at the same time."),
    maxTokens: z
      .int()
      .min(0)
      .describe(
        "Tokens of each turn of a run: the one that begins it, and the one after a reminder. A role and a card may set fewer. 0: they and `turn.maxTokens` alone limit it.",
      ),
    claimMs: ms.min(10_000).describe("How long a worker may be silent before its card is taken from it."),
    runMs: ms.min(60_000).describe("The longest time of one run, if the card does not set its own."),
    failures: z
      .int()
      .min(1)
      .max(20)
      .describe("Failed runs of a card in a row (crashed, out of time, not begun, lost) after which it is blocked."),
    retryMs: ms.describe("How long a card waits after a failed run before the next one."),
    coolMs: ms.describe(
      "How long a card waits after its run met a rate limit, or the profile's budget was spent. That is no failure.",
    ),
    transientMs: ms
      .min(1_000)
      .describe("How long a card that is blocked as `transient` waits before it is tried again."),
    recurrences: z
      .int()
      .min(2)
      .max(20)
      .describe("At how many blocks of the same kind in a row a card goes to triage, so that it does not loop."),
    maxCards: z.int().min(1).max(1_000_000).describe("Cards of one board, archived ones included."),
    dispatchUnassigned: z
      .boolean()
      .describe(
        "Whether a ready card without an assignee is worked on by the profile itself. If not, it waits for one.",
      ),
  })
  .describe("Boards: cards that agents work on (`/v1/boards`).");
export type BoardSettings = z.infer<typeof BoardSettings>;
