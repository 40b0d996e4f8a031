// The tool memory: adds, replaces and removes facts, one or a list at a time. `prepare` decides the whole call on the entries
// it saw. Each write is keyed by the call's op, so that a repeated call finishes what the first one began. All adds precede
// the first remove, so an interrupted call loses no fact.
import * as z from "zod";
import type { Tool, ToolContext, ToolResult } from "../../agent/contract.ts";
import { addToOutcome, succeed } from "../../agent/tool-result.ts";
import { type Failure, type Result, err, ok } from "../../errors.ts";
import {
  MAX_OPERATIONS,
  MemoryOperation,
  type PreparedMemoryCall,
  type MemoryStep,
  type RemovalTarget,
  isMerge,
  needsEntries,
  operationKey,
  readOperations,
  planOperations,
  purgedFailure,
  readPrepared,
  scanSteps,
  readTargets,
  leastTrusted,
} from "../../memory/plan.ts";
import { selectLimit, normaliseFact, measureUsage } from "../../memory/rules.ts";
import type { Clock, MemoryStore } from "../../ports.ts";
import { Citation, type SessionId, type Source, fromCitation } from "../../schemas/ids.ts";
import type { JsonObject } from "../../schemas/entry.ts";
import { type MemoryAdd, MemoryStoreName, memoryId } from "../../schemas/memory.ts";
import type { Origin } from "../../schemas/skill.ts";
import type { Settings } from "../../schemas/settings.ts";
import { type HoldDecision, type MemoryGate, type ParkChange, withHeldPart, taintedFailure } from "../approval/hold.ts";
import { toRefusal } from "../refusal.ts";

/** The same in sessions and reviews: a review may repeat a session's request with its tools unchanged, for the cache. */
const Args = z.strictObject({
  ...MemoryOperation.partial().shape,
  store: MemoryStoreName.describe("user: who the person is and what they prefer. memory: how things are here."),
  operations: z
    .array(MemoryOperation)
    .min(1)
    .max(MAX_OPERATIONS)
    .optional()
    .describe(
      "Instead of action: several at once, all or none, such as to merge entries: replace one, remove the rest.",
    ),
  citations: z
    .array(z.string())
    .optional()
    .describe(
      "Required in a review, except for a list that only merges entries; ignored elsewhere. The parts of entries that show it, such as 12#principal.",
    ),
});
type Args = z.infer<typeof Args>;

/** Checks the facts that a call would add. */
export type MemoryInspector = (facts: string[]) => Failure | null;

/** The call that parks the held part of another call. */
export interface HeldFacts extends Pick<HoldDecision<string[]>, "why" | "sentences"> {
  args: JsonObject;
}

export interface MemoryToolOptions {
  store: MemoryStore;
  origin: Origin;
  /** The session that the facts come from. */
  session?: SessionId;
  clock: Clock;
  settings: Settings;
  /** Checks the citations of a write; `written` is its whole text. Present: every write must have citations. */
  cite?(citations: string[], written: string): Failure | null;
  /** Called in this order with the facts that a call would add. The first failure refuses the call. */
  inspectors?: MemoryInspector[];
  /** Decides which facts must wait for a person. */
  gate?: MemoryGate;
  /** Parks the held facts while the rest is written. Absent: a call is held whole or not at all. */
  park?: ParkChange<HeldFacts>;
  /** A person has approved the call: facts that the scanner only doubts are kept and shown. */
  approved?: boolean;
  /** The source of the facts, unless their citations have a worse one. */
  source?: Source;
}

