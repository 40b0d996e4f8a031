// Every setting an operator may change, as one JSON variable (TALARIA_SETTINGS). Defaults: core/limits.ts. The descriptions
// are the text of docs/CONFIGURATION.md; `npm run docs` writes it. A name that ends in `Ms` is in milliseconds.
import { GoalSettings, JobSettings } from "./agenda/settings.ts";
import { BoardSettings } from "./board/settings.ts";
import { DelegationSettings } from "./sessions/delegation-settings.ts";
import * as z from "zod";
import { ApprovalMode } from "./approvals/approval.ts";
import { hub } from "./hub/settings.ts";
import { channels, voice, webhooks } from "./channels/settings.ts";
import { ToolSettings } from "./profile/tools.ts";
import { Trigger } from "./learning/review.ts";

const count = z.int().min(0);
const ms = z.int().min(0);
const usd = z.number().min(0);
const ratio = z.number().min(0).max(1);

/** How much a model reasons before it answers. Ordered: each is stronger than the one before. */
export const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export const Effort = z.enum(EFFORTS);
export type Effort = z.infer<typeof Effort>;

/** What happens to a message that arrives while a turn runs. `interrupt`: that turn ends after its running tools or answer. */
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

/** How often something may happen in a turn before the model is warned, and before it is stopped. 0: never. */
const Threshold = z.strictObject({ warn: count, hard: count });

const turn = z
  .strictObject({
    maxSteps: count.min(1).describe("Model calls of one turn. After the last one the model writes a closing summary."),
    maxOutputTokens: count
      .min(256)
      .describe("Output tokens of one model call. The room left in the window also limits it."),
    leaseMs: ms.min(1_000).describe("How long a crashed object waits before its alarm resumes the turn."),
    maxAttempts: count
      .min(1)
      .describe("Attempts in a row without a new answer or tool result, including the first. Then the turn fails."),
    maxMemoryStrikes: count.min(1).describe("Restarts in a row after the object ran out of memory."),
    maxWork: count
      .min(1)
      .describe("Answers, tool results and restarts of one turn in total, however much progress it makes."),
    noProgressMs: ms
      .min(1_000)
      .describe(
        "A turn without an answer or a tool result for this long is given up. Planned waits and a model call within its own timeout do not count.",
      ),
    maxTokens: count.describe("Tokens of all model calls of one turn, cached tokens included. 0: no limit."),
    maxUsd: usd.describe("US dollars of all model calls of one turn whose price is known. 0: no limit."),
    cacheTtlMs: ms.describe(
      "A session idle for longer builds a new prompt: the provider's cache has expired, so a new prompt costs nothing extra.",
    ),
    modelRetries: count.describe("Retries of one model call."),
    inlineWaitMs: ms.describe(
      "A provider's requested wait up to this long is spent in memory. For a longer one the next model is tried, or the turn pauses until an alarm.",
    ),
    pausesMs: z
      .array(ms)
      .describe("The planned waits of a turn while no model of its chain works. After the last one the turn fails."),
    maxPauseMs: ms.describe("The longest wait a provider may ask for."),
    firstByteMs: ms
      .min(1_000)
      .describe("Timeout for the first piece of an answer. Each retry gets half as much time again."),
    idleStreamMs: ms.min(1_000).describe("Timeout between two pieces of an answer."),
    ownFirstByteMs: ms
      .min(1_000)
      .describe(
        "`firstByteMs` for the operator's own model servers (this machine, a private network, local runtimes).",
      ),
    ownIdleStreamMs: ms.min(1_000).describe("`idleStreamMs` for the operator's own model servers."),
    maxMessageChars: count.describe("Characters of one message."),
    maxFileBytes: count.describe("Bytes of one file in a session."),
    maxWorkspaceBytes: count.describe("Bytes of all files of a session."),
    maxCheckpointBytes: count.describe(
      "Bytes of earlier contents that a session keeps for its checkpoints. The oldest checkpoints are dropped first.",
    ),
    maxResultChars: count
      .min(1_000)
      .describe("Characters of one tool result, at most 15 % of the window. A longer result is stored in a file."),
    maxTurnResultChars: count
      .min(1_000)
      .describe("Characters of all tool results of one turn, at most 30 % of the window."),
    toolTimeoutMs: ms.min(100).describe("Timeout of one tool call."),
    maxParallelCalls: count.min(1).describe("Tool calls of one answer that run at the same time."),
    maxQueuedTurns: count.min(1).describe("Messages that may wait in a session."),
    maxOpenRuns: count
      .min(1)
      .max(100)
      .describe("Runs of a profile at the same time (`POST /v1/runs`). One that waits for a person does not count."),
    busy: BusyMode.describe(
      "What happens to a message that arrives while a turn runs, unless the message says so itself.",
    ),
    approvalMs: ms
      .min(1_000)
      .describe("How long a call waits for a person's approval. Then it is refused, and the turn goes on."),
    clientMs: ms.describe(
      "How long a turn waits for the results of tools that the client itself runs. Then the agent goes on without them.",
    ),
    clarifyMs: ms
      .min(1_000)
      .describe(
        "How long a turn waits for the answer to a question of the agent (`clarify`). Then the agent decides by its own judgement.",
      ),
    titles: z.boolean().describe("Whether a session without a title gets one from a model after its first answer."),
  })
  .describe("One turn: its limits, timeouts and retries.");

