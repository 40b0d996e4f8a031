// The tool skill_manage: writes a skill by one operation or a list. A call concerns one skill and is one compare-and-swap of
// its head; the call's op makes it idempotent. core/skills/edit/operations.ts decides on the current head what is allowed.
import { stringify } from "yaml";
import * as z from "zod";
import type { Tool, ToolContext, ToolResult } from "../../agent/contract.ts";
import { fail, succeed } from "../../agent/tool-result.ts";
import { type Failure, type Result, err, ok } from "../../errors.ts";
import type { SkillChange, SkillSnapshot, SkillStore } from "../../ports.ts";
import type { JsonObject } from "../../schemas/entry.ts";
import type { FileBodies } from "../../schemas/file-body.ts";
import { SkillName } from "../../schemas/ids.ts";
import { MAX_REQUESTS } from "../../schemas/skill-requests.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { ToolFingerprints } from "../../skills/format/contract.ts";
import type { Library } from "../../skills/library.ts";
import { MAX_OPERATIONS, type SkillOperation, checkOperations } from "../../skills/edit/operation-list.ts";
import { type WriteContext, type Writer, createDecide } from "../../skills/edit/operations.ts";
import { SKILL_MD, parseSkill } from "../../skills/format/format.ts";
import { readFrontmatter } from "../../skills/format/frontmatter.ts";
import { SUPPORT_FOLDERS, baseOf, checkSkillName, validateSkill } from "../../skills/format/validate.ts";
import {
  type HoldDecision,
  type ParkChange,
  type ParkedChange,
  withHeldPart,
  taintedFailure,
} from "../approval/hold.ts";
import { toRefusal } from "../refusal.ts";

const FOLDERS = SUPPORT_FOLDERS.map((folder) => `${folder}/`).join(", ");

const Operation = z.strictObject({
  action: z
    .enum(["create", "edit", "patch", "delete", "write_file", "remove_file"])
    .describe(
      "create: a new SKILL.md. edit: replace SKILL.md whole. patch: replace one passage. delete: archive the skill. write_file, remove_file: a support file.",
    ),
  name: z.string().optional().describe("Lower-case words joined by hyphens, naming a class of work: reading-logs."),
  content: z
    .string()
    .optional()
    .describe(
      'create, edit: the whole SKILL.md: frontmatter with name, description and, as texts under metadata, tags, dependencies and parameters ("file: what it is; …" for each {{file}}), then the sections When to use, Steps, Pitfalls, Verify.',
    ),
  old_string: z
    .string()
    .optional()
    .describe("patch: the passage to replace, copied from the file; unique in it, unless replace_all is set."),
  new_string: z.string().optional().describe("patch: what to put in its place; empty to remove it."),
  replace_all: z.boolean().optional().describe("patch: replace every occurrence."),
  file_path: z
    .string()
    .optional()
    .describe(
      `write_file, remove_file: a path under ${FOLDERS}. patch: the file to patch, SKILL.md when absent. A check, checks/<name>.json, runs a script or a command of the skill before a write is accepted: {"run": {"script": "scripts/a.sh"}, "expect": {"pattern": "…"}}.`,
    ),
  file_content: z.string().optional().describe("write_file: the whole file."),
  absorbed_into: z
    .string()
    .optional()
    .describe(
      "delete: the skill that now holds what this one said; empty when nothing needs to be kept. Required in a review.",
    ),
  category: z.string().optional().describe("create, edit: one lower-case word to file it under, such as writing."),
  description: z.string().optional().describe("create, edit: what the skill is for, where content has no frontmatter."),
});
type Operation = z.infer<typeof Operation>;

const OPERATION_FIELDS = Object.keys(Operation.shape) as (keyof Operation)[];