export function createMemoryTool(options: MemoryToolOptions): Tool<Args> {
  return {
    name: "memory",
    description:
      "Keeps facts for later sessions. They appear in the prompt from the next session on; procedures belong in skills.",
    parameters: Args,
    effect: "keyed",
    /** The time of the call, and its steps if it could be decided. A repeated attempt makes no new decision. */
    async prepare(args) {
      const at = options.clock.now();
      if (!needsEntries(toOperations(args))) return { at };
      const steps = await plan(args, options);
      return { at, ...(steps.ok && { steps: steps.value as unknown as JsonObject[] }) };
    },
    async run(given, context) {
      const args = options.cite || !isConversation(options) ? given : withoutCitations(given);
      const result = await keep(args, context, options);
      return addToOutcome(result, await reportUsage(args.store, options));
    },
  };
}

async function keep(args: Args, context: ToolContext, options: MemoryToolOptions): Promise<ToolResult> {
  const malformed = checkArgs(args);
  if (malformed) return toRefusal(malformed);
  const steps = await decideSteps(args, context, options);
  const unproved = checkCitations(args, steps, options);
  if (unproved) return toRefusal(unproved);
  if (!steps.ok) return toRefusal(steps.failure);
  const harmful = scanSteps(steps.value, scannerOrigin(options));
  if (harmful && !(options.approved && harmful.code === "scan_doubtful")) return toRefusal(harmful);
  const unfit = inspect(steps.value, options);
  if (unfit) return toRefusal(unfit);
  const hold = findHold(args, steps.value, options);
  const canSplit = hold?.rest && options.park;
  if (hold && !canSplit) return toRefusal(taintedFailure(hold));
  const parked = hold && (await options.park!(context.op, { ...hold, args: toHeldCall(args, steps.value, hold) }));
  if (parked && !parked.ok) return toRefusal(parked.failure);
  const entering = hold?.rest ? withRest(steps.value, hold.rest) : steps.value;
  const written = await carryOut(args, entering, context, options);
  if (!written.ok) return toRefusal(written.failure);
  const [only] = written.value;
  const done = args.operations
    ? {
        done: `${written.value.length} operations`,
        store: args.store,
        results: written.value as unknown as JsonObject[],
      }
    : { done: only!.done, store: args.store, id: only!.id, ...(only!.text !== undefined && { text: only!.text }) };
  const result = succeed(done);
  return hold && parked ? withHeldPart(result, parked.value, hold) : result;
}

/** In a conversation citations are not checked, so they are dropped. */
function isConversation({ origin }: MemoryToolOptions): boolean {
  return origin === "foreground" || origin === "user";
}

function withoutCitations({ citations: _citations, ...args }: Args): Args {
  return args;
}

/** The steps that change what memory says. Repeating a known fact and merging entries add and remove nothing. */
function toNews(steps: MemoryStep[]): { step: MemoryStep; n: number; fact?: string; gone?: string }[] {
  if (isMerge(steps)) return [];
  return steps.flatMap((step, n) => {
    const { text, target } = step;
    if (text !== undefined && target?.id === memoryId(text)) return [];
    return { step, n, ...(text !== undefined && { fact: text }), ...(target && { gone: target.text }) };
  });
}

function inspect(steps: MemoryStep[], { inspectors = [] }: MemoryToolOptions): Failure | null {
  const facts = toNews(steps).flatMap(({ fact }) => fact ?? []);
  for (const inspector of facts.length > 0 ? inspectors : []) {
    const failure = inspector(facts);
    if (failure) return failure;
  }
  return null;
}

/** `rest` has one text for each step that adds a fact. */
function findHold({ citations = [], store }: Args, steps: MemoryStep[], { gate, approved = false }: MemoryToolOptions) {
  const news = toNews(steps);
  if (!gate || news.length === 0) return null;
  const facts = news.flatMap(({ fact }) => fact ?? []);
  const hold = gate({ store, facts, citations, approved, gone: news.flatMap(({ gone }) => gone ?? []) });
  if (!hold?.rest) return hold;
  const adding = news.filter(({ fact }) => fact !== undefined).map(({ n }) => n);
  const { rest } = hold;
  return { ...hold, rest: steps.map(({ text = "" }, n) => (adding.includes(n) ? rest[adding.indexOf(n)]! : text)) };
}

