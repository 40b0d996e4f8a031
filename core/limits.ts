// Every default in one place, each with its source. [hermes]: Hermes Agent's documentation and code, newest values seen in
// October 2026. [cf]: Cloudflare's platform limits pages, November 2026. [own]: our own measurement or choice, with the reason.
// Operators override them with TALARIA_SETTINGS.
import { PLATFORM_NAMES } from "./schemas/channels/inbound.ts";
import { type Result, err, ok } from "./errors.ts";
import { isNear } from "./near.ts";
import { Settings, SettingsPatch } from "./schemas/settings.ts";

const MINUTE_MS = 60_000;

export const DEFAULTS: Settings = {
  turn: {
    maxSteps: 500, // [hermes] agent.max_turns
    maxOutputTokens: 16_000, // [own] a long answer and its reasoning; every model we know allows it
    leaseMs: 30_000, // [own] how long after a crash the alarm resumes the turn
    maxAttempts: 10, // [cf agents] the attempt cap of the Agents SDK's recovery; progress resets it
    maxMemoryStrikes: 3, // [cf agents] the SDK's limit of restarts after running out of memory
    maxWork: 5_000, // [own] all steps of a turn with ten calls each; [cf agents] the SDK also has a budget that nothing resets
    noProgressMs: 15 * MINUTE_MS, // [own] longer than the slowest accepted answer and its planned waits
    // [own] a turn of all 500 steps whose conversation grows from a tenth to all of context.maxTokens between two compactions
    // reads 500 x 140,000 = 70 million tokens, nearly all from a cache, and writes 1 million. An honest turn has fewer steps, or
    // a smaller window; what reaches this does not end by itself
    maxTokens: 100_000_000,
    // [own] that turn costs $70 + $50 + $12.5 on the dearest model of the catalog (claude-fable-5, for what is read from the cache,
    // written, and newly cached), and $150 on claude-sonnet-5-5 where nothing is cached at all
    maxUsd: 200,
    cacheTtlMs: 5 * MINUTE_MS, // Anthropic's prompt cache, default TTL
    modelRetries: 3, // [hermes] api_max_retries
    inlineWaitMs: 20_000, // [own] the backoff of three tries; an isolate that waits longer costs more than an alarm
    pausesMs: [15_000, 30_000, MINUTE_MS, MINUTE_MS, MINUTE_MS], // [hermes] auto_recovery_cycles
    maxPauseMs: 60 * MINUTE_MS, // [hermes] cool-down of a rate limit
    firstByteMs: 3 * MINUTE_MS, // [own] reasoning models may think for a minute before the first byte
    idleStreamMs: 2 * MINUTE_MS, // [own]
    ownFirstByteMs: 30 * MINUTE_MS, // [own] a prompt of 32,000 tokens at 20 a second, the speed of a laptop
    ownIdleStreamMs: 10 * MINUTE_MS, // [own] some servers buffer a whole tool call before they send it
    maxMessageChars: 100_000, // [own] as large as the largest result shown to a model
    maxFileBytes: 10 << 20, // [own] a tenth of the isolate's 128 MB
    maxWorkspaceBytes: 50 << 20, // [own]
    maxCheckpointBytes: 100 << 20, // [own]
    maxResultChars: 100_000, // [hermes] characters of one tool result
    maxTurnResultChars: 200_000, // [hermes]
    toolTimeoutMs: 3 * MINUTE_MS, // [hermes] terminal default
    maxParallelCalls: 8, // [own]
    maxQueuedTurns: 20, // [own] with more, a client must wait
    maxOpenRuns: 10, // [own] as the reference
    // [own] Hermes waits 300 s, in a process that must stay alive. A parked turn costs nothing, and people on messaging answer within
    // the hour; after that the machine has moved on, and so have the messages that wait in the queue
    approvalMs: 60 * MINUTE_MS,
    clarifyMs: 60 * MINUTE_MS, // [hermes] 3,600 s
    clientMs: 24 * 60 * MINUTE_MS, // [own] a client may ask its person before it runs a tool, and a parked turn costs nothing
    titles: true,
    busy: "queue", // [own] loses no message and interrupts no running turn unasked
  },
  tools: { only: null, disabled: [] },
  delegation: {
    maxTasks: 10, // [hermes] max_concurrent_children
    maxDepth: 1, // [hermes] max_spawn_depth
    maxSteps: 250, // [hermes] delegation.max_iterations
    stallMs: 20 * MINUTE_MS, // [hermes] the longer of its two limits, inside a tool; more than turn.noProgressMs, which ends most
    waitMs: 24 * 60 * MINUTE_MS, // [own] Hermes has none; it only bounds a wait for children that cannot be reached
    summaryChars: 24_000, // [hermes] longest summary
  },
  board: {
    maxRunning: 4, // [hermes] max_in_progress: 2 to 8, by the machine's memory
    maxRunningPerProfile: 8, // [own] two busy boards; [hermes] none for a profile, 8 for a host
    maxTokens: 0,
    claimMs: 15 * MINUTE_MS, // [hermes] claim TTL
    runMs: 4 * 60 * MINUTE_MS, // [hermes] stale timeout
    failures: 2, // [hermes] failure_limit
    retryMs: 30_000, // [hermes] crash grace
    coolMs: 5 * MINUTE_MS, // [hermes] rate_limit_cooldown
    transientMs: 5 * MINUTE_MS, // [own] as a rate limit's
    recurrences: 2, // [hermes] block recurrence limit
    maxCards: 100_000, // [own] ten times what the bench measures
    dispatchUnassigned: true, // [own] a card of a board of agents is meant for one; [hermes] skips it
  },
  jobs: {
    maxJobs: 1_000, // [own] bench:board is flat up to here
    maxRunning: 5, // [own] so that a profile's jobs leave room for its chats at a provider's rate limit
    minEveryMs: MINUTE_MS, // [own] the step of cron
    claimMs: 5 * MINUTE_MS, // [hermes] claim TTL of 300 s
    runMs: 60 * MINUTE_MS, // [hermes] script timeout of 3,600 s
    failures: 3, // [hermes]
    maxTokens: 5_000_000, // [own] a twentieth of turn.maxTokens: nobody watches
  },
  // `mode`: [own] [hermes] had the same default until it had a model that decides. `breaker`: [hermes]
  approvals: { mode: "manual", breaker: 3 },
  context: {
    threshold: 0.5, // [hermes]
    thresholdSmall: 0.75, // [hermes] windows under 512,000 tokens
    maxTokens: 256_000, // [hermes] threshold_tokens
    protectFirst: 3, // [hermes] protect_first_n
    tailShare: 0.025, // [hermes] tail_mode lean
    minTailTokens: 10_000, // [hermes]
    maxTailTokens: 25_000, // [hermes]
    minTailMessages: 8, // [hermes] count floor
    summaryTokens: 10_000, // [hermes] upper end of the summary's size
    minSaving: 0.05, // [hermes] anti-thrash
    fileChars: 20_000, // [hermes] context_file_max_chars
  },
  guardrails: {
    // [hermes] tool_loop_guardrails, except for the last two without a cap
    warnings: true,
    hardStops: "unattended",
    sameFailure: { warn: 2, hard: 5 },
    sameToolFailure: { warn: 3, hard: 8 },
    noProgress: { warn: 2, hard: 5 },
    identical: { warn: 3, hard: 5 },
    cycle: { warn: 3, hard: 5 },
    unusable: 3, // [hermes] retries of a cut call, of invalid JSON and of an unknown tool
    // [own] no known work fails twenty times in a row; this applies even while a person watches
    fruitless: 20,
    // [own] commands without output may change sixty files in a row
    unvaried: 60,
    caps: { web_search: 50, delegate_task: 50 },
  },
  budget: { sessionTokens: 0, sessionUsd: 0, profileDayTokens: 0, profileDayUsd: 0 },
  models: { effort: {}, prices: {}, windows: {}, vision: {}, choices: [], keyOrder: "fill_first" },
  images: {
    maxBytes: 3_932_160, // Anthropic: 5 MiB as Base64, which is 3.75 MiB of bytes; OpenAI takes 20 MB
    maxSide: 8_000, // Anthropic; it also keeps out small files that unpack to gigabytes
    maxPerMessage: 10, // [own]
    maxPerRequest: 20, // Anthropic: with more, no side may have over 2,000 pixels
    // [own] 16 MB as Base64: Anthropic takes 32 MB a request, OpenAI 50 MB; an isolate has 128 MB for all its sessions
    maxRequestBytes: 12_000_000,
    maxSessionBytes: 100 << 20, // [own] [cf] an object holds 10 GB
    model: "openai:gpt-image-1",
  },
  review: {
    enabled: true,
    without: [],
    afterModelCalls: 10, // [hermes] creation_nudge_interval
    minValue: 0.6,
    minEntries: 10,
    minToolCalls: 5,
    memoryAfterTurns: 10, // [hermes] memory.nudge_interval
    similarTurns: 3, // [own] two may be chance
    cheaperShare: 0.3, // [own] more than the spread between two runs of one task
    maxBacklog: 10, // [own] twenty minutes at the pace of a profile
    notice: "on", // [hermes] display.memory_notifications
    prefix: "auto",
    perSessionMs: 10 * MINUTE_MS,
    perProfileMs: 2 * MINUTE_MS,
    maxSteps: 16, // [hermes] max_iterations of a background review
    runMs: 12 * MINUTE_MS, // [cf] a queue consumer has 15 minutes of wall time
    quietMs: 45_000, // [own] longer than a slow model's step, so that no second run starts beside a live one
    maxFailures: 5, // [own]
    grantTokens: 600_000, // [hermes] input-token budget of a background review
    grantUsd: 0,
    grantMs: 24 * 60 * MINUTE_MS,
    replayTokens: 0, // [own] runs that nobody asked for cost money: somebody decides first
    keepDays: 30,
    looksMs: [10_000, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 24 * 60 * MINUTE_MS],
    maxLooks: 11, // four early ones, then daily for seven days
  },
  memory: {
    memoryChars: 2_200, // [hermes] MEMORY.md
    userChars: 1_375, // [hermes] USER.md
    overlayMs: 10 * MINUTE_MS, // [cf] a KV write may take 60 seconds or more to be seen elsewhere
    sweepDays: 30,
    writeApproval: false,
    prefetchWaitMs: 300, // [own] too short to be noticed; later results of an external memory are for the next turn
  },
  skills: {
    indexTokens: 3_000,
    duplicateSimilarity: 0.9,
    // [own] measured: paraphrases of one skill have 0.61 to 0.80 in common, neighbours in one field at most 0.30
    duplicateBody: 0.55,
    recall: true,
    swapMs: 120_000, // [own] how long a lost swap is tried again
    maxFiles: 50, // [hermes] skills_guard: files of one skill
    writeApproval: false,
    disabled: [],
  },
  learning: {
    // [own] chosen before they were measured; bench/learning measures them
    verdicts: true,
    failedWords: true,
    refutedUses: 1,
    discount: 0.8, // five uses weigh as much as all later ones together
    priorWeight: 2,
    parentShare: 0.5,
    activeSuccesses: 2,
    activeBetter: 0.6,
    activeWorse: 0.6,
    activeCalls: 0.8,
    withdrawWorse: 0.9,
    withdrawStreak: 3,
    rateAlpha: 0.1,
    rewriteUses: 10,
    rewriteRate: 0.5,
    holdOut: 0,
  },
  curation: {
    staleDays: 30,
    staleActiveDays: 10,
    archiveDays: 90,
    archiveActiveDays: 30,
    leaseMs: 15 * MINUTE_MS,
    pageProfiles: 100,
    maxChanges: 50, // [own] what one invocation can carry out within the platform's requests
    checkDays: 7,
    grantTokens: 300_000, // [own] half of a review's: one or two skills at a time
    grantUsd: 0,
    keepDays: 30,
    maxRequests: 12, // [own] one in five minutes, enough for a person and too few for a loop
  },
  outbound: { allow: [], ports: [] },
  web: { search: "auto", brave: {}, tavily: {}, exa: {}, searxng: {} },
  code: { sandbox: "quickjs" },
  publicUrl: "",
  channels: Object.fromEntries(PLATFORM_NAMES.map((name) => [name, {}])) as Settings["channels"],
  voice: { model: "openai:gpt-4o-mini-transcribe" },
  webhooks: { perMinute: 30, maxBytes: 1_000_000 }, // [hermes]
  goals: {
    maxTurns: 20, // [hermes] max_turns
    maxParseFailures: 3, // [hermes]
    maxTransportFailures: 5, // [hermes]
    maxCheckFailures: 3, // [hermes] retries of a quality gate
    maxWaitMinutes: 30, // [hermes] wait barrier
    maxPerProfile: 100, // [own] a list that a person still reads
  },
  privacy: { redactIds: false }, // [hermes] privacy.redact_pii
  browsers: { origins: [], signInMs: 7 * 24 * 60 * MINUTE_MS }, // [own] a week: browsers keep a cookie for at most 400 days
  moving: { trustedDeployments: [] },
  hub: {
    github: {},
    skillsSh: {},
    clawhub: {},
    trusted: ["anthropics/skills", "openai/skills", "huggingface/skills", "NVIDIA/skills"], // [hermes] TRUSTED_REPOS
    maxIndexBytes: 4 << 20, // [own] the tree of a repository of 20,000 files; more does not help a person choose
    cacheMs: 60 * MINUTE_MS, // [hermes] INDEX_CACHE_TTL
  },
};

