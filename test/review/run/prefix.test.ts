// A review that continues from the session's own request. Its beginning matches the provider's cached prefix byte for byte, on
// every wire that caches. Only the review's tools may be called. The review does so only where the cache can serve it.
import { describe, expect, it } from "vitest";
import type { ModelRequest } from "../../../core/agent/contract.ts";
import { MAX_JOB_BYTES } from "../../../core/learning/review/job.ts";
import { DEFAULTS } from "../../../core/limits.ts";
import { toAnthropicBody } from "../../../core/models/wires/anthropic.ts";
import { toChatBody } from "../../../core/models/wires/openai-chat.ts";
import { findCompat } from "../../../core/models/wires/openai-compat.ts";
import { toResponsesBody } from "../../../core/models/wires/openai-responses.ts";
import { reviewPrompt } from "../../../core/prompts/review/review.ts";
import type { ReviewJob } from "../../../core/schemas/learning/review.ts";
import { seeds } from "../../../skills-seed/index.ts";
import { createReviewStore } from "../../../stores/reviews/review-store.ts";
import { type ScriptLine, createScriptedModel } from "../../support/wires/scripted-model.ts";
import { type HarnessOptions, PROFILE, createSessionHarness } from "../../support/session/session-harness.ts";
import { SKILL, SKILL_MD } from "../script.ts";
import { createWorld } from "../world.ts";

const CACHE = "a-cache";
const TURN: ScriptLine[] = [
  { calls: [{ name: "write_file", args: { path: "a.csv", content: "x;y\n1;2\n" } }] },
  { calls: [{ name: "terminal", args: { command: "cat nowhere.csv" } }] },
  { calls: [{ name: "terminal", args: { command: "cat a.csv" } }] },
  { text: "It says 1 and 2." },
];

interface Given extends Partial<Pick<HarnessOptions, "settings">> {
  cache?: string;
  text?: string;
  turn?: ScriptLine[];
}

/** A session that did some work, and the job of its review. */
async function work({ cache = CACHE, text = "What is in it?", turn = TURN, settings = {} }: Given = {}) {
  const scripted = createScriptedModel(turn);
  const model = cache === "" ? scripted : { ...scripted, cache };
  const harness = createSessionHarness({
    model,
    settings: { ...settings, review: { afterModelCalls: 0, ...settings.review } },
  });
  const life = harness.boot();
  await life.engine.create({ learning: "on", title: "" });
  expect(await life.engine.post({ text })).toMatchObject({ ok: true });
  await life.settled();
  const [message] = harness.sent;
  const job = await createReviewStore({ bucket: harness.bucket, profile: PROFILE }).job(message!.review);
  return { job: job!, requests: scripted.requests };
}

const LOOK: ScriptLine = { calls: [{ name: "skills_list", args: {} }] };

interface Reviewing {
  cache?: string;
  lines?: ScriptLine[];
  laterMs?: number;
  settings?: typeof DEFAULTS;
}

/** A world with its job. The reviewer answers by step, not counting the answers in the session's prefix. */
async function open(
  job: ReviewJob,
  { cache = CACHE, lines = [LOOK, { text: "Done." }], settings = DEFAULTS }: Reviewing = {},
) {
  const before = job.prefix?.messages.filter(({ role }) => role === "assistant").length ?? 0;
  const script: ScriptLine = (request) => {
    const answered = request.messages.filter(({ role }) => role === "assistant").length;
    const line = lines[request.system === job.prefix?.system ? answered - before : answered] ?? {
      text: "The script is over.",
    };
    return typeof line === "function" ? line(request) : line;
  };
  const world = await createWorld(
    Array.from({ length: 50 }, () => script),
    { job: { ...job, model: "scripted:test" }, cache, settings, seeds },
  );
  return { world, message: { v: 1, profile: PROFILE, review: job.review } };
}

async function review(job: ReviewJob, reviewing: Reviewing = {}) {
  const { world, message } = await open(job, reviewing);
  world.clock.advance(reviewing.laterMs ?? 0);
  const process = world.start();
  expect(await process.deliver(message)).toEqual({ act: "ack" });
  return { requests: process.model.requests, result: await world.reviews.outcome(job.review), calls: process.calls() };
}

const WIRES: [string, (request: ModelRequest) => object][] = [
  ["Anthropic", (request) => toAnthropicBody(request, "claude-sonnet-5-5")],
  ["OpenAI's Responses", (request) => toResponsesBody(request, "gpt-6.1-terra")],
  [
    "OpenAI's Chat Completions",
    (request) => toChatBody(request, "gpt-6.1-terra", findCompat("https://api.openai.com/v1")),
  ],
];

/** The body without cache marks: they say where the cached prefix ends and are not part of it. */
function toBytes(body: object): string {
  return JSON.stringify(body).replaceAll(',"cache_control":{"type":"ephemeral"}', "");
}

/** Tools and system first, as a provider reads them, then the messages. */
function toReadOrder(body: Record<string, unknown>): string {
  const { tools, system, messages = [], input = [], prompt_cache_key: key } = body;
  return toBytes([key ?? null, tools, system ?? null, ...(messages as unknown[]), ...(input as unknown[])]).slice(
    0,
    -1,
  );
}

