// Lets a writing tool ask a person first. A call is previewed on the current state and parked with its diff; pending-desk.ts
// carries it out after approval. Creates skill_manage and memory for sessions and reviews with a pending store.
import { diffFiles } from "../../skills/history.ts";
import type { Tool, ToolContext, ToolResult } from "../../agent/contract.ts";
import { addToOutcome, readOutcome, succeed } from "../../agent/tool-result.ts";
import { type Result, err, ok } from "../../errors.ts";
import type { Clock, MemoryStore, PendingStore, SkillStore } from "../../ports.ts";
import { hashFiles, sha256Hex, textOfFiles } from "../../schemas/learning/digest.ts";
import type { JsonObject } from "../../schemas/entry.ts";
import { textOrEmpty } from "../../schemas/file-body.ts";
import type { SessionId } from "../../schemas/ids.ts";
import { type MemoryEntry, memoryId } from "../../schemas/memory.ts";
import type { PendingChange, PendingReason, PendingTool } from "../../schemas/approvals/pending.ts";
import type { Origin } from "../../schemas/skill.ts";
import { SKILL_MD } from "../../skills/format/format.ts";
import type { ParkChange, ParkedChange } from "./hold.ts";
import { type HeldFacts, type MemoryToolOptions, createMemoryTool } from "../memory/memory.ts";
import { toRefusal } from "../refusal.ts";
import { type HeldSkill, type SkillManageOptions, createSkillManage } from "../skills/skill-manage.ts";

/** The effect that a call would have. */
export interface Preview {
  diff: string;
  seen: PendingChange["seen"];
}

/** The store of pending changes, and the session that asks. */
export interface ApprovalContext {
  pending: PendingStore;
  session?: SessionId;
  clock: Clock;
}

/** skill_manage with approval. The setting `skills.writeApproval` parks every write; otherwise only doubted writes wait. */
export function createAskingSkillManage(options: SkillManageOptions, approval: ApprovalContext): Tool {
  const { origin, settings, store } = options;
  const always = settings.skills.writeApproval;
  const park: ParkChange<HeldSkill> = (op, held) => parkSkill(op, held, { ...approval, origin });
  return withApproval(createSkillManage({ ...options, ...(!always && { park }) }), {
    ...approval,
    origin,
    tool: "skill_manage",
    always,
    preview(approved) {
      const { store: unwritten, preview } = previewSkills(store);
      return { tool: createSkillManage({ ...options, store: unwritten, approved }), preview };
    },
  });
}

/** The memory tool with approval, likewise under `memory.writeApproval`. */
export function createAskingMemoryTool(options: MemoryToolOptions, approval: ApprovalContext): Tool {
  const { origin, settings, store } = options;
  const always = settings.memory.writeApproval;
  const asking: ApprovalOptions = {
    ...approval,
    origin,
    tool: "memory",
    always,
    preview(approved) {
      const { store: unwritten, preview } = previewMemory(store);
      return { tool: createMemoryTool({ ...options, store: unwritten, approved }), preview };
    },
  };
  const park: ParkChange<HeldFacts> = async (op, { args, why }) => {
    const answer = readOutcome(await stage(asking, args, heldOp(op), { reason: "taint", why }));
    return typeof answer.pending === "string" ? ok({ pending: answer.pending }) : toParkFailure(answer);
  };
  return withApproval(createMemoryTool({ ...options, ...(!always && { park }) }), asking);
}

/** The op of the held part of a call whose other part was carried out. */
function heldOp(op: string): string {
  return `${op}#held`;
}

function toParkFailure({ code, error }: JsonObject): Result<never> {
  return err(
    String(code ?? "not_parked"),
    String(error ?? "The pending change could not be stored: call again later."),
  );
}

