// Standing allowances: calls that a person has allowed for the session, or for all sessions of the profile, and the profile's
// own mode. The session's are a meta row; the profile's are kept by its Account, and read again for each call that would ask, so
// that a revoked one is gone at once.
import type { Allowance } from "../../agent/contract.ts";
import type { ApprovalMode, CommandApproval, StandingAllowance } from "../../schemas/approvals/approval.ts";
import type { EngineContext } from "../context.ts";
import type { Job, JobRow } from "../jobs.ts";
import { showHidden } from "./question-text.ts";

/** [own] More are not readable in a list. The oldest ones are dropped. */
const MAX_SESSION_ALLOWANCES = 100;
const KEY = "allowances";

export interface ApprovalPolicy {
  mode: ApprovalMode;
  allowances: StandingAllowance[];
}

/** The session's allowances and the profile's, and the profile's mode. An Account that cannot be reached allows nothing. */
export async function readPolicy(context: EngineContext): Promise<ApprovalPolicy> {
  const own = sessionAllowances(context);
  const { approvals, settings, report } = context.host;
  if (!approvals) return { mode: settings.approvals.mode, allowances: own };
  try {
    const { mode, allowances } = await approvals.read();
    return { mode: mode ?? settings.approvals.mode, allowances: [...own, ...allowances] };
  } catch (error) {
    report("approvals", error);
    return { mode: "manual", allowances: own };
  }
}

/** Newest last. */
export function sessionAllowances({ log }: Pick<EngineContext, "log">): StandingAllowance[] {
  return log.meta<StandingAllowance[]>(KEY) ?? [];
}

/** The widest allowance that the person was shown. The call must have one. */
export function toStanding({ host }: EngineContext, { id, allowance }: CommandApproval): StandingAllowance {
  const { family, exact } = allowance!;
  const kind = family === undefined ? "exact" : "family";
  return { v: 1, id, kind, key: family ?? exact, at: host.clock.now() };
}

/** Inside the caller's transaction. */
export function addSessionAllowances(context: EngineContext, asked: CommandApproval): void {
  const added = toStanding(context, asked);
  const others = sessionAllowances(context).filter(({ key, kind }) => key !== added.key || kind !== added.kind);
  context.log.setMeta(KEY, [...others, added].slice(-MAX_SESSION_ALLOWANCES));
}

/** Inside the transaction of the decision: the profile's Account keeps only what was decided, also after a crash. */
export function putProfileAllowance(context: EngineContext, asked: CommandApproval): void {
  const { host, jobs } = context;
  const allowance = toStanding(context, asked);
  jobs.put(allowRow(asked.id), host.clock.now() + host.settings.turn.leaseMs, { kind: "allow", allowance });
}

/** After the decision, so that the turn's next calls are covered. Never rejects: the outbox tries again. */
export async function keepProfileAllowance(context: EngineContext, id: string): Promise<void> {
  const { jobs, host } = context;
  try {
    await jobs.arm();
    const row = jobs.get(allowRow(id));
    if (row?.job.kind === "allow") await carryAllowance(context, { ...row, job: row.job });
  } catch (error) {
    host.report("approvals", error);
  }
}

/** Sends an allowance to the profile's Account. A job of the outbox. */
export async function carryAllowance(
  { host, jobs }: EngineContext,
  { id, job }: JobRow & { job: Extract<Job, { kind: "allow" }> },
): Promise<void> {
  const kept = await host.approvals?.allow(job.allowance);
  // The profile was deleted, or another session took the last place meanwhile.
  if (kept && !kept.ok) host.report(`job ${id}`, kept.failure.message);
  jobs.delete(id);
}

function allowRow(id: string): string {
  return `allow:${id}`;
}

/** False: there is none of that id. */
export function revokeSessionAllowance(context: EngineContext, id: string): boolean {
  const before = sessionAllowances(context);
  const left = before.filter((known) => known.id !== id);
  if (left.length === before.length) return false;
  context.log.setMeta(KEY, left);
  return true;
}

export function isCovered(standing: StandingAllowance[], allowance: Allowance | undefined): boolean {
  if (!allowance) return false;
  const { exact, family } = allowance;
  return standing.some(({ kind, key }) => (kind === "exact" ? key === exact : family !== undefined && key === family));
}

/** What a wider answer allows, for a person; `null`: a call can only be allowed once. */
export function nameCovered(allowance: Allowance | null): string | null {
  if (allowance === null) return null;
  const { exact, family } = allowance;
  return family === undefined ? `exactly \`${showHidden(exact)}\`` : `every harmless \`${family}\` with any arguments`;
}
