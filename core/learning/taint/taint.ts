// Keeps standing instructions that only content wanted from entering skills and memory by themselves, and from taking anything out
// of them. A sentence is held for its consequence and its origin, never because it resembles what was read; the rest of the write
// enters. Called for each write of a review and of a session, and where a file or a list is labelled. Pure; what was read is taken
// in once, when it is first asked for.
import type { SkillSnapshot } from "../../ports.ts";
import type { Entry } from "../../schemas/entry.ts";
import { type FileBodies, textOrEmpty } from "../../schemas/file-body.ts";
import { fromCitation } from "../../schemas/ids.ts";
import type { ReviewJob } from "../../schemas/learning/review.ts";
import { type Hold, type MemoryGate, toTainted } from "../../tools/approval/hold.ts";
import type { SkillGate, SkillInspector } from "../../tools/skills/skill-manage.ts";
import { holdsContent } from "./entries.ts";
import { type Around, type Standing, clipShown, createBudget, doubtOf, isUndecided, lossOf } from "./judge.ts";
import { leadsOf, readingsOf } from "./leads.ts";
import { findRemoved, proseLines } from "./removals.ts";
import { SentenceIndex } from "./sentence-index.ts";
import { isProse } from "../markdown.ts";
import { type Sentence, sentencesIn, sentencesOfFile, without } from "../sentences.ts";
import { type Opinion, SessionRecord } from "./session-record.ts";
import { type Meaning, foldText, languageOf, meaningOf } from "./meaning.ts";

/** A text that a call would keep, and the file of a skill it would stand in; facts count as prose. */
export interface WrittenText {
  path: string;
  text: string;
}

export interface Taint {
  holdSkill: SkillGate;
  /** Of a skill that is put away; `after`: the files of the one that is said to hold it now. */
  inspectArchive: SkillInspector;
  holdFacts: MemoryGate;
  /** The first sentences of texts to be kept that no certain rule holds: a second judge may be asked about them. */
  undecidedIn(texts: WrittenText[], most: number): string[];
  /** What the second judge found: it holds more, and lets in what only resembles what was read. */
  note(opinions: Opinion[]): void;
}

export interface SessionTaint extends Taint {
  /** Whether a text that the agent writes down has a sentence that content wanted. */
  isTainted(text: string): boolean;
}

type Job = Pick<ReviewJob, "entries" | "tainted" | "prefix">;

/** Of a review: what is cited counts too. */
export function createTaint(job: Job): Taint {
  let record: SessionRecord | null = null;
  return createGates(() => (record ??= toRecord(job)));
}

/** Of a session, in which nothing is cited. `entries`: those after one, in their order, that have come to their end. */
export function createSessionTaint(entries: (after: number) => Entry[]): SessionTaint {
  const record = new SessionRecord();
  let upTo = 0;
  let seen = 0;
  /** Until content is read nothing can be tainted, and nothing needs to be taken in. */
  const isClean = () => {
    if (upTo > 0) return false;
    for (const entry of entries(seen)) {
      if (holdsContent(entry)) return false;
      seen = entry.n;
    }
    return true;
  };
  const current = () => {
    if (isClean()) return record;
    for (const entry of entries(upTo)) {
      record.add(entry);
      upTo = entry.n;
    }
    return record;
  };
  return { ...createGates(current), isTainted: (text) => isTainted(text, current()) };
}

export function toRecord({ entries, tainted = [], prefix }: Job): SessionRecord {
  const record = new SessionRecord();
  if (tainted.length > 0) record.addRead(tainted.join("\n"));
  // What the reviewer reads of the conversation, from its beginning on.
  for (const message of prefix?.messages ?? []) record.addMessage(message);
  for (const entry of entries) record.add(entry);
  return record;
}

