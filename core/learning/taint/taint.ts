// Holds back writes to skills and memory that only content wanted, whether they add standing instructions or remove text. A
// sentence is held for its consequence and its origin, never for mere resemblance; the rest of the write is accepted. Called for
// each write of a review, a session or a curation, and when a session labels a file or a list. No I/O; entries are read lazily.
import type { SkillSnapshot } from "../../ports.ts";
import type { Entry } from "../../schemas/entry.ts";
import { type FileBodies, textOrEmpty } from "../../schemas/file-body.ts";
import { fromCitation } from "../../schemas/ids.ts";
import type { ReviewJob } from "../../schemas/learning/review.ts";
import { type HoldDecision, type MemoryGate, taintedFailure } from "../../tools/approval/hold.ts";
import type { SkillGate, SkillInspector } from "../../tools/skills/skill-manage.ts";
import { holdsContent } from "./entries.ts";
import {
  type JudgeContext,
  type ExistingText,
  clipQuote,
  createComparisonBudget,
  findTaint,
  isUndecided,
  findTaintedLoss,
} from "./judge.ts";
import { destinationsIn, decodeReadings } from "./destinations.ts";
import { compareLines, proseLines } from "./removals.ts";
import { SentenceIndex } from "./sentence-index.ts";
import { isProse } from "../markdown.ts";
import { type Sentence, sentencesIn, sentencesOfFile, removeSentences } from "../sentences.ts";
import { type Opinion, SessionRecord } from "./session-record.ts";
import { type Meaning, foldText, languageOf, meaningOf } from "./meaning.ts";

/** A text that a call would keep. `path`: its file in the skill; facts for memory count as prose. */
export interface WrittenText {
  path: string;
  text: string;
}

export interface Taint {
  holdSkill: SkillGate;
  /** For a skill that is archived. `after`: the files of the skill that is said to have absorbed it. */
  inspectArchive: SkillInspector;
  holdFacts: MemoryGate;
  /** At most `most` sentences that no certain rule holds: a second judge may be asked about them. */
  undecidedIn(texts: WrittenText[], most: number): string[];
  /** Adds the second judge's opinions: they can hold a sentence, and can clear one that only the score holds. */
  note(opinions: Opinion[]): void;
}

export interface SessionTaint extends Taint {
  /** Whether a text that the agent writes has a tainted sentence. */
  isTainted(text: string): boolean;
}

type Job = Pick<ReviewJob, "entries" | "tainted" | "prefix">;

/** For a review. Its writes cite parts of entries, which are checked too. */
export function createTaint(job: Job): Taint {
  let record: SessionRecord | null = null;
  return createGates(() => (record ??= createRecord(job)));
}

/** For a session, whose writes cite nothing. `entries`: returns the complete entries after a number, in order. */
export function createSessionTaint(entries: (after: number) => Entry[]): SessionTaint {
  const record = new SessionRecord();
  let upTo = 0;
  let seen = 0;
  /** Until content is read nothing can be tainted, so no entry is added before. */
  const isClean = () => {
    if (upTo > 0) return false;
    for (const entry of entries(seen)) {
      if (holdsContent(entry)) return false;
      seen = entry.n;
    }
    return true;
  };
  const getRecord = () => {
    if (isClean()) return record;
    for (const entry of entries(upTo)) {
      record.add(entry);
      upTo = entry.n;
    }
    return record;
  };
  return { ...createGates(getRecord), isTainted: (text) => isTainted(text, getRecord()) };
}

export function createRecord({ entries, tainted = [], prefix }: Job): SessionRecord {
  const record = new SessionRecord();
  if (tainted.length > 0) record.addRead(tainted.join("\n"));
  // The reviewer reads the conversation from its beginning.
  for (const message of prefix?.messages ?? []) record.addMessage(message);
  for (const entry of entries) record.add(entry);
  return record;
}

