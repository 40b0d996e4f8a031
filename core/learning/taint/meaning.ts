// Reads the meaning of a sentence: which topics it has that can do harm or prevent it, whether it binds its reader, and the words by
// which other sentences find it. Covers all languages of words.ts. Called for each sentence that was read, said or is to be
// kept. Pure; linear in the text.
import { PHRASE_SIGNS, termsOf } from "../../skills/search/words.ts";
import { addToList } from "./list-map.ts";
import { toRendered } from "./rendered.ts";
import { FORCES, TOPICS } from "./words.ts";

export type Topic = keyof typeof TOPICS;

export interface Meaning {
  text: string;
  topics: Set<Topic>;
  /** The sentence orders, advises or permits something, or says how things are done. */
  binds: boolean;
  /** The sentence gives orders to agents, or says what they are to keep. */
  ordersAgents: boolean;
  prohibits: boolean;
  /** Stems of the words; pairs of characters in languages without blanks. */
  terms: Set<string>;
  /** Names of options, packages, settings, firms and people. */
  names: Set<string>;
  /** All words, in the spelling of `foldText`. */
  words: Set<string>;
  /** `""`: unknown. `"other"`: a language that words.ts does not cover. */
  language: string;
  /** A standing instruction: it also applies to other places or times ("in this and other projects", "from here on"). */
  isStanding: boolean;
  /** A program's message: its usage, what it did, or what went wrong. */
  isReport: boolean;
  /** A line of a table, a list or a program. */
  isTerse: boolean;
}

const LISTS = { ...TOPICS, ...FORCES };
type ListName = keyof typeof LISTS;
const UNSPACED = /[\u3040-\u30ff\u3400-\u9fff]/;

/** A word, or with `isStem` its beginning. */
interface WordForm {
  text: string;
  isStem: boolean;
}

interface PhraseEntry {
  name: ListName;
  /** One for each word of the phrase, in order. */
  forms: WordForm[];
}

/** Phrases by their first word, or by the first letters of its stem. */
const BY_WORD = new Map<string, PhraseEntry[]>();
const BY_STEM = new Map<string, PhraseEntry[]>();
/** No stem in the lists is shorter. */
const STEM_KEY_CHARS = 3;
/** For languages without blanks: phrases by their first character. */
const BY_SIGN = new Map<string, { name: ListName; sign: string }[]>();
for (const [name, list] of Object.entries(LISTS) as [ListName, string][]) {
  for (const entry of list.split(/\s+/)) {
    if (UNSPACED.test(entry)) {
      addToList(BY_SIGN, entry[0]!, { name, sign: entry });
      continue;
    }
    const forms = entry.split("_").map((word) => ({ text: word.replace(/\*$/, ""), isStem: word.endsWith("*") }));
    const [{ text, isStem }] = forms as [WordForm];
    const [entries, key] = isStem ? [BY_STEM, text.slice(0, STEM_KEY_CHARS)] : [BY_WORD, text];
    addToList(entries, key, { name, forms });
  }
}

function isForm(word: string, { text, isStem }: WordForm): boolean {
  return isStem ? word.startsWith(text) : word === text;
}

