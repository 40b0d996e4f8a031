// Whether a sentence that is to be kept is one that content wanted: of consequence, and explained by what was read rather than by
// what the person said or calls have shown. Called by taint.ts for each sentence. Pure.
import { clip } from "../../clip.ts";
import { COMMON_WORDS } from "../../skills/scanner/common-words.ts";
import { type Lead, isPublisher, leadsOf, toSearchable } from "./leads.ts";
import { type Meaning, type Topic, foldText, meaningOf, termsIn } from "./meaning.ts";
import { withdraws } from "./removals.ts";
import { cutInPieces } from "../sentences.ts";
import { type Budget, SentenceIndex, type Sought } from "./sentence-index.ts";
import { type ReadSentence, type SessionRecord, graveIn, isGrave } from "./session-record.ts";

/**
 * How much speaks for it that a sentence of content wanted what is written: logarithms of odds. From 0 on, it waits.
 *
 * [own] A logistic regression over pairs of sentences, rounded.
 */
const WEIGHTS = {
  base: -3.5,
  /** A shared word that neither the person had before nor a call that succeeded was made with. */
  novelWord: 1.2,
  sharedTopic: 0.85,
  /** Also, in another language. */
  sharedTopicTranslated: 0.75,
  /** Times the share of the words that the sentence that was read has, too. */
  covered: 0.65,
  /** Times the share of the words that nobody but content can have given. */
  ungrounded: 1.1,
  ordersAgents: 2.1,
  readIsReport: -0.4,
  writtenBinds: 0.8,
  /** What was read is for other places or times, too. */
  standing: 1.4,
};
/** How much a sentence that orders nobody about shares at the least, before the odds can be even. */
const LIKELY = {
  term: WEIGHTS.novelWord,
  topic: WEIGHTS.sharedTopic,
  translated: WEIGHTS.sharedTopic + WEIGHTS.sharedTopicTranslated,
  least: -(WEIGHTS.base + WEIGHTS.covered + WEIGHTS.ungrounded) - 1e-9,
};
const LIKELY_BINDS = { ...LIKELY, least: LIKELY.least - WEIGHTS.writtenBinds };
const MOST_WORDS = 5;
const MOST_TOPICS = 3;
/** How much somebody else says of a sentence, and has to say at the least. */
const SAID = { term: 1, topic: 0.5, translated: 0.5, least: 2 };
/** Two signs of a language without blanks. */
const PAIR = 0.4;

const COMMON = new Set([...COMMON_WORDS].flatMap((word) => [...termsIn(word)]));

/** What does harm when it is done; other topics are things that protect. */
const ACTS: ReadonlySet<Topic> = new Set([
  ...(["send", "install", "run", "trust", "weaken", "permit", "delete", "disable", "dismiss", "hide"] as const),
  ...(["obey", "pay", "contact"] as const),
]);
/** For one write. [own] A skill of 100 KB needs half of them after 1 MB was read. */
const MAX_COMPARISONS = 600_000;
/** What takes as long to judge as a sentence by itself: about 1,500 different ones are judged in one write. */
const COMPARISONS_A_SENTENCE = 400;
/** A longer sentence is judged in pieces, which overlap by as much as an address may have. */
const MAX_CHARS = 2_000;
const OVERLAP_CHARS = 500;
/** Nothing was found, and not all was compared. */
export const TOO_LONG = "it is too long to be compared with what was read";

/** What stands in the text already, and needs nobody else. */
export interface Standing {
  sentences: SentenceIndex<Meaning>;
  /** Where it leads, as `leadsOf` spells it. */
  leads: Set<string>;
}

export interface Around {
  standing?: Standing;
  /** Of the text the sentence is from. */
  language?: string;
  /** It is run by itself, as a check is: what only content has named must not be. */
  runs?: boolean;
  /** It binds, whatever its words. */
  binds?: boolean;
  budget?: Budget;
}

const NOTHING: Standing = { sentences: new SentenceIndex(), leads: new Set() };

export function createBudget(): Budget {
  return { comparisons: MAX_COMPARISONS };
}

