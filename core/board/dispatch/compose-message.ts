// The message with which a run begins: the card as its worker reads it, in pieces that say who wrote them. The owner's words are the
// principal's; what others wrote, also the workers of other cards, is content. Pure.
import { clip } from "../../clip.ts";
import { escapeTags } from "../../prompt-block.ts";
import type { AskedWords, Author, CardRun } from "../../schemas/board/card.ts";
import type { CardView } from "../contract.ts";

/** [hermes] Longer texts are read with the board's tool. */
const BODY_CHARS = 8_000;
const FIELD_CHARS = 4_000;
const COMMENT_CHARS = 2_000;
/** [own] Of all that was written beside the card, the newest. A message has at most `turn.maxMessageChars`. */
const REST_CHARS = 40_000;

export interface MessagePart {
  source: "principal" | "content";
  text: string;
}

/** Never begins with a slash: a card is no command. */
export function composeMessage(view: CardView, lane: CardRun["lane"]): MessagePart[] {
  const { card, isOwners } = view;
  const author: Author = isOwners ? { by: "owner" } : { by: "board" };
  const body = cut(card.body, BODY_CHARS);
  const { asked, divided } = card;
  const text = [`Card ${card.id}: ${card.title}`, ...(body === "" ? [] : [body])].join("\n\n");
  return [
    toPart(author, text),
    ...(asked ? [toPart(asked.isOwners ? { by: "owner" } : { by: "board" }, describeAsked(asked))] : []),
    ...(divided !== undefined && lane === "work" ? [{ source: "content" as const, text: JUDGE_WHOLE }] : []),
    ...(lane === "review" ? [{ source: "content" as const, text: REVIEW }] : []),
    ...fit(describeRest(view)),
  ].map(({ source, text: piece }, i) => ({ source, text: i === 0 ? piece : `\n\n${piece}` }));
}

const REVIEW =
  "Review this card: judge the result of the last run against what the card asks for. Complete the card if it is right, request changes if it is not.";

const JUDGE_WHOLE =
  "This card was divided into cards that come before it; their results follow. You judge the whole: check these results against what was asked, do what is small yourself, and create a card before this one for what is missing. Complete the card when all of it is there, with a summary of the whole.";

/** A model wrote the card's text from these words, which stay what is wanted. */
function describeAsked({ title, body }: AskedWords): string {
  return `What was asked for, in the words of whoever asked: ${title}\n\n${cut(body, BODY_CHARS)}`.trim();
}

/** Oldest first. */
function describeRest({ parents, runs, comments, attachments }: CardView): MessagePart[] {
  const ended = runs.filter(({ endedAt }) => endedAt !== null);
  return [
    ...parents.map(({ id, title, status, summary }) =>
      toPart({ by: "board" }, `Before this card, ${id} (${status}): ${title}\n${cut(summary ?? "", FIELD_CHARS)}`),
    ),
    ...ended.map(({ id, outcome, summary, error }) =>
      toPart({ by: "board" }, `Earlier run ${id}: ${outcome}. ${cut(summary ?? error ?? "", FIELD_CHARS)}`),
    ),
    ...(attachments.length > 0
      ? [toPart({ by: "board" }, `Attachments: ${attachments.map(({ name }) => name).join(", ")}`)]
      : []),
    ...comments.map(({ author, text }) => toPart(author, `Comment (${author.by}): ${cut(text, COMMENT_CHARS)}`)),
  ];
}

function toPart(author: Author, text: string): MessagePart {
  if (author.by === "owner") return { source: "principal", text };
  return { source: "content", text: `<content>\n${escapeTags(text)}\n</content>` };
}

/** The newest that have room. The owner's come first, so that others cannot push them out by writing much. */
function fit(parts: MessagePart[]): MessagePart[] {
  let room = REST_CHARS;
  const newest = parts.toReversed();
  const isOwners = ({ source }: MessagePart) => source === "principal";
  const fitting = new Set(
    [...newest.filter(isOwners), ...newest.filter((part) => !isOwners(part))].filter(
      ({ text }) => text.length <= room && (room -= text.length) >= 0,
    ),
  );
  if (fitting.size === parts.length) return parts;
  const left = `${parts.length - fitting.size} more texts are on this card: show it to read them.`;
  return [{ source: "content", text: left }, ...parts.filter((part) => fitting.has(part))];
}

function cut(text: string, chars: number): string {
  return text.length <= chars ? text : `${clip(text, chars)}\n(${text.length} characters; show the card to read all.)`;
}

/** The words are the harness's, and no wish of the owner. */
export const REMINDER =
  "Your answer ended nothing: the card is still yours. End the run now with one call of the board's tool: complete with a summary, request review, or block with the reason. Without one, your answer is handed to a person for review.";
