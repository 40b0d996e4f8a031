// Whether a sentence that is to be kept is one that content wanted: of consequence, and spoken of by what was read rather than by
// the person. Likeness alone holds nothing. Called by taint.ts for each sentence. Pure.
import { COMMON_WORDS } from "../../skills/scanner/common-words.ts";
import { THINGS } from "./consequence-words.ts";
import { type Act, type Meaning, type Topic, meaningOf } from "./consequences.ts";
import { isPublisher, leadsOf } from "./leads.ts";
import type { ReadSentence, SessionRecord } from "./session-record.ts";
import { withdraws } from "./removals.ts";
import { termsIn } from "./text.ts";
import { foldText } from "./vocabulary.ts";

// [own] chosen on one half of the development cases.
/** Weight of what a sentence shares with one that was read, from which on it says the same. */
const SAYS_THE_SAME = 2.75;
/** Of a sentence that orders nothing. */
const TELLS_THE_SAME = 3.5;
/** Of one that orders agents about. */
const SAME_ORDERED = 1.25;
const SAME_TRANSLATED = 1.75;
const TOPIC_WEIGHT = 0.5;
const TOPIC_WEIGHT_TRANSLATED = 1;
/** A word that somebody else had before content. */
const KNOWN_SHARE = 0.35;
const COMMON_SHARE = 0.5;
/** Two signs of a language without blanks. */
const PAIR_SHARE = 0.4;

const COMMON = new Set([...COMMON_WORDS].flatMap((word) => [...termsIn(word)]));

export interface Around {
  /** What stands in the text already, and needs nobody else. */
  standing?: Meaning[];
  /** Of the text the sentence is from. */
  language?: string;
  /** It is run by itself, as a check is: what only content has named must not be. */
  runs?: boolean;
}

/** In a few words, why a person should see the sentence first; `null` where nothing speaks for it. */
export function doubtOf(
  text: string,
  record: SessionRecord,
  { standing = [], language = "", runs = false }: Around = {},
): string | null {
  const written = meaningOf(runs ? text : withoutReports(text, record), language);
  return (
    findLead(text, written, record, standing) ??
    findName(written, record, runs) ??
    findWanted(written, record, standing) ??
    findPushed(written, record, standing) ??
    findUngrounded(written, record, standing)
  );
}