describe("a review of a session whose request is cached", () => {
  it.each(WIRES)("begins with that request byte for byte on the wire of %s", async (_, toBody) => {
    const { job, requests } = await work();
    const reviewed = await review(job);
    const sent = toReadOrder(toBody(requests.at(-1)!) as Record<string, unknown>);
    for (const request of reviewed.requests) {
      const read = toReadOrder(toBody(request) as Record<string, unknown>);
      expect(read.startsWith(sent)).toBe(true);
    }
  });

  it("reads most of its first request from the cache", async () => {
    const { job, requests } = await work();
    const { requests: asked } = await review(job);
    const size = (request: ModelRequest) =>
      toReadOrder(toAnthropicBody(request, "m") as unknown as Record<string, unknown>).length;
    const cached = size(requests.at(-1)!);
    expect(cached / size(asked[0]!)).toBeGreaterThan(0.5);
    // The second request also reuses what the first one added.
    expect(size(asked[0]!) / size(asked[1]!)).toBeGreaterThan(0.9);
  });

  it("gets the whole policy and a list of what may be cited", async () => {
    const { job } = await work();
    const { requests } = await review(job);
    const text = requests[0]!.messages.at(-1)!.text;
    for (const section of reviewPrompt(job)
      .split("\n\n")
      .filter((part) => part.startsWith("## "))) {
      expect(text).toContain(section);
    }
    const lines = text.split("\n").filter((line) => /^- \d+#/.test(line));
    expect(lines).toEqual([
      `- 1#principal: the person: "What is in it?"`,
      expect.stringContaining(`- 2#own: the agent: "write_file`),
      expect.stringContaining(`- 3#outcome: ok: "write_file`),
      expect.stringContaining(`- 4#own: the agent: "terminal`),
      expect.stringMatching(new RegExp(`^- 5#outcome, 5#content: failed: "terminal`)),
      expect.stringContaining(`- 6#own: the agent: "terminal`),
      expect.stringMatching(new RegExp(`^- 7#outcome, 7#content: ok: "terminal`)),
      `- 8#own: the agent: "It says 1 and 2."`,
    ]);
  });

  it("writes with its citations, and may call only the review's tools", async () => {
    const { job } = await work();
    const lines: ScriptLine[] = [
      { calls: [{ name: "terminal", args: { command: "ls" } }] },
      {
        calls: [
          {
            name: "skill_manage",
            args: {
              ...{ action: "create", name: SKILL, content: SKILL_MD },
              citations: ["5#outcome", "7#outcome"],
            },
          },
        ],
      },
      { text: "Kept." },
    ];
    const { result, requests } = await review(job, { lines });
    expect(requests[0]!.tools.map(({ name }) => name)).toContain("terminal");
    expect(result).toMatchObject({
      lessons: [{ skill: SKILL }],
      refused: [{ tool: "terminal", code: "unknown_tool" }],
    });
  });

  it("shows a skill that the session loaded once more, and then allows changes to it", async () => {
    const view = { calls: [{ name: "skill_view", args: { name: "using-the-workspace" } }] };
    const { job } = await work({ turn: [view, ...TURN] });
    const { requests } = await review(job, { lines: [view, { text: "Done." }] });
    expect(requests[1]!.messages.at(-1)!.text).toContain("## ");
  });

  it("continues from it in a later delivery, even if the cache has expired since", async () => {
    const { job } = await work();
    const whole = await review(job);
    const { world, message } = await open(job);
    expect(await world.start({ atCall: whole.calls - 8, afterwards: true }).deliver(message)).toBe("killed");
    world.clock.advance(DEFAULTS.turn.cacheTtlMs);
    const second = world.start();
    expect(await second.deliver(message)).toEqual({ act: "ack" });
    expect(second.model.requests).toEqual(whole.requests.slice(-second.model.requests.length));
    expect(second.model.requests.length).toBeGreaterThan(0);
  });
});

describe("a review sends a digest instead", () => {
  const isDigest = (requests: ModelRequest[]) => requests[0]!.messages.length === 1;

  it("when the session's requests are not cached, or the operator disabled the prefix", async () => {
    const without = await work({ cache: "" });
    const never = await work({ settings: { review: { prefix: "never" } } });
    expect([without.job.prefix, never.job.prefix]).toEqual([undefined, undefined]);
    const { job } = await work();
    expect(isDigest((await review(job)).requests)).toBe(false);
    const settings = { ...DEFAULTS, review: { ...DEFAULTS.review, prefix: "never" as const } };
    expect(isDigest((await review(job, { settings })).requests)).toBe(true);
  });

  it("when the review's model uses another cache, or the cache has expired", async () => {
    const { job } = await work();
    expect(isDigest((await review(job, { cache: "another" })).requests)).toBe(true);
    const { cacheTtlMs } = DEFAULTS.turn;
    expect(isDigest((await review(job, { laterMs: cacheTtlMs })).requests)).toBe(true);
  });

  it("when the request contains a secret; the request is then not stored", async () => {
    const key = `sk-ant-api03-${"aB3".repeat(12)}`;
    const { job } = await work({ text: `Use ${key}.` });
    expect([job.prefix, JSON.stringify(job).includes(key)]).toEqual([undefined, false]);
  });

  it("when the request is too long to be stored with the entries", async () => {
    const content = "word ".repeat(190_000);
    const long: ScriptLine = { calls: [{ name: "write_file", args: { path: "b.txt", content } }] };
    const { job } = await work({ turn: [long, ...TURN] });
    expect(job.prefix).toBeUndefined();
    expect(JSON.stringify(job).length).toBeLessThan(MAX_JOB_BYTES);
  });

  it("when the request is so long that reading it from the cache at each step costs more", async () => {
    const { job } = await work();
    const earlier = { role: "user" as const, text: "What was said before. ".repeat(5_000) };
    const prefix = { ...job.prefix!, messages: [earlier, ...job.prefix!.messages] };
    expect(isDigest((await review({ ...job, prefix })).requests)).toBe(true);
  });
});
