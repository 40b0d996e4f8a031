// Plans one call of the memory tool: decides all its operations on the entries the call saw, so that all are carried
// out or none is begun. The plan is made before the first write and recorded with the call. The tool, a session's notes
// and a review's lessons read it back. Pure.
import * as z from "zod";
import { type Failure, type Result, err, ok } from "../errors.ts";
import type { JsonObject } from "../schemas/entry.ts";
import { Sha256, Source } from "../schemas/ids.ts";
import { type MemoryEntry, memoryId } from "../schemas/memory.ts";
import type { Origin } from "../schemas/skill.ts";
import { polarityWordsOf } from "../skills/search/polarity-words.ts";
import { termsOf, wordsOf } from "../skills/search/words.ts";
import { findEntry, parseFact, scanFact } from "./rules.ts";
import type { ShownEntry } from "./shown.ts";

export const MAX_OPERATIONS = 20;
/** Citations that an entry passes on to the one it is merged into. */
const MAX_CITATIONS = 10;
/** Share of an entry's words that the merged entries must keep. [own] */
const MIN_KEPT_WORDS_SHARE = 0.5;

export const MemoryOperation = z.strictObject({
  action: z.enum(["add", "replace", "remove"]).describe("add a fact, replace one by a better one, remove one."),
  content: z.string().optional().describe("add, replace: one fact in one sentence that will still be true next month."),
  old_text: z.string().optional().describe("replace, remove: a piece of the entry that no other entry has."),
});
export type MemoryOperation = z.infer<typeof MemoryOperation>;

/** An entry to be removed: its text, and the adds that the call saw. */
const RemovalTarget = z.object({
  id: Sha256,
  text: z.string(),
  /** Absent in older records: then the adds seen at the removal count. */
  adds: z.array(z.string()).optional(),
  /** Operations of the same call that add this text, counted from 0. */
  own: z.array(z.int().min(0)).optional(),
  source: Source.optional(),
  citations: z.array(z.string()).optional(),
});
export type RemovalTarget = z.infer<typeof RemovalTarget>;

const MemoryStep = z.object({
  action: MemoryOperation.shape.action,
  /** The whole text of the added entry. */
  text: z.string().optional(),
  target: RemovalTarget.optional(),
  /** `waits`: the whole operation waits for a person. `isCut`: a part of it does. Neither is stored. */
  waits: z.boolean().optional(),
  isCut: z.boolean().optional(),
});
export type MemoryStep = z.infer<typeof MemoryStep>;

const PreparedMemoryCall = z.object({
  /** When the call began. All writes carry this date, even when the call is repeated. */
  at: z.int(),
  steps: z.array(MemoryStep).optional(),
});
export type PreparedMemoryCall = z.infer<typeof PreparedMemoryCall>;

/** The operations of a call, which has either one or a list. */
export function readOperations(args: JsonObject): MemoryOperation[] {
  const { action, content, old_text, operations } = args;
  const listed = z.array(MemoryOperation).safeParse(operations);
  if (listed.success) return listed.data;
  const single = MemoryOperation.safeParse({ action, content, old_text });
  return single.success ? [single.data] : [];
}

/** Parses the plan recorded with a call; `null` if there is none. */
export function readPrepared(prepared: JsonObject): PreparedMemoryCall | null {
  const read = PreparedMemoryCall.safeParse(prepared);
  return read.success ? read.data : null;
}

/** The entries that a call was about to remove, from its recorded plan. */
export function readTargets(prepared: JsonObject): RemovalTarget[] {
  const steps = readPrepared(prepared)?.steps;
  if (steps) return steps.flatMap(({ target }) => target ?? []);
  const { target: id, text } = prepared;
  const legacy = RemovalTarget.safeParse({ id, text });
  return legacy.success ? [legacy.data] : [];
}

/** The idempotency key of one operation of a call. */
export function operationKey(op: string, n: number, count: number): string {
  return count === 1 ? op : `${op}#${n}`;
}

/** Whether planning needs the stored entries. A single add does not. */
export function needsEntries(operations: MemoryOperation[]): boolean {
  return operations.length > 1 || operations.some(({ action }) => action !== "add");
}

interface PlanInput {
  operations: MemoryOperation[];
  entries: MemoryEntry[];
  /** Hashes of texts that a person purged. */
  purged: { id: Sha256 }[];
  origin: Origin;
}

/**
 * Each operation applies to the result of the ones before it. Failures: those of the rules except the scan (see
 * `scanSteps`), `bad_arguments` and `memory_purged`.
 */