const context = z
  .strictObject({
    threshold: ratio.describe("Share of the model's window at which a conversation is compacted."),
    thresholdSmall: ratio.describe("`threshold` for windows under 512,000 tokens."),
    maxTokens: count.min(1_000).describe("Tokens at which a conversation is compacted in any window."),
    protectFirst: count.describe("First messages of a conversation that compaction keeps."),
    tailShare: ratio.describe("Share of the window for the newest messages, which compaction keeps."),
    minTailTokens: count.describe(
      "Minimum of tokens for the newest messages, unless that is over a fifth of the window.",
    ),
    maxTailTokens: count.describe("Maximum of tokens for the newest messages."),
    minTailMessages: count.min(1).describe("Newest messages that compaction always keeps, unless they are very long."),
    summaryTokens: count.min(200).describe("Maximum of tokens of a summary."),
    minSaving: ratio.describe(
      "A compaction that saves less than this share has failed. After two failures in a row, the next one waits until the conversation has grown.",
    ),
    fileChars: count
      .min(100)
      .describe("Characters of one project file in the prompt, at most a tenth of a small window."),
  })
  .describe("How a long conversation is compacted.");

const guardrails = z
  .strictObject({
    warnings: z.boolean().describe("Whether the model is warned when it repeats itself."),
    hardStops: z
      .enum(["unattended", "always", "never"])
      .describe(
        "Whether the next five guardrails may stop the model. `unattended`: only while no reader is connected. A chat that shows the turn's progress does not count.",
      ),
    sameFailure: Threshold.describe("The same call fails."),
    sameToolFailure: Threshold.describe("One tool fails, with any arguments."),
    noProgress: Threshold.describe("The same read-only call gives the same result."),
    identical: Threshold.describe("The same call gives the same result, several times in a row."),
    cycle: Threshold.describe("A cycle of two to four calls repeats."),
    unusable: count.describe(
      "Answers in a row without one runnable call (cut off, invalid JSON, unknown tool). Then the model is asked for a closing answer, even while a person watches. 0: never.",
    ),
    fruitless: count.describe(
      "Answers in a row whose calls failed or repeated an earlier result. Then the model is asked for a closing answer, even while a person watches. 0: never.",
    ),
    unvaried: count.describe(
      "Answers in a row whose calls differed but whose results, digits aside, did not. Then the model is asked for a closing answer, even while a person watches. 0: never.",
    ),
    caps: z.record(z.string(), count).describe("Calls of one tool in one turn, by tool name. 0: no limit."),
  })
  .describe("What counts as repetition, as `{warn, hard}`: warned at `warn`, stopped at `hard`; 0 switches one off.");

