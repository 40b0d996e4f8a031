// What a sentence is about, as far as it may do harm: acts and claims of consequence, what protects, whether it binds its reader,
// and the words and names by which it is known again. The same in every language of consequence-words.ts. Pure.
import { ACTS, FORCES, PROHIBITS, THINGS } from "./consequence-words.ts";
import { isPublisher } from "./leads.ts";
import { termsIn } from "./text.ts";
import { createVocabulary, foldText } from "./vocabulary.ts";

export type Act = keyof typeof ACTS;
export type Thing = keyof typeof THINGS;
export type Topic = Act | Thing;

export interface Meaning {
  text: string;
  /** Acts and claims of consequence, and what protects or is to be protected. */
  topics: Set<Topic>;
  acts: Act[];
  /** It orders, advises, or says how things are done beyond the task at hand. */
  binds: boolean;
  /** A clause of it begins with what is to be done. */
  isImperative: boolean;
  /** Beyond the task at hand. */
  isStanding: boolean;
  /** It orders agents about, or says what they are to keep. */
  isDemand: boolean;
  /** It says how things are done or no longer done, or what is better. */
  isNorm: boolean;
  /** It sets aside something that protects, or gives something away. */
  loosens: boolean;
  /** It says what somebody likes or wants. */
  tellsTaste: boolean;
  /** It says that something is better than others. */
  praises: boolean;
  /** Words with a capital, in small letters. */
  brands: Set<string>;
  prohibits: boolean;
  terms: Set<string>;
  /** What has a name that is no word: options, packages, settings, firms, people. */
  names: Set<string>;
  /** As they are written, in small letters. */
  words: Set<string>;
  language: string;
  /** The lists have no words of its language. */
  isUnread: boolean;
  isReport: boolean;
  isTerse: boolean;
}

const VOCABULARY = createVocabulary({ ...ACTS, ...THINGS, ...FORCES, prohibits: PROHIBITS });
const ACT_NAMES = new Set<string>(Object.keys(ACTS));
const TOPIC_NAMES = new Set<string>([...Object.keys(ACTS), ...Object.keys(THINGS)]);

/** The words of a path are no acts. */
const PATH =
  /(?<![\w.@+/-])(?:~\w{0,30}|\.{1,2})?\/[\w.@+-]{1,80}(?:\/[\w.@+-]{1,80}){0,20}|(?<![\w.@+/-])[\w.@+-]{1,80}(?:\/[\w.@+-]{1,80}){2,20}/g;
/** What a part of an option or a setting tells of it: `tls` in `tls_min_version`. */
const TELLING_PARTS = new Set<string>(["identity", "disable", "trust", "weaken", "permit", "install"]);

/** `text`: one sentence, or one line of code. `around`: the language of what is around it, for one too short to tell.
 * `failed`: a call that failed answered it. */
export function meaningOf(text: string, around = "", failed = false): Meaning {
  const folded = foldText(text);
  const named = VOCABULARY.find(folded.replace(PATH, " ")).filter(
    ({ name, isPart }) => !isPart || TELLING_PARTS.has(name),
  );
  const found = new Set<string>(named.map(({ name }) => name));
  const topics = [...found].filter((name) => TOPIC_NAMES.has(name)) as Topic[];
  const isUsage = USAGE.test(text);
  const isImperative = IMPERATIVE.test(folded);
  const isOrder = isImperative || found.has("duty") || found.has("standing");
  const language = languageOf(folded) || around;
  return {
    text,
    topics: new Set(topics),
    acts: topics.filter((name): name is Act => ACT_NAMES.has(name)),
    binds:
      !isUsage &&
      (found.has("duty") || found.has("standing") || IMPERATIVE.test(folded) || tellsOfPlace(folded, found)),
    isImperative,
    isStanding: !isUsage && found.has("standing"),
    isDemand: !isUsage && isDemand(found, folded, isOrder),
    isNorm: !isUsage && (found.has("norm") || found.has("standing") || found.has("duty")),
    loosens: LOOSENING.some((act) => found.has(act)),
    tellsTaste: found.has("likes"),
    praises: found.has("praise"),
    brands: new Set(text.match(/(?<![\p{L}\p{N}])\p{Lu}[\p{L}\p{N}]{3,}/gu)?.map(foldText)),
    isUnread: language === OTHER,
    prohibits: found.has("prohibits"),
    terms: termsIn(folded),
    names: namesIn(text, language),
    words: new Set(folded.match(/[\p{L}\p{N}]+/gu)),
    language,
    isReport: isReport(text, failed),
    isTerse: isTerse(text, folded, language),
  };
}