export function planOperations({ operations, entries, purged, origin }: PlanInput): Result<MemoryStep[]> {
  const steps: MemoryStep[] = [];
  let known = entries.map(toKnownEntry);
  for (const [n, operation] of operations.entries()) {
    const planned = planOne(operation, known, purged);
    if (!planned.ok) return { ok: false, failure: withPosition(planned.failure, n, operations.length) };
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

type KnownEntry = RemovalTarget & ShownEntry & { own: number[] };

function toKnownEntry({ id, text, origin, approved, adds, source, citations }: MemoryEntry): KnownEntry {
  return {
    id,
    text,
    origin,
    adds: [...adds],
    own: [],
    ...(approved && { approved }),
    ...(source && { source }),
    ...(citations && { citations: citations.slice(0, MAX_CITATIONS) }),
  };
}

function planOne(
  { action, content, old_text = "" }: MemoryOperation,
  known: KnownEntry[],
  purged: { id: Sha256 }[],
): Result<MemoryStep> {
  const step: MemoryStep = { action };
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

/** The failure of the first fact that must not be kept. Repeating an entry that is already stored is allowed. */
export function scanSteps(steps: MemoryStep[], origin: Origin): Failure | null {
  for (const [n, { text, target }] of steps.entries()) {
    const harmful = text === undefined || target?.id === memoryId(text) ? null : scanFact(text, origin);
    if (harmful) return withPosition(harmful, n, steps.length);
  }
  return null;
}

/**
 * Entries that the call saw take precedence over entries it adds itself: a merged fact contains the words of the
 * entries it replaces.
 */
function findTarget(known: KnownEntry[], piece: string): Result<KnownEntry> {
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
    "A person purged exactly this fact, so it cannot be stored again. The same fact in other words can.",
  );
}

function withPosition({ code, message, facts }: Failure, n: number, count: number): Failure {
  if (count === 1) return { code, message, ...(facts && { facts }) };
  return { code, message: `operations[${n}]: ${message} None of the operations was done.`, facts: { ...facts, at: n } };
}

/**
 * Whether the steps only merge entries. Every clause they write must come from one replaced entry. The replaced entries
 * may lose words but no clauses with polarity words, and no clause may gain or lose a polarity word. Such a call needs
 * no citations, because the entries are the evidence.
 */
export function isMerge(steps: MemoryStep[]): boolean {
  const targets = steps.flatMap(({ target }) => target ?? []);
  const texts = steps.flatMap(({ text }) => text ?? []);
  if (targets.length === 0 || texts.length === 0 || steps.some(({ action }) => action === "add")) return false;
  const after = new Set(texts.flatMap((text) => [...wordsOf(text)]));
  const said = texts.flatMap(splitClauses);
  const known = targets.map(({ text }) => joinClauses(text));
  const isKept = ({ text }: RemovalTarget) => {
    const words = [...wordsOf(text)];
    return words.filter((word) => after.has(word)).length >= MIN_KEPT_WORDS_SHARE * words.length;
  };
  const isStillSaid = (strand: Clause) => strand.polarity === "" || said.some((clause) => comesFrom(clause, strand));
  return (
    targets.every(isKept) &&
    said.every((clause) => known.flat().some((strand) => comesFrom(clause, strand))) &&
    known.flat().every(isStillSaid)
  );
}

/** The words of a clause in order, and its polarity words. */
interface Clause {
  terms: string[];
  polarity: string;
}

function splitClauses(text: string): Clause[] {
  return text
    .split(/(?<![.!?])[.!?]+(?=\s|$)|(?<![,;:()])[,;:()]+(?=\s|$)|\s(?:and|but|und|aber|et|mais|y|pero)\s/)
    .filter((clause) => clause.trim() !== "")
    .map((clause) => ({
      terms: termsOf(clause),
      polarity: [...new Set(polarityWordsOf(clause))].toSorted().join(" "),
    }));
}

/** The clauses of an entry; clauses with the same polarity words are joined. */
function joinClauses(text: string): Clause[] {
  const strands = new Map<string, string[]>();
  for (const { terms, polarity } of splitClauses(text))
    strands.set(polarity, [...(strands.get(polarity) ?? []), ...terms]);
  return [...strands].map(([polarity, terms]) => ({ polarity, terms }));
}

/**
 * Whether all words of the clause come from the strand, in its order except for one jump. More jumps could exchange who
 * does what to whom.
 */
function comesFrom(clause: Clause, { terms, polarity }: Clause): boolean {
  if (clause.polarity !== polarity) return false;
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

/** From most to least trusted. */
const SOURCES_BY_TRUST = ["principal", "outcome", "own", "content"] as const satisfies Source[];

/** The least trusted of some sources; `undefined` for none. */
export function leastTrusted(sources: Source[]): Source | undefined {
  return sources.toSorted((a, b) => SOURCES_BY_TRUST.indexOf(b) - SOURCES_BY_TRUST.indexOf(a))[0];
}