/** Limits of the platform or of a stored form, which operators cannot change. */
export const FIXED = {
  rowBytes: 1_500_000, // [cf] 2 MB a row or value, not enforced locally; the margin is for the row's other columns
  queueMessageBytes: 128_000, // [cf]
  kvMetadataBytes: 1_024, // [cf]
  skillMdChars: 100_000, // [hermes]
  skillFileBytes: 1_048_576, // [hermes]
  descriptionChars: 1_024, // Agent Skills specification
  memoryEntryChars: 1_000, // [own] one fact; longer is a document
  requestBytes: 1 << 20, // a JSON body; files have maxFileBytes
  messageBytes: 8 << 20, // [own] a message with images as data URLs; more images come as files
  skillHoldMs: 30 * 60_000, // [own] an experiment of eight runs takes a few minutes; longer, and the lesson is missed in the next work
  pageBytes: 4 << 20, // [own] a page of a list; [cf] a call between Workers carries 32 MB
} as const;

/** Parses the operator's variable. Absent or empty gives the defaults; any other value must be valid. */
export function parseSettings(json: string | undefined): Result<Settings> {
  if (!json?.trim()) return ok(DEFAULTS);
  let raw: unknown;
  try {
    raw = JSON.parse(json);
  } catch {
    return err("bad_settings", "TALARIA_SETTINGS is not JSON.");
  }
  const patch = SettingsPatch.safeParse(raw);
  if (!patch.success) {
    const issue = patch.error.issues[0];
    if (issue?.code === "unrecognized_keys") return err("bad_settings", unknownSetting(issue.path, issue.keys[0]!));
    return err("bad_settings", `TALARIA_SETTINGS: ${issue?.path.join(".") || "value"}: ${issue?.message}`);
  }
  return ok({
    publicUrl: patch.data.publicUrl ?? DEFAULTS.publicUrl,
    turn: { ...DEFAULTS.turn, ...patch.data.turn },
    tools: { ...DEFAULTS.tools, ...patch.data.tools },
    delegation: { ...DEFAULTS.delegation, ...patch.data.delegation },
    board: { ...DEFAULTS.board, ...patch.data.board },
    jobs: { ...DEFAULTS.jobs, ...patch.data.jobs },
    approvals: { ...DEFAULTS.approvals, ...patch.data.approvals },
    context: { ...DEFAULTS.context, ...patch.data.context },
    guardrails: { ...DEFAULTS.guardrails, ...patch.data.guardrails },
    moving: { ...DEFAULTS.moving, ...patch.data.moving },
    hub: { ...DEFAULTS.hub, ...patch.data.hub },
    budget: { ...DEFAULTS.budget, ...patch.data.budget },
    models: { ...DEFAULTS.models, ...patch.data.models },
    images: { ...DEFAULTS.images, ...patch.data.images },
    review: { ...DEFAULTS.review, ...patch.data.review },
    memory: { ...DEFAULTS.memory, ...patch.data.memory },
    skills: { ...DEFAULTS.skills, ...patch.data.skills },
    learning: { ...DEFAULTS.learning, ...patch.data.learning },
    curation: { ...DEFAULTS.curation, ...patch.data.curation },
    outbound: { ...DEFAULTS.outbound, ...patch.data.outbound },
    web: { ...DEFAULTS.web, ...patch.data.web },
    code: { ...DEFAULTS.code, ...patch.data.code },
    browsers: { ...DEFAULTS.browsers, ...patch.data.browsers },
    channels: { ...DEFAULTS.channels, ...patch.data.channels },
    webhooks: { ...DEFAULTS.webhooks, ...patch.data.webhooks },
    goals: { ...DEFAULTS.goals, ...patch.data.goals },
    voice: { ...DEFAULTS.voice, ...patch.data.voice },
    privacy: { ...DEFAULTS.privacy, ...patch.data.privacy },
  });
}

function unknownSetting(path: PropertyKey[], key: string): string {
  const { publicUrl: _, ...groups } = Settings.shape;
  const settingsOfGroup =
    path.length === 1 ? (groups as Record<string, { shape: object }>)[String(path[0])]!.shape : {};
  const known = Object.keys(path.length === 0 ? Settings.shape : settingsOfGroup);
  const near = known.find((name) => isNear(name.toLowerCase(), key.toLowerCase()));
  const named = (name: string) => [...path, name].join(".");
  const hint = near === undefined ? "." : `; did you mean ${named(near)}?`;
  return `TALARIA_SETTINGS: There is no setting '${named(key)}'${hint}`;
}
