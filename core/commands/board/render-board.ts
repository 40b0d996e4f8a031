// How people read a board: cards in lines, a card whole, the commands. Used by `/board` and `talaria board`. Pure.
import { clip } from "../../clip.ts";
import { type CardRun, CardStatus } from "../../schemas/board/card.ts";
import type { BoardStats, CardLine, CardPage, CardView } from "../../board/contract.ts";
import { ACTION_WORDS, showAssignee, showAuthor } from "./board-words.ts";

/** [own] Of one text in a card that is shown whole. */
const TEXT_CHARS = 4_000;

/** Such as `c0123456789ab ready, coder: Write the report`. */
export function renderLine({ id, status, assignee, title, block }: CardLine): string {
  const why = block ? ` (${block.kind})` : "";
  return `${id} ${status}${why}, ${assignee === null ? "nobody" : showAssignee(assignee)}: ${title}`;
}

/** `more`: how the next page is asked for; its number follows. */
export function renderCards({ cards, next }: CardPage, more: string): string {
  const lines = cards.map(renderLine);
  if (next !== null) lines.push(`There may be more: ${more}${next}`);
  return lines.length === 0 ? "There is no such card." : lines.join("\n");
}

export function renderCard({ card, parents, children, comments, runs, attachments }: CardView): string {
  const cut = (text: string) => clip(text, TEXT_CHARS);
  return [
    renderLine(card),
    ...(card.body === "" ? [] : [cut(card.body)]),
    ...(card.asked ? [`Asked for: ${cut([card.asked.title, card.asked.body].filter(Boolean).join("\n\n"))}`] : []),
    ...(card.block ? [`Blocked: ${cut(card.block.reason)}`] : []),
    ...(card.summary === null ? [] : [`Result: ${cut(card.summary)}`]),
    ...(card.reason === null ? [] : [`Reason: ${cut(card.reason)}`]),
    ...section(
      "Waits for",
      parents.map(({ id, status, title }) => `${id} ${status}: ${title}`),
    ),
    ...section(
      "Before",
      children.map(({ id, status, title }) => `${id} ${status}: ${title}`),
    ),
    ...section(
      "Attachments",
      attachments.map(({ name, bytes }) => `${name} (${bytes} bytes)`),
    ),
    ...section("Runs", runs.map(renderRun)),
    ...section(
      "Comments",
      comments.map(({ author, text }) => `${showAuthor(author)}: ${cut(text)}`),
    ),
  ].join("\n\n");
}

/** Of the statuses that have cards. */
export function renderStats({ byStatus, byAssignee }: BoardStats): string {
  const counts = CardStatus.options
    .filter((status) => byStatus[status] > 0)
    .map((status) => `${status}: ${byStatus[status]}`);
  const lines = byAssignee.map(({ assignee, status, cards }) => `${showAssignee(assignee)}, ${status}: ${cards}`);
  return counts.length === 0 ? "The board has no cards." : [counts.join(", "), ...lines].join("\n");
}

/** `command`: the word before each line. */
export function renderBoardHelp(command: string): string {
  const own = [
    ["list [STATUS]", "the cards, newest first; for=ASSIGNEE, label=WORD"],
    ["show CARD", "a card with what was said and done"],
    ["create TITLE", "make a card; more lines are its text; for=ASSIGNEE, parent=CARD"],
    ["comment CARD TEXT", "say something on it"],
    ["stats", "how many cards there are"],
  ];
  const actions = Object.entries(ACTION_WORDS).map(([name, { words, help }]) => [`${name} CARD ${words}`.trim(), help]);
  const lines = [...own, ...actions].map(([usage, help]) => `${command} ${usage}: ${help}`);
  return [...lines, "The beginning of a card's id is enough. board=NAME: another board than main."].join("\n");
}

function section(title: string, lines: string[]): string[] {
  return lines.length === 0 ? [] : [`${title}:\n${lines.join("\n")}`];
}

function renderRun({ id, outcome, assignee, session, summary, error }: CardRun): string {
  const who = assignee === null ? "" : ` by ${showAssignee(assignee)}`;
  const where = session === null ? "" : `, session ${session}`;
  const said = summary ?? error;
  return `${id} ${outcome ?? "open"}${who}${where}${said === null ? "" : `: ${clip(said, 400)}`}`;
}
