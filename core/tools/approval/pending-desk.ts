// Lists pending changes, shows them, and carries out a person's decisions. Used by the API and by a session's commands. An
// approved change runs as the original call with its op, and only on the state that the call saw. So it runs once, however
// often it is approved. The next access finishes what a crash interrupted.
import type { Tool, ToolResult } from "../../agent/contract.ts";
import { readOutcome } from "../../agent/tool-result.ts";
import { type Failure, type Result, err, ok } from "../../errors.ts";
import { readTargets } from "../../memory/plan.ts";
import type { Clock, MemoryStore, PendingStore, SkillStore } from "../../ports.ts";
import type { JsonObject } from "../../schemas/entry.ts";
import { MemoryStoreName } from "../../schemas/memory.ts";
import { type PendingChange, PendingDetail, PendingId, PendingInfo } from "../../schemas/approvals/pending.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { SkillHead } from "../../schemas/skill.ts";
import { type Seeds, createLibrary } from "../../skills/library.ts";
import type { Writer } from "../../skills/edit/operations.ts";
import { type Preview, previewMemory, previewSkills } from "./approval.ts";
import { createMemoryTool } from "../memory/memory.ts";
import { createSkillManage } from "../skills/skill-manage.ts";

export interface PendingDesk {
  /** Oldest first; includes recently decided ones. */
  list(): Promise<PendingInfo[]>;
  /** Failure: `pending_not_found`. */
  open(id: string): Promise<Result<PendingDetail>>;
  /**
   * Idempotent. Failures: `pending_not_found`, `pending_decided`, `pending_stale`. `busy`: approved, but not yet carried out;
   * the next access tries again.
   */
  decide(id: string, approve: boolean): Promise<Result<PendingInfo>>;
}

export interface PendingDeskOptions {
  pending: PendingStore;
  skills: SkillStore;
  memory: MemoryStore;
  seeds: Seeds;
  settings: Settings;
  clock: Clock;
}

export function createPendingDesk(options: PendingDeskOptions): PendingDesk {
  const { pending, skills, memory, clock } = options;

  async function find(id: string): Promise<Result<PendingChange>> {
    const change = PendingId.safeParse(id).success ? await pending.get(id) : null;
    return change ? ok(change) : err("pending_not_found", "No pending or recently decided change has that id.");
  }

  /** Carries out an approved change that a crash or too many writers left undone. */
  async function finish(change: PendingChange): Promise<PendingChange> {
    if (!isUndone(change)) return change;
    const { failed, code, text } = await carryOut(change, guardSeenState(skills, change), memory);
    if (failed && code === "busy") return change;
    const end = failed ? { state: "stale" as const, outcome: text } : { outcome: text };
    return (await pending.update(change.id, (now) => (now.outcome === null ? { ...now, ...end } : null))) ?? change;
  }

  async function finishListed(listed: PendingInfo): Promise<PendingInfo> {
    const change = await pending.get(listed.id);
    return change ? PendingInfo.parse(await finish(change)) : listed;
  }

  /** Whether the state is still the one that the call saw. */
  async function isUnchanged({ seen, args, prepared }: PendingChange): Promise<boolean> {
    if (seen) return matchesSeen(await skills.head(seen.skill), seen);
    // Targets that the call itself would add do not exist yet.
    const targets = readTargets(prepared).filter(({ adds }) => adds?.length !== 0);
    const store = MemoryStoreName.safeParse(args.store);
    if (targets.length === 0 || !store.success) return true;
    const living = new Map((await memory.list(store.data)).map(({ id, adds }) => [id, adds]));
    // A fact that was added again since would survive the removal of the adds that the call saw.
    return targets.every(({ id, adds }) => living.get(id)?.every((op) => adds?.includes(op) ?? true));
  }

  async function carryOut(change: PendingChange, skillStore: SkillStore, memoryStore: MemoryStore) {
    const context = { op: change.op, prepared: change.prepared, signal: new AbortController().signal };
    const result = await createCallTool(change, skillStore, memoryStore, options).run(change.args, context);
    return { failed: result.failed, ...toOutcome(result) };
  }

  async function previewNow(change: PendingChange): Promise<string> {
    const view = { skills: previewSkills(skills), memory: previewMemory(memory) };
    const { text } = await carryOut(change, view.skills.store, view.memory.store);
    const preview: Preview | null = view.skills.preview() ?? view.memory.preview();
    return preview?.diff ?? text;
  }

  return {
    async list() {
      const all: PendingInfo[] = [];
      for (const listed of await pending.list()) {
        // A store failure for one change must not hide the others. `open` reports it.
        all.push(isUndone(listed) ? await finishListed(listed).catch(() => listed) : listed);
      }
      return all;
    },

    async open(id) {
      const found = await find(id);
      if (!found.ok) return found;
      const change = await finish(found.value);
      const now = change.state === "stale" ? { now: await previewNow(change) } : {};
      return ok(PendingDetail.parse({ ...change, ...now }));
    },

    async decide(id, approve) {
      const found = await find(id);
      if (!found.ok) return found;
      const isCurrent = found.value.state !== "waiting" || !approve || (await isUnchanged(found.value));
      const stateIfApproved = isCurrent ? "approved" : "stale";
      const state = approve ? stateIfApproved : "rejected";
      const updated = await pending.update(id, (now) =>
        now.state === "waiting" ? { ...now, state, decidedAt: clock.now() } : null,
      );
      if (!updated) return find(id) as Promise<Result<never>>;
      const decided = await finish(updated);
      const refusal = checkDecision(decided, approve);
      return refusal ? { ok: false, failure: refusal } : ok(PendingInfo.parse(decided));
    },
  };
}

