// Every number an operator may change, in one JSON variable (TALARIA_SETTINGS). Defaults: core/limits.ts.
import * as z from "zod";

const count = z.int().min(0);
const ms = z.int().min(0);

export const Settings = z.strictObject({
  turn: z.strictObject({
    maxSteps: count.min(1),
    maxOutputTokens: count.min(256),
    leaseMs: ms.min(1_000),
    maxAttempts: count.min(1),
    /** Idle longer than this, the provider's cache has lapsed and a new prompt costs nothing. */
    cacheTtlMs: ms,
    modelRetries: count,
    maxMessageChars: count,
    maxFileBytes: count,
    maxWorkspaceBytes: count,
    maxResultChars: count.min(1_000),
    maxQueuedTurns: count.min(1),
  }),
  review: z.strictObject({
    enabled: z.boolean(),
    afterModelCalls: count.min(1),
    minValue: z.number().min(0).max(1),
    minEntries: count,
    minToolCalls: count,
    memoryAfterTurns: count.min(1),
    perSessionMs: ms,
    perProfileMs: ms,
    maxSteps: count.min(1),
    runMs: ms.min(1_000),
    /** A second delivery waits while the script has grown within this time. */
    quietMs: ms,
    maxFailures: count.min(1),
    grantTokens: count,
    grantMs: ms,
    keepDays: count.min(1),
    /** When a session looks for a result, after sending. The last is repeated. */
    looksMs: z.array(ms).min(1),
    maxLooks: count.min(1),
  }),
  memory: z.strictObject({ memoryChars: count.min(100), userChars: count.min(100), overlayMs: ms, sweepDays: count }),
  skills: z.strictObject({
    indexTokens: count.min(100),
    duplicateSimilarity: z.number().min(0).max(1),
    swapMs: ms,
    maxFiles: count.min(1),
  }),
  curation: z.strictObject({
    staleDays: count.min(1),
    archiveDays: count.min(1),
    leaseMs: ms,
    pageProfiles: count.min(1),
  }),
});
export type Settings = z.infer<typeof Settings>;

/** What an operator writes: any part of it. */
export const SettingsPatch = z.strictObject({
  turn: Settings.shape.turn.partial().optional(),
  review: Settings.shape.review.partial().optional(),
  memory: Settings.shape.memory.partial().optional(),
  skills: Settings.shape.skills.partial().optional(),
  curation: Settings.shape.curation.partial().optional(),
});
export type SettingsPatch = z.infer<typeof SettingsPatch>;
