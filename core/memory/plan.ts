// What one call of the memory tool is going to write: its operations, decided as a whole on the entries the call saw, so
// that all of them can be carried out or none is begun. Made before the first write and recorded with the call; read back
// by the tool, by a session's notes and by a review's lessons. Pure.
import * as z from "zod";
import { type Failure, type Result, err, ok } from "../errors.ts";
import type { JsonObject } from "../schemas/entry.ts";
import { Sha256, Source } from "../schemas/ids.ts";
import { type MemoryEntry, memoryId } from "../schemas/memory.ts";
import type { Origin } from "../schemas/skill.ts";
import { polarityWordsOf } from "../skills/search/polarity-words.ts";
import { termsOf, wordsOf } from "../skills/search/words.ts";
import { findEntry, parseFact, scanFact } from "./rules.ts";
import type { Shown } from "./shown.ts";

export const MAX_OPERATIONS = 20;
/** What an entry passes on to the one it is merged into. */
const MAX_CITATIONS = 10;
/** Of an entry's words, what the entries it is merged into must keep. [own] */
const KEPT_WORDS = 0.5;

export const MemoryOperation = z.strictObject({
  action: z.enum(["add", "replace", "remove"]).describe("add a fact, replace one by a better one, remove one."),
  content: z.string().optional().describe("add, replace: one fact in one sentence that will still be true next month."),
  old_text: z.string().optional().describe("replace, remove: a piece of the entry that no other entry has."),
});
export type MemoryOperation = z.infer<typeof MemoryOperation>;

/** An entry that goes: its text, and the adds that were seen. */
const Target = z.object({
  id: Sha256,
  text: z.string(),
  /** Absent in records from before there were any: whatever is seen when it is removed. */
  adds: z.array(z.string()).optional(),
  /** Operations of the same call that add the text, counted from 0. */
  own: z.array(z.int().min(0)).optional(),
  source: Source.optional(),
  citations: z.array(z.string()).optional(),
});
export type Target = z.infer<typeof Target>;

const Step = z.object({
  action: MemoryOperation.shape.action,
  /** What is added; the whole entry. */
  text: z.string().optional(),
  target: Target.optional(),
  /** All of it waits for a person, or a part of what was asked for; never stored. */
  waits: z.boolean().optional(),
  isCut: z.boolean().optional(),
});
export type Step = z.infer<typeof Step>;

const Prepared = z.object({
  /** When the call began: what it writes is dated so, however often it is carried out. */
  at: z.int(),
  steps: z.array(Step).optional(),
});
export type Prepared = z.infer<typeof Prepared>;

/** The operations of a call, whether it has one or a list. */
export function operationsOf(args: JsonObject): MemoryOperation[] {
  const { action, content, old_text, operations } = args;
  const listed = z.array(MemoryOperation).safeParse(operations);
  if (listed.success) return listed.data;
  const single = MemoryOperation.safeParse({ action, content, old_text });
  return single.success ? [single.data] : [];
}

/** What was recorded with a call; `null` where nothing was. */
export function readPrepared(prepared: JsonObject): Prepared | null {
  const read = Prepared.safeParse(prepared);
  return read.success ? read.data : null;
}

/** The entries that a call was about to remove, by what was recorded with it. */
export function targetsOf(prepared: JsonObject): Target[] {
  const steps = readPrepared(prepared)?.steps;
  if (steps) return steps.flatMap(({ target }) => target ?? []);
  const { target: id, text } = prepared;
  const legacy = Target.safeParse({ id, text });
  return legacy.success ? [legacy.data] : [];
}

/** The key of each operation's effect. */
export function operationKey(op: string, n: number, count: number): string {
  return count === 1 ? op : `${op}#${n}`;
}

/** A single add finds nothing and can be decided without the entries. */
export function needsEntries(operations: MemoryOperation[]): boolean {
  return operations.length > 1 || operations.some(({ action }) => action !== "add");
}

export interface PlanInput {
  operations: MemoryOperation[];
  entries: MemoryEntry[];
  /** Texts that a person had removed for good. */
  purged: { id: Sha256 }[];
  origin: Origin;
}

/**
 * Each operation meets what the ones before it leave behind. Failures: those of the rules but for the scan, which is
 * `scanSteps`; `bad_arguments`, `memory_purged`.
 */
export function planOperations({ operations, entries, purged, origin }: PlanInput): Result<Step[]> {
  const steps: Step[] = [];
  let known = entries.map(toHeld);
  for (const [n, operation] of operations.entries()) {
    const planned = planOne(operation, known, purged);
    if (!planned.ok) return { ok: false, failure: placeOf(planned.failure, n, operations.length) };
    const { text, target } = planned.value;
    steps.push(planned.value);
    const id = text === undefined ? null : memoryId(text);
    if (target && target.id !== id) known = known.filter((held) => held.id !== target.id);
    const same = known.find((held) => held.id === id);
    if (same) same.own.push(n);
    else if (id) known.push({ id, text: text!, origin, adds: [], own: [n] });
  }
  return ok(steps);
}

type Held = Target & Shown & { own: number[] };

function toHeld({ id, text, origin, approved, adds, source, citations }: MemoryEntry): Held {
  return {
    ...{ id, text, origin, adds: [...adds], own: [] },
    ...(approved && { approved }),
    ...(source && { source }),
    ...(citations && { citations: citations.slice(0, MAX_CITATIONS) }),
  };
}