function isUndone({ state, outcome }: PendingInfo): boolean {
  return state === "approved" && outcome === null;
}

function checkDecision({ state, outcome }: PendingChange, approve: boolean): Failure | null {
  if (approve && state === "approved" && outcome === null) {
    return err(
      "busy",
      "It is approved, but too many writers are at work to carry it out now: approve it again in a minute.",
    ).failure;
  }
  if (state === (approve ? "approved" : "rejected")) return null;
  if (state === "stale") {
    const because = outcome ?? "Its target has changed since the agent asked.";
    return err("pending_stale", `${because} Nothing was done; the agent may ask again.`).failure;
  }
  return err("pending_decided", `This was ${state} before.`).failure;
}

/** The tool that made the call, with the same origin. The person's approval settles every doubt. */
function createCallTool(
  change: PendingChange,
  skills: SkillStore,
  memory: MemoryStore,
  options: PendingDeskOptions,
): Tool {
  const { seeds, settings, clock } = options;
  if (change.tool === "memory") {
    const { origin, session } = change;
    return createMemoryTool({
      store: memory,
      origin,
      ...(session && { session }),
      clock,
      settings,
      approved: true,
      // Approval does not change the source: the fact still comes from content.
      ...(change.reason === "taint" && { source: "content" as const }),
    });
  }
  const library = createLibrary({ store: skills, seeds });
  return createSkillManage({ library, store: skills, origin: change.origin as Writer, settings, approved: true });
}

/** Changes only the state that the call saw. If the change is already in place, assume an earlier attempt of this call made it. */
function guardSeenState(store: SkillStore, { seen }: PendingChange): SkillStore {
  return {
    ...store,
    change: (wanted) =>
      store.change({
        ...wanted,
        async decide(current, index) {
          const decided = await wanted.decide(current, index);
          if (seen && matchesSeen(current?.head ?? null, seen)) return decided;
          if (decided.ok && Object.keys(decided.value).length === 0) return decided;
          return err("pending_stale", `The skill '${wanted.name}' has changed since this change was requested.`);
        },
      }),
  };
}

function matchesSeen(head: SkillHead | null, { seq, text }: NonNullable<PendingChange["seen"]>): boolean {
  return text ? head?.text === text && head.state !== "archived" : (head?.seq ?? 0) === seq;
}

function toOutcome(result: ToolResult): { code: unknown; text: string } {
  const { error, ...outcome }: JsonObject = readOutcome(result);
  return { code: outcome.code, text: typeof error === "string" ? error : JSON.stringify(outcome) };
}
