// `/pending`, `/approve` and `/reject`: the person decides in the conversation about changes that agents asked for. Called
// by run-command.ts. Idempotent: a command that is repeated after a crash answers the same.
import type { Result } from "../../../errors.ts";
import { err, ok } from "../../../errors.ts";
import type { PendingInfo } from "../../../schemas/pending.ts";
import { type PendingDesk, createPendingDesk } from "../../../tools/approval/pending-desk.ts";
import type { EngineContext } from "../../context.ts";
import type { NoticeEnding } from "../end-turn.ts";

export async function listPending(context: EngineContext): Promise<NoticeEnding> {
  const desk = openDesk(context);
  return { state: "done", code: "pending", text: desk ? await describe(desk) : NO_DESK };
}

/** `id`: of a waiting change, or the beginning of it. */
export async function decidePending(context: EngineContext, id: string, approve: boolean): Promise<NoticeEnding> {
  const desk = openDesk(context);
  if (!desk) return { state: "done", code: "pending", text: NO_DESK };
  const found = await find(desk, id);
  const decided = found.ok ? await desk.decide(found.value.id, approve) : found;
  if (!decided.ok) return { state: "failed", code: decided.failure.code, text: decided.failure.message };
  const { summary } = decided.value;
  return { state: "done", code: "decided", text: `${approve ? "Approved and done" : "Rejected"}: ${summary}.` };
}

const NO_DESK = "Nothing waits here.";

/** Null if the deployment keeps no pending changes. */
function openDesk({ host, overlay }: EngineContext): PendingDesk | null {
  const { pending, skills, seeds, settings, clock } = host;
  return pending ? createPendingDesk({ pending, skills, memory: host.memory(overlay), seeds, settings, clock }) : null;
}

/** Advice for the person, printed before the reason of the wait. */
const BECAUSE: Record<PendingInfo["reason"], string> = {
  approval: "",
  scan: "Check it for instructions: ",
  taint: "Keep it only if you know it to be true: ",
};

const MAX_DIFF_CHARS = 1_500;

/** For each change: who asks for what, why it waits, and the difference it would make. */
async function describe(desk: PendingDesk): Promise<string> {
  const waiting = (await desk.list()).filter(({ state }) => state === "waiting");
  if (waiting.length === 0) return "Nothing waits for you.";
  const parts: string[] = [];
  for (const { id, summary, origin, reason, why } of waiting) {
    const detail = await desk.open(id);
    const diff = detail.ok ? detail.value.diff : "";
    parts.push(`${id}: ${summary} (asked for by ${origin}). ${BECAUSE[reason]}${why}\n${cutDiff(id, diff).trimEnd()}`);
  }
  return `${parts.join("\n\n")}\n\nDecide with /approve <id> or /reject <id>; the first letters of an id are enough.`;
}

/** Says how much is hidden, so that nobody approves a hidden part by mistake. */
function cutDiff(id: string, diff: string): string {
  if (diff.length <= MAX_DIFF_CHARS) return diff;
  const left = diff.length - MAX_DIFF_CHARS;
  return `${diff.slice(0, MAX_DIFF_CHARS).toWellFormed()}\n… and ${left} characters more: GET /v1/pending/${id} has it whole.`;
}

/**
 * Finds a change by its id or the beginning of it. Includes decided changes: a command that is repeated after a crash must not
 * match another change that arrived meanwhile.
 */
async function find(desk: PendingDesk, id: string): Promise<Result<PendingInfo>> {
  const found = id === "" ? [] : (await desk.list()).filter((change) => change.id.startsWith(id));
  if (found.length === 1) return ok(found[0]!);
  if (found.length > 1) return err("pending_not_found", `${found.length} changes begin with '${id}': give more of it.`);
  const what = id === "" ? "Name what you decide" : `No change begins with '${id.slice(0, 40).toWellFormed()}'`;
  return err("pending_not_found", `${what}: /pending shows what waits, each with its id.`);
}
