// Jobs in words: their states, their times in two zones, where an answer goes, how a run ended. Pure.
import type { StateWord } from "../components/badge.tsx";
import type { Answer } from "../data/api.ts";

export type Job = Answer<"GET /v1/jobs">["jobs"][number];
export type Run = Answer<"GET /v1/jobs/{job}/runs">["runs"][number];
export type Target = NonNullable<Job["deliver"]>;

/** The zone that this browser is in. */
export function readOwnZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

export function describeState({ running, paused, finishedAt }: Job): StateWord {
  if (running !== null) return { name: "Running", tone: "accent" };
  if (finishedAt !== null) return { name: "Finished", tone: "plain" };
  if (paused !== null) return { name: "Paused", tone: paused.cause === "person" ? "plain" : "bad" };
  return { name: "Waiting", tone: "good" };
}

/** What a list knows of the runs before. `null`: none has run on its schedule yet. */
export function describeLast({ failures, ran }: Pick<Job, "failures" | "ran">): StateWord | null {
  if (failures > 1) return { name: `Failed ${failures} times in a row`, tone: "bad" };
  if (failures === 1) return { name: "The last run failed", tone: "bad" };
  return ran === 0 ? null : { name: "The last run worked", tone: "good" };
}

const OUTCOMES: Record<NonNullable<Run["outcome"]>, StateWord> = {
  answered: { name: "Answered", tone: "good" },
  silent: { name: "Nothing to say", tone: "good" },
  unchanged: { name: "Nothing had changed", tone: "plain" },
  unreachable: { name: "No model could be reached", tone: "bad" },
  config: { name: "The set-up does not allow it", tone: "bad" },
  timed_out: { name: "Out of time", tone: "bad" },
  stopped: { name: "Stopped", tone: "warn" },
  error: { name: "Failed", tone: "bad" },
  lost: { name: "Its end is unknown", tone: "warn" },
};

export function describeRun({ state, outcome }: Pick<Run, "state" | "outcome">): StateWord {
  if (outcome !== null) return OUTCOMES[outcome];
  return state === "failed" ? OUTCOMES.error : { name: "Running", tone: "accent" };
}

export const TRIGGERS: Record<Run["trigger"], string> = {
  schedule: "on time",
  late: "late: its time was missed",
  retry: "tried again",
  manual: "by hand",
};

/** Day and minute in a zone, with the zone's short name. A zone that the browser does not know is shown as UTC. */
export function formatInZone(at: number, zone: string): string {
  const options = { dateStyle: "medium", timeStyle: "short" } as const;
  try {
    return `${new Intl.DateTimeFormat(undefined, { ...options, timeZone: zone }).format(at)} ${zone}`;
  } catch {
    return `${new Intl.DateTimeFormat(undefined, { ...options, timeZone: "UTC" }).format(at)} UTC`;
  }
}

/** Where an answer goes as one text, as blueprints have it: `none`, `home`, `home:telegram`, `chat:ID`, `hooks`. */
export function toTargetText(target: Job["deliver"]): string {
  if (!target) return "none";
  if (target.to === "hooks") return "hooks";
  if (target.to === "chat") return `chat:${target.chat}`;
  return target.platform === undefined ? "home" : `home:${target.platform}`;
}

export function fromTargetText(text: string): Target | null {
  if (text === "hooks") return { to: "hooks" };
  if (text.startsWith("chat:")) return { to: "chat", chat: text.slice(5) };
  if (text === "home") return { to: "home" };
  if (text.startsWith("home:")) return { to: "home", platform: text.slice(5) as never };
  return null;
}

export function describeTarget(target: Job["deliver"]): string {
  if (!target) return "It stays with the run";
  if (target.to === "hooks") return "To the outbound webhooks";
  if (target.to === "chat") return `To the chat ${target.chat}`;
  return target.platform === undefined ? "To the home chat" : `To the home chat on ${target.platform}`;
}

/** Words with commas or spaces between them. */
export function splitNames(text: string): string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}