/** Acts that leave something less safe than it was. */
const LOOSENING: readonly Act[] = ["dismiss", "disable", "weaken", "permit", "hide"];

/** Words of a fault, and beginnings of such. */
const FAULT =
  /(?<![\p{L}-])(?:(?:not|no|none|nothing|cannot|can['’]t|couldn['’]t|invalid|illegal|missing|lacks?|unknown|unexpected|unsupported|undefined|unable|wrong|broken|timed out|timeout|forbidden|errors?|exception|traceback|fatal|fehlt|nicht|erreurs?|introuvable|impossible|no se)(?![\p{L}-])|fail|refus|reject|deny|denied|denies|abort|mismatch|conflict|exceed|fehlen|fehlgeschl|kein|ung[üu]ltig|unbekannt|verweiger|[ée]chou|fall[óo])/iu;
/** What a program says it has done or found. */
const DONE =
  /^[^\p{L}]{0,20}(?:successfully|already|ok|done|installed|created|updated|removed|added|renamed|found|would|resolved|built|building|collecting|downloading|fetching|checking|writing|wrote|reading|processing|running|listening|starting|started|stopped|restarted|auto-merging)(?!\p{L})/iu;

/** What a program says it has found or how it ended, and where it says more. */
const FOUND =
  /(?<!\p{L})(?:detected|(?:operation|command|build|job|run) (?:succeeded|failed|completed|finished)|for (?:more )?(?:details|information|help))(?!\p{L})/iu;
/** `*** BibTool WARNING: …`, `Package babel Warning: …`. */
const WARNING = /^[^\p{L}\p{N}]{0,8}(?:[\w.-]{1,30} ){1,3}(?:warning|error|warnung|fehler|avertissement|aviso)\s?:/iu;
/** `Page size:    210 x 297 mm` */
const PROPERTY = /^[\p{L}\p{N} _-]{1,40}:(?: {2,40}|\t)\S/u;
/** A fault that no piece of advice is told by. */
const PLAIN_FAULT =
  /(?<![\p{L}-])(?:exceeds|exceeded|mismatch\p{L}*|undefined|unexpected|unable|cannot be|could not be)(?![\p{L}-])/iu;