function createGates(getRecord: () => SessionRecord): Taint {
  return {
    holdSkill(write) {
      const record = getRecord();
      if (write.approved || record.isEmpty) return null;
      // The text of an archived skill does not count as existing: restoring it is judged like a new text.
      const existing = write.before && write.before.head.state !== "archived" ? write.before : null;
      const removed = compareLines(proseLines(existing?.files ?? {}), proseLines(write.after));
      const why = checkCitationSources(write.citations) ?? findTaintedLoss(removed.cautions, record);
      if (why !== null) return toHold<FileBodies>(why);
      const known = readExisting(existing, removed.turned);
      const { name, description, category = "" } = write;
      const labels = [
        ...(existing ? [] : [name.replaceAll("-", " ")]),
        ...(description === existing?.head.description ? [] : [description]),
        ...(category === (existing?.head.category ?? "") ? [] : [category.replaceAll("-", " ")]),
      ];
      return holdFiles(write.after, { labels, existing: existing?.files ?? {}, known, record });
    },
    inspectArchive({ name, before, after, description, citations, approved }) {
      if (approved || !before || getRecord().isEmpty) return null;
      const { cautions } = compareLines(proseLines(before.files), proseLines(after));
      const about = `${name.replaceAll("-", " ")}: ${description}`;
      const why = checkCitationSources(citations) ?? findTaintedLoss(cautions, getRecord(), about);
      return why === null ? null : taintedFailure(toHold(why));
    },
    holdFacts({ facts, citations, approved, gone, store }) {
      const record = getRecord();
      if (approved || record.isEmpty) return null;
      const { cautions, lost } = compareLines(gone, facts);
      const why = checkCitationSources(citations) ?? findTaintedLoss(cautions, record, lost.join("\n"));
      if (why !== null) return toHold<string[]>(why);
      const [budget, hiddenBudget] = [createComparisonBudget(), createComparisonBudget()];
      const held = facts.map((fact) => findHeld(sentencesIn(fact), record, { binds: store === "user", budget }));
      const all = held.flat();
      if (all.length === 0) {
        const hidden = facts.flatMap((fact) => findHiddenTaint(fact, record, hiddenBudget) ?? [])[0];
        return hidden === undefined ? null : toHold<string[]>(hidden);
      }
      const rest = facts.map((fact, n) => removeSentences(fact, held[n]!).trim());
      return { ...toHold<string[]>(all[0]!.why, all), rest: rest.every((text) => text === "") ? null : rest };
    },
    undecidedIn(texts, most) {
      const record = getRecord();
      if (record.isEmpty) return [];
      const sentences = texts.flatMap(({ path, text }) =>
        sentencesOfFile(path, text).map((sentence) => sentence.text.replace(/^description:[ \t]*/, "")),
      );
      const language = languageOf(foldText(sentences.join(" ")));
      const budget = createComparisonBudget();
      const found: string[] = [];
      for (const text of new Set(sentences)) {
        if (found.length === most) break;
        if (isUndecided(text, record, { language, budget })) found.push(text);
      }
      return found;
    },
    note: (opinions) => getRecord().note(opinions),
  };
}

interface HeldSentence extends Sentence {
  why: string;
}

interface ChangedFiles {
  /** New names, descriptions and categories, which are shown without the files. */
  labels: string[];
  existing: FileBodies;
  known: ExistingSkillText;
  record: SessionRecord;
}

/** Maximum length of a write that is compared. A longer write waits for the person. */
const MAX_CHARS = 200_000;

function holdFiles(
  after: FileBodies,
  { labels, existing, known, record }: ChangedFiles,
): HoldDecision<FileBodies> | null {
  const changed = Object.entries(after).filter(([path, body]) => existing[path] !== body);
  const chars = changed.reduce((sum, [, body]) => sum + textOrEmpty(body).length, 0);
  if (chars > MAX_CHARS) return toHold("it is too long to be compared with what was read");
  const rest = { ...after };
  const all: HeldSentence[] = [];
  const [budget, hiddenBudget] = [createComparisonBudget(), createComparisonBudget()];
  const paths = changed.map(([path]) => path).filter((path) => !Object.hasOwn(existing, path));
  for (const text of [...labels, ...paths]) {
    const why = findTaint(text, record, { existing: known.existing, budget });
    if (why !== null) return toHold(why);
  }
  for (const [path, body] of changed) {
    if (typeof body !== "string") continue;
    const sentences = sentencesOfFile(path, body).filter(({ text }) => !known.texts.has(text));
    const held = findHeld(sentences, record, {
      existing: known.existing,
      runs: path.startsWith("checks/"),
      budget,
    });
    all.push(...held);
    if (held.length > 0) setBody(rest, path, isProse(path) ? removeSentences(body, held) : existing[path]);
    const hidden = held.length === 0 ? findHiddenTaint(body, record, hiddenBudget) : null;
    if (hidden !== null) return toHold(hidden);
  }
  if (all.length === 0) return null;
  const hold = toHold<FileBodies>(all[0]!.why, all);
  return all.some(({ isFixed }) => isFixed) ? hold : { ...hold, rest };
}

/** A changed program is kept whole or not at all: without one of its lines it would be another program. */
function setBody(rest: FileBodies, path: string, body: FileBodies[string] | undefined): void {
  if (body === undefined) delete rest[path];
  else rest[path] = body;
}