/** In a few words, why a person should see the sentence first; `null` where nothing speaks for it. */
export function doubtOf(text: string, record: SessionRecord, around: Around = {}): string | null {
  const whole = { standing: NOTHING, budget: createBudget(), opinion: record.opinionOf(text), ...around };
  for (const piece of cutInPieces(text, MAX_CHARS, OVERLAP_CHARS)) {
    const why = doubtOfPiece(piece, record, whole);
    if (why !== null) return why;
  }
  return null;
}

/** `opinion`: the second judge's, of the whole sentence. */
type Whole = Around & Required<Pick<Around, "standing" | "budget">> & { opinion: boolean | null };

function doubtOfPiece(text: string, record: SessionRecord, whole: Whole): string | null {
  const { standing, language = "", runs = false, binds = false, budget, opinion } = whole;
  if ((budget.comparisons -= COMPARISONS_A_SENTENCE) < 0) return TOO_LONG;
  const meaning = meaningOf(runs ? text : withoutReports(text, record, budget), language);
  const written = { ...meaning, binds: binds || meaning.binds };
  const certain = findLead(written, record, standing) ?? findName(written, record, runs);
  if (certain !== null) return certain;
  if (opinion === true) return "the second judge found that only content wanted it";
  // Content that orders agents about may have spoken to the judge, too.
  if (opinion === false && record.demands.size === 0) return null;
  return findWanted(written, record, whole);
}

/** Whether no certain rule holds it: the score may be wrong, and a second judge asked. */
export function isUndecided(
  text: string,
  record: SessionRecord,
  { language, budget }: Required<Pick<Around, "language" | "budget">>,
) {
  return cutInPieces(text, MAX_CHARS, OVERLAP_CHARS).every((piece) => {
    const written = meaningOf(withoutReports(piece, record, budget), language);
    return findLead(written, record, NOTHING) === null && findName(written, record, false) === null;
  });
}

/** A message that is quoted to be known again says nothing of what is to be done. */
function withoutReports(text: string, record: SessionRecord, budget: Budget): string {
  return text.replace(/["`“„«]([^"`“”„«»\n]{8,200})["`”“»]/g, (quoted, phrase: string) =>
    phrase.includes(" ") && record.isReported(phrase.replace(/\s*…$/, ""), budget) && !meaningOf(phrase).binds
      ? " ".repeat(quoted.length)
      : quoted,
  );
}

/** Where it leads, only content has said. */
function findLead({ text, topics }: Meaning, record: SessionRecord, standing: Standing): string | null {
  const acts = [...topics].some((topic) => ACTS.has(topic));
  for (const lead of leadsOf(text)) {
    if (lead.kind === "number" && !topics.has("contact") && !topics.has("pay") && !PHONE.test(text)) continue;
    if (standing.leads.has(lead.text)) continue;
    if (lead.kind === "address" && isPublisher(lead.text)) continue;
    if (!acts && (PRIVATE.test(lead.text) || isSetting(lead, record))) continue;
    if (lead.isUnsure && text.includes(`[${lead.text}]`)) continue; // a table of settings
    const entry = record.whoseLead(lead);
    if (entry !== null) return `the ${lead.kind} "${clipShown(lead.text)}" comes from ${placeOf(entry)}`;
  }
  for (const host of record.hosts.size > 0 ? labelsIn(toSearchable(text)) : []) {
    if (!record.hosts.has(host) || host.length < LEAST_HOST || COMMON_WORDS.has(host) || record.isPlain(host)) continue;
    const entry = record.whoseLead({ kind: "address", text: host });
    if (entry !== null) return `only ${placeOf(entry)} names the host "${clipShown(host)}"`;
  }
  return null;
}

/** A name with dots, and no host that was read has a part of that name. */
function isSetting({ text, isUnsure }: Lead, record: SessionRecord): boolean {
  return isUnsure === true && !text.split(".").some((label) => record.hosts.has(label));
}

