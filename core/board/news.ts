// What of a change of a card the profile's webhooks are told: that it waits for a person, or is done. Pure.
import { clip } from "../clip.ts";
import type { Card } from "../schemas/board/card.ts";
import type { StoredCard } from "./rows/card-rows.ts";
import type { News } from "./rows/news-rows.ts";

/** [own] Of a reason or a summary in the body of an outbound webhook. */
const MAX_TEXT_CHARS = 4_000;
/** The events that bring a card to a person by a limit of the board. */
const LIMITS = ["block_loop_detected", "review_loop_detected"];

/**
 * `before`: `null` for a new card. `kinds`: of the events of the change. `isLimited`: the board itself put the new card into triage. `null`:
 * nobody is told.
 */
export function toNews(
  before: StoredCard | null,
  card: StoredCard,
  { kinds, isLimited = false }: { kinds: string[]; isLimited?: boolean },
): Pick<News, "type" | "data"> | null {
  const { id, title, status } = card;
  if (status === "done") {
    if (before?.status === "done") return null;
    return { type: "card.done", data: { card: id, title, summary: toText(card.summary) } };
  }
  const isByLimit = kinds.some((kind) => LIMITS.includes(kind));
  const waits = status === "triage" ? isByLimit || isLimited : waitsForPerson(card);
  if (!waits || (before?.status === status && waitsForPerson(before))) return null;
  const reason = isLimited ? "Too many cards descend from one." : toReason(card, isByLimit);
  return { type: "card.waiting", data: { card: id, title, status, reason: toText(reason) } };
}

/** A block that is over by itself waits for nobody, nor does a review that a role does. */
function waitsForPerson({ status, block, assignee }: StoredCard): boolean {
  if (status === "blocked") return block?.kind !== "transient";
  return status === "review" && (assignee === null || "person" in assignee);
}

function toReason({ status, block, reason, summary }: Card, isByLimit: boolean): string | null {
  if (status === "blocked") return block?.reason ?? null;
  return isByLimit ? reason : summary;
}

function toText(text: string | null): string | null {
  return text === null ? null : clip(text, MAX_TEXT_CHARS);
}
