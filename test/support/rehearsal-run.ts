// An environment for a model: one profile's skills and memory over doubles, sessions with the real tools and loop, and the real
// review of their logs. Used by the tests of the rehearsal model and of the demo's data.
import type { Journal, Model } from "../../core/agent/contract.ts";
import { runLoop } from "../../core/agent/loop.ts";
import { defaultGrant, toReviewJob } from "../../core/learning/review/job.ts";
import { runReview } from "../../core/learning/review/review.ts";
import { ok } from "../../core/errors.ts";
import { DEFAULTS } from "../../core/limits.ts";
import { renderMemoryBlock } from "../../core/memory/block.ts";
import { joinSections, promptSections } from "../../core/prompts/index.ts";
import { type Entry, type TurnStats, promptTokens } from "../../core/schemas/entry.ts";
import { dayOf } from "../../core/schemas/ids.ts";
import type { ReviewResult } from "../../core/schemas/learning/review.ts";
import { createWorkspace, migrateWorkspace } from "../../core/workspace/workspace.ts";
import { renderSkillIndex } from "../../core/skills/index-block.ts";
import { createLibrary } from "../../core/skills/library.ts";
import { createTools } from "../../core/tools/index.ts";
import { createQuickJsSandbox } from "../../core/sandbox/quickjs-code.ts";
import { textOrEmpty } from "../../core/schemas/file-body.ts";

import { seeds } from "../../skills-seed/index.ts";
import { createMemoryStore } from "../../stores/memory-store.ts";
import { createPendingStore } from "../../stores/pending-store.ts";
import { createReviewStore } from "../../stores/reviews/review-store.ts";
import { systemClock } from "../../stores/platform/system-clock.ts";
import { createSkillStore } from "../../stores/skills/skill-store.ts";
import { createTestClock } from "./clock.ts";
import { quickjs } from "./quickjs.ts";
import { createMemoryBucket } from "./bindings/memory-bucket.ts";
import { createMemoryKv } from "./bindings/memory-kv.ts";
import { createNodeSql } from "./bindings/node-sql.ts";
import { createSeededRandom } from "./seeded-random.ts";

export const PROFILE = "0123456789abcdefghjkmnpqrs";

export interface Session {
  entries: Entry[];
  text: string;
  stats: TurnStats;
  promptTokens: number;
  /** Tool names in call order. A failed call's name ends in `!`. */
  calls: string[];
  /** The texts of the workspace's files by path, at the end. */
  files: Record<string, string>;
}

export type Desk = ReturnType<typeof createDesk>;