/** The call that a person decides on. Held sentences become separate facts; a fact that is held whole stays as it was. */
function toHeldCall(args: Args, steps: MemoryStep[], { rest, sentences }: HoldDecision<string[]>): JsonObject {
  const given = toOperations(args);
  const operations = steps.flatMap(({ text = "" }, n): MemoryOperation[] => {
    if (rest?.[n] === text) return [];
    if (rest?.[n] === "") return [given[n]!];
    return sentences.filter((sentence) => text.includes(sentence)).map((content) => ({ action: "add", content }));
  });
  return {
    store: args.store,
    ...(operations.length === 1 ? operations[0] : { operations }),
    citations: args.citations,
  };
}

/** The steps without their held parts. `rest`: what is left of each text. */
function withRest(steps: MemoryStep[], rest: string[]): MemoryStep[] {
  return steps.map((step, n) => {
    if (step.text === undefined || rest[n] === step.text) return step;
    return rest[n] === "" ? { ...step, waits: true } : { ...step, text: rest[n]!, isCut: true };
  });
}

function checkArgs({ action, content, old_text, operations }: Args): Failure | null {
  if (!action && !operations) return err("bad_arguments", "Say what to do: action, or operations.").failure;
  if (!operations) return null;
  // Small models repeat one of the operations in the fields of a single call.
  const isSame = (given: string | undefined, other: string | undefined) => !given || given === other;
  const isRepeated = operations.some(
    (one) => isSame(action, one.action) && isSame(content, one.content) && isSame(old_text, one.old_text),
  );
  if (isRepeated) return null;
  return err("bad_arguments", "Give either action with its fields, or operations, not both.").failure;
}

function toOperations(args: Args): MemoryOperation[] {
  return readOperations(args as JsonObject);
}

/** The scanner judges a model's words as such, even when it saves in the person's name. */
function scannerOrigin({ origin }: MemoryToolOptions): Origin {
  return origin === "user" ? "foreground" : origin;
}

async function plan(args: Args, options: MemoryToolOptions): Promise<Result<MemoryStep[]>> {
  const { store } = options;
  const operations = toOperations(args);
  const { entries, purged } = needsEntries(operations) ? await store.survey(args.store) : { entries: [], purged: [] };
  return planOperations({ operations, entries, purged, origin: scannerOrigin(options) });
}

/** The steps that `prepare` decided, or its failure. Entries that appeared since need a new call. */
async function decideSteps(
  args: Args,
  { prepared }: ToolContext,
  options: MemoryToolOptions,
): Promise<Result<MemoryStep[]>> {
  const found = readPrepared(prepared)?.steps ?? fromLegacy(args, prepared);
  if (found) return ok(found);
  const steps = await plan(args, options);
  if (!steps.ok || !needsEntries(toOperations(args))) return steps;
  return err("no_match", "Memory has changed since the call began: call memory again.");
}

/** Calls recorded before steps existed: one entry to remove, and perhaps a fact that replaces it. */
function fromLegacy(args: Args, prepared: JsonObject): MemoryStep[] | null {
  const [target] = readTargets(prepared);
  const [operation] = toOperations(args);
  if (!target || !operation) return null;
  const { action, content } = operation;
  return [{ action, target, ...(content !== undefined && action === "replace" && { text: normaliseFact(content) }) }];
}

function checkCitations(args: Args, steps: Result<MemoryStep[]>, { cite }: MemoryToolOptions): Failure | null {
  const { citations = [] } = args;
  if (!cite) return null;
  if (citations.length === 0 && steps.ok && isMerge(steps.value)) return null;
  return cite(citations, JSON.stringify(args)) ?? (citations.length === 0 ? CITATIONS_MISSING : null);
}

const CITATIONS_MISSING = err("citations_missing", "Nothing is kept without evidence: give citations.").failure;

interface StepOutcome {
  done: string;
  id: string;
  /** Present when less than the requested text was written. */
  text?: string;
}

