// What the model reads of a board. The harness knows ids, statuses, numbers and times (`outcome`); texts have the label of who wrote them: the owner's
// words are the principal's, all others are content, also those of the session itself. Pure.
import type { ToolResult } from "../../agent/contract.ts";
import { succeed } from "../../agent/tool-result.ts";
import type { BoardStats, CardPage, CardView, Changed } from "../../board/contract.ts";
import { showAssignee, showAuthor } from "../../commands/board/board-words.ts";
import type { JsonObject } from "../../schemas/entry.ts";
import type { Card, CardEvent, CardRun } from "../../schemas/board/card.ts";

/** `more`: facts that are told where they are true. */
export function showChange(done: string, { card }: Changed, more: Record<string, boolean> = {}): ToolResult {
  const told = Object.entries(more).filter(([, isSo]) => isSo);
  return succeed({ done, ...toFacts(card), ...Object.fromEntries(told) });
}

export function showCard(view: CardView): ToolResult {
  const { card, isOwners } = view;
  const text = {
    title: card.title,
    ...(card.body !== "" && { body: card.body }),
    ...(card.skills.length > 0 && { skills: card.skills }),
  };
  const comments = view.comments.map(({ n, author, at, text: said }) => ({
    n,
    by: author.by,
    at: toTime(at),
    text: said,
  }));
  const owners = comments.filter(({ by }) => by === "owner");
  const others = comments.filter(({ by }) => by !== "owner");
  const asked = card.asked && { asked: { title: card.asked.title, body: card.asked.body } };
  const content = {
    ...(!isOwners && text),
    ...(card.asked?.isOwners === false && asked),
    ...toWords(card),
    ...listed("parents", view.parents.map(toLinked)),
    ...listed("children", view.children.map(toLinked)),
    ...listed("comments", others),
    ...listed("runs", view.runs.map(toRun)),
    ...listed(
      "attachments",
      view.attachments.map(({ name, mediaType, bytes }) => ({ name, type: mediaType, bytes })),
    ),
  };
  const principal = {
    ...(isOwners && text),
    ...(card.asked?.isOwners === true && asked),
    ...listed("owners_comments", owners),
  };
  const facts = {
    ...toFacts(card),
    author: card.author.by,
    priority: card.priority,
    ...(card.divided !== undefined && { divided_into: card.divided }),
    created_at: toTime(card.createdAt),
    ...(card.claimUntil !== null && { claim_until: toTime(card.claimUntil) }),
    ...(card.failures > 0 && { failures: card.failures }),
  };
  return succeed(facts, { ...filled("principal", principal), ...filled("content", content) });
}

export function showCards({ cards, next }: CardPage): ToolResult {
  const lines = cards.map(({ id, title, status, assignee, author, priority, label }) => ({
    ...{ card: id, status, assignee: showAssignee(assignee), by: author.by, title },
    ...(priority !== 0 && { priority }),
    ...(label !== null && { label }),
  }));
  return succeed({ count: cards.length, ...(next !== null && { next }) }, filled("content", listed("cards", lines)));
}

/** `next`: where to go on, also where nothing came. */
export function showEvents(events: CardEvent[], after: number): ToolResult {
  const lines = events.map(({ n, card, kind, run, author, at, facts }) => ({
    ...{ n, card, kind, by: showAuthor(author), at: toTime(at) },
    ...(run !== null && { run }),
    ...(Object.keys(facts).length > 0 && { facts: facts as JsonObject }),
  }));
  const outcome = { count: events.length, next: events.at(-1)?.n ?? after };
  return succeed(outcome, filled("content", listed("events", lines)));
}

export function showStats({ byStatus, byAssignee, oldestReadyAt }: BoardStats): ToolResult {
  const lines = byAssignee.map(({ assignee, ...rest }) => ({ assignee: showAssignee(assignee), ...rest }));
  const oldest = oldestReadyAt === null ? {} : { oldest_ready_at: toTime(oldestReadyAt) };
  return succeed({ by_status: byStatus, ...oldest }, filled("content", listed("by_assignee", lines)));
}

/** A role is the owner's word; a person's name may be anybody's. */
function toFacts({ id, status, assignee, run, notBefore, block }: Card): JsonObject {
  return {
    ...{ card: id, status },
    ...(assignee && "role" in assignee && { role: assignee.role }),
    ...(run !== null && { run }),
    ...(notBefore !== null && { not_before: toTime(notBefore) }),
    ...(block && { blocked: block.kind }),
  };
}

/** Nobody can tell who wrote these. */
function toWords({ assignee, label, block, reason, summary }: Card): JsonObject {
  return {
    ...(assignee && "person" in assignee && { person: assignee.person }),
    ...(label !== null && { label }),
    ...(block && { block_reason: block.reason }),
    ...(reason !== null && { reason }),
    ...(summary !== null && { summary }),
  };
}

function toLinked({ id, title, status, summary }: CardView["parents"][number]): JsonObject {
  return { card: id, title, status, ...(summary !== null && { summary }) };
}

function toRun({ id, outcome, startedAt, endedAt, summary, error }: CardRun): JsonObject {
  return {
    ...{ run: id, outcome: outcome ?? "open", started_at: toTime(startedAt) },
    ...(endedAt !== null && { ended_at: toTime(endedAt) }),
    ...(summary !== null && { summary }),
    ...(error !== null && { error }),
  };
}

function listed(name: string, items: JsonObject[]): JsonObject {
  return items.length === 0 ? {} : { [name]: items };
}

function filled(source: "principal" | "content", fields: JsonObject): Partial<Record<typeof source, JsonObject>> {
  return Object.keys(fields).length === 0 ? {} : { [source]: fields };
}

function toTime(at: number): string {
  return new Date(at).toISOString();
}
