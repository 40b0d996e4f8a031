// What a person has changed of the operator's settings: each is in force from the next turn on, and gone with `null`. A profile that has
// changed nothing works with the operator's own object.
import { describe, expect, test } from "vitest";
import { ok } from "../../../core/errors.ts";
import type { Preferences } from "../../../core/schemas/profile/preferences.ts";
import { noProfileSettings } from "../../../core/schemas/profile/settings.ts";
import { renderParts } from "../../../core/agent/tool-result.ts";
import { textOf } from "../../../core/schemas/entry.ts";
import type { TurnRequest } from "../../../core/session/context.ts";
import { createReviewStore } from "../../../stores/reviews/review-store.ts";
import { createSkillStore } from "../../../stores/skills/skill-store.ts";
import { PROFILE } from "../../support/session/session-harness.ts";
import { creation } from "../../support/skills/skills.ts";
import { createScriptedModel, type ScriptLine } from "../../support/wires/scripted-model.ts";
import { type SessionOptions, createScriptedSession, must, quiet } from "../../support/session/scripted-session.ts";

const DONE: ScriptLine = { text: "Done." };
const WRITE: ScriptLine = { calls: [{ name: "write_file", args: { path: "a.txt", content: "x" } }] };

/** A session of a person who has set these. They travel with each message, as the API sends them. */
async function setUp(own: Preferences, script: ScriptLine[], options: SessionOptions = {}) {
  const owner = noProfileSettings();
  const set = (preferences: Preferences) => {
    owner.rev++;
    owner.sections.preferences = { ...preferences } as typeof owner.sections.preferences;
  };
  if (Object.keys(own).length > 0) set(own);
  const model = createScriptedModel(script);
  const session = await createScriptedSession([], {
    ...{ model, settings: quiet },
    readProfileSettings: async () => structuredClone(owner),
    ...options,
  });
  return {
    ...session,
    ...{ model, owner, set },
    async say(text: string) {
      const { rev } = owner;
      must(await session.engine.post({ text, ...(rev > 0 && { settingsRev: rev }) }));
      await session.life.settled();
    },
    codes: () => session.entries().flatMap((entry) => (entry.kind === "notice" ? [entry.code] : [])),
    tools: () => model.requests.at(-1)!.tools.map(({ name }) => name),
    sentReviews: () => session.sent.length,
  };
}

describe("a person's model", () => {
  const withModels = () => {
    const other = createScriptedModel([DONE, DONE], { name: "a:other" });
    const offered = ["scripted:test", other.name];
    const models = (model: ReturnType<typeof createScriptedModel>) => ({
      modelChoices: () => offered,
      models: (_slot: unknown, first?: string) => ok<[typeof model]>(first === other.name ? [other] : [model]),
    });
    return { other, offered, models };
  };

  test("answers in sessions that have chosen none, from the next turn on", async () => {
    const { other, models } = withModels();
    const model = createScriptedModel([DONE, DONE]);
    const { say, set, engine } = await setUp({ model: other.name }, [], { model, host: models(model) });
    await say("Hello.");
    expect([model.requests.length, other.requests.length]).toEqual([0, 1]);
    await engine.change({ model: "scripted:test" }, 0);
    await say("Hello.");
    await engine.change({ model: null }, 0);
    set({});
    await say("Hello.");
    expect([model.requests.length, other.requests.length]).toEqual([2, 1]);
  });

  test("that the operator has withdrawn is not missed: the default answers", async () => {
    const { other, offered, models } = withModels();
    const model = createScriptedModel([DONE]);
    const { say } = await setUp({ model: other.name }, [], { model, host: models(model) });
    offered.pop();
    await say("Hello.");
    expect([model.requests.length, other.requests.length]).toEqual([1, 0]);
  });
});

test("a person's effort and personality go with each request, where the session has none of its own", async () => {
  const { say, model, engine } = await setUp({ "models.effort.turn": "high", personality: "teacher" }, [DONE, DONE]);
  await say("Hello.");
  await engine.change({ effort: "low", personality: "concise" }, 0);
  await say("Hello.");
  expect(model.requests.map(({ effort }) => effort)).toEqual(["high", "low"]);
  expect(model.requests[0]!.system).not.toBe(model.requests[1]!.system);
  const plain = await setUp({}, [DONE]);
  await plain.say("Hello.");
  expect(model.requests[0]!.system).not.toBe(plain.model.requests[0]!.system);
});