/** A message that is quoted to be known again says nothing of what is to be done. */
function withoutReports(text: string, record: SessionRecord): string {
  if (!/["`“„«]/.test(text)) return text;
  return text.replace(/["`“„«]([^"`“”„«»\n]{8,200})["`”“»]/g, (quoted, phrase: string) =>
    /\s/.test(phrase) &&
    !/(?:^|\s)-|[|<>$=/\\@]/.test(phrase) &&
    record.isReported(phrase) &&
    !meaningOf(phrase).isImperative
      ? " ".repeat(quoted.length)
      : quoted,
  );
}

/** Where it leads, only content has said. */
function findLead(text: string, written: Meaning, record: SessionRecord, standing: Meaning[]): string | null {
  for (const lead of leadsOf(text)) {
    if (lead.kind === "number" && !written.topics.has("contact") && !written.topics.has("pay") && !PHONE.test(text))
      continue;
    if (standing.some(({ text: other }) => leadsOf(other).some((known) => known.text === lead.text))) continue;
    if (lead.kind === "address" && isPublisher(lead.text)) continue;
    if (written.acts.length === 0 && PRIVATE.test(lead.text)) continue;
    const entry = record.whoseLead(lead);
    if (entry !== null) return `the ${lead.kind} "${clip(lead.text)}" comes from ${placeOf(entry)}`;
  }
  return null;
}

/** Addresses that lead nowhere outside. */
const PRIVATE = /^(?:(?:10|127|0)\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|localhost:)[\d.:]+$/;

/** A number that is set as one calls it, or an account's. */
const PHONE = /(?<![\w.-])(?:\+\d|\(?0\d)[\d ()/-]{6,24}\d(?![\w.-])|(?<!\w)[A-Z]{2}\d{2}(?: ?\w{4}){3,7}/;

/** Something of consequence is to be done with what only content has named. That a call was made with it proves no package. */
function findName(written: Meaning, record: SessionRecord, runs: boolean): string | null {
  const { text, acts, topics, names, words, prohibits } = written;
  const installs = acts.includes("install");
  for (const [, name] of installs ? foldText(text).matchAll(PACKAGE) : []) {
    const named =
      !COMMON_WORDS.has(name!) &&
      record.isForeign(name!) &&
      record.read.find((read) => isWish(read) && read.words.has(name!));
    if (named) return `only ${placeOf(named.entry)} names "${clip(name!)}"`;
  }
  if (prohibits && !installs) return null;
  const isAct = acts.length > 0 || topics.has("identity");
  const isGrave = ({ acts: all }: Meaning) => all.some((act) => GRAVE.has(act));
  for (const name of new Set([...names, ...words])) {
    if (COMMON.has(name) || isPublisher(name) || (record.isUsed(name) && !(installs && !name.startsWith("-"))))
      continue;
    const named = record.whoNamed(name);
    if (!named || !(runs || isWish(named))) continue;
    if (runs || isGrave(named) || isGrave(written) || (isAct && !name.startsWith("-")))
      return `only ${placeOf(named.entry)} names "${clip(name)}"`;
  }
  return null;
}

/** Acts that a line of a few words, or a name alone, may stand for. */
const GRAVE: ReadonlySet<Act> = new Set(["trust", "weaken", "disable", "dismiss", "obey", "hide", "permit"]);

/** What is called a package, or stands where one is installed. */
const PACKAGE =
  /(?<![\p{L}-])(?:packages?|librar(?:y|ies)|plugins?|extensions?|images?|modules?|pakete?s?|paquets?|paquetes?|pacchetti|pacchetto|install|add|upgrade|i)\s{1,3}(?:-{1,2}\w[\w-]{0,40}\s{1,3}){0,3}["'`“„]?([a-z][\w-]{3,60})/gu;

/** It binds its readers, was written for them, or is of grave consequence. */
function isWish(read: ReadSentence): boolean {
  return read.binds || (!read.isReport && (!read.isTerse || read.acts.some((act) => GRAVE.has(act))));
}

/** A sentence of content wants the same, and the person does not say it. */
function findWanted(written: Meaning, record: SessionRecord, standing: Meaning[]): string | null {
  for (const read of record.read) {
    if (!isWish(read) || !(written.topics.size > 0 || (read.isStanding && read.topics.size > 0))) continue;
    const shared = sharedTopics(written, read);
    const isTranslated = written.language !== read.language && written.language !== "" && read.language !== "";
    const weight =
      wordsShared(written, read, record) + shared.length * (isTranslated ? TOPIC_WEIGHT_TRANSLATED : TOPIC_WEIGHT);
    if (weight < leastFor(written, read, isTranslated)) continue;
    if (standing.some((known) => backs(known, written, read))) continue;
    if (record.said.some((said) => said.at < record.readFrom && backs(said, written, read))) continue;
    return `${placeOf(read.entry)} wants it: "${clip(read.text)}"`;
  }
  return null;
}

/** A norm of consequence, where content has advised the like: in other words, or in another language. */
function findPushed(written: Meaning, record: SessionRecord, standing: Meaning[]): string | null {
  for (const read of record.read) {
    if (read.isReport || read.isUsage || !(read.isNorm || read.tellsTaste)) continue;
    if (!isPushedBy(written, read, record)) continue;
    if (standing.some((known) => backs(known, written, read))) continue;
    if (record.said.some((said) => said.at < read.at && backs(said, written, read))) continue;
    return `${placeOf(read.entry)} advises the like: "${clip(read.text)}"`;
  }
  return null;
}

function isPushedBy(written: Meaning, read: ReadSentence, record: SessionRecord): boolean {
  const isTold = read.isNorm && !read.isTerse && !read.isImperative;
  if (isTold && sharesFigure(written, read)) return true;
  if (read.isNorm && sharesPraise(written, read, record)) return true;
  if (!written.isNorm && !written.loosens && !written.tellsTaste) return false;
  const telling = [...written.terms].filter((term) => !COMMON.has(term));
  const grounded = telling.filter((term) => record.wasSaidBefore(term, read.at) || record.wasCalledWith(term));
  if (grounded.length > GROUNDED_SHARE * telling.length) return false;
  const topics = sharedTopics(written, read).length;
  const isTranslated = written.language !== read.language && written.language !== "" && read.language !== "";
  const isNear = isTranslated || sharesRare(written, read, record);
  if (written.tellsTaste && read.tellsTaste && topics > 0) return true;
  if (!read.isNorm || !(written.isNorm || written.loosens)) return false;
  if (written.loosens && read.loosens) return isNear || protects(read);
  return isTranslated ? topics > 1 : isNear && (topics > 0 || (isTold && written.topics.size > 0));
}

function sharesFigure(written: Meaning, read: Meaning): boolean {
  const figures = figuresIn(written.text);
  return figures.size > 0 && [...figuresIn(read.text)].some((figure) => figures.has(figure));
}

/** What content calls better than the rest, and the person never named. */
function sharesPraise(written: Meaning, read: Meaning, record: SessionRecord): boolean {
  return (
    read.praises &&
    (written.isNorm || written.praises) &&
    [...read.brands].some((brand) => written.brands.has(brand) && !COMMON_WORDS.has(brand) && record.isForeign(brand))
  );
}

/** How much of something that may hurt: doses, temperatures, torques, pressures. */
const FIGURES =
  /(?<![\p{L}\p{N}.,-])(\d{1,6}(?:[.,]\d{1,3})?) ?(ml|mg|mcg|µg|i\.?[ue]\.?|°[cf]|nm|n·m|ft-?lbs?|bar|psi|kpa|drops|tropfen|gouttes|gotas|毫升|毫克|度|滴|牛米)(?![\p{L}\p{N}])/giu;

function figuresIn(text: string): Set<string> {
  return new Set([...text.matchAll(FIGURES)].map(([, number, unit]) => `${number} ${unit}`.toLowerCase()));
}

function protects({ topics }: Meaning): boolean {
  return Object.keys(THINGS).some((thing) => topics.has(thing as Topic));
}

/** A word that is no common one, and that nobody had before content. */
function sharesRare(written: Meaning, read: ReadSentence, record: SessionRecord): boolean {
  return [...written.terms].some(
    (term) => read.terms.has(term) && !COMMON.has(term) && !record.wasSaidBefore(term, read.at),
  );
}

/** Of the words of a sentence, so many have to be the person's or the work's where content has asked for something to be kept. */
const GROUNDED_SHARE = 0.34;
const LEAST_WORDS = 2;

/** Content has asked for something to be kept, and the sentence rests on nothing that anybody else said before. */
function findUngrounded(
  { terms, topics, language }: Meaning,
  record: SessionRecord,
  standing: Meaning[],
): string | null {
  const unread = topics.size > 0 && record.unread?.language !== language ? record.unread : null;
  const demand = record.demand ?? unread;
  if (!demand) return null;
  const telling = [...terms].filter((term) => !COMMON.has(term));
  if (telling.length < LEAST_WORDS) return null;
  const grounded = telling.filter(
    (term) => record.wasSaidBefore(term, demand.at) || standing.some((known) => known.terms.has(term)),
  );
  if (grounded.length >= GROUNDED_SHARE * telling.length) return null;
  return `${placeOf(demand.entry)} asked for something to be kept, and nobody else has said this`;
}

function leastFor(written: Meaning, read: ReadSentence, isTranslated: boolean): number {
  if (read.isDemand) return SAME_ORDERED;
  if (isTranslated) return SAME_TRANSLATED;
  return read.binds || isWhole(written, read) ? SAYS_THE_SAME : TELLS_THE_SAME;
}

/** All that the sentence says stands in the other, too. */
function isWhole({ terms }: Meaning, read: Meaning): boolean {
  return [...terms].filter((term) => read.terms.has(term)).length >= MOST_TERMS * terms.size;
}
const MOST_TERMS = 0.75;

function sharedTopics(a: Meaning, b: Meaning): Topic[] {
  return [...a.topics].filter((topic) => b.topics.has(topic));
}

function wordsShared(written: Meaning, read: ReadSentence, record: SessionRecord): number {
  let weight = 0;
  for (const term of written.terms) {
    if (!read.terms.has(term)) continue;
    const ordinary = COMMON.has(term) ? COMMON_SHARE : term > "\u2E80" ? PAIR_SHARE : 1;
    weight += ordinary * (record.wasSaidBefore(term, read.at) ? KNOWN_SHARE : 1);
  }
  return weight;
}

/** Of words and topics, what the person has to say of a sentence at the least. */
const LEAST_BACKING = 2;

/** The person, or what stands there already, says as much of the sentence as content does. */
function backs(said: Meaning, written: Meaning, read: Meaning): boolean {
  const count = (other: Meaning) =>
    [...written.terms].filter((term) => other.terms.has(term)).length +
    TOPIC_WEIGHT * sharedTopics(written, other).length;
  const acts = sharedTopics(written, read).filter((topic) => written.acts.includes(topic as never));
  return acts.every((act) => said.topics.has(act)) && count(said) >= LEAST_BACKING && count(said) >= count(read);
}

/** Before the range under review nothing has a number that a reader could look up. */
export function placeOf(entry: number): string {
  return entry === 0 ? "what was read earlier in the session" : `what was read in entry ${entry}`;
}

const MAX_SHOWN_CHARS = 120;

export function clip(text: string): string {
  return (text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS - 1)}…` : text).toWellFormed();
}

/** What is to go was spoken of: so many of its words, as a share of all. */
const SPOKEN_OF = { words: 1, share: 0.3 };

/**
 * In a few words, why something may be taken away because content wanted it so: content speaks of a caution, or against what
 * `about` says. Not what the person took back.
 */
export function lossOf(cautions: string[], record: SessionRecord, about = ""): string | null {
  for (const text of [...cautions, ...about.split("\n").filter((line) => line !== "")]) {
    const lost = meaningOf(text);
    if (record.said.some((said) => said.at < 0 && speaksOf(said, lost) && withdraws(said.text))) continue;
    if (record.demand) return `"${clip(text)}" would be lost, and ${placeOf(record.demand.entry)} orders agents about`;
    const isCaution = cautions.includes(text);
    const read = record.read.find(
      (sentence) => speaksOf(sentence, lost) && (isCaution || sentence.prohibits || sentence.acts.some(takesBack)),
    );
    if (read) return `"${clip(text)}" would be lost, of which ${placeOf(read.entry)} speaks`;
  }
  return null;
}

function takesBack(act: Act): boolean {
  return act === "dismiss" || act === "delete" || act === "disable";
}

function speaksOf(sentence: Meaning, lost: Meaning): boolean {
  const shared = [...lost.terms].filter((term) => sentence.terms.has(term));
  const words =
    shared.filter((term) => !COMMON.has(term)).length + COMMON_SHARE * shared.filter((term) => COMMON.has(term)).length;
  const topics = sharedTopics(lost, sentence).length;
  if (topics > 0 && sentence.acts.includes("dismiss")) return true;
  return (
    words + (sentence.language === lost.language ? 0 : topics) >= SPOKEN_OF.words &&
    shared.length + topics >= SPOKEN_OF.share * lost.terms.size
  );
}
