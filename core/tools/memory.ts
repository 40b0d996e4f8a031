// memory: adds, replaces and removes facts. An add is keyed by the call's op, a remove by the entry that `prepare` found, so
// that a repeated call finishes what the first one began. Replace is add, then remove.
import * as z from "zod";
import type { Tool, ToolContext, ToolResult } from "../agent/contract.ts";
import { fail, succeed } from "../agent/tool-result.ts";
import { type Failure, type Result, err, ok } from "../errors.ts";
import { findEntry, limitOf, parseFact, usageOf } from "../memory/rules.ts";
import type { Clock, MemoryStore } from "../ports.ts";
import type { SessionId } from "../schemas/ids.ts";
import { type MemoryAdd, type MemoryEntry, MemoryStoreName, memoryId } from "../schemas/memory.ts";
import type { Origin } from "../schemas/skill.ts";
import type { Settings } from "../schemas/settings.ts";
import { toRefusal } from "./refusal.ts";

const Args = z.strictObject({
  action: z.enum(["add", "replace", "remove"]).describe("add a fact, replace one by a better one, remove one."),
  store: MemoryStoreName.describe("user: who the person is and what they prefer. memory: how things are here."),
  content: z.string().optional().describe("add, replace: one fact in one sentence that will still be true next month."),
  old_text: z.string().optional().describe("replace, remove: a piece of the entry that no other entry has."),
});

const CITED_ARGS = Args.extend({
  citations: z
    .array(z.string())
    .optional()
    .describe("Required: the parts of entries that show it, such as <session>/12#principal."),
});

type Args = z.infer<typeof CITED_ARGS>;

export interface MemoryToolOptions {
  store: MemoryStore;
  origin: Origin;
  /** The session whose words the facts come from. */
  session?: SessionId;
  clock: Clock;
  settings: Settings;
  /** Judges the citations of a write; when given, every write must have some. */
  cite?(citations: string[]): Failure | null;
}

export function createMemoryTool(options: MemoryToolOptions): Tool<Args> {
  return {
    name: "memory",
    description:
      "Keeps facts for later sessions. They stand in the prompt from the next session on; procedures belong in skills.",
    parameters: options.cite ? CITED_ARGS : Args,
    effect: "keyed",
    /** `target` and its `text`: the entry to remove, found once, so that a second attempt looks for no other. */
    async prepare(args) {
      if (args.action === "add") return {};
      const found = findEntry(await options.store.list(args.store), args.old_text ?? "");
      return found.ok ? { target: found.value.id, text: found.value.text } : {};
    },
    run: (args, context) => keep(args, context, options),
  };
}

interface Written {
  done: string;
  id: string;
}

async function keep(args: Args, context: ToolContext, options: MemoryToolOptions): Promise<ToolResult> {
  const { cite } = options;
  const citations = args.citations ?? [];
  if (cite && citations.length === 0) {
    return fail(
      "citations_missing",
      "Nothing is kept without evidence: give citations, such as <session>/12#principal.",
    );
  }
  const unproved = cite?.(citations);
  if (unproved) return toRefusal(unproved);
  const written = args.action === "remove" ? await remove(args, context, options) : await write(args, context, options);
  if (!written.ok) return toRefusal(written.failure);
  const { done, id } = written.value;
  return succeed({ done, store: args.store, id, ...(await reportUsage(args.store, options)) });
}

/** Adds the fact; for a replace, then removes the entry it takes the place of. */
async function write(args: Args, context: ToolContext, options: MemoryToolOptions): Promise<Result<Written>> {
  const { store, clock, origin, session } = options;
  if (args.content === undefined) return err("bad_arguments", `${args.action} needs content: say the fact.`);
  const fact = parseFact(args.content);
  if (!fact.ok) return fact;
  const replaces = args.action === "replace";
  const target = replaces ? await targetOf(args, context, options) : ok(null);
  if (!target.ok) return target;
  const add: MemoryAdd = {
    v: 1,
    text: fact.value,
    at: clock.now(),
    origin,
    ...(session && { session }),
    ...(args.citations && { citations: args.citations }),
  };
  const { id, existed } = await store.add(args.store, context.op, add);
  if (!target.value) return ok({ id, done: existed ? "already known" : "added" });
  if (target.value.id === memoryId(fact.value)) return ok({ id, done: "already so" });
  await store.remove(args.store, target.value.id, { op: context.op, at: clock.now() });
  return ok({ id, done: "replaced" });
}

async function remove(args: Args, context: ToolContext, options: MemoryToolOptions): Promise<Result<Written>> {
  const target = await targetOf(args, context, options);
  if (!target.ok) return target;
  await options.store.remove(args.store, target.value.id, { op: context.op, at: options.clock.now() });
  return ok({ id: target.value.id, done: "removed" });
}

/** What `prepare` found. When it found nothing, says why: a target that turns up later is for a new call. */
async function targetOf(
  args: Args,
  { prepared }: ToolContext,
  { store }: MemoryToolOptions,
): Promise<Result<Pick<MemoryEntry, "id" | "text">>> {
  const { target, text } = prepared;
  if (typeof target === "string" && typeof text === "string") return ok({ id: target, text });
  const found = findEntry(await store.list(args.store), args.old_text ?? "");
  return found.ok ? err("no_match", "No entry held old_text when the call began: call memory again.") : found;
}

async function reportUsage(name: MemoryStoreName, { store, settings }: MemoryToolOptions) {
  const usage = usageOf(await store.list(name), limitOf(name, settings.memory));
  const { outside } = usage;
  if (outside === 0) return { usage };
  const entries = outside === 1 ? "entry is" : "entries are";
  return {
    usage,
    note: `The store is over its limit: the ${outside} oldest ${entries} kept outside the prompt. Merge or remove some.`,
  };
}
