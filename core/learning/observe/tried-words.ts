// Which words of a loaded text the work tried: those with which a call failed, so that the model tried something else in its
// place; those that the program refused by name; and those that had failed before and now worked. Called by observe.ts with the
// calls that were work on the task. A word that failed need not be wrong; whoever loads the text next is told of it. Pure.
import type { ToolEntry } from "../../schemas/entry.ts";
import type { TriedWords } from "../../schemas/learning.ts";
import { piecesOf } from "../taint/entries.ts";
import { isSameDeed, wordsIn, wordsOfCall } from "./call-words.ts";
import type { ShownText } from "./proved-wrong.ts";

/** Of one text in one turn. They are kept with its evidence. */
const MAX_WORDS = 5;
const MAX_WORD_CHARS = 60;

/** Texts of which no word has failed, now or before, are left out. */
export function findTriedWords(tools: ToolEntry[], shown: ShownText[]): TriedWords[] {
  const calls = tools.map((entry) => {
    const { n, failed, call } = entry;
    return {
      n,
      failed,
      call,
      words: wordsOfCall(call.args),
      said: failed ? piecesOf(entry).map(({ text }) => text) : [],
    };
  });
  const worked = calls.filter(({ failed }) => !failed);
  const given = calls
    .filter(({ failed }) => failed)
    .map(({ n, call, words, said }) => {
      const instead = calls.filter((other) => other.n > n && isInstead(call, other.call));
      const others = new Set([...instead, ...worked].flatMap((other) => [...other.words]));
      const own = [...words].filter((word) => !others.has(word));
      const refused = refusedOf(own, said);
      // Where nothing else was tried, only the program's own word tells what was wrong.
      return { n, words: instead.length > 0 ? own : refused, refused };
    });
  return shown.flatMap(({ skill, text, entry, words, failedWords }) => {
    const isTaken = (word: string) => words.has(word) && word.length <= MAX_WORD_CHARS;
    const later = given.filter(({ n }) => n > entry);
    const failed = [...new Set(later.flatMap((call) => call.words.filter(isTaken)))].slice(0, MAX_WORDS);
    const byName = new Set(later.flatMap((call) => call.refused));
    const refused = failed.filter((word) => byName.has(word));
    const again = failedWords.filter((word) => worked.some((call) => call.n > entry && call.words.has(word)));
    if (failed.length === 0 && failedWords.length === 0) return [];
    return [{ skill, text, failed, ...(refused.length > 0 && { refused }), worked: again }];
  });
}

/** A program says that it does not take what it was given. What is only missing or down at the moment is not refused. */
const REFUSES =
  /(?<!\p{L})(?:(?:is|are) (?:unknown|invalid|unsupported)|(?:unknown|unrecogni[sz]ed|invalid|illegal|unsupported)(?! (?:file|folder|directory|path|host|hostname|user|error|certificate|issuer|credentials?|token|password|login|session|database|table|row|cell|line|date|process|revision|ref|branch|container|image|network|device|service|character|byte|input|response|json|data)(?!\p{L}))|no such (?:option|argument|command|subcommand|flag|parameter|setting|switch|action|field|key)|not (?:an? )?(?:accepted|allowed|recogni[sz]ed|supported|valid|permitted|option)|unbekannt\p{L}*|ung[üu]ltig\p{L}*|inconnue?|invalide|desconocid[ao]|inv[aá]lid[ao]|sconosciut[ao])(?!\p{L})/iu;
const MAX_LINE_CHARS = 1_000;
/** Words between a refusal and what it refuses, and that word. */
const NEAR = 2;
const QUOTED = /(?<![\p{L}\p{N}])["'`“„‘«]([^"'`”“’»]{1,200})["'`”“’»]/gu;
/** Who says it: `sort: unrecognized option`. */
const SPEAKER = /^(?:[\w./-]{1,60}: ){1,3}/;

/** Those of the words that a failed call's lines refuse: what a line quotes, else what stands nearest to the refusal. */
function refusedOf(words: string[], said: string[]): string[] {
  const found = said
    .flatMap((text) => text.split("\n"))
    .flatMap((line) => {
      const what = line.length > MAX_LINE_CHARS ? null : REFUSES.exec(line.replace(SPEAKER, ""));
      if (!what) return [];
      const quoted = wordsIn(Array.from(line.matchAll(QUOTED), ([, piece]) => piece).join(" "));
      if (quoted.size > 0) return words.filter((word) => quoted.has(word));
      const before = [...wordsIn(what.input.slice(0, what.index))].toReversed().slice(0, NEAR);
      const after = [...wordsIn(what.input.slice(what.index + what[0].length))].slice(0, NEAR);
      // "unknown option --fast", "--fast is not accepted by sort".
      const near = /^(?:not|is)\b/i.test(what[0]) ? before : [...after, ...before];
      return near.filter((word) => words.includes(word)).slice(0, 1);
    });
  return words.filter((word) => found.includes(word));
}

function isInstead(failed: ToolEntry["call"], other: ToolEntry["call"]): boolean {
  return failed.name === other.name && isSameDeed(failed.args, other.args);
}