export function createDesk(model: Model) {
  const clock = createTestClock();
  const random = createSeededRandom(1);
  const bucket = createMemoryBucket({ clock });
  const skills = createSkillStore({ bucket, profile: PROFILE, clock, random, swapMs: 1_000 });
  const memory = createMemoryStore({ kv: createMemoryKv({ clock }), profile: PROFILE, clock, overlayMs: 0 });
  const reviews = createReviewStore({ bucket, profile: PROFILE });
  let sessions = 0;

  /** Runs one session with one task: its files and its request. Without learning, only the bundled skills exist. */
  async function work(request: string, files: Record<string, string>, learning = true): Promise<Session> {
    const session = sessionId(++sessions);
    const sql = createNodeSql();
    migrateWorkspace(sql);
    const { maxFileBytes, maxWorkspaceBytes } = DEFAULTS.turn;
    const workspace = createWorkspace({ sql, clock, maxFileBytes, maxBytes: maxWorkspaceBytes });
    for (const [path, text] of Object.entries(files)) {
      const put = workspace.putAsPrincipal(path, new TextEncoder().encode(text));
      if (!put.ok) throw new Error(put.failure.message);
    }
    const store = learning ? skills : null;
    const library = createLibrary({ store, seeds });
    const tools = createTools({
      workspace,
      library,
      skills: store,
      memory: learning ? memory : null,
      origin: "foreground",
      sandbox: createQuickJsSandbox({ module: quickjs, clock: systemClock }),
      session,
      clock,
      settings: DEFAULTS,
    });
    const remembered = learning
      ? renderMemoryBlock(await memory.list("memory"), await memory.list("user"), DEFAULTS)
      : "";
    const sections = promptSections({
      tools: tools.map((tool) => tool.name),
      skillsBlock: renderSkillIndex(await library.lines(), DEFAULTS.skills.indexTokens),
      memoryBlock: remembered,
      day: dayOf(clock.now()),
    });
    const system = joinSections(sections);
    const { journal, entries } = createRecorder(request);
    const end = await runLoop({
      models: [model],
      tools,
      journal,
      system,
      history: [{ role: "user", text: request }],
      limits: { ...DEFAULTS.turn, maxSteps: 30 },
      cacheKey: session,
      clock,
      random,
      signal: new AbortController().signal,
    });
    const texts = workspace.list().map(({ path }) => [path, workspace.readText(path)?.text ?? ""]);
    sql.close();
    if (end.state !== "done") throw new Error(`the turn ended ${end.state}: ${JSON.stringify(end)}`);
    const calls = entries.flatMap((entry) =>
      entry.kind === "tool" ? [entry.call.name + (entry.failed ? "!" : "")] : [],
    );
    return {
      entries,
      text: end.text,
      stats: end.stats,
      promptTokens: promptTokens(end.stats.usage),
      calls,
      files: Object.fromEntries(texts),
    };
  }

  /** Runs the review of the last session. */
  async function review({ entries }: Session): Promise<ReviewResult> {
    const job = toReviewJob({
      profile: PROFILE,
      session: sessionId(sessions),
      decision: { trigger: "value", skills: true, memory: true },
      from: 1,
      to: entries.length,
      entries,
      observations: [],
      model: model.name,
      grant: defaultGrant(DEFAULTS, clock.now()),
      now: clock.now(),
    });
    await reviews.putJob(job);
    const signal = new AbortController().signal;
    const end = await runReview({
      job,
      reviews,
      skills,
      memory,
      pending: createPendingStore({ bucket, profile: PROFILE, clock, random }),
      seeds,
      models: [model],
      clock,
      random,
      settings: DEFAULTS,
      signal,
    });
    if (end.state !== "finished") throw new Error(`the review ended ${end.state}: ${JSON.stringify(end)}`);
    return end.result;
  }

  /** The text of a skill; `undefined` if it does not exist or is archived. */
  async function skillText(name: string): Promise<string | undefined> {
    const found = await skills.open(name);
    return found && found.head.state !== "archived" ? textOrEmpty(found.files["SKILL.md"]) : undefined;
  }

  /** Stores a skill as a person would, with the name and description from its front matter. */
  async function putSkill(name: string, text: string, description: string): Promise<void> {
    const next = {
      files: { "SKILL.md": text },
      description,
      category: "data",
      state: "active",
      origin: "user",
    } as const;
    const change = { name, op: `put-${name}-${++sessions}`, since: 0, decide: () => ok({ ...next, citations: [] }) };
    const done = await skills.change(change);
    if (!done.ok) throw new Error(done.failure.message);
  }

  return { work, review, skillText, putSkill, memory, skills };
}

function sessionId(n: number): string {
  return `01J${String(n).padStart(23, "0")}`;
}

/** Records a turn as a session's log would. */
function createRecorder(request: string): { journal: Journal; entries: Entry[] } {
  const base = () => ({ v: 1 as const, n: entries.length + 1, turn: 1, at: 0 });
  const entries: Entry[] = [];
  entries.push({ ...base(), kind: "user", parts: [{ source: "principal", text: request }] });
  const journal: Journal = {
    parallel: false,
    async answer(_step, ask) {
      const outcome = await ask({ text() {}, reasoning() {}, restart() {} });
      if (!outcome.ok) return outcome;
      const { text, ...answer } = outcome.value;
      entries.push({ ...base(), kind: "assistant", parts: text ? [{ source: "own", text }] : [], answer });
      return ok({ value: outcome.value, entry: entries.length });
    },
    async call(step, index, { call, prepare, run }) {
      const prepared = (await prepare?.()) ?? {};
      const result = await run({ op: `op-${step}-${index}`, prepared, entry: entries.length + 1 });
      entries.push({ ...base(), kind: "tool", state: "done", call, step, prepared, ...result });
      return { value: result, entry: entries.length };
    },
  };
  return { journal, entries };
}