test("with learning off, a session that was created with it has neither memory nor reviews, and has them again afterwards", async () => {
  const settings = { review: { ...quiet.review, afterModelCalls: 0 } };
  const { say, tools, set, engine, sentReviews } = await setUp({ learning: "off" }, [DONE, DONE], { settings });
  await say("Hello.");
  expect([tools().includes("memory"), engine.detail()?.learning, sentReviews()]).toEqual([false, "off", 0]);
  await engine.change({ title: "Renamed" }, 0);
  set({});
  await say("Hello.");
  expect([tools().includes("memory"), engine.detail()?.learning, sentReviews()]).toEqual([true, "on", 1]);
});

test("a person's `turn.busy` decides what a message does to a running turn", async () => {
  const busy = async (own: Preferences) => {
    let finish = () => {};
    const until = new Promise<void>((resolve) => (finish = resolve));
    const { engine, life, owner, say } = await setUp(own, [DONE, { text: "Slow.", until }, DONE, DONE]);
    await say("First.");
    const rev = owner.rev > 0 ? { settingsRev: owner.rev } : {};
    must(await engine.post({ text: "Second.", ...rev }));
    must(await engine.post({ text: "Third.", ...rev }));
    finish();
    await life.settled();
    return engine.detail()?.turns.find(({ n }) => n === 3)?.state;
  };
  expect(await busy({})).toBe("done");
  expect(await busy({ "turn.busy": "steer" })).toBe("steered");
});

test("without `turn.titles` no model names the session", async () => {
  const settings = { ...quiet, turn: { titles: true } };
  const asked = async (own: Preferences) => {
    const titles = createScriptedModel([{ text: "A title" }]);
    const { say } = await setUp(own, [DONE], { settings, models: { title: [titles] } });
    await say("Hello.");
    return titles.requests.length;
  };
  expect([await asked({}), await asked({ "turn.titles": false })]).toEqual([1, 0]);
});

describe("a person's limits end a turn", () => {
  const costs = { cost: { usdMicros: 600_000, source: "catalog" as const } };
  const script = [{ ...WRITE, ...costs }, { ...WRITE, ...costs }, DONE, DONE];
  test.each([
    ["turn.maxTokens", 20, "turn_budget_spent"],
    ["turn.maxUsd", 1, "turn_budget_spent"],
    ["budget.sessionTokens", 20, "session_budget_spent"],
    ["budget.sessionUsd", 1, "session_budget_spent"],
  ] as const)("%s", async (name, limit, code) => {
    const limited = await setUp({ [name]: limit }, script);
    await limited.say("Go.");
    expect(limited.codes()).toContain(code);
    const free = await setUp({}, script);
    await free.say("Go.");
    expect(textOf(free.entries().at(-1)!)).toBe("Done.");
  });

  test("turn.maxSteps", async () => {
    const { say, model } = await setUp({ "turn.maxSteps": 1 }, script);
    await say("Go.");
    expect(model.requests.length).toBe(2); // the step, and the closing summary
  });

  test.each([
    ["budget.profileDayTokens", 99, { tokens: 99, usdMicros: 0 }],
    ["budget.profileDayUsd", 2, { tokens: 0, usdMicros: 2_000_000 }],
  ] as const)("%s, by what the Account is asked for", async (name, limit, day) => {
    const asked: TurnRequest[] = [];
    const reserveTurn = async (request: TurnRequest) => (asked.push(request), null);
    const { say, codes } = await setUp({ [name]: limit }, [DONE], { account: { reserveTurn } });
    await say("Go.");
    expect([asked.map((request) => request.day), codes()]).toEqual([[day], ["profile_budget_spent"]]);
  });
});

describe("a person's patience", () => {
  const parkedFor = async (own: Preferences, call: ScriptLine) => {
    const { say, engine, owner } = await setUp(own, [call, DONE]);
    owner.rev++;
    owner.sections.policies.ask = { hook: "pre_tool_call", tool: "write_file", decision: "ask" } as never;
    await say("Go.");
    const { since, until } = engine.detail()!.turns[0]!.parked!;
    return until - since;
  };
  test("for an answer to a question is `turn.clarifyMs`", async () => {
    const clarify = { calls: [{ name: "clarify", args: { question: "Red?", choices: ["yes", "no"] } }] };
    expect(await parkedFor({ "turn.clarifyMs": 5_000 }, clarify)).toBe(5_000);
  });
  test("for an approval is `turn.approvalMs`", async () => {
    expect(await parkedFor({ "turn.approvalMs": 7_000 }, WRITE)).toBe(7_000);
  });
});

