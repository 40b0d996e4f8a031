// Which words of a failed call its program refused by name: "unknown option --fast", "'utf16' is not accepted". What is missing,
// down or not allowed at the moment is no refusal, and neither is data that the program could not read. Called by
// tried-words.ts. Pure.
import { wordsIn } from "./call-words.ts";

/** Things that come and go, or are data: "unknown host" says nothing about the word. */
const PASSING = new RegExp(
  String.raw`(?<![\p{L}\p{N}_-])(?:files?|folder|directory|path|hosts?|hostname|users?|usernames?|groups?|owner|upstream|authority|manifest|shutdown|eof|error|certificate|issuer|` +
    String.raw`credentials?|tokens?|password|login|session|database|tables?|columns?|rows?|cells?|lines?|dates?|process|revision|ref|` +
    String.raw`reference|branch|container|image|network|device|service|characters?|bytes?|input|response|json|data|syntax|literal|` +
    String.raw`numeric|number|integer|object|e-?mail|address|url|start|end|byte-?sequenz|eingabesyntax|rechner|datei|benutzer|` +
    String.raw`gruppe|passwort|kennwort|datum|zertifikat|zeichen|zeile|spalte|tabelle|verzeichnis|octets?|fichier|h[ôo]te|utilisateur|` +
    String.raw`groupe|mot de passe|certificat|ligne|colonne|caract[èe]re|adresse|archivo|fichero|anfitri[óo]n|usuario|grupo|` +
    String.raw`contrase[ñn]a|fecha|certificado|l[íi]nea|columna|tabla|direcci[óo]n|senha|arquivo|utente|indirizzo)(?![\p{L}\p{N}_])`,
  "iu",
);
/** What a system call says of anything: `EINVAL: invalid argument, rename`, `Operation not permitted`, `code = Unknown`. */
const OF_ANYTHING =
  /(?<!\p{L})(?:\[errno \d+|invalid argument\s*(?:$|,)|argument[oe]? (?:ist )?(?:invalide|inv[áa]lido|ung[üu]ltig|non valido)[\s.]*$|(?:operation|op[ée]ration|operaci[óo]n|operazione|opera[çc][ãa]o) (?:not|non|no|não) \p{L}+|code = unknown|(?:permitted|allowed) to \p{L}+)/iu;
/** "unknown option --fast": what follows is refused, else what stands before it ("--fast: unknown option"). */
const REFUSES_NEXT = new RegExp(
  String.raw`(?<![\p{L}_])(?<!(?:is|are) )(?:(?:unknown|unrecogni[sz]ed|unexpected|invalid|illegal|unsupported)` +
    String.raw`|(?:no such|bad)(?: \p{L}+)? (?:option|argument|command|subcommand|flag|parameter|setting|switch|action|field|key)` +
    String.raw`|provided but not defined|unbekannt\p{L}*|ung[üu]ltig\p{L}*|ongeldige?|onbekende?|inconnue?|invalide|desconocid[ao]` +
    String.raw`|inv[aá]lid[ao]|sconosciut[ao]|(?:no|non|não) (?:reconocid[ao]|reconnue?|riconosciut[ao]|reconhecid[ao]|valid[aeo]?))(?!\p{L})` +
    String.raw`|(?:不明な|無効な|認識できない|未识别的?|无法识别的?|未知的?|无效的?) ?(?:选项|参数|命令|子命令|值|オプション|引数|コマンド|値)`,
  "iu",
);
/** "--fast is not accepted": what stands before it is refused. */
const REFUSES_BEFORE =
  /(?<![\p{L}_])(?:(?:is|are) (?:unknown|invalid|unsupported)(?!:)|(?:is |are )?not (?:one of|accepted|allowed|recogni[sz]ed|supported|valid|permitted|option)|(?:is |are )?not an? (?:\p{L}+ )?(?:option|argument|command|subcommand|flag|parameter|setting))(?!\p{L})/iu;
/** "must be one of low, high (got 'urgent')" */
const REFUSES_GIVEN =
  /(?<![\p{L}_])(?:must|should) be (?:one of|either)(?!\p{L}).{0,400}(?<![\p{L}_])(?:got|received|not|was)(?!\p{L})/iu;
/** A warning refuses nothing, and a test's report quotes what it expected. */
const NO_REFUSAL = /(?<![\p{L}_])(?:warn(?:ing)?|assert\w*|expected|received|actual|left|right)(?!\p{L})/iu;
/** "invalid value for --mode: quick" names the option first. */
const VALUE_FOR = /^\W{0,3}(?:value|choice|argument)s? (?:for|of)(?!\p{L})/iu;
const IN_ENGLISH = /^(?:unknown|unrecogni[sz]ed|unexpected|invalid|illegal|unsupported|(?:no such|bad|provided) .*)$/iu;
/** "Invalid value: -1": something is named after it, which no word of the call is. */
const NAMES_OTHER = /^ (?:\p{L}+ ){0,1}\p{L}+: \S/u;
const MAX_LINE_CHARS = 1_000;
/** Words between a refusal and what it refuses, and that word. */
const NEAR = 3;
const QUOTED = /(?<![\p{L}\p{N}])["'`“„‘«»]([^"'`”“’»«]{1,200})["'`”“’»«]/gu;
const QUOTE = /["'`“”„‘’«»]/u;
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
  const found = new Set(lines.flatMap((line) => refusedIn(line, own)));
  return words.filter((word) => found.has(word));
}