/** The same in sessions and reviews: a review may repeat a session's request with its tools unchanged, for the cache. */
const Args = z.strictObject({
  ...Operation.partial().shape,
  operations: z
    .array(Operation)
    .optional()
    .describe(
      `Instead of action and its fields: up to ${MAX_OPERATIONS} operations on one skill, in order, all done or none. A create comes first; a delete must be the only one.`,
    ),
  citations: z
    .array(z.string())
    .optional()
    .describe(
      "Required in a review, ignored elsewhere: the parts of entries that show what you write, such as 12#outcome.",
    ),
  requests: z
    .array(z.string())
    .optional()
    .describe(
      `With any write, or alone with name: five to ${MAX_REQUESTS} requests the skill should answer, as people word them, in their language and in English. They replace the current ones; only searches read them.`,
    ),
  overlaps: z
    .array(z.string())
    .optional()
    .describe("In a review: other skills that say much the same, for the curator."),
});
type Args = z.infer<typeof Args>;

const DONE: Record<SkillOperation["action"], string> = {
  create: "created",
  edit: "edited",
  patch: "patched",
  delete: "archived",
  write_file: "file written",
  remove_file: "file removed",
  set_requests: "requests noted",
};

export interface SkillManageOptions {
  library: Library;
  store: SkillStore;
  /** The origin of written revisions. */
  origin: Writer;
  settings: Settings;
  /**
   * Whether this run has read a skill: by a successful skill_view, or by creating it. Derived from the run's record, so that
   * replayed results count. Present: a skill must be read before it is changed.
   */
  isViewed?(name: string): boolean;
  /** A person has approved this change; see `WriteContext`. */
  approved?: boolean;
  /** Checks the citations of a write; `written` is its whole text. Present: every write must have citations. */
  cite?(citations: string[], written: string): Failure | null;
  /** Called in this order with the skill as it would be after the write. The first failure refuses the write. */
  inspectors?: SkillInspector[];
  /** Decides which part of a write must wait for a person. */
  gate?: SkillGate;
  /** Parks the held part while the rest is written. Absent: a write is held whole or not at all. */
  park?: ParkChange<HeldSkill>;
  /** Runs checks of the written skill, so it is called last. */
  check?: SkillInspector;
  /** Inspects the archiving of a skill; `after`: the files of the skill that absorbs it. */
  inspectArchive?: SkillInspector;
  /** Fingerprints of the tools that skills are written for. They fill in a contract's tools. */
  fingerprints?(): ToolFingerprints | null;
  /** Until when a new text is held back, because it is tried by experiment first. Absent: it is offered at once. */
  heldUntil?(): number;
  /** Switches for rules of operations.ts. */
  rules?: Pick<WriteContext, "duplicates" | "companions">;
}

/** A valid write that is not stored yet. */
export interface SkillWrite {
  name: SkillName;
  /** The current skill; `null` for a new one. */
  before: SkillSnapshot | null;
  after: FileBodies;
  description: string;
  /** Absent: the write does not set it. */
  category?: string;
  citations: string[];
  /** A person has approved the write. */
  approved: boolean;
  /** The call was cut off before; see `ToolContext`. */
  resumed?: true;
}

/** The held part of a write while the rest is written. */
export interface HeldSkill extends Pick<HoldDecision<FileBodies>, "why" | "sentences"> {
  name: SkillName;
  /** The requested files; `rest` is the part that is written. */
  wanted: FileBodies;
  rest: FileBodies;
  /** The head's sequence number after the rest is written. */
  seq: number;
}

/** Decides about a valid write; `null`: all of it may be written. May read, must not write. */
export type SkillGate = (write: SkillWrite) => HoldDecision<FileBodies> | null;

/** Called again for every new head. May read, must not write. */
export type SkillInspector = (write: SkillWrite) => Promise<Failure | null> | Failure | null;

