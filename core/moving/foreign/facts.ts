// Makes facts of what other programs keep as memory: entries between delimiters, or Markdown. A fact here is one sentence or a few, so lists
// become their items, and a long text its sentences. Pure.
import { FIXED } from "../../limits.ts";
import { normaliseFact } from "../../memory/rules.ts";
import type { MemoryStoreName } from "../../schemas/memory.ts";
import type { ForeignFact, MoveNote } from "./foreign-home.ts";

/** Between two entries of Hermes's MEMORY.md and USER.md. */
export const ENTRY_DELIMITER = "\n§\n";

/** [own] More facts than any store shows. */
const MAX_FACTS = 2_000;
const BULLET = /^\s*(?:[-*•+]|\d{1,4}[.)])\s+(\S.*)$/u;

/** Entries as Hermes writes them, each one fact where it fits. */
export function readEntries(text: string, store: MemoryStoreName, notes: MoveNote[]): ForeignFact[] {
  const entries = text.replaceAll("\r\n", "\n").split(ENTRY_DELIMITER);
  return toFacts(entries, store, notes);
}

/** Items of lists, and paragraphs; headings and comments are left out. A field without a value is a template that nobody filled in. */
export function readMarkdownFacts(text: string, store: MemoryStoreName, notes: MoveNote[]): ForeignFact[] {
  const plain = withoutComments(text.replaceAll("\r\n", "\n"));
  const pieces: string[] = [];
  let isOpen = false;
  for (const line of plain.split("\n")) {
    const item = BULLET.exec(line)?.[1];
    const isBreak = line.trim() === "" || /^\s*(?:#{1,6}\s|-{3,}\s*$|`{3}|\|)/.test(line);
    if (item !== undefined) pieces.push(item);
    else if (!isBreak && isOpen) pieces[pieces.length - 1] += ` ${line.trim()}`;
    else if (!isBreak) pieces.push(line.trim());
    isOpen = !isBreak;
  }
  const filled = pieces.filter((piece) => !/^\**[^:*]{1,60}:\**(?:\s*_\([^)]*\)_)?$/.test(piece.trim()));
  return toFacts(filled, store, notes);
}

/** Without HTML comments. One that is never closed ends with the text. */
export function withoutComments(text: string): string {
  const kept: string[] = [];
  for (let from = 0; from < text.length;) {
    const begin = text.indexOf("<!--", from);
    kept.push(text.slice(from, begin < 0 ? undefined : begin));
    const end = begin < 0 ? -1 : text.indexOf("-->", begin);
    if (end < 0) break;
    from = end + 3;
  }
  return kept.join("");
}

function toFacts(entries: string[], store: MemoryStoreName, notes: MoveNote[]): ForeignFact[] {
  const facts = new Map<string, ForeignFact>();
  for (const entry of entries) {
    const pieces = splitFact(entry);
    if (pieces.length > 1) {
      const what = `an entry of ${store === "user" ? "facts about the user" : "the agent's notes"}`;
      notes.push({ kind: "changed", what, why: `it is a list or too long, and became ${pieces.length} facts` });
    }
    for (const text of pieces) {
      if (facts.size >= MAX_FACTS) {
        notes.push({ kind: "refused", what: "further facts", why: `at most ${MAX_FACTS} come at once` });
        return [...facts.values()];
      }
      if (!facts.has(text)) facts.set(text, { store, text });
    }
  }
  return [...facts.values()];
}

/** Texts that are one fact each. Empty: it says nothing. */
export function splitFact(entry: string): string[] {
  const lines = entry.split("\n");
  const isList = lines.filter((line) => BULLET.test(line)).length > 1;
  const pieces = isList ? lines.map((line) => BULLET.exec(line)?.[1] ?? line) : [entry];
  return pieces.flatMap((piece) => splitLong(normaliseFact(piece.toWellFormed()))).filter((piece) => piece !== "");
}

/** At the ends of sentences where there are any, else between words. */
function splitLong(text: string): string[] {
  const most = FIXED.memoryEntryChars;
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > most) {
    const head = rest.slice(0, most);
    const sentence = Math.max(
      head.lastIndexOf(". "),
      head.lastIndexOf("; "),
      head.lastIndexOf("? "),
      head.lastIndexOf("! "),
    );
    const at = sentence > 0 ? sentence + 1 : Math.max(head.lastIndexOf(" "), 0) || most;
    pieces.push(rest.slice(0, at).toWellFormed().trim());
    rest = rest.slice(at).trim();
  }
  return [...pieces, rest.toWellFormed()];
}
