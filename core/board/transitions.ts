// The statuses of a card and what moves it between them, as one table. core/board/ looks each move up here, docs/ARCHITECTURE.md shows it, and
// test/board/ has a test for each row. Data and lookups. Pure.
import type { CardStatus } from "../schemas/board/card.ts";

/** `claim`, `release`, `recompute` and `end_run` are the board's own; the others are called by people, agents and workers. */
export type Operation =
  | "create"
  | "promote"
  | "recompute"
  | "release"
  | "update"
  | "link"
  | "claim"
  | "start"
  | "complete"
  | "block"
  | "unblock"
  | "request_review"
  | "request_changes"
  | "reclaim"
  | "end_run"
  | "cancel"
  | "archive"
  | "delete";

export interface Transition {
  /** `null`: the card is new. */
  from: CardStatus | null;
  /** `null`: the card is gone. */
  to: CardStatus | null;
  operation: Operation;
  /** When this row applies. */
  rule: string;
}

const row = (from: CardStatus | null, to: CardStatus | null, operation: Operation, rule: string): Transition => ({
  ...{ from, to, operation, rule },
});

const OPEN = ["triage", "todo", "scheduled", "ready", "running", "blocked", "review"] as const;
const AT_REST = ["triage", "todo", "scheduled", "ready", "blocked", "review", "done", "archived"] as const;

/** [hermes] but for the rows that say otherwise. A parent is open until it is done or archived; `todo` means exactly that one is open. */
export const TRANSITIONS: readonly Transition[] = [
  row(null, "triage", "create", "`triage` was asked for"),
  row(null, "todo", "create", "a parent is open"),
  row(null, "scheduled", "create", "`notBefore` is in the future"),
  row(null, "ready", "create", "otherwise"),
  row(null, "blocked", "create", "`block` was given"),
  row(null, "running", "create", "`start` was asked for, and no parent is open"),

  row("triage", "ready", "promote", "no parent is open; by hand, or after `specify` or `decompose`"),
  row("triage", "todo", "promote", "a parent is open"),
  row("scheduled", "ready", "promote", "no parent is open: it no longer waits for its time"),
  row("scheduled", "todo", "promote", "a parent is open"),
  row("blocked", "ready", "promote", "no parent is open; else it is refused"),
  row("scheduled", "ready", "release", "its time has come, and no parent is open"),
  row("scheduled", "todo", "release", "its time has come, and a parent is open"),
  row("todo", "ready", "recompute", "its last open parent was done, archived, deleted or unlinked"),
  row("blocked", "ready", "release", "of the kind `transient`: its wait is over, and no parent is open"),
  row("blocked", "todo", "release", "of the kind `transient`: its wait is over, and a parent is open"),
  row("blocked", "review", "release", "of the kind `transient`, by a run that reviewed: its wait is over"),

  row("triage", "scheduled", "update", "`notBefore` is in the future"),
  row("todo", "scheduled", "update", "`notBefore` is in the future"),
  row("ready", "scheduled", "update", "`notBefore` is in the future"),
  row("ready", "todo", "link", "the new parent is open"),

  row("ready", "running", "claim", "by the dispatch: a place is free, and the assignee is no person"),
  row("review", "running", "claim", "by the dispatch: a place is free, and the assignee is a role"),
  row("ready", "running", "start", "by hand"),
  row("review", "running", "start", "by hand: a review"),

  row("running", "done", "complete", "its run, or a person; the named children exist"),
  row("ready", "done", "complete", "a run of no length is written; the named children exist"),
  row("blocked", "done", "complete", "no parent is open; a run of no length is written"),
  row("review", "done", "complete", "a run of no length is written"),

  row("running", "blocked", "block", "`needs_input`, `capability`, `transient`"),
  row("ready", "blocked", "block", "`needs_input`, `capability`, `transient`"),
  row("running", "todo", "block", "`dependency`, and a parent is open"),
  row("ready", "triage", "block", "again for the same kind: the loop goes to a person"),
  row("running", "triage", "block", "again for the same kind: the loop goes to a person"),
  row("blocked", "ready", "unblock", "no parent is open"),
  row("blocked", "todo", "unblock", "a parent is open"),
  row("blocked", "review", "unblock", "a run that reviewed had blocked it"),

  row("running", "review", "request_review", "its run, or a person"),
  row("ready", "review", "request_review", "not by a run"),
  row("running", "ready", "request_changes", "a run that reviews: back to who did the work"),
  row("review", "ready", "request_changes", "a person who reviews: back to who did the work"),
  row("running", "todo", "request_changes", "the same, and a parent was linked that is open"),
  row("review", "todo", "request_changes", "the same, and a parent was linked that is open"),

  row("running", "review", "request_changes", "by a run, the fourth time: a person judges"),

  row("running", "ready", "reclaim", "by hand: the run is stopped"),
  row("running", "todo", "reclaim", "the same, and a parent was linked that is open"),
  row("running", "review", "reclaim", "by hand: the run that reviews is stopped"),
  row("running", "ready", "end_run", "crashed, out of time, not begun, lost or rate-limited"),
  row("running", "todo", "end_run", "the same, and a parent was linked that is open"),
  row("running", "blocked", "end_run", "too many failures in a row: the breaker; or a person stopped the turn"),
  row("running", "review", "end_run", "the same for a run that reviews; or the run ended without a word on its card"),

  ...OPEN.map((from) => row(from, "archived", "cancel", "with a reason; a run is stopped")),
  ...([...OPEN, "done"] as const).map((from) => row(from, "archived", "archive", "a run is stopped")),
  ...AT_REST.map((from) => row(from, null, "delete", "by a person")),
];

const KNOWN = new Set(TRANSITIONS.map(({ from, to, operation }) => `${from}>${to}>${operation}`));
const STARTS = new Set(TRANSITIONS.map(({ from, operation }) => `${from}>${operation}`));

/** Whether the table has the row. */
export function isTransition(from: CardStatus | null, to: CardStatus | null, operation: Operation): boolean {
  return KNOWN.has(`${from}>${to}>${operation}`);
}

/** Whether the operation is possible in this status at all. */
export function canBegin(from: CardStatus, operation: Operation): boolean {
  return STARTS.has(`${from}>${operation}`);
}

/** Operations by which a caller can bring a card from one status to another, the plainest first. Empty: it is no legal move. */
export function operationsBetween(from: CardStatus, to: CardStatus): Operation[] {
  return TRANSITIONS.filter((known) => known.from === from && known.to === to && BY_HAND.has(known.operation)).map(
    ({ operation }) => operation,
  );
}
const BY_HAND = new Set<Operation>([
  ...(["promote", "update", "start", "complete", "block", "unblock", "request_review", "request_changes"] as const),
  ...(["reclaim", "archive"] as const),
]);

/** What a caller can do with a card in this status, in the table's order. */
export function stepsFrom(from: CardStatus): Operation[] {
  const steps = TRANSITIONS.filter((known) => known.from === from).map(({ operation }) => operation);
  return [...new Set(steps)].filter((operation) => BY_HAND.has(operation) || operation === "cancel");
}

/** The table of docs/ARCHITECTURE.md, in Markdown. */
export function renderTransitions(): string {
  const name = (status: CardStatus | null) => (status === null ? "–" : status);
  const rows = TRANSITIONS.map(
    ({ from, to, operation, rule }) => `| ${name(from)} | ${name(to)} | \`${operation}\` | ${rule} |`,
  );
  return ["| from | to | operation | when |", "|---|---|---|---|", ...rows].join("\n");
}