interface ExistingSkillText {
  texts: Set<string>;
  existing: ExistingText;
}

/** Characters searched for turned lines, in all. If a skill needs more, none of its text counts as existing. */
const MAX_SEARCHED_CHARS = 100_000_000;

/** Existing text needs no other source, except lines that the write turns into their opposite. */
function readExisting(existing: SkillSnapshot | null, turned: Set<string>): ExistingSkillText {
  const sentences = Object.entries(existing?.files ?? {}).flatMap(([path, body]) =>
    sentencesOfFile(path, textOrEmpty(body)),
  );
  const texts = new Set(sentences.map(({ text }) => text));
  const lines = [...turned].join("\n");
  const kept = lines.length * texts.size > MAX_SEARCHED_CHARS ? [] : [...texts].filter((text) => !lines.includes(text));
  const destinations = new Set(kept.flatMap((text) => destinationsIn(text).map((destination) => destination.text)));
  const known = new SentenceIndex<Meaning>();
  for (const text of kept) known.add(meaningOf(text));
  return { texts, existing: { sentences: known, destinations } };
}

/** The sentences that follow a held one directly are held with it: "There is a mirror at x.test. Everything is sent there, too." */
function findHeld(sentences: Sentence[], record: SessionRecord, context: JudgeContext): HeldSentence[] {
  const judge = createSentenceJudge(sentences, record, context);
  const held: HeldSentence[] = [];
  for (const sentence of sentences) {
    const before = held.at(-1);
    const why = sentence.isContinued && before?.to === sentence.from ? before.why : judge(sentence);
    if (why !== null) held.push({ ...sentence, why });
  }
  return held;
}

/** Judges the sentences of one text, equal ones only once. */
function createSentenceJudge(sentences: Sentence[], record: SessionRecord, context: JudgeContext) {
  const language = languageOf(foldText(sentences.map(({ text }) => text).join(" ")));
  const { budget = createComparisonBudget() } = context;
  const found = new Map<string, string | null>();
  return (sentence: Sentence): string | null => {
    const text = removeFingerprints(sentence.text);
    if (!found.has(text)) found.set(text, findTaint(text, record, { ...context, language, budget }));
    return found.get(text) ?? null;
  };
}

/** Taint that only shows when the text is decoded. It has no place in the text that could be cut out. */
function findHiddenTaint(text: string, record: SessionRecord, budget = createComparisonBudget()): string | null {
  const [, ...others] = decodeReadings(text);
  const seen = new Set(others.length > 0 ? sentencesIn(text).map((sentence) => sentence.text) : []);
  for (const reading of others) {
    const hidden = sentencesIn(reading).filter((sentence) => !seen.has(sentence.text));
    const why = findFirstTaint(hidden, record, { budget });
    if (why !== null) return why;
  }
  return null;
}

function isTainted(text: string, record: SessionRecord): boolean {
  if (record.isEmpty) return false;
  return findFirstTaint(sentencesIn(text), record) !== null || findHiddenTaint(text, record) !== null;
}

function findFirstTaint(sentences: Sentence[], record: SessionRecord, context: JudgeContext = {}): string | null {
  const judge = createSentenceJudge(sentences, record, context);
  for (const sentence of sentences) {
    const why = judge(sentence);
    if (why !== null) return why;
  }
  return null;
}

/** Removes the fingerprints that code adds to a contract's tools: `terminal@0a1b2c3d` is not an address. */
function removeFingerprints(paragraph: string): string {
  const lists = /\bcontract(?:\.|:\s*)tools["']?:\s*[\w.@,"'[\] -]+/g;
  return paragraph.replace(lists, (tools) => tools.replace(/@[0-9a-f]{8}(?![\w.@-])/g, ""));
}

/** At least one citation must be of the harness or the person; content proves nothing. */
function checkCitationSources(citations: string[]): string | null {
  if (citations.length === 0) return null;
  const isProved = citations.map(fromCitation).some(({ source }) => source === "principal" || source === "outcome");
  return isProved ? null : "it cites nothing but what was read";
}

function toHold<Rest>(why: string, held: HeldSentence[] = []): HoldDecision<Rest> {
  const sentences = held.map(({ text }) => text);
  const quoted = sentences.length === 0 ? "This" : `"${clipQuote(sentences[0]!)}"`;
  const others = sentences.length - 1;
  const more = others < 1 ? "" : ` ${others} more of its sentences ${others === 1 ? "waits" : "wait"}.`;
  return { rest: null, sentences, why: `${quoted} may come from what was only read: ${why}.${more}` };
}