const budget = z
  .strictObject({
    sessionTokens: count.describe("Tokens of one session, its reviews included. 0: no limit."),
    sessionUsd: usd.describe("US dollars of one session, its reviews included. 0: no limit."),
    profileDayTokens: count.describe(
      "Tokens of all sessions of a profile on one UTC day, running turns and reviews included. 0: no limit.",
    ),
    profileDayUsd: usd.describe("US dollars of all sessions of a profile on one UTC day. 0: no limit."),
  })
  .describe("Hard limits, checked before each model call. Money counts only calls whose price is known.");

const models = z
  .strictObject({
    effort: z
      .partialRecord(z.string(), Effort)
      .describe(
        'How much a model reasons, by kind of work (turn, review, curation, compaction, title, approval, judge, vision, goal, plan, replay), such as `{"turn":"high","title":"none"}`. A model without that level gets the next lower one; `max` where it lacks `xhigh`.',
      ),
    prices: z
      .record(z.string(), Price)
      .describe(
        'US dollars per million tokens, by model, such as `{"openai:gpt-6-luna":{"input":0.1,"output":0.5}}`. Takes precedence over the catalog.',
      ),
    windows: z
      .record(z.string(), count.min(1_000))
      .describe(
        "Tokens of a model's window, by model. An unknown window counts as 200,000 until the server reports fewer. Ollama never reports it: set it here, and `OLLAMA_CONTEXT_LENGTH` on that server.",
      ),
    vision: z
      .record(z.string(), z.boolean())
      .describe(
        'Whether a model reads images, by model, such as `{"ollama:my-model":true}`. Takes precedence over the catalog. A model that is not known is sent none.',
      ),
    choices: z
      .array(z.string().trim().min(1).max(200))
      .max(50)
      .describe(
        'Models that a person may choose for a session, besides those of `TALARIA_MODEL`, as `<provider>:<model>`, such as `["anthropic:claude-opus-5"]`. Their providers need the same variables as in `TALARIA_MODEL`.',
      ),
    keyOrder: z
      .enum(["fill_first", "round_robin", "least_used"])
      .describe("Which of several keys is used: the first that works, each in turn, or the least used."),
  })
  .describe("What is known about models, by name.");

const images = z
  .strictObject({
    maxBytes: count.min(1).max(20_000_000).describe("Bytes of one image."),
    maxSide: count.min(1).max(16_384).describe("Pixels of an image's longer side."),
    maxPerMessage: count.min(1).max(100).describe("Images of one message."),
    maxPerRequest: count
      .min(1)
      .max(100)
      .describe("Images of one model call. When a conversation has more, the older half becomes sentences."),
    maxRequestBytes: count
      .min(1)
      .max(24_000_000)
      .describe("Bytes of all images of one model call, before they are encoded."),
    maxSessionBytes: count.min(1).describe("Bytes of all images of a session's messages."),
    model: z
      .string()
      .describe(
        "The model of `image_generate`, as `<provider>:<model>`: `openai` or a provider of `TALARIA_MODEL` that has OpenAI's images API. Empty: no such tool.",
      ),
  })
  .describe("Images of messages and tools.");