function createGates(current: () => SessionRecord): Taint {
  return {
    holdSkill(write) {
      const record = current();
      if (write.approved || record.isEmpty) return null;
      // What was put away is gone: whoever brings it back says it again.
      const standing = write.before && write.before.head.state !== "archived" ? write.before : null;
      const removed = findRemoved(proseLines(standing?.files ?? {}), proseLines(write.after));
      const why = findCited(write.citations) ?? lossOf(removed.cautions, record);
      if (why !== null) return toHold<FileBodies>(why);
      const known = toKnown(standing, removed.turned);
      const { name, description, category = "" } = write;
      const shown = [
        ...(standing ? [] : [name.replaceAll("-", " ")]),
        ...(description === standing?.head.description ? [] : [description]),
        ...(category === (standing?.head.category ?? "") ? [] : [category.replaceAll("-", " ")]),
      ];
      return holdFiles(write.after, { texts: shown, standing: standing?.files ?? {}, known, record });
    },
    inspectArchive({ name, before, after, description, citations, approved }) {
      if (approved || !before || current().isEmpty) return null;
      const { cautions } = findRemoved(proseLines(before.files), proseLines(after));
      const about = `${name.replaceAll("-", " ")}: ${description}`;
      const why = findCited(citations) ?? lossOf(cautions, current(), about);
      return why === null ? null : toTainted(toHold(why));
    },
    holdFacts({ facts, citations, approved, gone, store }) {
      const record = current();
      if (approved || record.isEmpty) return null;
      const { cautions, lost } = findRemoved(gone, facts);
      const why = findCited(citations) ?? lossOf(cautions, record, lost.join("\n"));
      if (why !== null) return toHold<string[]>(why);
      const [budget, hiddenBudget] = [createBudget(), createBudget()];
      const held = facts.map((fact) => findHeld(sentencesIn(fact), record, { binds: store === "user", budget }));
      const all = held.flat();
      if (all.length === 0) {
        const hidden = facts.flatMap((fact) => hiddenIn(fact, record, hiddenBudget) ?? [])[0];
        return hidden === undefined ? null : toHold<string[]>(hidden);
      }
      const rest = facts.map((fact, n) => without(fact, held[n]!).trim());
      return { ...toHold<string[]>(all[0]!.why, all), rest: rest.every((text) => text === "") ? null : rest };
    },
    undecidedIn(texts, most) {
      const record = current();
      if (record.isEmpty) return [];
      const sentences = texts.flatMap(({ path, text }) =>
        sentencesOfFile(path, text).map((one) => one.text.replace(/^description:[ \t]*/, "")),
      );
      const language = languageOf(foldText(sentences.join(" ")));
      const budget = createBudget();
      const found: string[] = [];
      for (const text of new Set(sentences)) {
        if (found.length === most) break;
        if (isUndecided(text, record, { language, budget })) found.push(text);
      }
      return found;
    },
    note: (opinions) => current().note(opinions),
  };
}

interface Judged extends Sentence {
  why: string;
}

interface Files {
  /** What is shown of a skill beside its files. */
  texts: string[];
  standing: FileBodies;
  known: Known;
  record: SessionRecord;
}

/** More is not compared with what was read. */
const MAX_CHARS = 200_000;

function holdFiles(after: FileBodies, { texts, standing, known, record }: Files): Hold<FileBodies> | null {
  const changed = Object.entries(after).filter(([path, body]) => standing[path] !== body);
  const chars = changed.reduce((sum, [, body]) => sum + textOrEmpty(body).length, 0);
  if (chars > MAX_CHARS) return toHold("it is too long to be compared with what was read");
  const rest = { ...after };
  const all: Judged[] = [];
  const [budget, hiddenBudget] = [createBudget(), createBudget()];
  const paths = changed.map(([path]) => path).filter((path) => !Object.hasOwn(standing, path));
  for (const text of [...texts, ...paths]) {
    const why = doubtOf(text, record, { standing: known.standing, budget });
    if (why !== null) return toHold(why);
  }
  for (const [path, body] of changed) {
    if (typeof body !== "string") continue;
    const sentences = sentencesOfFile(path, body).filter(({ text }) => !known.texts.has(text));
    const held = findHeld(sentences, record, {
      ...{ standing: known.standing, runs: path.startsWith("checks/"), budget },
    });
    all.push(...held);
    if (held.length > 0) leave(rest, path, isProse(path) ? without(body, held) : standing[path]);
    const hidden = held.length === 0 ? hiddenIn(body, record, hiddenBudget) : null;
    if (hidden !== null) return toHold(hidden);
  }
  if (all.length === 0) return null;
  const hold = toHold<FileBodies>(all[0]!.why, all);
  return all.some(({ isFixed }) => isFixed) ? hold : { ...hold, rest };
}

/** A program without one of its lines is another program: it is left as it was, or out. */
function leave(rest: FileBodies, path: string, body: FileBodies[string] | undefined): void {
  if (body === undefined) delete rest[path];
  else rest[path] = body;
}

