// Decides whether a sentence that would be stored is tainted. A tainted sentence has consequences, and content explains it better than
// what the person said or calls have shown. First come certain rules (destinations, names), then a score. Called by taint.ts for each
// sentence, and by tainted-pieces.ts. Pure.
import { clip } from "../../clip.ts";
import { COMMON_WORDS } from "../../skills/scanner/common-words.ts";
import { type Destination, isPublisher, destinationsIn, toSearchable } from "./destinations.ts";
import { type Meaning, type Topic, foldText, meaningOf, termsIn } from "./meaning.ts";
import { withdraws } from "./removals.ts";
import { cutInPieces } from "../sentences.ts";
import { type ComparisonBudget, SentenceIndex, type SentenceQuery } from "./sentence-index.ts";
import { type ReadSentence, type SessionRecord, graveTopicsIn, isGrave } from "./session-record.ts";

/**
 * Parts of a score, in log odds, that a sentence of content wanted the written sentence. A sum of 0 or more means tainted.
 *
 * [own] A logistic regression over pairs of sentences, rounded.
 */
const WEIGHTS = {
  base: -3.5,
  /** For each shared word that the person had not said before and no successful call used. */
  novelWord: 1.2,
  sharedTopic: 0.85,
  /** Added to `sharedTopic` if the two sentences are in different languages. */
  sharedTopicTranslated: 0.75,
  /** Multiplied by the share of the written words that the sentence of content has. */
  covered: 0.65,
  /** Multiplied by the share of the written words that only content can have given. */
  ungrounded: 1.1,
  ordersAgents: 2.1,
  readIsReport: -0.4,
  writtenBinds: 0.8,
  /** The sentence of content is a standing instruction, which also applies to other places or times. */
  standing: 1.4,
};
/** Search weights for sentences that give no order to agents: below `least`, their score cannot reach 0. */
const LIKELY = {
  term: WEIGHTS.novelWord,
  topic: WEIGHTS.sharedTopic,
  translated: WEIGHTS.sharedTopic + WEIGHTS.sharedTopicTranslated,
  least: -(WEIGHTS.base + WEIGHTS.covered + WEIGHTS.ungrounded) - 1e-9,
};
const LIKELY_BINDS = { ...LIKELY, least: LIKELY.least - WEIGHTS.writtenBinds };
const MAX_WORDS = 5;
const MAX_TOPICS = 3;
/** Search weights for sentences of other sources. With `least` points, such a sentence may explain the written one. */
const BACKING = { term: 1, topic: 0.5, translated: 0.5, least: 2 };
/** The weight of a pair of characters, in languages without blanks. A word has several pairs. */
const CHARACTER_PAIR = 0.4;

const COMMON = new Set([...COMMON_WORDS].flatMap((word) => [...termsIn(word)]));

/** Topics that do harm when acted on. The other topics are protections. */
const ACTS: ReadonlySet<Topic> = new Set([
  ...(["send", "install", "run", "trust", "weaken", "permit", "delete", "disable", "dismiss", "hide"] as const),
  ...(["obey", "pay", "contact"] as const),
]);
/** The budget of one write. [own] A skill of 100 KB needs half of it in a session that read 1 MB. */
const MAX_COMPARISONS = 600_000;
/** The fixed cost of a sentence, in comparisons: one write can hold about 1,500 different sentences. */
const COMPARISONS_PER_SENTENCE = 400;
/** A longer sentence is judged in pieces, which overlap by the length of the longest address. */
const MAX_CHARS = 2_000;
const OVERLAP_CHARS = 500;
/** The reason when the budget ended before a reason was found. */
export const TOO_LONG = "it is too long to be compared with what was read";

/** What the skill or memory says already. Existing text needs no other source. */
export interface ExistingText {
  sentences: SentenceIndex<Meaning>;
  /** In the spelling of `destinationsIn`. */
  destinations: Set<string>;
}

export interface JudgeContext {
  existing?: ExistingText;
  /** The language of the whole text, for sentences too short to tell. */
  language?: string;
  /** The text is executed, as checks are: then any name that only content gave is tainted. */
  runs?: boolean;
  /** Treat the sentence as binding, independent of its words. */
  binds?: boolean;
  budget?: ComparisonBudget;
}

const NOTHING: ExistingText = { sentences: new SentenceIndex(), destinations: new Set() };