const review = z
  .strictObject({
    enabled: z.boolean().describe("Whether sessions are reviewed."),
    without: z.array(Trigger).describe('Triggers that are switched off, such as `["value"]`.'),
    afterModelCalls: count.describe(
      "Trigger `model_calls`: model calls with tools since the last skill review. 0: every turn.",
    ),
    minValue: ratio.describe(
      "Trigger `value`: minimum learning value of a turn; the next two settings must be met too.",
    ),
    minEntries: count.describe("Trigger `value`: entries since the last review."),
    minToolCalls: count.describe("Trigger `value`: tool calls since the last review."),
    memoryAfterTurns: count.min(1).describe("Trigger `memory_turns`: turns since memory was reviewed."),
    similarTurns: count.min(2).describe("Trigger `similar_turns`: similar successful turns that no skill covers."),
    cheaperShare: ratio.describe(
      "Trigger `cheaper`: a turn with a loaded skill used at least this share fewer calls than the best one before.",
    ),
    maxBacklog: count
      .min(1)
      .describe("Waiting reviews of a profile. Beyond that only corrections, ratings and `/refine` start new ones."),
    notice: z
      .enum(["off", "on", "verbose"])
      .describe("What the person reads about a review: nothing, one line, or one line with the start of each change."),
    prefix: z
      .enum(["auto", "never"])
      .describe(
        "`auto`: send the session's own request again where the provider has it cached. `never`: send a digest.",
      ),
    perSessionMs: ms.describe("Minimum time between two reviews of a session."),
    perProfileMs: ms.describe("Minimum time between two reviews of a profile."),
    maxSteps: count.min(1).describe("Model calls of a review."),
    runMs: ms.min(1_000).describe("A run longer than this stops and asks the queue for redelivery."),
    quietMs: ms.describe("A second delivery waits while the script has grown within this time."),
    maxFailures: count.min(1).describe("Failed runs before a review is given up."),
    grantTokens: count.describe("Tokens a review may use."),
    grantUsd: usd.describe("US dollars a review may spend. 0: no limit."),
    grantMs: ms.describe("How long the grant of a review is valid."),
    replayTokens: count.describe(
      "Tokens that experiments of a profile may use on one UTC day to try skills on earlier turns, unasked. 0: none are run.",
    ),
    keepDays: count.min(1).describe("How long the objects of a review are kept."),
    looksMs: z
      .array(ms)
      .min(1)
      .describe("Delays after which a session looks for the result and sends the job again. The last one repeats."),
    maxLooks: count.min(1).describe("Attempts to find the result before the session gives up."),
  })
  .describe("When a review starts, and what it may spend.");

const memory = z
  .strictObject({
    memoryChars: count.min(100).describe("Characters of the agent's notes in a prompt."),
    userChars: count.min(100).describe("Characters of what is known about the person in a prompt."),
    overlayMs: ms.describe("How long a session shows its own writes while KV may still return older values."),
    sweepDays: count.describe("Days after which the keys of a removed entry are deleted."),
    writeApproval: z.boolean().describe("Whether every memory write of the agent waits for a person's approval."),
    prefetchWaitMs: ms.describe("How long a turn waits for an external memory. 0: not at all."),
  })
  .describe("What the agent remembers.");

const skills = z
  .strictObject({
    indexTokens: count.min(100).describe("Tokens of the skills index in a prompt."),
    duplicateSimilarity: ratio.describe("Similarity of name and description at which a new skill is a duplicate."),
    duplicateBody: ratio.describe(
      "Similarity of their texts at which two skills are the same, whatever their names; see core/skills/search/body-similarity.ts.",
    ),
    recall: z
      .boolean()
      .describe("Whether a learned skill that has helped before is loaded unasked when a request clearly matches it."),
    swapMs: ms.describe("How long a lost compare-and-swap is retried."),
    maxFiles: count.min(1).describe("Files of one skill."),
    writeApproval: z.boolean().describe("Whether every skill write of the agent waits for a person's approval."),
    disabled: z.array(z.string()).describe("Names of skills that are hidden and refused."),
  })
  .describe("The skill library.");

const learning = z
  .strictObject({
    verdicts: z.boolean().describe("Whether verdicts change the state of a skill. Evidence is recorded either way."),
    failedWords: z
      .boolean()
      .describe("Whether loading a skill lists those of its words with which calls failed at its last use."),
    refutedUses: count
      .min(1)
      .describe(
        "Later uses that fail with such a word, or succeed without it, before its sentence is removed from a learned skill. A use in which the program named the word and the model changed only that word counts as one.",
      ),
    discount: ratio.describe("Factor on the weight of every earlier use when a new one is added."),
    priorWeight: z.number().min(0).describe("Weight of the prior, a success rate of one half."),
    parentShare: ratio.describe("Share of its predecessor's weight that a new text starts with."),
    activeSuccesses: count.min(1).describe("Judged successes on distinct tasks that a text needs to become active."),
    activeBetter: ratio.describe("Minimum probability of being better than without the skill, to become active."),
    activeWorse: ratio.describe("Or: maximum probability of being worse, together with `activeCalls`."),
    activeCalls: ratio.describe(
      "Maximum of calls, as a share of the calls without the skill, for a text that is not better.",
    ),
    withdrawWorse: ratio.describe("Probability of being worse at which a text is withdrawn."),
    withdrawStreak: count.min(1).describe("Judged failures in a row at which a text is withdrawn."),
    rateAlpha: ratio.describe("Weight of the newest use in the moving success rate."),
    rewriteUses: count.min(1).describe("Minimum of uses before a low success rate causes a rewrite."),
    rewriteRate: ratio.describe("Success rate below which a text is rewritten."),
    holdOut: ratio.describe("Share of sessions that work without learned skills, for comparison."),
  })
  .describe("How evidence becomes a verdict; see core/learning/evidence/verdict.ts.");