interface Known {
  texts: Set<string>;
  standing: Standing;
}

/** Characters that are searched for lines that were turned. Of a skill that has more, nothing counts as standing. */
const MAX_SEARCHED_CHARS = 100_000_000;

/** What stands there needs nobody else, but for a line that was turned into its opposite. */
function toKnown(standing: SkillSnapshot | null, turned: Set<string>): Known {
  const sentences = Object.entries(standing?.files ?? {}).flatMap(([path, body]) =>
    sentencesOfFile(path, textOrEmpty(body)),
  );
  const texts = new Set(sentences.map(({ text }) => text));
  const lines = [...turned].join("\n");
  const kept = lines.length * texts.size > MAX_SEARCHED_CHARS ? [] : [...texts].filter((text) => !lines.includes(text));
  const leads = new Set(kept.flatMap((text) => leadsOf(text).map((lead) => lead.text)));
  const known = new SentenceIndex<Meaning>();
  for (const text of kept) known.add(meaningOf(text));
  return { texts, standing: { sentences: known, leads } };
}

/** With a sentence that waits, those wait that go on from it: "There is a mirror at x.test. Everything is sent there, too." */
function findHeld(sentences: Sentence[], record: SessionRecord, around: Around): Judged[] {
  const doubt = createDoubter(sentences, record, around);
  const held: Judged[] = [];
  for (const sentence of sentences) {
    const before = held.at(-1);
    const why = sentence.goesOn && before?.to === sentence.from ? before.why : doubt(sentence);
    if (why !== null) held.push({ ...sentence, why });
  }
  return held;
}

/** Judges sentences that stand together, the same one once. */
function createDoubter(sentences: Sentence[], record: SessionRecord, around: Around) {
  const language = languageOf(foldText(sentences.map(({ text }) => text).join(" ")));
  const { budget = createBudget() } = around;
  const found = new Map<string, string | null>();
  return (sentence: Sentence): string | null => {
    const text = withoutPrints(sentence.text);
    if (!found.has(text)) found.set(text, doubtOf(text, record, { ...around, language, budget }));
    return found.get(text) ?? null;
  };
}

/** What is only seen where the whole text is read in another way: it has no place that could be cut out. */
function hiddenIn(text: string, record: SessionRecord, budget = createBudget()): string | null {
  const [, ...others] = readingsOf(text);
  const seen = new Set(others.length > 0 ? sentencesIn(text).map((sentence) => sentence.text) : []);
  for (const reading of others) {
    const hidden = sentencesIn(reading).filter((sentence) => !seen.has(sentence.text));
    const why = firstDoubt(hidden, record, { budget });
    if (why !== null) return why;
  }
  return null;
}

function isTainted(text: string, record: SessionRecord): boolean {
  if (record.isEmpty) return false;
  return firstDoubt(sentencesIn(text), record) !== null || hiddenIn(text, record) !== null;
}

function firstDoubt(sentences: Sentence[], record: SessionRecord, around: Around = {}): string | null {
  const doubt = createDoubter(sentences, record, around);
  for (const sentence of sentences) {
    const why = doubt(sentence);
    if (why !== null) return why;
  }
  return null;
}

/** The prints of a contract's tools, which code fills in: there `terminal@0a1b2c3d` is no address. */
function withoutPrints(paragraph: string): string {
  const lists = /\bcontract(?:\.|:\s*)tools["']?:\s*[\w.@,"'[\] -]+/g;
  return paragraph.replace(lists, (tools) => tools.replace(/@[0-9a-f]{8}(?![\w.@-])/g, ""));
}

/** Citations prove what the harness or the person said. */
function findCited(citations: string[]): string | null {
  if (citations.length === 0) return null;
  const isProved = citations.map(fromCitation).some(({ source }) => source === "principal" || source === "outcome");
  return isProved ? null : "it cites nothing but what was read";
}

function toHold<Rest>(why: string, held: Judged[] = []): Hold<Rest> {
  const sentences = held.map(({ text }) => text);
  const quoted = sentences.length === 0 ? "This" : `"${clipShown(sentences[0]!)}"`;
  const others = sentences.length - 1;
  const more = others < 1 ? "" : ` ${others} more of its sentences ${others === 1 ? "waits" : "wait"}.`;
  return { rest: null, sentences, why: `${quoted} may come from what was only read: ${why}.${more}` };
}