async function parkSkill(
  op: string,
  { name, wanted, rest, seq, why, sentences }: HeldSkill,
  { pending, session, clock, origin }: ApprovalContext & { origin: Origin },
): Promise<Result<ParkedChange>> {
  const changed = Object.entries(wanted).filter(([path, body]) => rest[path] !== body);
  const operations = changed.map(([path, body]) =>
    path === SKILL_MD
      ? { action: "edit", name, content: textOrEmpty(body) }
      : { action: "write_file", name, file_path: path, file_content: textOrEmpty(body) },
  );
  const diff = diffFiles(rest, wanted).map((one) => one.diff);
  const count = sentences.length;
  const parked = await pending.park({
    v: 1,
    id: toPendingId(heldOp(op)),
    tool: "skill_manage",
    args: { operations },
    prepared: {},
    op: heldOp(op),
    origin,
    ...(session && { session }),
    reason: "taint",
    why,
    summary: `${count} ${count === 1 ? "sentence" : "sentences"} more for skill ${name}`,
    diff: diff.join("\n"),
    seen: { skill: name, seq, text: textOfFiles(hashFiles(rest)) },
    state: "waiting",
    askedAt: clock.now(),
    decidedAt: null,
    outcome: null,
  });
  return parked.ok ? ok({ pending: parked.value.id }) : parked;
}

interface ApprovalOptions extends ApprovalContext {
  tool: PendingTool;
  /** True: every write waits. False: only a doubted one. */
  always: boolean;
  /** The tool on a store that writes nothing, and the effect it would have had. `approved`: as if a person had seen the call. */
  preview(approved: boolean): { tool: Tool; preview(): Preview | null };
  origin: Origin;
}

/** Failure codes that mean doubt: a person decides, instead of a refusal. */
const DOUBTS: Record<string, PendingReason> = { scan_doubtful: "scan", tainted: "taint" };

interface WaitReason {
  reason: PendingReason;
  why: string;
}

function findDoubt(result: ToolResult): WaitReason | null {
  const { code, error, why = error } = readOutcome(result);
  const reason = result.failed ? DOUBTS[String(code)] : undefined;
  return reason ? { reason, why: String(why) } : null;
}

function withApproval<Args>(tool: Tool<Args>, options: ApprovalOptions): Tool<Args> {
  return {
    ...tool,
    async run(args, context) {
      if (!options.always) {
        const result = await addHeldPart(await tool.run(args, context), context);
        const doubt = findDoubt(result);
        return doubt ? ((await findAnswer(context)) ?? stage(options, args as JsonObject, context.op, doubt)) : result;
      }
      const known = await findAnswer(context);
      if (known) return known;
      // Even where every write waits, the person reads what is doubted about this one.
      const { result, view } = await tryOut(options, args as JsonObject, context.op, false);
      const doubt = view.preview()
        ? { reason: "approval" as const, why: "Writes wait for approval." }
        : findDoubt(result);
      return doubt ? stage(options, args as JsonObject, context.op, doubt) : result;
    },
  };

  /** Adds the held part to the result of a resumed call, which no longer knows about it. */
  async function addHeldPart(result: ToolResult, { op, resumed }: ToolContext): Promise<ToolResult> {
    const known = resumed && !result.failed ? await options.pending.get(toPendingId(heldOp(op))) : null;
    return known
      ? addToOutcome(result, { held: 1, pending: known.id, note: `Not all of it was written. ${known.why}` })
      : result;
  }

  /** The answer to a call that is parked already; `null` for a new one. */
  async function findAnswer({ op }: ToolContext): Promise<ToolResult | null> {
    const known = await options.pending.get(toPendingId(op));
    return known && toAnswer(known);
  }
}

async function tryOut(options: ApprovalOptions, args: JsonObject, op: string, approved: boolean) {
  const view = options.preview(approved);
  const prepared = (await view.tool.prepare?.(args)) ?? {};
  const context: ToolContext = { op, prepared, signal: new AbortController().signal };
  return { view, prepared, result: await view.tool.run(args, context) };
}