const curation = z
  .strictObject({
    staleDays: count.min(1).describe("Calendar days without use until a skill is stale."),
    staleActiveDays: count.describe("Minimum of those days on which the profile was active."),
    archiveDays: count.min(1).describe("Calendar days without use until a skill is archived."),
    archiveActiveDays: count.describe("Minimum of those days on which the profile was active."),
    leaseMs: ms.describe("How long a curation holds its lease on a profile."),
    pageProfiles: count.min(1).describe("Profiles of one curation message."),
    maxChanges: count.min(1).describe("Maximum of changes in one run. The next run makes the others."),
    checkDays: count.min(1).describe("Days between two runs of a skill's checks."),
    grantTokens: count.describe("Tokens one run may use."),
    grantUsd: usd.describe("US dollars one run may spend. 0: no limit."),
    keepDays: count.min(1).describe("How long plans, reports and merges are kept."),
    maxRequests: count.min(1).describe("Runs and rollbacks that a profile may request in an hour."),
  })
  .describe("The curator: ages, limits and what it may spend.");

const origin = z.string().refine((text) => {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`;
}, "must be an http or https origin without a path, such as http://localhost:8888");

const outbound = z
  .strictObject({
    allow: z
      .array(origin)
      .describe(
        'Exact origins that agents may reach although they are not public, such as `["http://192.168.1.5:8888"]`: scheme, host and port. Addresses of models and memory providers need no entry.',
      ),
    ports: z.array(z.int().min(1).max(65_535)).describe("Ports of public hosts, beside 80, 443, 8080 and 8443."),
  })
  .describe("What agents may reach beside public http and https addresses; see THREAT-MODEL.md.");
const service = z.strictObject({ apiBase: z.url({ protocol: /^https?$/ }).optional() });

const web = z
  .strictObject({
    search: z
      .enum(["auto", "brave", "tavily", "exa", "searxng"])
      .describe("The service of `web_search`. `auto`: the first of these whose variable is set."),
    brave: service.describe("`apiBase`: another server that speaks the API of Brave Search."),
    tavily: service.describe("`apiBase`: another server that speaks Tavily's API."),
    exa: service.describe("`apiBase`: another server that speaks Exa's API."),
    searxng: service.describe("`apiBase`: takes precedence over `SEARXNG_URL`."),
  })
  .describe("The web: which service searches it.");

const code = z
  .strictObject({
    sandbox: z
      .enum(["quickjs", "dynamic"])
      .describe(
        "Where `execute_code` runs. `quickjs`: an interpreter in the Worker, whose limits hold everywhere. `dynamic`: a Dynamic Worker for each run, faster, billed by the platform, and only where the binding `LOADER` exists; else QuickJS. Local servers do not limit a Dynamic Worker's computing: an endless loop stops the whole server.",
      ),
  })
  .describe("Code that the model writes.");

const approvals = z
  .strictObject({
    mode: ApprovalMode.describe(
      "Which commands on a real machine wait for a person's approval. `manual`: every one that no standing allowance covers. `rules`: those that a rule calls dangerous. `smart`: the model of the slot `approval` decides on those first. `off`: none. Some commands are refused in every mode. A profile may choose a stricter mode than the operator's.",
    ),
    breaker: count
      .min(0)
      .describe(
        "Refusals of the approval model in a row after which the agent is told to stop and report. A person's decisions do not count; an approval ends the row. 0: never.",
      ),
  })
  .describe("Approval of commands before they run.");

const tools = z
  .strictObject({
    only: ToolSettings.shape.only.unwrap().describe("Only these tools or toolsets are offered. `null`: all."),
    disabled: ToolSettings.shape.disabled.unwrap().describe("These are absent, whatever `only` says."),
  })
  .describe(
    "Which tools sessions get, by name or by toolset: `files`, `shell`, `code`, `web`, `browser`, `vision`, `skills`, `memory`, `recall`, `todo`, `asking`, `delegation`, `board`, `mcp-<server>`. A profile and a session may take away more.",
  );

const browsers = z
  .strictObject({
    origins: z
      .array(origin)
      .max(50)
      .describe(
        'Origins whose pages may use the API from a browser (CORS), such as `["https://chat.example.com"]`: scheme, host and port. Such a page may send credentials.',
      ),
    signInMs: ms
      .min(60_000)
      .max(400 * 86_400_000)
      .describe("How long a browser stays signed in. The time does not start again with use."),
  })
  .describe("Pages in browsers: which may use the API, and for how long they are signed in.");

const moving = z
  .strictObject({
    trustedDeployments: z
      .array(z.string().regex(/^[A-Za-z0-9_-]{43}$/, "a deployment's id is 43 base64url characters"))
      .max(20)
      .describe(
        "Ids of deployments whose exported profiles are believed in full: source labels, evidence, verdicts. `POST /v1/export` answers a deployment's own id, which it always trusts. Any other profile arrives as a person's import does.",
      ),
  })
  .describe("Whole profiles out and in (`talaria export`, `talaria import`).");

const publicUrl = z
  .union([z.literal(""), origin])
  .describe(
    "The scheme and host at which this deployment is reached, such as `https://talaria.example.com`: what messaging platforms are told, and what signatures over addresses are checked against. Empty: the variable `TALARIA_PUBLIC_URL`; without either, Telegram is polled by `npm start` and other platforms cannot reach the agent.",
  );

const privacy = z
  .strictObject({
    redactIds: z
      .boolean()
      .describe(
        "Whether ids of people and chats are replaced by hashes in what a model reads and in lists, on platforms where nothing needs them: Telegram, WhatsApp, Signal, LINE, Twilio.",
      ),
  })
  .describe("What is kept from models and lists.");

export const Settings = z.strictObject({
  publicUrl,
  turn,
  tools,
  delegation: DelegationSettings,
  board: BoardSettings,
  jobs: JobSettings,
  approvals,
  context,
  guardrails,
  budget,
  models,
  images,
  review,
  memory,
  skills,
  learning,
  curation,
  outbound,
  web,
  code,
  browsers,
  channels,
  webhooks,
  goals: GoalSettings,
  voice,
  privacy,
  moving,
  hub,
});
export type Settings = z.infer<typeof Settings>;

/** What an operator writes: any part of it. */
export const SettingsPatch = z.strictObject({
  publicUrl: publicUrl.optional(),
  turn: turn.partial().optional(),
  tools: tools.partial().optional(),
  delegation: DelegationSettings.partial().optional(),
  board: BoardSettings.partial().optional(),
  jobs: JobSettings.partial().optional(),
  approvals: approvals.partial().optional(),
  context: context.partial().optional(),
  guardrails: guardrails.partial().optional(),
  budget: budget.partial().optional(),
  models: models.partial().optional(),
  images: images.partial().optional(),
  review: review.partial().optional(),
  memory: memory.partial().optional(),
  skills: skills.partial().optional(),
  learning: learning.partial().optional(),
  curation: curation.partial().optional(),
  outbound: outbound.partial().optional(),
  web: web.partial().optional(),
  code: code.partial().optional(),
  browsers: browsers.partial().optional(),
  channels: channels.partial().optional(),
  webhooks: webhooks.partial().optional(),
  goals: GoalSettings.partial().optional(),
  voice: voice.partial().optional(),
  privacy: privacy.partial().optional(),
  moving: moving.partial().optional(),
  hub: hub.partial().optional(),
});
export type SettingsPatch = z.infer<typeof SettingsPatch>;