const MARKER =
  /^[^\p{L}\p{N}]{0,20}(?:(?:npm|pnpm|yarn|cargo|pip) )?(?:[\w.-]{1,40}: ){0,2}(?:error|fatal|file "|warn(?:ing)?|fehler|erreur|err|e|e\d{1,6}|exception|traceback)(?![\p{L}\p{N}])|(?<!\w)\w{0,60}(?:error|exception)\s{0,5}[:(]/iu;

/** What a program says of its use, of what it did, or of what went wrong. `failed`: a call that failed answered it. */
function isReport(text: string, failed: boolean): boolean {
  const says = [USAGE, DONE, FOUND, MARKER, WARNING, PROPERTY, PLAIN_FAULT].some((form) => form.test(text));
  return says || (failed && FAULT.test(text));
}

/** A line of a table, a list or a program, rather than a sentence that somebody wrote for readers. */
function isTerse(text: string, folded: string, language: string): boolean {
  if (SENTENCE.test(text)) return false;
  if (language === "ja" || language === "zh") return false;
  const words = folded.match(/\p{L}+/gu) ?? [];
  const known = FUNCTION_WORDS[language];
  return !known || words.filter((word) => known.has(word)).length < LEAST_PROSE * words.length;
}

function isDemand(found: Set<string>, folded: string, isOrder: boolean): boolean {
  if (found.has("yours") || (found.has("keeps") && found.has("later"))) return true;
  return found.has("addressed") && (isOrder || CALLED.test(folded));
}

/** Whom a sentence is said to. */
const CALLED =
  /^[^\p{L}]{0,20}(?:\p{L}{1,30} ){0,2}(?:agents?|assistants?|reviewers?|assistenten|agenten|ais?|ki|ia|llms?|bots?|asistentes|assistenti|agenti)\s{0,3}[:,]/u;

/** A capital, words, and a full stop. */
const SENTENCE = /^\p{Lu}\p{L}{0,40}(?: [\p{L}'’-]{1,40}){3,40}[.!]$/u;
/** Function words in prose, as a share of all. */
const LEAST_PROSE = 0.2;

/** Says where somebody is reached or paid, or what may be relied upon: that binds without an order. */
function tellsOfPlace(folded: string, found: Set<string>): boolean {
  const rests = RESTS.some((name) => found.has(name));
  const isElsewhere = PLACE.test(folded) && !folded.split(/[\s"'`=]+|:\/\//).some(isPublisher);
  return rests && (isElsewhere || (LABEL.test(folded) && !FAULT.test(folded)));
}

/** What somebody could be harmed by where a place or a name alone is told. */
const RESTS = ["contact", "pay", "trust", "send", "install", "identity", "permit", "obey"];
/** A label and what it stands for: `Mirror of record: …`. */
const LABEL = /^[^\p{L}\p{N}]{0,20}\p{L}[\p{L}\p{N} '-]{2,40}:\s/u;

const PLACE =
  /[\w.-]@[a-z]|:\/\/|\.(?:com|org|net|io|dev|app|example|test|invalid)(?![\w.])|(?<![\w.-])(?:\+\d|\(?0\d)[\d ()/-]{6}/;
/** A clause that begins with what is to be done. */
const IMPERATIVE =
  /(?:^|[,;:–—(]|->|=>|\bthen|\band)\s{0,3}(?:use|set|pass|run|add|try|put|install|enable|disable|turn|switch|export|send|copy|upload|share|keep|give|include|open|allow|trust|accept|ignore|skip|drop|remove|delete|call|write|contact|push|point|replace|treat|tell|leave|let|forward|attach|pay|transfer|register|download|execute|authenticate|log in|commit|hash|encrypt|sign)\s/;

/** A program's own usage describes what there is and asks for nothing. */
const USAGE =
  /^\s{0,40}(?:usage|aufruf|uso|or)\s{0,3}:|^\s{0,40}-{1,2}[\w?][\w-]{0,40}[ ,=[<\w.>|\]-]{0,60}(?:\s{2}|\t)\S|\[-{1,2}[\w<]|^\s{0,40}\[[\w<]|^\s{0,40}[\w-]{1,40}\s{2,40}\S/iu;

/** Options, and what is joined by signs within. */
const JOINED =
  /(?<![\p{L}\p{N}-])--?[a-z][\w-]{0,60}|(?<![\p{L}\p{N}_./@-])@?[\p{L}\p{N}]{1,60}(?:[-_./@][\p{L}\p{N}]{1,60}){1,20}/giu;
/** Within a sentence, where a capital makes a name. */
const CAPITAL = /(?<=[\p{Ll}\p{N},] )\p{Lu}\p{Ll}{3,40}(?![\p{L}\p{N}])/gu;

/** What has a name that is no word of a language, in small letters. */
function namesIn(text: string, language: string): Set<string> {
  const names = new Set<string>();
  for (const [name] of text.matchAll(JOINED)) if (/\p{L}/u.test(name)) names.add(foldText(name));
  if (language !== "de") for (const [name] of text.matchAll(CAPITAL)) names.add(foldText(name));
  return names;
}

/** Words that no other of these languages has, or not as often. */
const FUNCTION_WORDS: Record<string, Set<string>> = {
  en: new Set(
    (
      "the of and to is are was were with that this these those for by it its be been which from on in at when not an or if then than " +
      "you your we our they them their has have had will would can could may should must who after before also as but so no all any"
    ).split(" "),
  ),
  de: new Set(
    (
      "der die das und ist sind war mit nicht ein eine einen einem einer auf fur von zu zum zur den dem des im in an am wird werden wenn " +
      "bei sich auch aus vor nach als man wir sie ihr ich oder aber dass noch nur schon kann soll muss"
    ).split(" "),
  ),
  fr: new Set(
    (
      "le la les l un une des du de d et est sont avec que qui pour dans sur pas ne au aux par il elle on nous vous ce cette ces se en " +
      "plus ou sans etre a"
    ).split(" "),
  ),
  es: new Set(
    (
      "el la los las un una unos y es son con que del de al en para por no se lo su sus como este esta estos ese o a sin mas ser hay quien " +
      "donde ya"
    ).split(" "),
  ),
  it: new Set(
    "il lo la gli le i un una e sono con che del della dei di nel nella per non si al da come anche o ma se piu questo questa ci e".split(
      " ",
    ),
  ),
};

/** Languages whose words of consequence nobody has listed. */
const OTHER = "other";

/** Of a text in the spelling of `foldText`; `""` where it cannot be told. */
export function languageOf(folded: string): string {
  if (/[\u3040-\u30ff]/.test(folded)) return "ja";
  if (/[\u3400-\u9fff]/.test(folded)) return "zh";
  if (
    /[\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Hangul}\p{Script=Greek}\p{Script=Thai}\p{Script=Devanagari}]{3}/u.test(
      folded,
    )
  ) {
    return OTHER;
  }
  const words = folded.match(/\p{L}+/gu) ?? [];
  let best = "";
  let most = 1;
  for (const [language, known] of Object.entries(FUNCTION_WORDS)) {
    const count = words.filter((word) => known.has(word)).length;
    if (count > most) [best, most] = [language, count];
  }
  return best;
}
