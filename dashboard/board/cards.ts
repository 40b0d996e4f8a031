// The cards of a board as the page sees them: their order, their filters, and what may be done with one. Pure.
import type { Answer } from "../data/api.ts";

export type CardLine = Answer<"GET /v1/boards/{board}/cards">["cards"][number];
export type CardDetail = Answer<"GET /v1/boards/{board}/cards/{card}">;
export type Status = CardLine["status"];
export type Assignee = CardLine["assignee"];
export type Author = CardLine["author"];

export const STATUSES = [
  ...(["triage", "todo", "scheduled", "ready", "running", "blocked", "review", "done", "archived"] as const),
] satisfies Status[];

export const STATUS_NAMES: Record<Status, string> = {
  triage: "Triage",
  todo: "To do",
  scheduled: "Scheduled",
  ready: "Ready",
  running: "Running",
  blocked: "Blocked",
  review: "Review",
  done: "Done",
  archived: "Archived",
};

/** What an empty column says: which cards come here. */
export const STATUS_HINTS: Record<Status, string> = {
  triage: "Rough ideas that somebody must still sort.",
  todo: "Cards that wait for another card.",
  scheduled: "Cards that wait for their time.",
  ready: "Cards that can be worked on now.",
  running: "Cards that somebody works on.",
  blocked: "Cards that need help to go on.",
  review: "Work that waits to be judged.",
  done: "Finished cards.",
  archived: "Cards that were taken off the board.",
};

/** What brings a card from one status to another. The names are the board's own. */
export type Step =
  | "promote"
  | "update"
  | "start"
  | "complete"
  | "block"
  | "unblock"
  | "request_review"
  | "request_changes"
  | "reclaim"
  | "cancel"
  | "archive";

/** By the status that a card has: the statuses that it can be moved to, and by which step. A test compares it with the board's own table. */
export const MOVES: Record<Status, Partial<Record<Status, Step>>> = {
  triage: { todo: "promote", scheduled: "update", ready: "promote", archived: "archive" },
  todo: { scheduled: "update", archived: "archive" },
  scheduled: { todo: "promote", ready: "promote", archived: "archive" },
  ready: {
    ...{ triage: "block", scheduled: "update", running: "start", blocked: "block", review: "request_review" },
    ...{ done: "complete", archived: "archive" },
  },
  running: {
    ...{ triage: "block", todo: "block", ready: "request_changes", blocked: "block", review: "request_review" },
    ...{ done: "complete", archived: "archive" },
  },
  blocked: { todo: "unblock", ready: "promote", review: "unblock", done: "complete", archived: "archive" },
  review: {
    todo: "request_changes",
    ready: "request_changes",
    running: "start",
    done: "complete",
    archived: "archive",
  },
  done: { archived: "archive" },
  archived: {},
};

/** Nobody can ask for these: the board does them by itself, after the same block again and again. */
const BY_ITSELF: [Status, Status][] = [
  ["ready", "triage"],
  ["running", "triage"],
];

/** Where a person can move a card. */
export function targetsOf(status: Status): Status[] {
  const targets = STATUSES.filter((to) => MOVES[status][to] !== undefined);
  return targets.filter((to) => !BY_ITSELF.some(([from, into]) => from === status && into === to));
}

/** What can be done with a card in this status, beside changing its fields. */
export function stepsOf(status: Status): Step[] {
  const moves = Object.values(MOVES[status]).filter((step) => step !== "update");
  const more: Step[] = [];
  if (status === "running") more.push("reclaim");
  if (status === "blocked") more.push("unblock");
  if (status !== "done" && status !== "archived") more.push("cancel");
  return [...new Set([...moves, ...more])];
}

/**
 * What a person is asked before a move. `block`: kind and reason. `time`: not before. `reason`: what is wrong. `confirm`: it cannot be taken
 * back, or stops a session. `null`: nothing.
 */
export type Ask = "block" | "time" | "reason" | "confirm" | null;

export function asksOf({ status, assignee }: Pick<CardLine, "status" | "assignee">, to: Status): Ask {
  if (to === "blocked") return "block";
  if (to === "scheduled") return "time";
  if (status === "review" && MOVES[status][to] === "request_changes") return "reason";
  const isPersons = assignee !== null && "person" in assignee;
  return to === "archived" || (status === "running" && !isPersons) ? "confirm" : null;
}

/** One text for one assignee: of a filter, of a form. */
export function toAssigneeKey(assignee: Assignee): string {
  if (assignee === null) return "";
  return "role" in assignee ? `role:${assignee.role}` : `person:${assignee.person}`;
}

export function fromAssigneeKey(key: string): Assignee {
  if (key.startsWith("role:")) return { role: key.slice(5) };
  return key.startsWith("person:") ? { person: key.slice(7) } : null;
}

/** Who has a card, for a person. */
export function nameAssignee(assignee: Assignee): string {
  if (assignee === null) return "Nobody";
  return "role" in assignee ? assignee.role : assignee.person;
}

export function nameAuthor(author: Author): string {
  switch (author.by) {
    case "owner":
      return author.name ?? "You";
    case "person":
      return author.name;
    case "agent":
      return author.run === undefined ? "The agent" : "A worker";
    case "board":
      return "The board";
  }
}

export interface CardFilter {
  /** In the title, the id or the label. */
  words: string;
  /** As `toAssigneeKey`; `null`: all. */
  assignee: string | null;
}

export function filterCards(cards: CardLine[], { words, assignee }: CardFilter): CardLine[] {
  const wanted = words.trim().toLowerCase().split(/\s+/).filter(Boolean);
  return cards.filter((card) => {
    if (assignee !== null && toAssigneeKey(card.assignee) !== assignee) return false;
    const text = `${card.title}\n${card.id}\n${card.label ?? ""}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

/** The columns, each in its order: what is worked on next comes first; of what has ended, the newest. */
export function toColumns(cards: CardLine[]): Record<Status, CardLine[]> {
  const columns = Object.fromEntries(STATUSES.map((status) => [status, []])) as unknown as Record<Status, CardLine[]>;
  for (const card of cards) columns[card.status].push(card);
  for (const status of STATUSES) columns[status].sort(ORDERS[status] ?? byTurn);
  return columns;
}

const byTurn = (a: CardLine, b: CardLine) => b.priority - a.priority || a.createdAt - b.createdAt || compareIds(a, b);
const byEnd = (a: CardLine, b: CardLine) => (b.endedAt ?? b.changedAt) - (a.endedAt ?? a.changedAt) || compareIds(a, b);
const byTime = (a: CardLine, b: CardLine) => (a.notBefore ?? 0) - (b.notBefore ?? 0) || compareIds(a, b);
const ORDERS: Partial<Record<Status, typeof byTurn>> = { scheduled: byTime, done: byEnd, archived: byEnd };

function compareIds(a: CardLine, b: CardLine): number {
  return a.id < b.id ? -1 : 1;
}

/** All that cards are assigned to, for a filter: nobody, then roles, then people. */
export function listAssignees(cards: CardLine[]): string[] {
  const keys = [...new Set(cards.map(({ assignee }) => toAssigneeKey(assignee)))];
  const rank = (key: string) => (key === "" ? 0 : key.startsWith("role:") ? 1 : 2);
  return keys.toSorted((a, b) => rank(a) - rank(b) || a.localeCompare(b));
}