function refusedIn(whole: string, own: Own): string[] {
  const line = whole.replace(SPEAKER, "");
  const partsAt = (what: RegExpExecArray) =>
    [line.slice(0, what.index), line.slice(what.index + what[0].length)] as const;
  const given = REFUSES_GIVEN.exec(line);
  if (given) return namesIn(partsAt(given)[1], own, NEAR)[0] ?? [];
  const next = REFUSES_NEXT.exec(line);
  const what = next ?? REFUSES_BEFORE.exec(line);
  if (!what || OF_ANYTHING.test(line)) return [];
  const [before, after] = partsAt(what);
  if (NO_REFUSAL.test(whole.slice(0, whole.length - line.length)) || NO_REFUSAL.test(before)) return [];
  const named = namesIn(before, own, -NEAR).at(-1) ?? [];
  if (!next) return named;
  // "unknown host db01", "hôte inconnu": what it is may stand on either side.
  if (PASSING.test(nearest(after, NEAR)) || (!IN_ENGLISH.test(what[0]) && PASSING.test(nearest(before, -NEAR))))
    return [];
  const names = namesIn(after, own, NEAR);
  if (VALUE_FOR.test(after) && names[1]) return names[1];
  return names[0] ?? (NAMES_OTHER.test(after) ? [] : named);
}

/** Up to so many words that are in no quotes; the last ones, where `count` is negative. */
function nearest(text: string, count: number): string {
  const pieces = text.split(QUOTE);
  const plain = (count < 0 ? pieces.at(-1) : pieces[0]) ?? "";
  const words = plain.trim().split(/\s+/);
  return (count < 0 ? words.slice(count) : words.slice(0, count)).join(" ");
}

/**
 * Names in the order of the text, each as those of the own words that it holds. What is quoted is a name. Where nothing is, the
 * nearest words are: the first few, or the last few where `near` is negative.
 */
function namesIn(text: string, own: Own, near: number): string[][] {
  // Of "compose upp", upp was refused: who quotes more than the word quotes what led to it.
  const first = near > 0 ? plainIn(nearest(text, near).split(" ")).filter(([word]) => word!.startsWith("-")) : [];
  if (first.length > 0) return first;
  const quoted = Array.from(text.matchAll(QUOTED), ([, piece]) => wordsIn(piece!.trim().split(/\s+/).at(-1)!));
  if (quoted.length > 0) {
    return quoted.map((piece) => [...piece].flatMap((word) => own.quoted.get(word.replace(DASHES, "")) ?? []));
  }
  const words = [...wordsIn(text)];
  return plainIn(near < 0 ? words.slice(near) : words.slice(0, near));

  function plainIn(some: string[]): string[][] {
    return some.flatMap((word) => {
      const found = own.plain.get(word.replace(DASHES, "-"));
      return found ? [[found]] : [];
    });
  }
}
