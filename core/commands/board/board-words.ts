// How people and models write what a board takes: the tool `board`, `/board` and `talaria board`. Pure.
import { type Result, err, ok } from "../../errors.ts";
import { type ActionFacts, CARD_ACTIONS, type CardAction } from "../../schemas/board/card-api.ts";
import { Assignee, type Author, type Card, CardId } from "../../schemas/board/card.ts";
import type { ActionAsked } from "../../board/perform-action.ts";

const NOBODY = "-";

/** `-`, and the word that people read on a card: `null`. `undefined`: it is none of them. */
export function readAssignee(word: string): Assignee | null | undefined {
  if (word === NOBODY || word === "nobody") return null;
  return Assignee.safeParse(word.startsWith("@") ? { person: word.slice(1).trim() } : { role: word }).data;
}

/** As `readAssignee` reads it. */
export function showAssignee(assignee: Assignee | null): string {
  if (assignee === null) return NOBODY;
  return "role" in assignee ? assignee.role : `@${assignee.person}`;
}

/** A person's name is written as on cards that are theirs. */
export function showAuthor(author: Author): string {
  return author.by === "person" ? `@${author.name}` : author.by;
}

export interface ActionWords {
  /** What follows the card's id, as help shows it. */
  words: string;
  /** One line, in the imperative, without a full stop. */
  help: string;
  /** The facts of the action, not checked yet. */
  read(text: string): Record<string, unknown>;
}

const nothing = { words: "", read: (text: string) => (text === "" ? {} : { text }) };
const summary = { words: "SUMMARY...", read: (text: string) => ({ summary: text }) };
const reason = { words: "REASON...", read: (text: string) => ({ reason: text }) };

/** A row for each action on a card, in the order of help. */
export const ACTION_WORDS: Record<CardAction, ActionWords> = {
  assign: {
    words: "ROLE|@NAME|-",
    help: "give it to a role, to @NAME (a person), or to - (nobody)",
    read(text) {
      const assignee = readAssignee(text);
      return { assignee: assignee === undefined ? { role: text } : assignee };
    },
  },
  start: { ...nothing, help: "begin the work on it yourself" },
  complete: { ...summary, help: "say that it is done, and what came of it" },
  block: {
    words: "KIND REASON...",
    help: "say why it cannot go on: needs_input, capability, transient, dependency",
    read(text) {
      const [kind, because] = splitWord(text);
      return { kind, reason: because };
    },
  },
  unblock: { ...nothing, help: "let it go on" },
  move: {
    words: "STATUS [TEXT...]",
    help: "bring it into STATUS; TEXT: why, a summary, or 2026-12-24T18:00",
    read(text) {
      const [to, rest] = splitWord(text);
      if (rest === "") return { to };
      return to === "scheduled" ? { to, notBefore: Date.parse(rest) } : { to, reason: rest, summary: rest };
    },
  },
  promote: { ...nothing, help: "take it out of triage, the schedule or a block" },
  "request-review": { ...summary, help: "have the work judged by a person" },
  "request-changes": { ...reason, help: "give it back to who did the work" },
  heartbeat: {
    words: "[NOTE...]",
    help: "say that your work on it goes on",
    read: (text) => (text === "" ? {} : { note: text }),
  },
  reclaim: {
    words: "[REASON...]",
    help: "take it from the session that works on it, and stop that",
    read: (text) => (text === "" ? {} : { reason: text }),
  },
  cancel: { ...reason, help: "archive it with a reason, and stop the work on it" },
  archive: { ...nothing, help: "take it off the board" },
  specify: { ...nothing, help: "have a model write a rough card in full" },
  decompose: { ...nothing, help: "have a model divide it into cards that come before it" },
};

export function isCardAction(word: string): word is CardAction {
  return Object.hasOwn(ACTION_WORDS, word);
}

/** `text`: what follows the card's id. Failure: `bad_card_action`, without how it is written. */
export function readAction(action: CardAction, text: string): Result<ActionAsked> {
  const facts = parseFacts(action, ACTION_WORDS[action].read(text.trim()));
  return facts.ok ? ok({ action, ...facts.value } as ActionAsked) : facts;
}

/** Failure: `bad_card_action`. */
function parseFacts<Action extends CardAction>(action: Action, facts: unknown): Result<ActionFacts<Action>> {
  const parsed = CARD_ACTIONS[action].safeParse(facts);
  return parsed.success ? ok(parsed.data as ActionFacts<Action>) : err("bad_card_action", describeIssue(parsed.error));
}

/** The first thing that is wrong, as a sentence. */
export function describeIssue({ issues }: { issues: { path: PropertyKey[]; message: string }[] }): string {
  const { path, message } = issues[0]!;
  return `${path.length === 0 ? "" : `\`${path.join(".")}\`: `}${message}.`;
}

/** The first word, and the rest. */
export function splitWord(text: string): [word: string, rest: string] {
  const [, word = "", rest = ""] = /^(\S*)\s*([^]*)$/.exec(text.trim())!;
  return [word, rest];
}

/** Fewer letters may be the beginning of many ids. */
const MIN_ID_CHARS = 4;

/** The card whose id is or begins with the word. `cards`: those that may be meant by its beginning. Failure: `card_not_found`. */
export async function findCardId(word: string, cards: () => Promise<Pick<Card, "id">[]>): Promise<Result<CardId>> {
  const whole = CardId.safeParse(word);
  if (whole.success) return ok(whole.data);
  const shown = word.slice(0, 40).toWellFormed();
  if (word.length < MIN_ID_CHARS)
    return err("card_not_found", `Write at least ${MIN_ID_CHARS} letters of a card's id, not '${shown}'.`);
  const found = (await cards()).filter(({ id }) => id.startsWith(word));
  if (found.length === 1) return ok(found[0]!.id);
  const why = found.length > 1 ? `${found.length} cards begin with` : "No open card has or begins with the id";
  return err("card_not_found", `${why} '${shown}'. \`list\` shows the cards, each with its id.`);
}

/** The `name=value` words with which a text begins, and the rest. */
export function readOptions(text: string): { options: Record<string, string>; text: string } {
  const options: Record<string, string> = {};
  let rest = text.trim();
  for (let found = OPTION.exec(rest); found; found = OPTION.exec(rest)) {
    options[found[1]!] = found[2]!;
    rest = rest.slice(found[0].length);
  }
  return { options, text: rest };
}
const OPTION = /^(board|for|parent|priority|label|before)=(\S+)\s*/;
