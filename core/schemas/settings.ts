// Every number an operator may change, in one JSON variable (TALARIA_SETTINGS). Defaults: core/limits.ts.
import * as z from "zod";
import { Trigger } from "./learning/review.ts";

const count = z.int().min(0);
const ms = z.int().min(0);
const ratio = z.number().min(0).max(1);

/** How much a model reasons before it answers. Ordered: each is stronger than the one before. */
export const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export const Effort = z.enum(EFFORTS);
export type Effort = z.infer<typeof Effort>;

/** What becomes of a message that comes while a turn runs. `interrupt`: that turn ends at the next tool boundary. */
export const BusyMode = z.enum(["queue", "steer", "interrupt"]);
export type BusyMode = z.infer<typeof BusyMode>;

/** US dollars per million tokens. */
export const Price = z.strictObject({
  input: z.number().min(0),
  output: z.number().min(0),
  cacheRead: z.number().min(0).optional(),
  cacheWrite: z.number().min(0).optional(),
});
export type Price = z.infer<typeof Price>;

/** How often a thing may happen in a turn before the model is warned of it, and before it is stopped. 0: never. */
const Threshold = z.strictObject({ warn: count, hard: count });

export const Settings = z.strictObject({
  turn: z.strictObject({
    maxSteps: count.min(1),
    maxOutputTokens: count.min(256),
    leaseMs: ms.min(1_000),
    /** Attempts in a row without an answer or a result between them, the first included. */
    maxAttempts: count.min(1),
    /** Restarts in a row after the object ran out of memory. */
    maxMemoryStrikes: count.min(1),
    /** Answers, calls and restarts of one turn together, however much progress it makes. */
    maxWork: count.min(1),
    /** Without an answer or a result for this long a turn is given up. Planned waits do not count. */
    noProgressMs: ms.min(1_000),
    /** Tokens of all model calls of one turn; 0: no limit. */
    maxTokens: count,
    /** US dollars of all model calls of one turn whose price is known; 0: no limit. */
    maxUsd: z.number().min(0),
    /** Idle longer than this, the provider's cache has lapsed and a new prompt costs nothing. */
    cacheTtlMs: ms,
    modelRetries: count,
    /** A wait up to this long is waited for; a longer one leaves the isolate and comes back by alarm. */
    inlineWaitMs: ms,
    /** The planned waits of a turn whose models are all out of order for a while. */
    pausesMs: z.array(ms),
    /** The longest wait a provider may ask for. */
    maxPauseMs: ms,
    /**
     * How long a model may say nothing before the first piece of its answer, and between two pieces: then it is cut and asked
     * again, with half as much time more at each retry. `own…`: of the operator's own servers, which read a long prompt slowly.
     */
    firstByteMs: ms.min(1_000),
    idleStreamMs: ms.min(1_000),
    ownFirstByteMs: ms.min(1_000),
    ownIdleStreamMs: ms.min(1_000),
    maxMessageChars: count,
    maxFileBytes: count,
    maxWorkspaceBytes: count,
    /** Characters of one tool result, and of all of a turn; what is more goes into a workspace file. */
    maxResultChars: count.min(1_000),
    maxTurnResultChars: count.min(1_000),
    toolTimeoutMs: ms.min(100),
    /** Calls of one answer that run at the same time. */
    maxParallelCalls: count.min(1),
    maxQueuedTurns: count.min(1),
    busy: BusyMode,
    /** Whether a session without a title gets one from a model, behind its first answered turn. */
    titles: z.boolean(),
  }),
  context: z.strictObject({
    /** Share of the window from which a conversation is compacted, for large windows and for those under 512,000 tokens. */
    threshold: ratio,
    thresholdSmall: ratio,
    maxTokens: count.min(1_000),
    /** Messages at the beginning that stay as they are. */
    protectFirst: count,
    /** Share of the window that the newest messages may fill, within these tokens; never fewer messages than `minTailMessages`. */
    tailShare: ratio,
    minTailTokens: count,
    maxTailTokens: count,
    minTailMessages: count.min(1),
    summaryTokens: count.min(200),
    /** A compaction that saves less than this share is no progress. */
    minSaving: ratio,
    /** Characters of one project file in the prompt. */
    fileChars: count.min(100),
  }),
  guardrails: z.strictObject({
    warnings: z.boolean(),
    hardStops: z.enum(["unattended", "always", "never"]),
    sameFailure: Threshold,
    sameToolFailure: Threshold,
    noProgress: Threshold,
    identical: Threshold,
    cycle: Threshold,
    /** Answers in a row of whose calls none could be run as it was written; 0: never. */
    unusable: count,
    /** Answers in a row whose calls failed or gave nothing new; 0: never. */
    fruitless: count,
    /** Answers in a row whose calls were told what had been told before, digits aside; 0: never. */
    unvaried: count,
    /** Calls of one tool in one turn, by its name; 0: no limit. */
    caps: z.record(z.string(), count),
  }),
  /** Hard limits, checked before each model call; 0: none. Money counts calls whose price is known. */
  budget: z.strictObject({
    sessionTokens: count,
    sessionUsd: z.number().min(0),
    profileDayTokens: count,
    profileDayUsd: z.number().min(0),
  }),
  models: z.strictObject({
    /** By slot: turn, review, curation, compaction, title, approval, judge. */
    effort: z.partialRecord(z.string(), Effort),
    /** By model name, such as `openai:gpt-6.1-terra`: goes before the catalog. */
    prices: z.record(z.string(), Price),
    windows: z.record(z.string(), count.min(1_000)),
    /** Which of a provider's keys is used: the first that works, each in turn, or the one used least. */
    keyOrder: z.enum(["fill_first", "round_robin", "least_used"]),
  }),
  review: z.strictObject({
    enabled: z.boolean(),
    /** Triggers that are switched off, by name. */
    without: z.array(Trigger),
    /** Model calls that asked for tools; 0: after each turn. */
    afterModelCalls: count,
    minValue: ratio,
    minEntries: count,
    minToolCalls: count,
    memoryAfterTurns: count.min(1),
    /** Similar successful turns without a skill that covers them. */
    similarTurns: count.min(2),
    /** A turn under a loaded skill that was cheaper than the best one by at least this share proposes its steps. */
    cheaperShare: ratio,
    /** Reviews of the profile that wait: beyond so many, only corrections, ratings and `/refine` begin new ones. */
    maxBacklog: count.min(1),
    /** What the person is told of a review: nothing, one line, or one line with the beginning of each change. */
    notice: z.enum(["off", "on", "verbose"]),
    /** Whether the session's own request is sent again where the provider has it cached; else a digest. */
    prefix: z.enum(["auto", "never"]),
    perSessionMs: ms,
    perProfileMs: ms,
    maxSteps: count.min(1),
    runMs: ms.min(1_000),
    /** A second delivery waits while the script has grown within this time. */
    quietMs: ms,
    maxFailures: count.min(1),
    grantTokens: count,
    /** US dollars; 0: no limit. */
    grantUsd: z.number().min(0),
    grantMs: ms,
    keepDays: count.min(1),
    /** When a session looks for a result, after sending. The last is repeated. */
    looksMs: z.array(ms).min(1),
    maxLooks: count.min(1),
  }),
  memory: z.strictObject({
    memoryChars: count.min(100),
    userChars: count.min(100),
    overlayMs: ms,
    sweepDays: count,
    /** What the agent wants to keep waits for a person. */
    writeApproval: z.boolean(),
    /** How long a turn waits for what an external memory recalls. */
    prefetchWaitMs: ms,
  }),
  skills: z.strictObject({
    indexTokens: count.min(100),
    duplicateSimilarity: ratio,
    /** From how much in common on two texts are one skill, whatever they are called; see core/skills/search/body-similarity.ts. */
    duplicateBody: ratio,
    /** Whether a learned skill that a request plainly calls for is loaded without being asked for. */
    recall: z.boolean(),
    swapMs: ms,
    maxFiles: count.min(1),
    /** What the agent writes waits for a person. */
    writeApproval: z.boolean(),
    /** Names of skills that are hidden and refused. */
    disabled: z.array(z.string()),
  }),
  /** How evidence becomes a verdict; see core/learning/evidence/verdict.ts. */
  learning: z.strictObject({
    /** Whether verdicts move states; evidence is kept all the same. */
    verdicts: z.boolean(),
    /** Whether who loads a skill is told with which words of it calls failed when it was last followed. */
    failedWords: z.boolean(),
    /** Uses in which no call worked with a word that had failed: then the sentence of a learned skill that gives it goes. */
    refutedUses: count.min(1),
    /** What a use counts when the next one has come. */
    discount: ratio,
    /** Weight of the belief that every second turn succeeds, before any evidence. */
    priorWeight: z.number().min(0),
    /** How much of its parent's weight a new text begins with. */
    parentShare: ratio,
    /** Judged successes on distinct tasks that `active` needs. */
    activeSuccesses: count.min(1),
    activeBetter: ratio,
    activeWorse: ratio,
    /** With at most this share of the baseline's calls, a text no worse becomes active. */
    activeCalls: ratio,
    withdrawWorse: ratio,
    withdrawStreak: count.min(1),
    rateAlpha: ratio,
    rewriteUses: count.min(1),
    rewriteRate: ratio,
    /** Share of sessions that work without learned skills, for comparison. */
    holdOut: ratio,
  }),
  curation: z.strictObject({
    /** Calendar days without use, and how many active ones there must be among them. */
    staleDays: count.min(1),
    staleActiveDays: count,
    archiveDays: count.min(1),
    archiveActiveDays: count,
    leaseMs: ms,
    pageProfiles: count.min(1),
    /** Changes of one run; what is left over is the next one's. */
    maxChanges: count.min(1),
    /** Days between two runs of a skill's checks. */
    checkDays: count.min(1),
    /** What one run may spend on models. */
    grantTokens: count,
    grantUsd: z.number().min(0),
    /** How long plans, reports and merges are kept. */
    keepDays: count.min(1),
    /** Runs that a profile may ask for in an hour, their taking back included. */
    maxRequests: count.min(1),
  }),
});
export type Settings = z.infer<typeof Settings>;

/** What an operator writes: any part of it. */
export const SettingsPatch = z.strictObject({
  turn: Settings.shape.turn.partial().optional(),
  context: Settings.shape.context.partial().optional(),
  guardrails: Settings.shape.guardrails.partial().optional(),
  budget: Settings.shape.budget.partial().optional(),
  models: Settings.shape.models.partial().optional(),
  review: Settings.shape.review.partial().optional(),
  memory: Settings.shape.memory.partial().optional(),
  skills: Settings.shape.skills.partial().optional(),
  learning: Settings.shape.learning.partial().optional(),
  curation: Settings.shape.curation.partial().optional(),
});
export type SettingsPatch = z.infer<typeof SettingsPatch>;