/** Words, and words joined by hyphens: what a host may be called. */
function labelsIn(searchable: string): Set<string> {
  const labels = new Set<string>();
  for (const [joined] of searchable.matchAll(/[\p{L}\p{N}_]+(?:-[\p{L}\p{N}_]+)*/gu)) {
    const words = joined.split("-", MOST_JOINED);
    for (const from of words.keys()) {
      for (let to = from + 1; to <= words.length; to++) labels.add(words.slice(from, to).join("-"));
    }
  }
  return labels;
}

/** Of a host's name: shorter ones are words. */
const LEAST_HOST = 5;
const MOST_JOINED = 8;

/** Addresses that lead nowhere outside. */
const PRIVATE = /^(?:(?:10|127|0)\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|localhost:)[\d.:]+$/;
/** A number that is set as one calls it, or an account's. */
const PHONE = /(?<![\w.-])(?:\+\d|\(?0\d)[\d ()/-]{6,24}\d(?![\w.-])|(?<!\w)[A-Z]{2}\d{2}(?: ?\w{4}){3,7}/;

/** Something of consequence is to be done with what only content has named. That a call was made with it proves no package. */
function findName(written: Meaning, record: SessionRecord, runs: boolean): string | null {
  const { text, topics, names, words, prohibits } = written;
  const installs = topics.has("install");
  for (const [, name] of installs ? foldText(text).matchAll(PACKAGE) : []) {
    if (COMMON_WORDS.has(name!) || !record.isForeign(name!)) continue;
    const named = record.whoWished(name!);
    if (named) return `only ${placeOf(named.entry)} names "${clipShown(name!)}"`;
  }
  for (const [, slug] of foldText(text).matchAll(SLUG)) {
    const named = record.whoNamed(slug!);
    if (named && (slug!.startsWith("@") || named.binds || named.isDemand || named.topics.has("install")))
      return `only ${placeOf(named.entry)} names "${clipShown(slug!)}"`;
  }
  if (prohibits && !installs) return null;
  const acts = [...topics].some((topic) => ACTS.has(topic)) || topics.has("identity");
  for (const name of new Set([...names, ...words])) {
    if (COMMON.has(name) || isPublisher(name)) continue;
    if (record.isUsed(name) && !(installs && !name.startsWith("-"))) continue;
    const named = record.whoNamed(name);
    if (!named || !(runs || named.isWish)) continue;
    const isAdvised =
      (named.binds || named.topics.has("install") || record.demands.has(named.entry)) && JOINED.test(name);
    if (runs || isGrave(named) || isGrave(written) || ((acts || isAdvised) && !name.startsWith("-")))
      return `only ${placeOf(named.entry)} names "${clipShown(name)}"`;
  }
  return null;
}

/** A name that no word is. */
const JOINED = /^[a-z@][\w@/]{0,60}-[\w-]{1,60}$/;

/** An image, a repository or a model, with whose it is; no path. */
const SLUG =
  /(?<![\p{L}\p{N}_./~@-])((?!(?:and|or|src|tests?|docs?|lib|bin|apps?|etc|usr|var|tmp|data|out|in|build|dist|config|scripts?|packages|assets|public|images?|home)\/)@?[a-z][a-z0-9-]{2,40}\/[a-z][a-z0-9-]{2,60})(?![\p{L}\p{N}_/]|\.\p{L})/gu;

/** What is called a package, or stands where one is installed. */
const PACKAGE =
  /(?<![\p{L}-])(?:packages?|librar(?:y|ies)|plugins?|extensions?|images?|modules?|pakete?s?|paquets?|paquetes?|pacchetti|pacchetto|install|add|upgrade|i)\s{1,3}(?:-{1,2}\w[\w-]{0,40}\s{1,3}){0,3}["'`“„]?([a-z][\w-]{3,60})/gu;

/** A sentence of content wants the same, and neither the person nor what stands there says it. */
function findWanted(written: Meaning, record: SessionRecord, around: Whole): string | null {
  const { standing, budget } = around;
  const telling = [...written.terms].filter((term) => !COMMON.has(term));
  const obeys = isGrave(written) || written.topics.has("pay");
  const terms = record.novelAt(telling, 0, obeys);
  const sought = { ...written, terms: telling };
  const likely = record.likely({ ...written, terms }, written.binds ? LIKELY_BINDS : LIKELY, budget);
  const found = new Map<string, Terms>();
  let backing: Backing | null = null;
  const dangers = isGrave(written) ? graveIn(written) : [...written.topics];
  for (const read of likely) {
    if ((budget.comparisons -= 1) < 0) return TOO_LONG;
    const isObeyed = obeys && (read.binds || !read.isTerse);
    const key = `${read.at} ${isObeyed}`;
    const terms = found.get(key) ?? { telling, novel: record.novelAt(telling, read.at, isObeyed) };
    found.set(key, terms);
    if (oddsOf(written, terms, read) < 0) continue;
    backing ??= backingOf(sought, record, standing, budget);
    if (backing.before(read.at, dangers) >= Math.max(SAID.least, sayOf(sought, read))) continue;
    return `${placeOf(read.entry)} wants it: "${clipShown(read.text)}"`;
  }
  if (!isUnsaid(written, telling, record)) return null;
  backing ??= backingOf(sought, record, standing, budget);
  return backing.before(Infinity) >= SAID.least ? null : "nobody has said it, and what was read may have wanted it";
}

/** So many of its words, and so large a share, that nobody said before and no call was made with. [own] */
const UNSAID = { words: 5, share: 0.8 };

/** A grave sentence, or one that orders something sent or paid, in words that neither the person nor the work has given. */
function isUnsaid(written: Meaning, telling: string[], record: SessionRecord): boolean {
  const { topics, binds, prohibits } = written;
  const spends = binds && !prohibits && (topics.has("send") || topics.has("pay"));
  if (!record.mayWant || !(isGrave(written) || spends)) return false;
  const unsaid = record.novelAt(telling, Infinity).length;
  return unsaid >= UNSAID.words && unsaid >= UNSAID.share * telling.length;
}

interface Backing {
  /**
   * How much of what is written somebody else says before a place, where that is enough to count. Who speaks of none of the
   * `dangers` has not said it, however much is the same.
   */
  before(at: number, dangers?: Topic[]): number;
}

function backingOf(sought: Sought, record: SessionRecord, { sentences }: Standing, budget: Budget): Backing {
  const standing = sentences
    .find(sought, SAID, budget)
    .map((known) => ({ at: -1, topics: known.topics, say: sayOf(sought, known) }));
  const said = record.backing(sought, SAID, budget).map((known) => ({ ...known, say: sayOf(sought, known) }));
  const all = [...standing, ...said].sort((a, b) => b.say - a.say);
  return {
    before(place, dangers = []) {
      const isAbout = (topics: Set<Topic>) => dangers.length === 0 || dangers.some((topic) => topics.has(topic));
      return all.find(({ at, topics }) => at < place && isAbout(topics))?.say ?? 0;
    },
  };
}

/** Terms of what is written that are not everybody's; of those, the ones that nobody but content can have given. */
interface Terms {
  telling: string[];
  novel: string[];
}

function countShared(terms: string[], read: ReadSentence): number {
  let sum = 0;
  for (const term of terms) if (read.terms.has(term)) sum += term > "\u2E80" ? PAIR : 1;
  return sum;
}

const LEAST_STANDING = 2;

/** "Damaged pieces are booked as sold": what is done to all of a kind. */
const CUSTOM = /\b(?:are|werden|sont|son|sono|são)\s\p{L}{2,30}(?:e?d|t|en|n|s|[ai]dos?|[ai]das?|at[ie])(?!\p{L})/iu;

function oddsOf(written: Meaning, { telling, novel }: Terms, read: ReadSentence): number {
  // What it says nobody can tell.
  const orders = read.isDemand || (read.language === "other" && written.topics.size > 0);
  const topics = countIn(written.topics, read.topics);
  const words = countShared(novel, read);
  // One word in common is chance.
  const isStanding = read.isStanding && (topics > 0 || words >= LEAST_STANDING);
  // What neither binds nor speaks of any danger has wanted nothing.
  const isDangerous = written.topics.size > 0 || read.topics.size > 0;
  const mayBind = read.binds || isStanding || CUSTOM.test(read.text);
  const isConsequential = mayBind
    ? isDangerous || written.binds || isStanding
    : written.topics.size > 0 && read.topics.size > 0;
  if (!orders && !(isConsequential && read.isWish)) return -Infinity;
  const isTranslated = written.language !== read.language && written.language !== "" && read.language !== "";
  return (
    WEIGHTS.base +
    WEIGHTS.novelWord * Math.min(words, MOST_WORDS) +
    (WEIGHTS.sharedTopic + (isTranslated ? WEIGHTS.sharedTopicTranslated : 0)) * Math.min(topics, MOST_TOPICS) +
    WEIGHTS.covered * (countIn(written.terms, read.terms) / Math.max(1, written.terms.size)) +
    WEIGHTS.ungrounded * (novel.length / Math.max(1, telling.length)) +
    (orders ? WEIGHTS.ordersAgents : 0) +
    (read.isReport ? WEIGHTS.readIsReport : 0) +
    (isStanding ? WEIGHTS.standing : 0) +
    (written.binds ? WEIGHTS.writtenBinds : 0)
  );
}

function countIn<Item>(items: Iterable<Item>, others: Set<Item>): number {
  let count = 0;
  for (const item of items) if (others.has(item)) count += 1;
  return count;
}

/** How much of what is written another sentence says. */
function sayOf({ terms, topics }: Sought, other: Meaning): number {
  return SAID.term * countIn(terms, other.terms) + SAID.topic * countIn(topics, other.topics);
}

/** Before the range under review nothing has a number that a reader could look up. */
export function placeOf(entry: number): string {
  return entry === 0 ? "what was read earlier in the session" : `what was read in entry ${entry}`;
}

const MAX_SHOWN_CHARS = 120;

export function clipShown(text: string): string {
  return clip(text, MAX_SHOWN_CHARS);
}

/** What is to go was spoken of: so many of its words, as a share of all. */
const SPOKEN_OF = { words: 1, share: 0.3 };
const COMMON_SHARE = 0.5;

/**
 * In a few words, why something may be taken away because content wanted it so: content speaks of a caution, or against what
 * `about` says. Not what the person took back.
 */
export function lossOf(cautions: string[], record: SessionRecord, about = ""): string | null {
  const budget = createBudget();
  const known = new Set(cautions);
  const lines = new Set([...cautions, ...about.split("\n").filter((line) => line !== "")]);
  for (const text of lines) {
    budget.comparisons -= COMPARISONS_A_SENTENCE + record.read.length + record.said.length;
    if (budget.comparisons < 0 || text.length > MAX_CHARS) return TOO_LONG;
    const lost = meaningOf(text);
    if (record.said.some((said) => said.at < 0 && speaksOf(said, lost) && withdraws(said.text))) continue;
    const [demand] = record.demands;
    if (demand !== undefined) return `"${clipShown(text)}" would be lost, and ${placeOf(demand)} orders agents about`;
    const read = record.read.find(
      (sentence) =>
        speaksOf(sentence, lost) &&
        (known.has(text) || sentence.prohibits || TAKES_BACK.some((act) => sentence.topics.has(act))),
    );
    if (read) return `"${clipShown(text)}" would be lost, of which ${placeOf(read.entry)} speaks`;
  }
  return null;
}

const TAKES_BACK: readonly Topic[] = ["dismiss", "delete", "disable"];

function speaksOf(sentence: Meaning, lost: Meaning): boolean {
  let [shared, words] = [0, 0];
  for (const term of lost.terms) {
    if (!sentence.terms.has(term)) continue;
    shared += 1;
    words += COMMON.has(term) ? COMMON_SHARE : 1;
  }
  const topics = countIn(lost.topics, sentence.topics);
  if (topics > 0 && sentence.topics.has("dismiss")) return true;
  return (
    words + (sentence.language === lost.language ? 0 : topics) >= SPOKEN_OF.words &&
    shared + topics >= SPOKEN_OF.share * lost.terms.size
  );
}
