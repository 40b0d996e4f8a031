// The limits of Hermes Agent that its arm uses, and its decisions that need no store. The numbers are the newest in its
// documentation and code as of October 2026. Pure.

export const HERMES = {
  /** Model calls since skills were last reviewed or saved: `skills.creation_nudge_interval`. */
  skillNudge: 10,
  /** The person's turns since memory was last reviewed or saved: `memory.nudge_interval`. */
  memoryNudge: 10,
  /** Model calls of one review. */
  reviewIterations: 16,
  /** Token limit of one review: this, or three quarters of the window if that is less. */
  reviewTokens: 600_000,
  reviewWindowShare: 0.75,
  /** Characters of the prompts of a review, by kind: `agent/background_review.py`, rounded to hundreds. */
  reviewPromptChars: { skills: 8_000, memory: 500, combined: 6_300 },
  /** A review sends the session's own prompt and tools. Captured sizes of both, in bytes, without any skill. */
  systemChars: 6_647,
  toolsChars: 39_740,
  descriptionChars: 60,
  skillMdChars: 100_000,
  fileBytes: 1_048_576,
  memoryChars: 2_200,
  userChars: 1_375,
  curatorIntervalMs: 168 * 60 * 60_000,
  staleAfterMs: 14 * 24 * 60 * 60_000,
  archiveAfterMs: 30 * 24 * 60 * 60_000,
} as const;

/** The tools that a review may call. Dispatch refuses all others. */
export const REVIEW_TOOLS = [
  "memory",
  "skills_list",
  "skill_view",
  "skill_manage",
  "read_file",
  "search_files",
] as const;

export interface Counters {
  sinceSkill: number;
  sinceMemory: number;
}

export interface FinishedTurn {
  /** Model calls, including the final one; and the names of the called tools, in order. */
  modelCalls: number;
  tools: readonly string[];
  finalResponse: string;
  interrupted: boolean;
}

/**
 * Updates the counters for one turn. The memory counter rises once per turn, at its start. The skill counter rises with each model
 * call and is checked after the final response. A save by the agent resets its counter, and so does a triggered review.
 */
export function countTurn(
  before: Counters,
  turn: FinishedTurn,
): { counters: Counters; memory: boolean; skills: boolean } {
  let sinceMemory = before.sinceMemory + 1;
  const memoryDue = sinceMemory >= HERMES.memoryNudge;
  if (memoryDue || turn.tools.includes("memory")) sinceMemory = 0;
  // Count only the calls after the one that saved.
  const last = turn.tools.lastIndexOf("skill_manage");
  const saved = last >= 0;
  let sinceSkill = saved ? Math.max(0, turn.modelCalls - (last + 1)) : before.sinceSkill + turn.modelCalls;
  const skillsDue = sinceSkill >= HERMES.skillNudge;
  if (skillsDue) sinceSkill = 0;
  const isAnswered = turn.finalResponse.trim() !== "" && !turn.interrupted;
  return {
    counters: { sinceSkill, sinceMemory },
    memory: memoryDue && isAnswered,
    skills: skillsDue && isAnswered,
  };
}

/** Both kinds of review at once, or the one that is due. */
export function choosePrompt(due: { memory: boolean; skills: boolean }): "combined" | "memory" | "skills" | null {
  if (due.memory && due.skills) return "combined";
  return due.memory ? "memory" : due.skills ? "skills" : null;
}

/** Hermes Agent's records about a skill. None of them shows whether the skill helped. */
export interface Telemetry {
  /** `agent`: created by a review, which may therefore change it. */
  createdBy: "agent" | null;
  state: "active" | "stale" | "archived";
  pinned: boolean;
  useCount: number;
  viewCount: number;
  patchCount: number;
  createdAt: number;
  lastUsedAt: number | null;
  lastViewedAt: number | null;
  lastPatchedAt: number | null;
}

export function newTelemetry(createdBy: Telemetry["createdBy"], now: number): Telemetry {
  const counts = { useCount: 0, viewCount: 0, patchCount: 0 };
  const times = { createdAt: now, lastUsedAt: null, lastViewedAt: null, lastPatchedAt: null };
  return { createdBy, state: "active", pinned: false, ...counts, ...times };
}

/** The state to which the curator moves a skill; `null` if it does not move. */
export function moveByAge(skill: Telemetry, now: number): Telemetry["state"] | null {
  if (skill.createdBy !== "agent" || skill.pinned || skill.state === "archived") return null;
  const activity = [skill.lastUsedAt, skill.lastViewedAt, skill.lastPatchedAt].filter((at) => at !== null);
  const age = now - (activity.length > 0 ? Math.max(...activity) : skill.createdAt);
  if (age >= HERMES.archiveAfterMs) return "archived";
  if (age >= HERMES.staleAfterMs) return skill.state === "stale" ? null : "stale";
  return skill.state === "stale" ? "active" : null;
}