export function createSkillManage(options: SkillManageOptions): Tool<Args> {
  const { store } = options;
  return {
    name: "skill_manage",
    description:
      "Writes skills: reusable procedures for a class of work. Before a change, read the skill with skill_view; before a create, look with skills_list for one to extend.",
    parameters: Args,
    effect: "keyed",
    inPieces: "Write a shorter SKILL.md first, then its long parts as support files, one a call.",
    /** The skill's revision before the first attempt, so that a repeated one recognises its own revision. */
    async prepare(args) {
      const name = SkillName.safeParse(findSkillName(args));
      const head = name.success ? await store.head(name.data) : null;
      return { rev: head?.rev ?? 0, ...(head && { state: head.state }) };
    },
    run: (args, context) => manage(args, context, options),
  };
}

async function manage(args: Args, context: ToolContext, options: SkillManageOptions): Promise<ToolResult> {
  const { store, library, origin, settings, cite, isViewed, rules } = options;
  const operations = toOperations(args);
  if (!operations.ok) return toRefusal(operations.failure);
  // In a conversation citations are not checked, so they are dropped.
  const isConversation = (origin === "foreground" || origin === "user") && !cite;
  const { citations = [], overlaps = [] } = isConversation ? {} : args;
  const unproved =
    cite?.(citations, JSON.stringify(args)) ?? (cite && citations.length === 0 ? CITATIONS_MISSING : null);
  if (unproved) return toRefusal(unproved);
  const { name, action } = operations.value[0]!;
  if (action !== "create" && isViewed && !isRead(name, isViewed)) {
    return fail("read_first", `Load '${name}' with skill_view before you change it.`);
  }
  const writing: WriteContext = {
    origin,
    seeds: library.seeds,
    settings: settings.skills,
    citations,
    overlaps,
    approved: options.approved,
    tools: options.fingerprints?.() ?? null,
    ...(options.heldUntil && { heldUntil: options.heldUntil() }),
    ...rules,
  };
  const call = { op: context.op, citations, resumed: context.resumed };
  const { decide, held } = withInspection(createDecide(operations.value, writing), operations.value[0]!, options, call);
  const since = typeof context.prepared.rev === "number" ? context.prepared.rev : 0;
  const changed = await store.change({ name, op: context.op, since, decide });
  if (!changed.ok) return toRefusal(changed.failure);
  const { rev, text, state } = changed.value.head;
  const isSame = rev === since && state === context.prepared.state;
  const done = isSame ? UNCHANGED : toDone(operations.value);
  const result = succeed({ done, name, rev, text, state });
  const waiting = held();
  return waiting ? withHeldPart(result, waiting, waiting) : result;
}

/** The result's `done` when the skill already had these bytes. */
export const UNCHANGED = "unchanged";

const CITATIONS_MISSING = err("citations_missing", "Nothing is kept without evidence: give citations.").failure;
type DecisionInput = Pick<SkillWrite, "citations" | "resumed"> & { op: string };

function withInspection(
  decide: SkillChange["decide"],
  first: SkillOperation,
  options: SkillManageOptions,
  { op, ...call }: DecisionInput,
): { decide: SkillChange["decide"]; held(): (ParkedChange & HeldSkill) | null } {
  const { inspectors = [], inspectArchive, approved = false, store, gate, park, check } = options;
  const { name } = first;
  let held: (ParkedChange & HeldSkill) | null = null;
  return {
    held: () => held,
    async decide(current, index) {
      held = null;
      const decided = await decide(current, index);
      if (!decided.ok) return decided;
      const { files, description = current?.head.description ?? "", category, state } = decided.value;
      const isArchived = first.action === "delete" && state === "archived";
      const heir = isArchived && inspectArchive && first.absorbedInto ? await store.open(first.absorbedInto) : null;
      const write = {
        name,
        before: current,
        after: files ?? heir?.files ?? {},
        description,
        category,
        approved,
        ...call,
      };
      const hold = files && gate ? gate(write) : null;
      const rest = hold && park ? toValidRest(hold, write, options) : null;
      const archiveInspectors = isArchived && inspectArchive ? [inspectArchive] : [];
      for (const inspect of files ? inspectors : archiveInspectors) {
        const failure = await inspect({ ...write, after: rest ?? write.after });
        if (failure) return { ok: false, failure };
      }
      if (hold && !rest) return { ok: false, failure: taintedFailure(hold) };
      const broken = files && check ? await check({ ...write, after: rest ?? write.after }) : null;
      if (broken) return { ok: false, failure: broken };
      if (!hold || !rest || !park) return decided;
      const waiting: HeldSkill = { ...hold, name, wanted: write.after, rest, seq: (current?.head.seq ?? 0) + 1 };
      const parked = await park(op, waiting);
      if (!parked.ok) return parked;
      held = { ...waiting, ...parked.value };
      return { ok: true, value: { ...decided.value, files: rest } };
    },
  };
}