function planOne(
  { action, content, old_text = "" }: MemoryOperation,
  known: Held[],
  purged: { id: Sha256 }[],
): Result<Step> {
  const step: Step = { action };
  if (action !== "remove") {
    if (content === undefined) return err("bad_arguments", `${action} needs content: say the fact.`);
    const fact = parseFact(content);
    if (!fact.ok) return fact;
    step.text = fact.value;
  }
  if (action !== "add") {
    const found = findTarget(known, old_text);
    if (!found.ok) return found;
    const { origin: _origin, approved: _approved, own, ...target } = found.value;
    step.target = { ...target, ...(own.length > 0 && { own: [...own] }) };
  }
  if (step.text === undefined) return ok(step);
  const id = memoryId(step.text);
  return purged.some((gone) => gone.id === id) ? purgedFailure() : ok(step);
}

/** The first of the facts to write that must not be kept. What stands there already is not made worse by being said again. */
export function scanSteps(steps: Step[], origin: Origin): Failure | null {
  for (const [n, { text, target }] of steps.entries()) {
    const harmful = text === undefined || target?.id === memoryId(text) ? null : scanFact(text, origin);
    if (harmful) return placeOf(harmful, n, steps.length);
  }
  return null;
}

/** What the call saw goes before what it adds itself: a merged fact holds the words of the entries it takes the place of. */
function findTarget(known: Held[], piece: string): Result<Held> {
  const found = findEntry(
    known.filter(({ adds = [] }) => adds.length > 0),
    piece,
  );
  if (found.ok || found.failure.code !== "no_match") return found;
  const added = findEntry(
    known.filter(({ adds = [] }) => adds.length === 0),
    piece,
  );
  return added.ok ? added : found;
}

export function purgedFailure(): Result<never> {
  return err(
    "memory_purged",
    "Exactly this fact was removed for good, and is not kept again. Said in other words it is.",
  );
}

function placeOf({ code, message, facts }: Failure, n: number, count: number): Failure {
  if (count === 1) return { code, message, ...(facts && { facts }) };
  return { code, message: `operations[${n}]: ${message} Nothing of the list was done.`, facts: { ...facts, at: n } };
}

/**
 * Whether the steps only merge: every clause they write stands in one of the entries it takes the place of, nothing of those is
 * lost but words, and no clause has lost or won a word that turns it round. Such a call is shown by the entries themselves.
 */
export function isMerge(steps: Step[]): boolean {
  const targets = steps.flatMap(({ target }) => target ?? []);
  const texts = steps.flatMap(({ text }) => text ?? []);
  if (targets.length === 0 || texts.length === 0 || steps.some(({ action }) => action === "add")) return false;
  const after = new Set(texts.flatMap((text) => [...wordsOf(text)]));
  const said = texts.flatMap(clausesOf);
  const known = targets.map(({ text }) => strandsOf(text));
  const isKept = ({ text }: Target) => {
    const words = [...wordsOf(text)];
    return words.filter((word) => after.has(word)).length >= KEPT_WORDS * words.length;
  };
  const isSaidStill = (strand: Strand) => strand.turning === "" || said.some((clause) => isFrom(clause, strand));
  return (
    targets.every(isKept) &&
    said.every((clause) => known.flat().some((strand) => isFrom(clause, strand))) &&
    known.flat().every(isSaidStill)
  );
}

/** Words in their order, and those that turn them round. */
interface Strand {
  terms: string[];
  turning: string;
}

function clausesOf(text: string): Strand[] {
  return text
    .split(/(?<![.!?])[.!?]+(?=\s|$)|(?<![,;:()])[,;:()]+(?=\s|$)|\s(?:and|but|und|aber|et|mais|y|pero)\s/)
    .filter((clause) => clause.trim() !== "")
    .map((clause) => ({
      terms: termsOf(clause),
      turning: [...new Set(polarityWordsOf(clause))].toSorted().join(" "),
    }));
}

/** The clauses of an entry, those that are turned alike together. */
function strandsOf(text: string): Strand[] {
  const strands = new Map<string, string[]>();
  for (const { terms, turning } of clausesOf(text)) strands.set(turning, [...(strands.get(turning) ?? []), ...terms]);
  return [...strands].map(([turning, terms]) => ({ turning, terms }));
}

/** All words of the clause are the strand's, in its order but for one place: who is exchanged with whom is another fact. */
function isFrom(clause: Strand, { terms, turning }: Strand): boolean {
  if (clause.turning !== turning) return false;
  let at = -1;
  let runs = 1;
  for (const term of clause.terms) {
    const next = terms.indexOf(term, at + 1);
    const again = next < 0 ? terms.indexOf(term) : next;
    if (again < 0) return false;
    if (next < 0) runs += 1;
    at = again;
  }
  return runs <= 2;
}

/** From the best to the worst. */
const SOURCES = ["principal", "outcome", "own", "content"] as const satisfies Source[];

/** The worst of some labels; `undefined` for none. */
export function worstOf(sources: Source[]): Source | undefined {
  return sources.toSorted((a, b) => SOURCES.indexOf(b) - SOURCES.indexOf(a))[0];
}