async function carryOut(
  args: Args,
  steps: MemoryStep[],
  context: ToolContext,
  options: MemoryToolOptions,
): Promise<Result<StepOutcome[]>> {
  const { store } = options;
  const at = readPrepared(context.prepared)?.at ?? options.clock.now();
  const added: (Awaited<ReturnType<MemoryStore["add"]>> | null)[] = [];
  for (const [n, { text, target, waits }] of steps.entries()) {
    const isSame = text !== undefined && target?.id === memoryId(text);
    const add = text === undefined || isSame || waits ? null : toAdd(text, at, args, steps, options);
    added.push(add && (await store.add(args.store, operationKey(context.op, n, steps.length), add)));
    if (steps.length === 1 && added[0]?.purged) return purgedFailure();
  }
  const written: StepOutcome[] = [];
  for (const [n, { target, text, waits, isCut }] of steps.entries()) {
    const put = added[n];
    if (waits) {
      written.push({ done: "waits for the person", id: memoryId(text!) });
      continue;
    }
    if (put?.purged) {
      written.push({ done: "purged by a person: not kept", id: put.id });
      continue;
    }
    const stays = text !== undefined && !put;
    if (target && !stays) await store.remove(args.store, target.id, { at, ...toRemoval(target, n, steps, context) });
    const done = stays ? "already so" : describeWrite({ hasTarget: target !== undefined, put });
    written.push({ done, id: put?.id ?? target!.id, ...(isCut && { text }) });
  }
  return ok(written);
}

/** `put`: the entry that now holds the text; absent for a removal. */
function describeWrite({
  hasTarget,
  put,
}: {
  hasTarget: boolean;
  put: { existed: boolean } | null | undefined;
}): string {
  if (hasTarget) return put ? "replaced" : "removed";
  return put?.existed ? "already known" : "added";
}

/** Removes only the adds that were seen and those of this call. Later adds belong to others. */
function toRemoval({ adds, own = [] }: RemovalTarget, n: number, steps: MemoryStep[], { op }: ToolContext) {
  const ofCall = own.map((of) => operationKey(op, of, steps.length));
  return { op: operationKey(op, n, steps.length), ...(adds && { adds: [...adds, ...ofCall] }) };
}

/** A merged fact without its own citations inherits those of the merged facts. */
function toAdd(
  text: string,
  at: PreparedMemoryCall["at"],
  args: Args,
  steps: MemoryStep[],
  options: MemoryToolOptions,
): MemoryAdd {
  const { origin, session, approved, source: label } = options;
  const merged = args.citations || !isMerge(steps) ? [] : steps.flatMap(({ target }) => target ?? []);
  const inherited = [...new Set(merged.flatMap(({ citations = [] }) => citations))];
  const citations = args.citations ?? (inherited.length > 0 ? inherited : undefined);
  const cited = (args.citations ?? []).filter((citation) => Citation.safeParse(citation).success);
  const source = leastTrusted([
    ...cited.map((citation) => fromCitation(citation).source),
    ...merged.flatMap((target) => target.source ?? []),
    ...(label ? [label] : []),
  ]);
  return {
    v: 1,
    text,
    at,
    origin,
    ...(session && { session }),
    ...(citations && { citations }),
    ...(source && { source }),
    ...(approved && { approved }),
  };
}

/** Every answer reports how full the store is. */
async function reportUsage(name: MemoryStoreName, { store, settings }: MemoryToolOptions) {
  const usage = measureUsage(await store.list(name), selectLimit(name, settings.memory));
  const { outside } = usage;
  if (outside === 0) return { usage };
  const entries = outside === 1 ? "entry is" : "entries are";
  return {
    usage,
    note:
      `The store is over its limit: the ${outside} oldest ${entries} kept, but outside the prompt, until the next review ` +
      "merges entries. Merge or remove some now if you can.",
  };
}
