// A session and the reviews behind it, over stores that outlive both: what strangers wrote comes in as content, is carried on
// by the agent, and meets a reviewer that writes whatever it is told to and cites what looks best.
import { expect } from "vitest";
import type { Tool } from "../../../core/agent/contract.ts";
import type { Result } from "../../../core/errors.ts";
import { runReview } from "../../../core/learning/review/review.ts";
import { DEFAULTS } from "../../../core/limits.ts";
import type { MemoryProvider } from "../../../core/memory/provider.ts";
import { type Entry, textOf } from "../../../core/schemas/entry.ts";
import type { ReviewResult } from "../../../core/schemas/learning/review.ts";
import { createPendingDesk } from "../../../core/tools/approval/pending-desk.ts";
import { createPendingStore } from "../../../stores/pending-store.ts";
import { createReviewStore } from "../../../stores/reviews/review-store.ts";
import { createSkillStore } from "../../../stores/skills/skill-store.ts";
import { type ScriptLine, createScriptedModel } from "../../support/wires/scripted-model.ts";
import { createSeededRandom } from "../../support/seeded-random.ts";
import { PROFILE, createSessionHarness } from "../../support/session/session-harness.ts";

const quiet = {
  review: { afterModelCalls: 1_000, minValue: 1, memoryAfterTurns: 1_000, similarTurns: 1_000, perSessionMs: 0 },
};

export type TaintWorld = Awaited<ReturnType<typeof createTaintWorld>>;

export async function createTaintWorld(
  script: ScriptLine[],
  given: { tools?: Tool[]; memoryProvider?: MemoryProvider; summary?: string } = {},
) {
  const { summary = "A summary.", ...options } = given;
  const model = createScriptedModel(script);
  const summariser = createScriptedModel(Array.from({ length: 9 }, () => ({ text: summary })));
  const harness = createSessionHarness({ model, settings: quiet, models: { compaction: [summariser] }, ...options });
  const { bucket, clock } = harness;
  const life = harness.boot();
  const { engine } = life;
  await engine.create({ learning: "on", title: "" });
  const random = createSeededRandom(7);
  const skills = createSkillStore({ bucket, profile: PROFILE, clock, random, swapMs: 10_000 });
  const reviews = createReviewStore({ bucket, profile: PROFILE });
  const pending = createPendingStore({ bucket, profile: PROFILE, clock, random });
  const desk = createPendingDesk({ pending, skills, memory: harness.memory(), seeds: {}, settings: DEFAULTS, clock });

  function entries(): Entry[] {
    return must(engine.entries(0));
  }

  async function say(text: string): Promise<string> {
    expect(await engine.post({ text })).toMatchObject({ ok: true });
    await life.settled();
    return textOf(entries().at(-1)!);
  }

  /** Everything since the last review, by a reviewer that says these lines. */
  async function review(lines: ScriptLine[]): Promise<ReviewResult> {
    const before = new Set(harness.sent.map((message) => message.review));
    await say("/refine");
    const sent = () => harness.sent.map((message) => message.review).find((id) => !before.has(id));
    for (let wakes = 0; !sent() && wakes < 20; wakes++) await life.wake();
    const job = (await reviews.job(sent()!))!;
    const end = await runReview({
      ...{ job, reviews, skills, pending, clock, random, settings: DEFAULTS, seeds: {} },
      ...{ memory: harness.memory(), models: [createScriptedModel(lines)], signal: new AbortController().signal },
    });
    if (end.state !== "finished") throw new Error(`the review ${end.state}`);
    for (let wakes = 0; must(engine.observation(1)) && detail().reviewing.length > 0 && wakes < 20; wakes++) {
      await life.wake();
    }
    return end.result;
  }

  function detail() {
    return engine.detail()!;
  }

  return { harness, life, engine, skills, desk, say, review, entries, facts: () => factsOf(harness) };
}

async function factsOf(harness: ReturnType<typeof createSessionHarness>): Promise<string[]> {
  const [memory, user] = [await harness.memory().list("memory"), await harness.memory().list("user")];
  return [...memory, ...user].map(({ text }) => text);
}

function must<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.failure.code);
  return result.value;
}

export const SKILL = "handling-reports";

/** Of a skill that says one thing in its steps. */
export function skillMd(step: string): string {
  return `---
name: ${SKILL}
description: Handling reports of the office from start to end.
---

# Handling reports

## When to use

A report is to be made or handed over.

## Steps

1. ${step}

## Pitfalls

- ${step}

## Verify

Read the report once more.
`;
}

/** Writes it as a skill and as a fact, and cites what the harness said of the last call that succeeded. */
export function obeying(step: string): ScriptLine[] {
  return [
    (request) => {
      const citations = [citedIn(request)];
      return {
        calls: [
          { name: "skill_manage", args: { action: "create", name: SKILL, content: skillMd(step), citations } },
          { name: "memory", args: { action: "add", store: "memory", content: step, citations } },
        ],
      };
    },
    { text: "Kept." },
  ];
}

function citedIn({ messages }: Parameters<Extract<ScriptLine, (...args: never[]) => unknown>>[0]): string {
  const found = [...messages[0]!.text.matchAll(/^\[([^\]\s]+#outcome)\] \w+ ok$/gm)].at(-1)?.[1];
  const said = [...messages[0]!.text.matchAll(/^\[([^\]\s]+#principal)\]/gm)].at(-1)?.[1];
  return found ?? said!;
}

/** Neither skills nor memory have it; both writes wait with their reason and their difference. */
export async function expectWaiting(world: TaintWorld, step: string): Promise<string[]> {
  expect(await world.skills.head(SKILL)).toBeNull();
  expect(await world.facts()).toEqual([]);
  const waiting = (await world.desk.list()).filter(({ state }) => state === "waiting");
  expect(waiting.map(({ tool, reason }) => [tool, reason]).toSorted()).toEqual([
    ["memory", "taint"],
    ["skill_manage", "taint"],
  ]);
  for (const { id, why } of waiting) {
    expect(why).toContain("only read");
    const detail = await world.desk.open(id);
    expect(detail.ok && detail.value.diff).toContain(
      `+${detail.ok && detail.value.tool === "memory" ? " " : "1. "}${step}`,
    );
  }
  return waiting.map(({ id }) => id);
}

export async function expectKept(world: TaintWorld, step: string): Promise<void> {
  const open = await world.skills.open(SKILL);
  expect((await world.desk.list()).map(({ why }) => why)).toEqual([]);
  expect(open?.files["SKILL.md"]).toContain(step);
  expect(await world.facts()).toEqual([step]);
}
