// Which words of a failed call its program refused by name: "unknown option --fast", "'utf16' is not accepted". What is missing,
// down or not allowed at the moment is no refusal, and neither is data that the program could not read. Called by
// tried-words.ts. Pure.
import { wordsIn } from "./call-words.ts";

/** Things that come and go, or are data: "unknown host" says nothing about the word. */
const PASSING =
  "file|folder|directory|path|host|hostname|user|error|certificate|issuer|credentials?|tokens?|password|login|session|database|" +
  "tables?|columns?|rows?|cells?|lines?|date|process|revision|ref|reference|branch|container|image|network|device|service|" +
  "characters?|bytes?|input|response|json|data|syntax|literal|numeric|number|integer|object|e-?mail|address|url|start|end|eof";
/** "unknown option --fast": what follows is refused, else what stands before it ("--fast: unknown option"). */
const REFUSES_NEXT = new RegExp(
  String.raw`(?<![\p{L}_])(?:(?:unknown|unrecogni[sz]ed|unexpected|invalid|illegal|unsupported)(?! (?:${PASSING})(?!\p{L}))` +
    // At the end of a line it is what a system call says of anything.
    String.raw`(?! argument\s*$)` +
    String.raw`|(?:no such|bad)(?: \p{L}+)? (?:option|argument|command|subcommand|flag|parameter|setting|switch|action|field|key)` +
    String.raw`|provided but not defined|unbekannt\p{L}*|ung[üu]ltig\p{L}*|ongeldige?|onbekende?|inconnue?|invalide|desconocid[ao]` +
    String.raw`|inv[aá]lid[ao]|sconosciut[ao]|(?:no|non|não) (?:reconocid[ao]|reconnue?|riconosciut[ao]|reconhecid[ao]|valid[aeo]?))(?!\p{L})` +
    String.raw`|(?:不明な|無効な|認識できない|未识别的?|无法识别的?|未知的?|无效的?) ?(?:选项|参数|命令|子命令|值|オプション|引数|コマンド|値)`,
  "iu",
);
/** "--fast is not accepted": what stands before it is refused. */
const REFUSES_BEFORE =
  /(?<![\p{L}_])(?:(?:is|are) (?:unknown|invalid|unsupported)|(?:is |are )?not (?:one of|accepted|allowed|recogni[sz]ed|supported|valid|permitted|option)|(?:is |are )?not an? (?:\p{L}+ )?(?:option|argument|command|subcommand|flag|parameter|setting))(?!\p{L})/iu;
/** "must be one of low, high (got 'urgent')" */
const REFUSES_GIVEN =
  /(?<![\p{L}_])(?:must|should) be (?:one of|either)(?!\p{L}).{0,400}(?<![\p{L}_])(?:got|received|not|was)(?!\p{L})/iu;
/** A warning refuses nothing, and a test's report quotes what it expected. */
const NO_REFUSAL = /(?<![\p{L}_])(?:warn(?:ing)?|assert\w*|expected|received|actual|left|right)(?!\p{L})/iu;
/** "invalid value for --mode: quick" names the option first. */
const VALUE_FOR = /^\W{0,3}(?:value|choice|argument)s? (?:for|of)(?!\p{L})/iu;
const MAX_LINE_CHARS = 1_000;
/** Words between a refusal and what it refuses, and that word. */
const NEAR = 3;
const QUOTED = /(?<![\p{L}\p{N}])["'`“„‘«»]([^"'`”“’»«]{1,200})["'`”“’»«]/gu;
/** Who says it: `sort: unrecognized option`. */
const SPEAKER = /^(?:[\w./][\w./-]{0,59}: ){1,3}/;

/** A program may name an option with fewer dashes than it has, and with none where it quotes it. */
const DASHES = /^-{1,2}(?=.)/;
/** The words of the call, by how a program may name them. */
interface Own {
  quoted: Map<string, string>;
  plain: Map<string, string>;
}

/** Those of the words that a line of the texts refuses. */
export function findRefused(words: string[], said: string[]): string[] {
  const own: Own = {
    quoted: new Map(words.map((word) => [word.replace(DASHES, ""), word])),
    plain: new Map(words.map((word) => [word.replace(DASHES, "-"), word])),
  };
  const lines = said.flatMap((text) => text.split("\n")).filter((line) => line.length <= MAX_LINE_CHARS);
  const found = new Set(lines.flatMap((line) => refusedIn(line.replace(SPEAKER, ""), own)));
  return words.filter((word) => found.has(word));
}

function refusedIn(line: string, own: Own): string[] {
  const named = (what: RegExpExecArray) => ({
    before: namesIn(line.slice(0, what.index), own, -NEAR),
    after: namesIn(line.slice(what.index + what[0].length), own, NEAR),
  });
  const given = REFUSES_GIVEN.exec(line);
  if (given) return named(given).after[0] ?? [];
  const next = REFUSES_NEXT.exec(line);
  const what = next ?? REFUSES_BEFORE.exec(line);
  if (!what || NO_REFUSAL.test(line.slice(0, what.index))) return [];
  const { before, after } = named(what);
  if (!next) return before.at(-1) ?? [];
  const isValueFor = VALUE_FOR.test(line.slice(next.index + next[0].length));
  return (isValueFor && after[1]) || (after[0] ?? before.at(-1) ?? []);
}

/**
 * Names in the order of the text, each as those of the own words that it holds. What is quoted is a name. Where nothing is, the
 * nearest words are: the first few, or the last few where `near` is negative.
 */
function namesIn(text: string, own: Own, near: number): string[][] {
  // Of "compose upp", upp was refused: who quotes more than the word quotes what led to it.
  const quoted = Array.from(text.matchAll(QUOTED), ([, piece]) => wordsIn(piece!.trim().split(/\s+/).at(-1)!));
  if (quoted.length > 0) {
    return quoted.map((piece) => [...piece].flatMap((word) => own.quoted.get(word.replace(DASHES, "")) ?? []));
  }
  const words = [...wordsIn(text)];
  return (near < 0 ? words.slice(near) : words.slice(0, near)).flatMap((word) => {
    const found = own.plain.get(word.replace(DASHES, "-"));
    return found ? [[found]] : [];
  });
}
