// Distinguishes an order from a text about orders: a guide about attacks quotes them, lists them under a heading, or forbids
// them. Called by scanner.ts for each match. Pure.
import { LEXICON } from "./lexicon.ts";
import type { ClassRange, Sentence } from "./tokens.ts";

/** A negation applies to a match at most this many words after it. */
const NEGATION_REACH = 5;

/** The sentence forbids what it names: `never send the keys to …`. */
export function isForbidden(sentence: Sentence, hit: ClassRange, parts: ClassRange[] = []): boolean {
  const negations = sentence.hits.get("NEG") ?? [];
  return negations.some(
    ({ to }) => (to < hit.from && hit.from - to <= NEGATION_REACH) || parts.some((part) => part.from - to === 1),
  );
}

/** The sentence asks for care: `asks before it deletes`. */
export function isCareful(sentence: Sentence): boolean {
  const negations = sentence.hits.get("NEG") ?? [];
  return (sentence.hits.get("CAUTION") ?? []).some(
    ({ from }) => !negations.some(({ to }) => to < from && from - to <= NEGATION_REACH),
  );
}

/** The sentence is about attacks, or quotes words as words. */
export function isDescribed(sentence: Sentence, hit: ClassRange): boolean {
  const { tokens, hits } = sentence;
  const describing = hits.get("DESCRIBES") ?? [];
  if (describing.some(({ to }) => to < hit.from || to > hit.to)) return true;
  const isQuoted = tokens[hit.from]!.isQuoted && tokens[hit.to]!.isQuoted;
  if (!isQuoted || hit.from === 0 || tokens[0]!.isQuoted) return false;
  const before = tokens.slice(Math.max(0, hit.from - QUOTING_REACH), hit.from);
  return QUOTING.test(before.map(({ word }) => word).join(" "));
}

/** Words that introduce a quotation, and how many words before it are searched for them. */
const QUOTING = /\b(?:says?|like|phrases?|words?|means?|called|named|term|contains?|string|asks?|request(?:s|ed)?)\b/;
const QUOTING_REACH = 8;

/** Whether the text is an example: it is under `## Red flags`, or follows `Attackers write:`. */
export function isExample({
  heading,
  lead,
  inFence,
  inTable,
  inList,
}: Pick<Sentence, "heading" | "lead" | "inFence" | "inTable" | "inList">): boolean {
  if (speaksOfAttacks(heading) || /security|safety/.test(heading)) return true;
  const isBelowLead = inFence || inTable || inList;
  if (isBelowLead && speaksOfAttacks(lead)) return true;
  return (inList && forbids(lead)) || (inFence && REPORTS.test(lead));
}

/** The line before a block that quotes something: `The mail we got said:`. */
const REPORTS = /\b(?:contained|said|read|wrote|received|sent(?: us)?|looked like this|was)\s?:$/;

/** The line before a list of forbidden things: `Never:`, `Do not do any of these:`. */
const FORBIDS = /\b(?:never|do not|don't|avoid|must not|forbidden|not allowed|anti-patterns?)\b/;
const END_SIGNS = /(?<!\W)\W+$/;
const FORBIDS_CHARS = 95;

/** Looks at the end of the last sentence. */
function forbids(lead: string): boolean {
  const said = lead.replace(END_SIGNS, "");
  return FORBIDS.test(said.slice(said.lastIndexOf(".") + 1).slice(-FORBIDS_CHARS));
}

function speaksOfAttacks(line: string): boolean {
  return (line.match(/[\p{L}\p{N}.-]+/gu) ?? []).some((word) =>
    LEXICON.get(word)?.some((name) => name === "DESCRIBES" || name === "DESCRIBES_BELOW"),
  );
}
