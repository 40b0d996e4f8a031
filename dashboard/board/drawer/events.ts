// What happened to a card, in a sentence. Pure.
import type { Answer } from "../../data/api.ts";
import { STATUS_NAMES, type Status } from "../cards.ts";

export type CardEvent = Answer<"GET /v1/boards/{board}/events">["events"][number];

const SENTENCES: Record<string, string> = {
  created: "made the card",
  edited: "changed the card",
  assigned: "assigned the card",
  commented: "commented",
  linked: "linked a card before it",
  unlinked: "removed the link to a card before it",
  promoted: "made it ready, since no open card comes before it",
  promoted_manual: "promoted it",
  scheduled: "scheduled it",
  claimed: "began to work on it",
  heartbeat: "said that the work goes on",
  completed: "completed it",
  completion_rejected: "could not complete it: it named cards that do not exist",
  blocked: "blocked it",
  block_loop_detected: "sent it to triage: it was blocked for the same reason again",
  dependency_wait: "waits for another card",
  unblocked: "unblocked it",
  review_requested: "asked for a review",
  changes_requested: "asked for changes",
  review_loop_detected: "left the review to a person: worker and reviewer do not agree",
  reclaimed: "took it from its worker",
  cancelled: "cancelled it",
  archived: "archived it",
  attached: "attached a file",
  detached: "removed a file",
  specified: "wrote it out",
  decomposed: "divided it into cards",
  gave_up: "blocked it: too many failed runs",
  rate_limited: "lets it cool down",
  waits_for_role: "waits for a role of that name",
  role_found: "found its role",
  deleted: "deleted it",
};

/** Fields of an event that say more, in this order. */
const FACTS = ["reason", "summary", "note", "error", "kind", "name", "parent", "fields", "to", "assignee", "reviewer"];
const MAX_CHARS = 200;

/** The sentence goes on after the author's name. A kind that the page does not know is shown as it is. */
export function describeEvent({ kind, facts }: Pick<CardEvent, "kind" | "facts">): string {
  const sentence = SENTENCES[kind] ?? kind.replaceAll("_", " ");
  const name = FACTS.find((fact) => describeFact(facts[fact]) !== "");
  if (name === undefined) return sentence;
  const text = describeFact(facts[name]);
  const shown = name === "to" ? (STATUS_NAMES[text as Status] ?? text) : text;
  return `${sentence}: ${shown.length > MAX_CHARS ? `${shown.slice(0, MAX_CHARS)}…` : shown}`;
}

function describeFact(value: unknown): string {
  if (typeof value === "string" || typeof value === "number") return String(value);
  return Array.isArray(value) ? value.filter((one) => typeof one === "string").join(", ") : "";
}