export function createComparisonBudget(): ComparisonBudget {
  return { comparisons: MAX_COMPARISONS };
}

/** The reason, in a few words, why a person should see the sentence first; `null` if it is not tainted. */
export function findTaint(text: string, record: SessionRecord, context: JudgeContext = {}): string | null {
  const whole = { existing: NOTHING, budget: createComparisonBudget(), opinion: record.opinionOf(text), ...context };
  for (const piece of cutInPieces(text, MAX_CHARS, OVERLAP_CHARS)) {
    const why = findTaintInPiece(piece, record, whole);
    if (why !== null) return why;
  }
  return null;
}

/** `opinion`: the second judge's opinion of the whole sentence. */
type PieceContext = JudgeContext & Required<Pick<JudgeContext, "existing" | "budget">> & { opinion: boolean | null };

function findTaintInPiece(text: string, record: SessionRecord, whole: PieceContext): string | null {
  const { existing, language = "", runs = false, binds = false, budget, opinion } = whole;
  if ((budget.comparisons -= COMPARISONS_PER_SENTENCE) < 0) return TOO_LONG;
  const meaning = meaningOf(runs ? text : withoutReports(text, record, budget), language);
  const written = { ...meaning, binds: binds || meaning.binds };
  const certain = checkDestinations(written, record, existing) ?? checkNames(written, record, runs);
  if (certain !== null) return certain;
  if (opinion === true) return "the second judge found that only content wanted it";
  // Content with orders to agents may have influenced the judge too, so its approval does not count.
  if (opinion === false && record.agentOrders.size === 0) return null;
  return checkWishes(written, record, whole);
}

/** Whether no certain rule holds the sentence. Only the score decides then, so a second judge may be asked. */
export function isUndecided(
  text: string,
  record: SessionRecord,
  { language, budget }: Required<Pick<JudgeContext, "language" | "budget">>,
) {
  return cutInPieces(text, MAX_CHARS, OVERLAP_CHARS).every((piece) => {
    const written = meaningOf(withoutReports(piece, record, budget), language);
    return checkDestinations(written, record, NOTHING) === null && checkNames(written, record, false) === null;
  });
}

/** Blanks quoted program messages: a quotation that identifies a message does not tell anyone what to do. */
function withoutReports(text: string, record: SessionRecord, budget: ComparisonBudget): string {
  return text.replace(/["`“„«]([^"`“”„«»\n]{8,200})["`”“»]/g, (quoted, phrase: string) =>
    phrase.includes(" ") && record.isReported(phrase.replace(/\s*…$/, ""), budget) && !meaningOf(phrase).binds
      ? " ".repeat(quoted.length)
      : quoted,
  );
}

/** The reason to hold a sentence with a destination that only content has given; else `null`. */
function checkDestinations({ text, topics }: Meaning, record: SessionRecord, existing: ExistingText): string | null {
  const acts = [...topics].some((topic) => ACTS.has(topic));
  for (const destination of destinationsIn(text)) {
    if (destination.kind === "number" && !topics.has("contact") && !topics.has("pay") && !PHONE.test(text)) continue;
    if (existing.destinations.has(destination.text)) continue;
    if (destination.kind === "address" && isPublisher(destination.text)) continue;
    if (!acts && (PRIVATE.test(destination.text) || isSetting(destination, record))) continue;
    if (destination.isUnsure && text.includes(`[${destination.text}]`)) continue; // a table of settings
    const entry = record.findOrigin(destination);
    if (entry !== null)
      return `the ${destination.kind} "${clipQuote(destination.text)}" comes from ${describeSource(entry)}`;
  }
  const labels = record.hosts.size > 0 ? labelsIn(toSearchable(text)) : [];
  for (const host of labels) {
    if (!record.hosts.has(host) || host.length < MIN_HOST || COMMON_WORDS.has(host) || record.isOrdinaryWord(host))
      continue;
    const entry = record.findOrigin({ kind: "address", text: host });
    if (entry !== null) return `only ${describeSource(entry)} names the host "${clipQuote(host)}"`;
  }
  return null;
}

/** A dotted name of which no part occurs in a host that content named. */
function isSetting({ text, isUnsure }: Destination, record: SessionRecord): boolean {
  return isUnsure === true && !text.split(".").some((label) => record.hosts.has(label));
}

