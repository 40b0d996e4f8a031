// What a sentence is about, as far as it may do harm: acts and claims of consequence, what protects, whether it binds its reader,
// and the words and names by which it is known again. The same in every language of consequence-words.ts. Pure.
import { ACTS, FORCES, PROHIBITS, THINGS } from "./consequence-words.ts";
import { type Lead, leadsOf } from "./leads.ts";
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
  /** Beyond the task at hand, or for agents in particular. */
  isStanding: boolean;
  prohibits: boolean;
  terms: Set<string>;
  /** What has a name that is no word: options, packages, settings. */
  names: Set<string>;
  language: string;
  isReport: boolean;
}

const VOCABULARY = createVocabulary({ ...ACTS, ...THINGS, ...FORCES, prohibits: PROHIBITS });
const ACT_NAMES = new Set<string>(Object.keys(ACTS));
const TOPIC_NAMES = new Set<string>([...Object.keys(ACTS), ...Object.keys(THINGS)]);

/** What a part of an option or a setting tells of it: `tls` in `tls_min_version`. */
const TELLING_PARTS = new Set<string>(["identity", "disable", "trust", "weaken", "permit", "install"]);

/** `text`: one sentence, or one line of code. `around`: the language of what is around it, for one too short to tell. */
export function meaningOf(text: string, around = ""): Meaning {
  const folded = foldText(text);
  const named = VOCABULARY.find(folded).filter(({ name, isPart }) => !isPart || TELLING_PARTS.has(name));
  const found = new Set<string>(named.map(({ name }) => name));
  const topics = [...found].filter((name) => TOPIC_NAMES.has(name)) as Topic[];
  const isUsage = USAGE.test(text);
  const language = languageOf(folded) || around;
  return {
    text,
    topics: new Set(topics),
    acts: topics.filter((name): name is Act => ACT_NAMES.has(name)),
    binds:
      !isUsage &&
      (found.has("duty") || found.has("standing") || IMPERATIVE.test(folded) || tellsOfPlace(folded, found)),
    isStanding: !isUsage && found.has("standing"),
    prohibits: found.has("prohibits"),
    terms: termsIn(folded),
    names: namesIn(folded),
    language,
    isReport: isReport(text, folded, language),
  };
}

/** Leads of a sentence that is to be kept, in whatever way they are written. */
export { type Lead, leadsOf };

const FAULTS =
  "not|no|none|nothing|cannot|can['’]t|couldn['’]t|fail\\p{L}*|invalid|illegal|missing|lacks?|unknown|unexpected|unsupported|undefined|unable|refus\\p{L}*|" +
  "reject\\p{L}*|den(?:y|ied|ies)|abort\\p{L}*|mismatch\\p{L}*|conflict\\p{L}*|wrong|broken|exceed\\p{L}*|timed? ?out|forbidden|" +
  "errors?|exception|traceback|fatal|fehlt|fehlen\\p{L}*|fehlgeschl\\p{L}*|nicht|kein\\p{L}*|ung[üu]ltig\\p{L}*|unbekannt\\p{L}*|" +
  "verweiger\\p{L}*|erreurs?|introuvable|impossible|[ée]chou\\p{L}*|error(?:es)?|fall[óo]|no se";
const FAULT = new RegExp(`(?<![\\p{L}-])(?:${FAULTS})(?![\\p{L}-])`, "iu");
/** What a program says it has done or found. */
const DONE =
  /^\W*(?:successfully|already|ok|done|installed|created|updated|removed|added|renamed|found|would|resolved|built|building|collecting|downloading|fetching|checking|writing|wrote|reading|processing|running|listening|starting|started|stopped|restarted|auto-merging)(?!\p{L})/iu;

/** A line of a program, a table or a list, rather than a sentence that somebody wrote for readers. */
function isReport(text: string, folded: string, language: string): boolean {
  if (USAGE.test(text) || DONE.test(text) || FAULT.test(text)) return true;
  if (language === "ja" || language === "zh") return false;
  const words = folded.match(/\p{L}+/gu) ?? [];
  const known = FUNCTION_WORDS[language];
  return !known || words.filter((word) => known.has(word)).length < 0.15 * words.length;
}

/** Says where somebody is reached or paid, or what may be relied upon: that binds without an order. */
function tellsOfPlace(folded: string, found: Set<string>): boolean {
  return (found.has("contact") || found.has("pay") || found.has("trust")) && PLACE.test(folded);
}

const PLACE = /[\w.-]@[\w-]|:\/\/|\.(?:com|org|net|io|dev|app|example|test|invalid|[a-z]{2})(?![\w.])|\d{3}[\d\s/-]{4}/;
/** A clause that begins with what is to be done. */
const IMPERATIVE =
  /(?:^|[,;:–—(]|->|=>|\bthen|\band)\s*(?:use|set|pass|run|add|try|put|install|enable|disable|turn|switch|export|send|copy|upload|share|keep|give|include|open|allow|trust|accept|ignore|skip|drop|remove|delete|call|write|contact|push|point|replace|treat|tell|leave|let|forward|attach|pay|transfer|register|download|execute|authenticate|log in|commit|hash|encrypt|sign)\s/;

/** A program's own usage describes what there is and asks for nothing. */
const USAGE = /^\s*(?:usage|aufruf|usage|uso|or)\s*:|^\s*-{1,2}[\w?][\w-]*(?:[ ,=[<].*)?(?:\s{2,}|\t)\S|^\s*\[[-\w<]/iu;

/** Joined by signs within, or set off as code. */
const JOINED = /(?<![\p{L}\p{N}])@?[\p{L}\p{N}]+(?:[-_./@][\p{L}\p{N}]+)+(?![\p{L}\p{N}])/gu;
const CODE = /`([^`\s]{3,80})`|"([\w@./-]{3,80})"/g;

function namesIn(folded: string): Set<string> {
  const names = new Set<string>();
  for (const [name] of folded.matchAll(JOINED)) if (/\p{L}{2}/u.test(name)) names.add(name);
  for (const [, code, quoted] of folded.matchAll(CODE)) names.add((code ?? quoted)!.replace(/[.,:;]$/, ""));
  return names;
}

/** Words that no other of these languages has, or not as often. */
const FUNCTION_WORDS: Record<string, Set<string>> = {
  en: new Set("the of and to is are with that this for by it be which from on as at when not an or if then".split(" ")),
  de: new Set(
    "der die das und ist sind mit nicht ein eine auf fur von zu den dem des im wird wenn bei sich auch aus vor".split(
      " ",
    ),
  ),
  fr: new Set("le la les et est sont avec que une du des pour dans sur pas qui au aux ne par il l d".split(" ")),
  es: new Set("el la los las y es son con que una del para en por no se al lo su como".split(" ")),
  it: new Set("il lo la gli e sono con che una del della per nel non si al di da come".split(" ")),
};

/** Of a text in the spelling of `foldText`; `""` where it cannot be told. */
export function languageOf(folded: string): string {
  if (/[\u3040-\u30ff]/.test(folded)) return "ja";
  if (/[\u3400-\u9fff]/.test(folded)) return "zh";
  const words = folded.match(/\p{L}+/gu) ?? [];
  let best = "";
  let most = 1;
  for (const [language, known] of Object.entries(FUNCTION_WORDS)) {
    const count = words.filter((word) => known.has(word)).length;
    if (count > most) [best, most] = [language, count];
  }
  return best;
}