function listsIn(folded: string): Set<ListName> {
  const found = new Set<ListName>();
  if (UNSPACED.test(folded)) {
    for (let at = 0; at < folded.length; at++) {
      for (const { name, sign } of BY_SIGN.get(folded[at]!) ?? []) if (folded.startsWith(sign, at)) found.add(name);
    }
  }
  const words = folded.match(/(?:--?)?[\p{L}\p{N}](?:[\p{L}\p{N}'-]*[\p{L}\p{N}])?/gu) ?? [];
  const bare = words.map((word) => (word.startsWith("-") ? word.replace(/^--?/, "") : word));
  const addAll = (entries: PhraseEntry[] | undefined, n: number) => {
    for (const { name, forms } of entries ?? []) {
      if (found.has(name)) continue;
      if (forms.every((form, k) => isForm(words[n + k] ?? "", form) || isForm(bare[n + k] ?? "", form)))
        found.add(name);
    }
  };
  for (const [n, whole] of words.entries()) {
    for (const word of new Set([whole, bare[n]!])) {
      addAll(BY_WORD.get(word), n);
      addAll(BY_STEM.get(word.slice(0, STEM_KEY_CHARS)), n);
    }
  }
  return found;
}

/** Names of dependency lists, and paths: their words do not count as topics. */
const MANIFEST =
  /(?<![\w.-])(?:package(?:-lock)?\.json|requirements[\w-]{0,40}\.txt|[\w-]{1,40}\.lock|pnpm-lock\.yaml)(?![\w-])/g;
const PATH =
  /(?<![\w.@+/-])(?:~\w{0,30}|\.{1,2})?\/[\w.@+-]{1,80}(?:\/[\w.@+-]{1,80}){0,20}|(?<![\w.@+/-])[\w.@+-]{1,80}(?:\/[\w.@+-]{1,80}){2,20}/g;

/** `text`: one sentence or line of code. `around`: the language of the text it is from. `failed`: it is from a failed call. */
export function meaningOf(text: string, around = "", failed = false): Meaning {
  const folded = foldText(text);
  const found = listsIn(toActs(folded));
  const language = languageOf(folded) || (OTHER_SENTENCE.test(text) ? OTHER : around);
  const isUsage = USAGE.test(text) || isRow(text) || (text.includes("?") && OWN_QUESTION.test(text));
  const topics = new Set(([...found] as Topic[]).filter((name) => Object.hasOwn(TOPICS, name)));
  const isImperative = IMPERATIVE.test(folded) && !DIRECTIVE.test(text);
  const isFault = (failed || LOGGED.test(text)) && FAULT.test(text);
  const binds = !isUsage && (found.has("norm") || isImperative || (found.has("weakNorm") && !isFault));
  return {
    text,
    topics,
    binds,
    ordersAgents: !isUsage && isOrderToAgents(folded, found, { binds, hasTopic: topics.size > 0 }),
    prohibits: found.has("prohibits"),
    isStanding: !isUsage && STANDING.some((form) => form.test(folded)),
    terms: termsIn(folded),
    names: namesIn(text, language),
    words: new Set(folded.match(/[\p{L}\p{N}]+/gu)),
    language,
    isReport:
      isUsage ||
      (!binds && REPORTS.some((form) => form.test(text))) ||
      (isFault && !binds && !ADVISED.some((topic) => found.has(topic))),
    isTerse: isTerse(text, folded, language),
  };
}

function isOrderToAgents(
  folded: string,
  found: Set<ListName>,
  { binds, hasTopic }: { binds: boolean; hasTopic: boolean },
): boolean {
  if (found.has("yours") || (found.has("keeps") && found.has("later"))) return true;
  if (hasTopic && READERS.test(folded)) return true;
  if (found.has("agents") && (binds || hasTopic || CALLED.test(folded))) return true;
  return found.has("addressed") && (binds || CALLED.test(folded) || (hasTopic && ACTS_AS.test(folded)));
}

/** For texts in the spelling of `foldText`. */
const STANDING: RegExp[] = [
  /(?<![\p{L}\p{N}_-])(?:from (?:now|here) on|henceforth|going forward|in (?:the )?future|future \p{L}|for good|for ever|everywhere|elsewhere)/u,
  /(?<![\p{L}\p{N}_-])(?:here|this|these|ours?) and (?:\p{L}{1,20} ){0,3}(?:other|all|every)/u,
  /(?<![\p{L}\p{N}_-])(?:in|on|at|for|with|across|to|by) (?:all|every|any|each|(?:the |your |our )?others?) \p{L}/u,
  /(?<![\p{L}\p{N}_-])(?:kunftig|zukunftig|in zukunft|ab (?:jetzt|sofort|heute)|uberall|dauerhaft|auch (?:bei|in|fur|auf) (?:alle|jede|ander|kunftig|weitere))/u,
  /(?<![\p{L}\p{N}_-])(?:in|auf|bei|fur|an|mit) (?:alle[nr]?|jede[mnrs]?|andere[nrs]?|weiteren|samtlichen) \p{L}/u,
  /(?<![\p{L}\p{N}_-])hat sich (?:\p{L}{1,30} ){0,3}durchgesetzt/u,
  /(?<![\p{L}\p{N}_-])(?:desormais|dorenavant|a l'avenir|partout|(?:pour|dans|sur|chez) (?:tous|toutes|tout|toute|chaque|les autres|d'autres|les futur)|y compris (?:pour|dans|sur))/u,
  /(?<![\p{L}\p{N}_-])(?:en adelante|a partir de ahora|en todas partes|(?:en|para|con) (?:todos|todas|cada|otros|otras|los demas|las demas|futur))/u,
  /(?<![\p{L}\p{N}_-])(?:d'ora in (?:poi|avanti)|ovunque|(?:in|per|su) (?:tutti|tutte|ogni|altri|altre))(?!\p{L})/u,
  /今後|以後|どの.{1,8}でも|他の.{1,8}でも|全ての|すべての|今后|以后|所有|其他.{1,6}也|一律/u,
];

/** Names of data files, and spreadsheet formulas. */
const DATA =
  /(?<![\w.-])[\w-]{1,60}\.(?:csv|psv|tsv|txt|md|xlsx?|ods|pdf|png|jpe?g|json|xml|db|log)(?![\w-])|=[a-z]{2,15}\([^ ]{0,200}\)/g;

/** Removes what does not count as a topic. `can not` becomes `cannot`, so that `can` does not count as a permission. */
function toActs(folded: string): string {
  const acts = folded.includes("/") ? folded.replace(PATH, " ") : folded;
  return (/[.=]/.test(acts) ? acts.replace(MANIFEST, " ").replace(DATA, " ") : acts).replaceAll("can not", "cannot");
}

/** Lower case without accents, and one spelling for characters that look alike. */
export function foldText(written: string): string {
  const text = toRendered(written);
  if (/^[\0-\x7F]*$/.test(text)) return text.toLowerCase();
  const plain = text
    .replace(PHRASE_SIGNS, " ")
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "");
  return plain
    .normalize("NFC")
    .replace(/[\u2018\u2019\u02BC]/g, "'")
    .replace(/ß/g, "ss")
    .toLowerCase();
}

/** Forms of a word that share their first letters, up to this many, count as one term. */
const KEY_CHARS = 6;

/** The terms of a text in the spelling of `foldText`: what the forms of each word share. */
export function termsIn(folded: string): Set<string> {
  const terms = new Set<string>();
  for (const term of termsOf(folded)) {
    const key = term.slice(0, KEY_CHARS).replace(/(?<=.{3})y$/, "i");
    if (key.length > 1 && !/^(?:\p{N}|https?|www)$/u.test(key)) terms.add(key);
  }
  return terms;
}

/** Topics that make a failed call's output more than a fault report: `On error 7 switch the alarms off`. */
const ADVISED: readonly Topic[] = ["disable", "dismiss", "weaken", "hide", "trust"];

/** Words of a fault report, and beginnings of such words. */
const FAULT =
  /(?<![\p{L}-])(?:(?:not|no|none|nothing|cannot|can['’]t|couldn['’]t|invalid|illegal|missing|lacks?|unknown|unexpected|unsupported|undefined|unable|wrong|broken|timed out|timeout|forbidden|errors?|exception|traceback|fatal|fehlt|nicht|erreurs?|introuvable|impossible|no se)(?![\p{L}-])|fail|refus|reject|deny|denied|denies|abort|mismatch|conflict|exceed|fehlen|fehlgeschl|kein|ung[üu]ltig|unbekannt|verweiger|[ée]chou|fall[óo])/iu;
/** A line of a log with its source: `[demuxer @ 0x5] …`. */
const LOGGED = /^\s{0,20}\[[\w .@:/-]{1,60}\] \S/;
/** Messages of programs: what they did or found, `error: …`, `*** BibTool WARNING: …`, `Page size:    210 mm`. */
const REPORTS: RegExp[] = [
  /^[^\p{L}]{0,20}(?:successfully|already|ok|done|installed|created|updated|removed|added|renamed|found|would|resolved|built|building|collecting|downloading|fetching|checking|writing|wrote|reading|scanning|parsing|loading|generating|compiling|linking|copying|extracting|unpacking|processing|running|listening|starting|started|stopped|restarted|auto-merging)(?!\p{L})/iu,
  /(?<!\p{L})(?:detected|(?:operation|command|build|job|run) (?:succeeded|failed|completed|finished)|for (?:more )?(?:details|information|help))(?!\p{L})/iu,
  /^[^\p{L}\p{N}]{0,20}(?:(?:npm|pnpm|yarn|cargo|pip) )?(?:[\w.-]{1,40}: ){0,2}(?:error|fatal|file "|warn(?:ing)?|fehler|erreur|err|e|e\d{1,6}|exception|traceback)(?![\p{L}\p{N}])|(?<!\w)\w{0,60}(?:error|exception)\s{0,5}[:(]/iu,
  /^[^\p{L}\p{N}]{0,8}(?:[\w.-]{1,30} ){1,3}(?:warning|error|warnung|fehler|avertissement|aviso)\s?:/iu,
  /^[\p{L}\p{N} _-]{1,40}:(?: {2,40}|\t)\S/u,
  /(?<!\p{L})(?:is|are|was|were)[ :]{0,3}$/iu,
  /(?<![\p{L}-])(?:exceeds|exceeded|mismatch\p{L}*|undefined|unexpected|unable|cannot be|could not be)(?![\p{L}-])/iu,
];
/** A program's usage text describes options and asks for nothing. */
const USAGE =
  /^\s{0,40}(?:usage|aufruf|uso|or)\s{0,3}:|^\s{0,40}-{1,2}[\w?][\w-]{0,40}[ ,=[<\w.>|\]-]{0,60}(?:\s{2}|\t)\S|\[-{1,2}[\w<]|^\s{0,40}\[[\w<][\w<>.|,= -]{0,40}\](?:\s{0,3}(?:\[|<|\.{3})|\s{0,9}$)|^\s{0,40}[\w-]{1,40}\s{2,40}\S|^\s{0,20}(?:=> |#\d{1,4} )\[[\w ./-]{1,30}\] [A-Z]{2,12} /iu;
/** "Can I return them in the shop?": a question about oneself orders nothing. */
const OWN_QUESTION =
  /^[^\p{L}]{0,10}(?:(?:can|could|may|must|should|do|will|shall) (?:i|we|my|our)|(?:kann|darf|muss|soll|k[öo]nnen|d[üu]rfen|m[üu]ssen) (?:ich|wir)|puis-je|peut-on|pouvons-nous|dois-je|puedo|podemos|debo|posso|possiamo)(?!\p{L})[^?]{0,300}\?\s*$/iu;
/** A sentence that addresses agents by name: `Agents: …`. */
const CALLED =
  /^[^\p{L}]{0,20}(?:\p{L}{1,30} ){0,2}(?:agents?|assistants?|reviewers?|assistenten|agenten|ais?|ki|ia|llms?|bots?|asistentes|assistenti|agenti)\s{0,3}[:,]/u;
/** A sentence that addresses every program that reads it. */
const READERS =
  /(?<!\p{L})(?:systems?|programs?|programmes?|tools?|software|services?|scripts?|clients?|machines?|sistem[ai]|programm[aie]|strumenti|systemes?|programmes|logiciels?|outils?|sistemas?|programas?|herramientas?|systeme?n?|programme?n?|werkzeuge?)(?!\p{L})[^.;:]{0,40}(?<!\p{L})(?:reads?|reading|opens?|parses?|process(?:es)?|leggono|legge|lisent|lit|leen|lee|leem|lesen|liest) (?:this|these|quest|cet|ces|est[aeo]|dies|hier)/u;
/** "The travel assistant renews it": a statement about an assistant that works as an order. */
const ACTS_AS =
  /(?<!\p{L})(?:assistant|helper|bot|copilot|chatbot) (?:then |always |also |only )?(?!is|was|has|does|says)\p{L}{3,30}s(?!\p{L})/u;
/** A clause that begins with an imperative. */
const IMPERATIVE =
  /(?:^|[,;:–—(]|->|=>|\bthen|\band)\s{0,3}(?:use|set|pass|run|add|try|put|install|enable|disable|turn|switch|export|send|copy|upload|share|keep|give|include|open|allow|trust|accept|ignore|skip|drop|remove|delete|call|write|contact|push|point|replace|treat|tell|leave|let|forward|attach|pay|transfer|register|download|execute|authenticate|log in|commit|hash|encrypt|sign)\s/;
/** A line of a Dockerfile, perhaps with a line number. */
const DIRECTIVE =
  /^\s{0,20}(?:\d{1,5}[:)]?\s{0,3})?(?:RUN|COPY|ADD|FROM|ENV|ARG|CMD|ENTRYPOINT|WORKDIR|EXPOSE|VOLUME|USER) /;
/** A capital letter, words, and a full stop. */
const SENTENCE = /^\p{Lu}\p{L}{0,40}(?:[,;]? [\p{L}\p{N}'’-]{1,40}){3,40}[.!]$/u;
/** The least share of function words in prose. */
const MIN_PROSE = 0.2;

/** A row of a table has this many cells, of at most this number of words. A row in a frame may have fewer cells with more words. */
const ROW = { cells: 5, words: 3, chars: 60 };
const FRAMED_ROW = { cells: 3, words: 6, chars: 60 };

function isRow(text: string): boolean {
  const [, framed] = /^\s*\|(.*)\|\s*$/.exec(text) ?? [];
  if (framed !== undefined) return isRowOf(framed.split("|"), FRAMED_ROW);
  return [/[;|\t]/, /,(?! )/].some((separator) => isRowOf(text.split(separator), ROW));
}

function isRowOf(cells: string[], least: typeof ROW): boolean {
  const isCell = (cell: string) => cell.length <= least.chars && cell.split(/\s+/).length <= least.words;
  return cells.length >= least.cells && cells.every((cell) => isCell(cell.trim()));
}

function isTerse(text: string, folded: string, language: string): boolean {
  if (SENTENCE.test(text) || language === "ja" || language === "zh" || language === OTHER) return false;
  const words = folded.match(/[\p{L}_]+/gu) ?? [];
  const known = FUNCTION_WORDS[language];
  return !known || words.filter((word) => known.has(word)).length < MIN_PROSE * words.length;
}

/** Options, and words joined by `-`, `_`, `.`, `/` or `@`. */
const JOINED =
  /(?<![\p{L}\p{N}-])--?[a-z][\w-]{0,60}|(?<![\p{L}\p{N}_./@-])@?[\p{L}\p{N}]{1,60}(?:[-_./@][\p{L}\p{N}]{1,60}){1,20}/giu;
/** A capitalised word inside a sentence is a name. */
const CAPITAL = /(?<=[\p{Ll}\p{N},] )\p{Lu}\p{Ll}{3,40}(?![\p{L}\p{N}])/gu;

const MAY_NAME = /[-_./@\p{Lu}]/u;

function namesIn(text: string, language: string): Set<string> {
  const names = new Set<string>();
  if (!MAY_NAME.test(text)) return names;
  for (const name of text.replace(MANIFEST, " ").match(JOINED) ?? [])
    if (/\p{L}/u.test(name)) names.add(foldText(name));
  if (language !== "de") for (const name of text.match(CAPITAL) ?? []) names.add(foldText(name));
  return names;
}

const setOf = (words: string) => new Set(words.split(" "));
/** Function words that are rare or absent in the other languages. */
const FUNCTION_WORDS: Record<string, Set<string>> = {
  en: setOf(
    "the of and to is are was were with that this these those for by it its be been which from on in at when not an or if then than " +
      "you your we our they them their has have had will would can could may should must who after before also as but so no all any",
  ),
  de: setOf(
    "der die das und ist sind war mit nicht ein eine einen einem einer auf fur von zu zum zur den dem des im in an am wird werden wenn " +
      "bei sich auch aus vor nach als man wir sie ihr ich oder aber dass noch nur schon kann soll muss",
  ),
  fr: setOf(
    "le la les l un une des du de d et est sont avec que qui pour dans sur pas ne au aux par il elle on nous vous ce cette ces se en plus ou sans etre a",
  ),
  es: setOf(
    "el la los las un una unos y es son con que del de al en para por no se lo su sus como este esta estos ese o a sin mas ser hay quien donde ya",
  ),
  it: setOf(
    "il lo la gli le i un una e sono con che del della dei di nel nella per non si al da come anche o ma se piu questo questa ci",
  ),
};

const OTHER = "other";
/** Function words of languages that words.ts does not cover. */
const OTHER_WORDS = [
  setOf("het een niet voor zijn wordt worden wij ook naar maar deze vanaf bij aan zonder zelf"),
  setOf("och att som ett inte ska skal ikke fra blir blev eller ogsa til"),
  setOf("jest oraz przez dla lub jak tylko bedzie ktory nie sie"),
  setOf("bir icin olarak degil gibi daha ile"),
  setOf("etta kun tai ovat joka myos vain niin kuin mutta"),
  setOf("este sunt din pentru sau prin cea mai nu cu"),
  setOf("nem egy hogy csak vagy meg kell ezt az"),
  setOf("jsou nebo podle jako pro byt ale pri"),
];
/** Minimum number of these words for a sentence to count as being in that language. */
const MIN_OTHER = 3;
const LANGUAGES = [
  ...Object.entries(FUNCTION_WORDS).map(([language, words]) => ({ language, words, least: 2 })),
  ...OTHER_WORDS.map((words) => ({ language: OTHER, words, least: MIN_OTHER })),
];
/** For each word, the indexes in `LANGUAGES` of the languages that have it. */
const LANGUAGES_OF = new Map<string, number[]>();
for (const [n, { words }] of LANGUAGES.entries()) {
  for (const word of words) addToList(LANGUAGES_OF, word, n);
}
const OTHER_SCRIPT =
  /[\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Hangul}\p{Script=Greek}\p{Script=Thai}\p{Script=Devanagari}]{3}/u;
/** A whole sentence. If no language above has its words, it is in another language. */
const OTHER_SENTENCE = /^\p{Lu}\p{Ll}{0,40},?(?: \p{L}[\p{Ll}-]{0,40},?:?){5,60}[.!]$/u;

/** `folded`: in the spelling of `foldText`. `""`: unknown. */
export function languageOf(folded: string): string {
  if (/[\u3040-\u30ff]/.test(folded)) return "ja";
  if (/[\u3400-\u9fff]/.test(folded)) return "zh";
  if (OTHER_SCRIPT.test(folded)) return OTHER;
  const words = folded.match(/\p{L}+/gu) ?? [];
  // One word is too little to recognise a language.
  if (words.length < 2) return "";
  let counts: number[] | null = null;
  for (const word of words) {
    for (const n of LANGUAGES_OF.get(word) ?? []) (counts ??= LANGUAGES.map(() => 0))[n]! += 1;
  }
  let best = "";
  let most = 1;
  for (const [n, count] of (counts ?? []).entries()) {
    const { language, least } = LANGUAGES[n]!;
    if (count >= least && count > most) [best, most] = [language, count];
  }
  return best;
}