/** White space does not count as a difference. */
function normaliseSpace(body: FileBodies[string] | undefined): unknown {
  return typeof body === "string" ? body.replace(/\s+/g, " ") : body;
}

/** The rest of a held write, if it is a valid skill and changes something; else `null`. */
function toValidRest(
  { rest }: HoldDecision<FileBodies>,
  { name, before, after }: SkillWrite,
  { settings }: SkillManageOptions,
) {
  if (!rest) return null;
  const currentFiles = before?.files ?? {};
  const addsText = Object.entries(rest).some(
    ([path, body]) => normaliseSpace(currentFiles[path]) !== normaliseSpace(body),
  );
  const removesFiles = Object.keys(currentFiles).some((path) => !Object.hasOwn(after, path));
  const writer = before?.head.origin === "user" ? "person" : "model";
  const check = (files: FileBodies) =>
    validateSkill({ name, files, maxFiles: settings.skills.maxFiles, writer, currentFiles });
  const valid = check(rest);
  const fits = valid.ok || (check(after).ok && keepsSteps(valid.failure));
  return (addsText || removesFiles) && fits ? rest : null;
}

/** A section whose only line is held may be empty, except the steps: a skill without steps is useless. */
function keepsSteps({ facts }: Failure): boolean {
  return facts?.reason === "sections" && !(facts.missing as string[]).includes("Steps");
}

function toDone(operations: SkillOperation[]): string {
  return operations.map(({ action }) => DONE[action]).join(", ");
}

/** A companion's text is shown at the end of its base's. */
function isRead(name: string, isViewed: (name: string) => boolean): boolean {
  const base = baseOf(name);
  return isViewed(name) || (base !== null && isViewed(base));
}

/** The skill of a call. In a list, the first operation with a name decides. */
function findSkillName({ name, operations = [] }: Args): string | undefined {
  return operations.find((operation) => operation.name)?.name ?? name;
}

/**
 * The operations of a call in either form; at least one. `args` must match the tool's schema. Failures: `bad_arguments`,
 * `bad_skill_name` and those of `checkOperations`.
 */
export function toOperations(args: Args): Result<SkillOperation[]> {
  const { operations: listed, requests, citations: _citations, overlaps: _overlaps, ...single } = args;
  const operations = listed?.length === 0 && single.action ? undefined : listed;
  const singleFields = OPERATION_FIELDS.filter((field) => field !== "name" && (single[field] ?? "") !== "");
  // Small models repeat the first operation in the fields of a single call.
  const isRepeated = operations?.some((one) => singleFields.every((field) => one[field] === single[field]));
  if (operations && singleFields.length > 0 && !isRepeated) {
    const fields = singleFields.join(", ");
    return err("bad_arguments", `Give operations or ${fields}, not both: put each operation into the list.`);
  }
  if (!operations && !single.action && !requests) {
    return err("bad_arguments", "skill_manage needs an action with its fields, or operations: call it again with one.");
  }
  const parsedOperations: SkillOperation[] = [];
  for (const operation of operations ?? (single.action ? [single as Operation] : [])) {
    const read = toOperation({ ...operation, name: operation.name || findSkillName(args) });
    if ("missing" in read) {
      const place = operations ? `Operation ${parsedOperations.length + 1}: ` : "";
      const needs = `${place}${operation.action} needs ${read.missing}`;
      return err("bad_arguments", `${needs}: call skill_manage again with it.`);
    }
    parsedOperations.push(read);
  }
  if (requests && parsedOperations[0]?.action !== "delete") {
    const name = parsedOperations[0]?.name ?? findSkillName(args);
    if (!name) return err("bad_arguments", "requests need the name of their skill: call skill_manage again with it.");
    parsedOperations.push({ action: "set_requests", name, requests });
  }
  // A model's name becomes part of a key, so it must be valid.
  const failure = checkOperations(parsedOperations) ?? checkSkillName(parsedOperations[0]!.name);
  return failure ? { ok: false, failure } : ok(parsedOperations);
}

