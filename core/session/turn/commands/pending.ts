// Changes of skills and memory that agents asked for, as the commands of approval-commands.ts show and decide them. Idempotent: a
// decision that is repeated after a crash answers the same.
import type { PendingInfo } from "../../../schemas/approvals/pending.ts";
import { type PendingDesk, createPendingDesk } from "../../../tools/approval/pending-desk.ts";
import type { EngineContext } from "../../context.ts";
import type { NoticeEnding } from "../endings.ts";

/** The ids that begin with `id`, of decided changes too. */
export async function hasPending(context: EngineContext, id: string): Promise<string[]> {
  const all = (await openDesk(context)?.list()) ?? [];
  return all.filter((change) => change.id.startsWith(id)).map((change) => change.id);
}

export async function decidePending(context: EngineContext, id: string, approve: boolean): Promise<NoticeEnding> {
  const desk = openDesk(context);
  if (!desk) return { state: "done", code: "pending", text: "Nothing waits here." };
  const decided = await desk.decide(id, approve);
  if (!decided.ok) return { state: "failed", code: decided.failure.code, text: decided.failure.message };
  const { summary } = decided.value;
  return { state: "done", code: "decided", text: `${approve ? "Approved and done" : "Rejected"}: ${summary}.` };
}

/** For each waiting change: who asks for what, why it waits, and the difference it would make. */
export async function describePending(context: EngineContext): Promise<string[]> {
  const desk = openDesk(context);
  return desk ? describe(desk) : [];
}

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

async function describe(desk: PendingDesk): Promise<string[]> {
  const parts: string[] = [];
  for (const { id, summary, origin, reason, why, state } of await desk.list()) {
    if (state !== "waiting") continue;
    const detail = await desk.open(id);
    const diff = detail.ok ? detail.value.diff : "";
    parts.push(`${id}: ${summary} (asked for by ${origin}). ${BECAUSE[reason]}${why}\n${cutDiff(id, diff).trimEnd()}`);
  }
  return parts;
}

/** Says how much is hidden, so that nobody approves a hidden part by mistake. */
function cutDiff(id: string, diff: string): string {
  if (diff.length <= MAX_DIFF_CHARS) return diff;
  const left = diff.length - MAX_DIFF_CHARS;
  return `${diff.slice(0, MAX_DIFF_CHARS).toWellFormed()}\n… and ${left} characters more: GET /v1/pending/${id} has it whole.`;
}