describe("a person's strictness about reviews", () => {
  const everyTurn = { review: { ...quiet.review, afterModelCalls: 0 } };
  const byValue = { review: { ...quiet.review, minValue: 0, minEntries: 0, minToolCalls: 0 } };
  const ofMemory = { review: { ...quiet.review, memoryAfterTurns: 1 } };
  test.each([
    [{ "review.enabled": false }, everyTurn],
    [{ "review.without": ["model_calls"] }, everyTurn],
    [{ "review.afterModelCalls": 500 }, everyTurn],
    [{ "review.minValue": 1 }, byValue],
    [{ "review.memoryAfterTurns": 500 }, ofMemory],
  ] as [Preferences, SessionOptions["settings"]][])(
    "%j begins none where the operator's would",
    async (own, settings) => {
      const run = async (preferences: Preferences) => {
        const { say, sentReviews } = await setUp(preferences, [WRITE, DONE], { settings });
        await say("Go.");
        return sentReviews();
      };
      expect([await run({}), await run(own)]).toEqual([1, 0]);
    },
  );

  test("travels in the job: what waits for approval, and how much is told", async () => {
    const own: Preferences = { "skills.writeApproval": true, "review.notice": "verbose", "turn.busy": "steer" };
    const jobOf = async (preferences: Preferences) => {
      const { say, bucket, sent } = await setUp(preferences, [DONE], { settings: everyTurn });
      await say("Go.");
      return createReviewStore({ bucket, profile: PROFILE }).job(sent[0]!.review);
    };
    expect((await jobOf(own))!.preferences).toEqual({ "skills.writeApproval": true, "review.notice": "verbose" });
    expect(await jobOf({})).not.toHaveProperty("preferences");
  });
});

test("a person's `memory.writeApproval` and `skills.writeApproval` let the agent's writes wait", async () => {
  const remember = { calls: [{ name: "memory", args: { action: "add", store: "user", content: "Likes tea." } }] };
  const section = (name: string) => `## ${name}\n\nBoil water first.\n`;
  const sections = ["When to use", "Steps", "Pitfalls", "Verify"].map(section).join("\n");
  const skill = `---\nname: brew-tea\ndescription: Brews tea when somebody asks for a cup of it.\n---\n# Tea\n\n${sections}`;
  const learn = { calls: [{ name: "skill_manage", args: { action: "create", name: "brew-tea", content: skill } }] };
  const results = async (own: Preferences) => {
    const { say, entries } = await setUp(own, [remember, learn, DONE]);
    await say("I like tea.");
    const shown = entries().flatMap((entry) => (entry.kind === "tool" ? [renderParts(entry.parts)] : []));
    return shown.map((text) => JSON.parse(text).pending !== undefined);
  };
  expect(await results({})).toEqual([false, false]);
  expect(await results({ "memory.writeApproval": true, "skills.writeApproval": true })).toEqual([true, true]);
});

test("a person's `skills.recall` keeps a skill that fits from being loaded unasked", async () => {
  const ask = "Please export the ledger of March for our auditors.";
  const body =
    "---\nname: ledgers\ndescription: Exporting a ledger for the auditors.\n---\n\nPass `--encoding latin1`.\n";
  const recalled = async (own: Preferences) => {
    const { say, bucket, clock, model } = await setUp(own, [DONE]);
    const skills = createSkillStore({ bucket, profile: PROFILE, clock, random: () => 0.5, swapMs: 1_000 });
    const more = { description: "Exporting a ledger for the auditors.", state: "active", origin: "review" } as const;
    await skills.change(creation("ledgers", body, "op", more));
    await skills.noteUse({ ledgers: { uses: 2, successes: 2, failures: 0, lastUsedDay: "2026-01-01" } });
    await say(ask);
    return JSON.stringify(model.requests[0]!.messages).includes("latin1");
  };
  expect([await recalled({}), await recalled({ "skills.recall": false })]).toEqual([true, false]);
});

test("a profile that has set nothing has the operator's own settings, unread", async () => {
  let reads = 0;
  const { say } = await setUp({}, [DONE], {
    readProfileSettings: async () => (reads++, noProfileSettings()),
  });
  await say("Hello.");
  expect(reads).toBe(0);
});