/** The first action of a recorded call, in either form. Empty for arguments that are not a call. */
export function readRecordedAction(args: JsonObject): string {
  const [first] = listRecordedOperations(args);
  return RecordedAction.safeParse(first).data?.action ?? (Array.isArray(args.requests) ? "set_requests" : "");
}

/** The passages that a recorded call replaced, in order. */
export function readRecordedPatches(args: JsonObject): { oldString: string; newString: string }[] {
  return listRecordedOperations(args).flatMap((operation) => {
    const { success, data } = RecordedPatch.safeParse(operation);
    return success ? { oldString: data.old_string, newString: data.new_string } : [];
  });
}

function listRecordedOperations(args: JsonObject): unknown[] {
  const { operations } = args;
  return Array.isArray(operations) && operations.length > 0 ? (operations as unknown[]) : [args];
}

const RecordedPatch = z.object({ action: z.literal("patch"), old_string: z.string(), new_string: z.string() });
const RecordedAction = z.object({ action: Operation.shape.action });

function toOperation(args: Operation): SkillOperation | { missing: string } {
  const { action, name, content, category, file_path: path = "", file_content: fileContent } = args;
  if (!name) return { missing: "name" };
  switch (action) {
    case "create":
    case "edit":
      if (content === undefined) return { missing: "content" };
      return { action, name, content: toSkillMd(content, { name, description: args.description }), category };
    case "patch": {
      const { old_string: oldString, new_string: newString, replace_all: replaceAll = false } = args;
      if (oldString === undefined || newString === undefined) return { missing: "old_string and new_string" };
      return { action, name, path: path || SKILL_MD, oldString, newString, replaceAll };
    }
    case "delete":
      return { action, name, absorbedInto: args.absorbed_into?.trim() };
    case "write_file": {
      // Models use both fields for the content of a file.
      const body = fileContent ?? content;
      if (path === "" || body === undefined) return { missing: "file_path and file_content" };
      return { action, name, path, content: body };
    }
    case "remove_file":
      return path === "" ? { missing: "file_path" } : { action, name, path };
  }
}

/** Removes a code fence around the whole text, and adds frontmatter if the call gives a description. */
function toSkillMd(content: string, { name, description }: { name: string; description?: string }): string {
  const lines = content.trim().split("\n");
  const isFenced = /^```(?:markdown|md)?$/.test(lines[0]!) && lines[1] === "---" && lines.at(-1) === "```";
  const text = isFenced ? `${lines.slice(1, -1).join("\n")}\n` : content;
  if (!description?.trim() || parseSkill(text, { fallbackName: name }).ok) return text;
  const { fields = {}, body = text } = toFields(text);
  return `---\n${stringify({ name, ...fields, description: description.trim() })}---\n\n${body.trimStart()}`;
}

/** Empty for a text without readable frontmatter. */
function toFields(text: string): { fields?: Record<string, unknown>; body?: string } {
  const read = readFrontmatter(text);
  return read.ok ? read.value : {};
}
