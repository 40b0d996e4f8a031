// The events that a hook can ask for, with what each says.
import type { Answer } from "../data/api.ts";

export type HookEvent = Answer<"GET /v1/hooks">["hooks"][number]["events"][number];

export const HOOK_EVENTS: Record<HookEvent, string> = {
  "turn.ended": "a turn has ended",
  "review.learned": "a review has learned something",
  "pending.created": "a change waits for approval",
  "approval.needed": "a call waits for approval",
  "skill.withdrawn": "a skill was withdrawn",
  "budget.reached": "a budget is spent",
  "webhook.answered": "a webhook's event was answered",
  "job.ended": "a job has run",
  "card.waiting": "a card waits for a person",
  "card.done": "a card is done",
};