/** Words and hyphenated words: possible names of hosts. */
function labelsIn(searchable: string): Set<string> {
  const labels = new Set<string>();
  for (const [joined] of searchable.matchAll(/[\p{L}\p{N}_]+(?:-[\p{L}\p{N}_]+)*/gu)) {
    const words = joined.split("-", MAX_JOINED);
    for (const from of words.keys()) {
      for (let to = from + 1; to <= words.length; to++) labels.add(words.slice(from, to).join("-"));
    }
  }
  return labels;
}

/** Minimum length of a host name. Shorter names are ordinary words. */
const MIN_HOST = 5;
const MAX_JOINED = 8;

/** Addresses inside a private network. */
const PRIVATE = /^(?:(?:10|127|0)\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|localhost:)[\d.:]+$/;
/** A number written like a phone number, or an IBAN. */
const PHONE = /(?<![\w.-])(?:\+\d|\(?0\d)[\d ()/-]{6,24}\d(?![\w.-])|(?<!\w)[A-Z]{2}\d{2}(?: ?\w{4}){3,7}/;

/** The reason to hold a sentence with a name that only content has given. A successful call does not clear the name of a package. */
function checkNames(written: Meaning, record: SessionRecord, runs: boolean): string | null {
  const { text, topics, names, words, prohibits } = written;
  const installs = topics.has("install");
  const packages = installs ? foldText(text).matchAll(PACKAGE) : [];
  for (const [, name] of packages) {
    if (COMMON_WORDS.has(name!) || !record.isFromContent(name!)) continue;
    const named = record.findWish(name!);
    if (named) return `only ${describeSource(named.entry)} names "${clipQuote(name!)}"`;
  }
  for (const [, slug] of foldText(text).matchAll(SLUG)) {
    const named = record.findNaming(slug!);
    if (named && (slug!.startsWith("@") || named.binds || named.ordersAgents || named.topics.has("install")))
      return `only ${describeSource(named.entry)} names "${clipQuote(slug!)}"`;
  }
  if (prohibits && !installs) return null;
  const acts = [...topics].some((topic) => ACTS.has(topic)) || topics.has("identity");
  for (const name of new Set([...names, ...words])) {
    if (COMMON.has(name) || isPublisher(name)) continue;
    if (record.isUsed(name) && !(installs && !name.startsWith("-"))) continue;
    const named = record.findNaming(name);
    if (!named || !(runs || named.isWish)) continue;
    const isAdvised =
      (named.binds || named.topics.has("install") || record.agentOrders.has(named.entry)) && JOINED.test(name);
    if (runs || isGrave(named) || isGrave(written) || ((acts || isAdvised) && !name.startsWith("-")))
      return `only ${describeSource(named.entry)} names "${clipQuote(name)}"`;
  }
  return null;
}

/** A hyphenated name, which cannot be an ordinary word. */
const JOINED = /^[a-z@][\w@/]{0,60}-[\w-]{1,60}$/;

/** `owner/name` of an image, a repository or a model, but not a path. */
const SLUG =
  /(?<![\p{L}\p{N}_./~@-])((?!(?:and|or|src|tests?|docs?|lib|bin|apps?|etc|usr|var|tmp|data|out|in|build|dist|config|scripts?|packages|assets|public|images?|home)\/)@?[a-z][a-z0-9-]{2,40}\/[a-z][a-z0-9-]{2,60})(?![\p{L}\p{N}_/]|\.\p{L})/gu;

/** A name after a word such as `package` or `install`. */
const PACKAGE =
  /(?<![\p{L}-])(?:packages?|librar(?:y|ies)|plugins?|extensions?|images?|modules?|pakete?s?|paquets?|paquetes?|pacchetti|pacchetto|install|add|upgrade|i)\s{1,3}(?:-{1,2}\w[\w-]{0,40}\s{1,3}){0,3}["'`“„]?([a-z][\w-]{3,60})/gu;

/** The reason to hold a sentence that content wanted, unless the person or the existing text also says it; else `null`. */
function checkWishes(written: Meaning, record: SessionRecord, context: PieceContext): string | null {
  const { existing, budget } = context;
  const specific = [...written.terms].filter((term) => !COMMON.has(term));
  const obeys = isGrave(written) || written.topics.has("pay");
  const unsaid = { ...written, terms: record.findUnsaid(specific, 0, obeys) };
  const sought = { ...written, terms: specific };
  const likely = record.findLikelyWishes(unsaid, written.binds ? LIKELY_BINDS : LIKELY, budget);
  const termsByPlace = new Map<string, WrittenTerms>();
  let backing: BackingSentences | null = null;
  const dangers = isGrave(written) ? graveTopicsIn(written) : [...written.topics];
  for (const read of likely) {
    if ((budget.comparisons -= 1) < 0) return TOO_LONG;
    const isObeyed = obeys && (read.binds || !read.isTerse);
    const key = `${read.at} ${isObeyed}`;
    const terms = termsByPlace.get(key) ?? { specific, novel: record.findUnsaid(specific, read.at, isObeyed) };
    termsByPlace.set(key, terms);
    if (computeOdds(written, terms, read) < 0) continue;
    backing ??= collectBacking(sought, record, existing, budget);
    if (backing.overlapBefore(read.at, dangers) >= Math.max(BACKING.least, measureOverlap(sought, read))) continue;
    return `${describeSource(read.entry)} wants it: "${clipQuote(read.text)}"`;
  }
  if (!isUnsaid(written, specific, record)) return null;
  backing ??= collectBacking(sought, record, existing, budget);
  return backing.overlapBefore(Infinity) >= BACKING.least
    ? null
    : "nobody has said it, and what was read may have wanted it";
}

/** A sentence counts as unsaid if at least this many words, and this share of its words, are unsaid. [own] */
const UNSAID = { words: 5, share: 0.8 };

/** Whether a grave sentence, or an order to send or pay, has mostly words that come neither from the person nor from the work. */
function isUnsaid(written: Meaning, specific: string[], record: SessionRecord): boolean {
  const { topics, binds, prohibits } = written;
  const spends = binds && !prohibits && (topics.has("send") || topics.has("pay"));
  if (!record.mayHoldWish || !(isGrave(written) || spends)) return false;
  const unsaid = record.findUnsaid(specific, Infinity).length;
  return unsaid >= UNSAID.words && unsaid >= UNSAID.share * specific.length;
}

/** Sentences from sources other than content that say the same as the written sentence. */
interface BackingSentences {
  /** The largest overlap of a sentence before the position `at`. With `dangers`, only sentences about one of them count. */
  overlapBefore(at: number, dangers?: Topic[]): number;
}

function collectBacking(
  sought: SentenceQuery,
  record: SessionRecord,
  { sentences }: ExistingText,
  budget: ComparisonBudget,
): BackingSentences {
  const existing = sentences
    .find(sought, BACKING, budget)
    .map((known) => ({ at: -1, topics: known.topics, overlap: measureOverlap(sought, known) }));
  const said = record
    .findBacking(sought, BACKING, budget)
    .map((known) => ({ ...known, overlap: measureOverlap(sought, known) }));
  const all = [...existing, ...said].sort((a, b) => b.overlap - a.overlap);
  return {
    overlapBefore(place, dangers = []) {
      const isAbout = (topics: Set<Topic>) => dangers.length === 0 || dangers.some((topic) => topics.has(topic));
      return all.find(({ at, topics }) => at < place && isAbout(topics))?.overlap ?? 0;
    },
  };
}

interface WrittenTerms {
  /** Terms of the written sentence, without common words. */
  specific: string[];
  /** Of those, the ones that only content can have given. */
  novel: string[];
}

function countShared(terms: string[], read: ReadSentence): number {
  let sum = 0;
  for (const term of terms) if (read.terms.has(term)) sum += term > "\u2E80" ? CHARACTER_PAIR : 1;
  return sum;
}

/** Fewest shared words with which a standing instruction counts without a shared topic. */
const MIN_STANDING_WORDS = 2;

/** A custom: "Damaged pieces are booked as sold". */
const CUSTOM = /\b(?:are|werden|sont|son|sono|são)\s\p{L}{2,30}(?:e?d|t|en|n|s|[ai]dos?|[ai]das?|at[ie])(?!\p{L})/iu;

function computeOdds(written: Meaning, { specific, novel }: WrittenTerms, read: ReadSentence): number {
  // Content in an unlisted language counts as an order: its meaning is unknown.
  const orders = read.ordersAgents || (read.language === "other" && written.topics.size > 0);
  const topics = countIn(written.topics, read.topics);
  const words = countShared(novel, read);
  // A single shared word is chance.
  const isStanding = read.isStanding && (topics > 0 || words >= MIN_STANDING_WORDS);
  if (!orders && !(read.isWish && isConsequential(written, read, isStanding))) return -Infinity;
  const isTranslated = written.language !== read.language && written.language !== "" && read.language !== "";
  return (
    WEIGHTS.base +
    WEIGHTS.novelWord * Math.min(words, MAX_WORDS) +
    (WEIGHTS.sharedTopic + (isTranslated ? WEIGHTS.sharedTopicTranslated : 0)) * Math.min(topics, MAX_TOPICS) +
    WEIGHTS.covered * (countIn(written.terms, read.terms) / Math.max(1, written.terms.size)) +
    WEIGHTS.ungrounded * (novel.length / Math.max(1, specific.length)) +
    (orders ? WEIGHTS.ordersAgents : 0) +
    (read.isReport ? WEIGHTS.readIsReport : 0) +
    (isStanding ? WEIGHTS.standing : 0) +
    (written.binds ? WEIGHTS.writtenBinds : 0)
  );
}

/** A sentence of content that does not bind its reader has consequences only if both sentences have a topic. */
function isConsequential(written: Meaning, read: ReadSentence, isStanding: boolean): boolean {
  const mayBind = read.binds || isStanding || CUSTOM.test(read.text);
  if (!mayBind) return written.topics.size > 0 && read.topics.size > 0;
  return isStanding || written.binds || written.topics.size > 0 || read.topics.size > 0;
}

function countIn<Item>(items: Iterable<Item>, others: Set<Item>): number {
  let count = 0;
  for (const item of items) if (others.has(item)) count += 1;
  return count;
}

/** How much of the written sentence another sentence says, in points. */
function measureOverlap({ terms, topics }: SentenceQuery, other: Meaning): number {
  return BACKING.term * countIn(terms, other.terms) + BACKING.topic * countIn(topics, other.topics);
}

/** Entry 0 is content from before the range under review, which has no number that a reader could look up. */
function describeSource(entry: number): string {
  return entry === 0 ? "what was read earlier in the session" : `what was read in entry ${entry}`;
}

const MAX_QUOTE_CHARS = 120;

export function clipQuote(text: string): string {
  return clip(text, MAX_QUOTE_CHARS);
}

/** A sentence mentions a line if it has at least this many of the line's words, and this share of them. */
const MENTIONED = { words: 1, share: 0.3 };
/** The weight of a shared common word. */
const COMMON_WORD = 0.5;

/**
 * The reason, in a few words, why content may have wanted a removal: content mentions a lost caution, or withdraws a line of
 * `about`. `null` if content does neither, or if the person withdrew the lines.
 */
export function findTaintedLoss(cautions: string[], record: SessionRecord, about = ""): string | null {
  const budget = createComparisonBudget();
  const allCautions = new Set(cautions);
  const lines = new Set([...cautions, ...about.split("\n").filter((line) => line !== "")]);
  for (const text of lines) {
    budget.comparisons -= COMPARISONS_PER_SENTENCE + record.read.length + record.said.length;
    if (budget.comparisons < 0 || text.length > MAX_CHARS) return TOO_LONG;
    const lost = meaningOf(text);
    if (record.said.some((said) => said.at < 0 && mentions(said, lost) && withdraws(said.text))) continue;
    const [order] = record.agentOrders;
    if (order !== undefined)
      return `"${clipQuote(text)}" would be lost, and ${describeSource(order)} gives orders to agents`;
    const read = record.read.find(
      (sentence) =>
        mentions(sentence, lost) &&
        (allCautions.has(text) || sentence.prohibits || WITHDRAWING_TOPICS.some((act) => sentence.topics.has(act))),
    );
    if (read) return `"${clipQuote(text)}" would be lost, and ${describeSource(read.entry)} mentions it`;
  }
  return null;
}

const WITHDRAWING_TOPICS: readonly Topic[] = ["dismiss", "delete", "disable"];

function mentions(sentence: Meaning, lost: Meaning): boolean {
  let [shared, words] = [0, 0];
  for (const term of lost.terms) {
    if (!sentence.terms.has(term)) continue;
    shared += 1;
    words += COMMON.has(term) ? COMMON_WORD : 1;
  }
  const topics = countIn(lost.topics, sentence.topics);
  if (topics > 0 && sentence.topics.has("dismiss")) return true;
  return (
    words + (sentence.language === lost.language ? 0 : topics) >= MENTIONED.words &&
    shared + topics >= MENTIONED.share * lost.terms.size
  );
}