async function stage(options: ApprovalOptions, args: JsonObject, op: string, because: WaitReason): Promise<ToolResult> {
  const { view, prepared, result } = await tryOut(options, args, op, true);
  const preview = view.preview();
  if (!preview) return result; // the call would change nothing, and its result says why
  const { tool: name, origin, session, clock } = options;
  const parked = await options.pending.park({
    v: 1,
    id: toPendingId(op),
    tool: name,
    args,
    prepared,
    op,
    origin,
    ...(session && { session }),
    ...because,
    summary: summariseCall(args, preview),
    ...preview,
    state: "waiting",
    askedAt: clock.now(),
    decidedAt: null,
    outcome: null,
  });
  return parked.ok ? toAnswer(parked.value) : toRefusal(parked.failure);
}

function toPendingId(op: string): string {
  return sha256Hex(op).slice(0, 20);
}

const NOTES: Record<PendingChange["state"], string> = {
  waiting: "This waits for the person, who can approve or reject it. Continue without it, and tell them that it waits.",
  approved: "The person has approved this.",
  rejected: "The person has rejected this: do not ask for it again.",
  stale: "The target of this change has changed since: look again, and repeat the call if it is still wanted.",
};

function toAnswer({ id, state, outcome }: PendingChange): ToolResult {
  return succeed({ pending: id, state, note: outcome && state === "approved" ? outcome : NOTES[state] });
}

const MAX_SUMMARY_CHARS = 120;

function summariseCall({ action, operations, store, absorbed_into: absorbed }: JsonObject, { seen }: Preview): string {
  const count = Array.isArray(operations) ? operations.length : 0;
  const what = count > 0 ? `${count} ${count === 1 ? "operation" : "operations"} on` : String(action ?? "change");
  const where = seen ? `skill ${seen.skill}` : `memory (${String(store)})`;
  const into = absorbed ? `, absorbed into ${String(absorbed)}` : "";
  return `${what} ${where}${into}`.slice(0, MAX_SUMMARY_CHARS).toWellFormed();
}

export interface PreviewOf<Store> {
  store: Store;
  /** `null`: nothing would have been written. */
  preview(): Preview | null;
}

/** A skill store that decides changes but never writes them. */
export function previewSkills(store: SkillStore): PreviewOf<SkillStore> {
  let preview: Preview | null = null;
  return {
    preview: () => preview,
    store: {
      ...store,
      async change({ name, decide }) {
        const current = await store.open(name);
        const index = await store.index();
        const { [name]: _own, ...others } = index.skills;
        const decided = await decide(current, current ? index : { ...index, skills: others });
        if (!decided.ok) return decided;
        const { files, state } = decided.value;
        const before = current?.files ?? {};
        const moves =
          state && state !== current?.head.state ? `state: ${current?.head.state ?? "new"} → ${state}\n` : "";
        const diffs = files ? diffFiles(before, files).map(({ diff }) => diff) : [];
        preview = { diff: `${moves}${diffs.join("\n")}`, seen: { skill: name, seq: current?.head.seq ?? 0 } };
        return err("previewed", "This was a preview.");
      },
    },
  };
}

/** A memory store that records requested writes for a preview and never makes them. */
export function previewMemory(store: MemoryStore): PreviewOf<MemoryStore> {
  const lines: string[] = [];
  const known = new Map<string, string>();
  const remember = (entries: MemoryEntry[]) => entries.forEach(({ id, text }) => known.set(id, text));
  return {
    preview: () => (lines.length === 0 ? null : { diff: `${lines.join("\n")}\n`, seen: null }),
    store: {
      ...store,
      async list(name) {
        const entries = await store.list(name);
        remember(entries);
        return entries;
      },
      async survey(name) {
        const found = await store.survey(name);
        remember(found.entries);
        return found;
      },
      async add(name, _op, { text }) {
        const id = memoryId(text);
        if ((await store.survey(name)).purged.some((gone) => gone.id === id)) {
          return { id, existed: false, purged: true };
        }
        known.set(id, text);
        lines.push(`+ ${text}`);
        return { id, existed: false };
      },
      async remove(name, id) {
        if (!known.has(id)) remember(await store.list(name));
        lines.push(`- ${known.get(id) ?? id}`);
        return 1;
      },
    },
  };
}
