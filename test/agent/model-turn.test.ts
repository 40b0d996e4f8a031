// One model call with its retries: waits, keys, other models, and what its reader receives.
import { describe, expect, it } from "vitest";
import { DEFAULTS } from "../../core/limits.ts";
import { toTimeLimits } from "../support/session/time-limits.ts";
import type {
  AnswerSink,
  Message,
  Model,
  ModelChain,
  ModelEvent,
  ModelFailure,
  ModelRequest,
} from "../../core/agent/contract.ts";
import { type AskOptions, askModel } from "../../core/agent/model-turn.ts";
import { type Answer, NO_USAGE } from "../../core/schemas/entry.ts";
import { toRequest } from "../conformance/model.ts";
import { type TestClock, createTestClock } from "../support/clock.ts";

const NOTHING = { retry: false, compact: false, rotateKey: false, fallBack: false };
const toFailure = (code: string, change: Partial<ModelFailure> = {}): ModelFailure => ({
  ...{ code, message: `${code}.`, ...NOTHING },
  ...change,
});
const LIMITED = toFailure("rate_limit", { retry: true, rotateKey: true, fallBack: true });
const BUSY = toFailure("overloaded", { retry: true, fallBack: true });
const WRONG_KEY = toFailure("auth", { rotateKey: true, fallBack: true });
const OVERFLOW = toFailure("context_overflow", { compact: true, fallBack: true });
const MISSING = toFailure("model_missing", { fallBack: true });
const REFUSED = toFailure("provider_policy_blocked");

const SPENT = { model: "a", usage: { ...NO_USAGE, input: 9 } };

type Reply = string | ModelFailure | "…silence";
const SILENCE = "…silence";

interface World {
  clock: TestClock;
  /** Everything that happened, in order: `<model>`, `key <model>`, `wait <ms>`, and what the sink received. */
  seen: string[];
  requests: ModelRequest[];
  stop: AbortController;
  model(name: string, replies: Reply[], keys?: number): Model;
  ask(models: ModelChain, change?: Partial<AskOptions>): ReturnType<typeof askModel>;
}

function createWorld(): World {
  const test = createTestClock();
  const seen: string[] = [];
  const requests: ModelRequest[] = [];
  const stop = new AbortController();
  const clock: TestClock = {
    ...test,
    sleep(ms, signal) {
      if (!signal) return settle();
      if (ms < 100_000) seen.push(`wait ${ms}`);
      return test.sleep(ms, signal);
    },
  };
  const sink: AnswerSink = {
    text: (delta) => seen.push(`text ${delta}`),
    reasoning: (delta) => seen.push(`reasoning ${delta}`),
    restart: (failure) => {
      const spent = failure.spent ? `, ${failure.spent.usage.input} tokens` : "";
      seen.push(`restart ${failure.code}${spent}`);
    },
  };
  return {
    clock,
    seen,
    requests,
    stop,
    model(name, replies, keys = 1) {
      const left = [...replies];
      let keysLeft = keys;
      return {
        name,
        contextWindow: 200_000,
        async *stream(request, signal): AsyncGenerator<ModelEvent> {
          seen.push(name);
          requests.push(request);
          const reply = left.shift() ?? "The script is over.";
          if (typeof reply !== "string") return yield { type: "failed", failure: reply };
          yield { type: "text_delta", text: reply };
          if (reply === SILENCE) {
            await new Promise((resolve) => signal.addEventListener("abort", resolve));
            return yield { type: "failed", failure: { ...toFailure("aborted"), spent: SPENT } };
          }
          yield { type: "done", answer: toAnswer(reply, name) };
        },
        ...(keys > 1 && {
          rotateKey(failure: ModelFailure) {
            seen.push(`key ${name} ${failure.code}`);
            return --keysLeft > 0;
          },
        }),
      };
    },
    ask: (models, change = {}) =>
      askModel({
        models,
        at: 0,
        request: toRequest(),
        limits: { modelRetries: 3, inlineWaitMs: 20_000, noProgressMs: 900_000, ...toTimeLimits(120_000) },
        clock,
        random: () => 0.5,
        signal: stop.signal,
        sink,
        ...change,
      }),
  };
}

const toAnswer = (text: string, model: string): Answer => ({ text, calls: [], stop: "end", usage: NO_USAGE, model });

describe("a model call", () => {
  it("returns the answer of the first model", async () => {
    const { model, ask, seen } = createWorld();
    expect(await ask([model("a", ["Yes."])])).toEqual({ result: { ok: true, value: toAnswer("Yes.", "a") }, at: 0 });
    expect(seen).toEqual(["a", "text Yes."]);
  });

  it("begins with the requested model", async () => {
    const { model, ask } = createWorld();
    expect(await ask([model("a", []), model("b", ["Yes."])], { at: 1 })).toMatchObject({ at: 1, result: { ok: true } });
  });

  it("waits longer before each retry, with jitter, up to the limit of retries", async () => {
    const { model, ask, seen } = createWorld();
    const { result, at } = await ask([model("a", [BUSY, BUSY, BUSY, BUSY])]);
    expect({ result, at }).toEqual({ result: { ok: false, failure: BUSY }, at: 0 });
    const restart = "restart overloaded";
    expect(seen).toEqual(["a", restart, "wait 2500", "a", restart, "wait 5000", "a", restart, "wait 10000", "a"]);
  });

  it("waits as long as the provider says", async () => {
    const { model, ask, seen } = createWorld();
    await ask([model("a", [{ ...BUSY, retryAfterMs: 7_000 }, "Yes."])]);
    expect(seen).toEqual(["a", "restart overloaded", "wait 7000", "a", "text Yes."]);
  });

  it("leaves a wait that is too long to the caller", async () => {
    const { model, ask, seen } = createWorld();
    const failure = { ...LIMITED, retryAfterMs: 20_001 };
    expect(await ask([model("a", [failure])])).toEqual({ result: { ok: false, failure }, at: 0 });
    expect(seen).toEqual(["a"]);
  });

  it("prefers the next model to a long wait", async () => {
    const { model, ask, seen } = createWorld();
    const chain: ModelChain = [model("a", [{ ...BUSY, retryAfterMs: 60_000 }]), model("b", ["Yes."])];
    expect(await ask(chain)).toMatchObject({ at: 1, result: { ok: true } });
    expect(seen).toEqual(["a", "restart overloaded", "b", "text Yes."]);
  });

  it("falls back after the retries, and gives each model retries of its own", async () => {
    const { model, ask, seen } = createWorld();
    const chain: ModelChain = [model("a", [BUSY, BUSY]), model("b", [BUSY, BUSY]), model("c", ["Yes."])];
    const limits = { modelRetries: 1, inlineWaitMs: 20_000, noProgressMs: 900_000, ...toTimeLimits(120_000) };
    expect(await ask(chain, { limits })).toMatchObject({ at: 2 });
    expect(seen.filter((line) => !line.startsWith("restart"))).toEqual([
      ...["a", "wait 2500", "a", "b", "wait 2500", "b", "c", "text Yes."],
    ]);
  });

  it("falls back at once if waiting does not help", async () => {
    const { model, ask, seen } = createWorld();
    await ask([model("a", [MISSING]), model("b", ["Yes."])]);
    expect(seen).toEqual(["a", "restart model_missing", "b", "text Yes."]);
  });

  it("does not fall back if every model must refuse", async () => {
    const { model, ask, seen } = createWorld();
    expect(await ask([model("a", [REFUSED]), model("b", ["Yes."])])).toEqual({
      result: { ok: false, failure: REFUSED },
      at: 0,
    });
    expect(seen).toEqual(["a"]);
  });

  it("ends with the failure that passes soonest if the last model fails permanently", async () => {
    const { model, ask } = createWorld();
    const later = { ...BUSY, retryAfterMs: 60_000 };
    const sooner = { ...LIMITED, retryAfterMs: 30_000 };
    const chain: ModelChain = [model("a", [later]), model("b", [sooner]), model("c", [MISSING])];
    expect(await ask(chain)).toEqual({ result: { ok: false, failure: sooner }, at: 2 });
  });

  it("reports each charge once: with the retry, or with the end", async () => {
    const { model, ask, seen } = createWorld();
    const charged = (failure: ModelFailure, input: number): ModelFailure => ({
      ...failure,
      spent: { model: "m", usage: { ...NO_USAGE, input } },
    });
    const busy = charged({ ...BUSY, retryAfterMs: 60_000 }, 7);
    const missing = charged(MISSING, 5);
    expect(await ask([model("a", [busy]), model("b", [missing])])).toEqual({
      result: { ok: false, failure: { ...busy, spent: missing.spent } },
      at: 1,
    });
    expect(seen).toEqual(["a", "restart overloaded, 7 tokens", "b"]);
  });

  it("retries an empty answer twice at once, then calls the next model, and reports each cost", async () => {
    const { model, ask, seen } = createWorld();
    const chain: ModelChain = [model("a", ["", " \n", ""]), model("b", ["Yes."])];
    expect(await ask(chain)).toMatchObject({ at: 1, result: { ok: true } });
    const restart = "restart empty_answer, 0 tokens";
    expect(seen).toEqual(["a", "text ", restart, "a", "text  \n", restart, "a", "text ", restart, "b", "text Yes."]);
    expect(await ask([model("c", ["", "", "", "Too late."])])).toEqual({
      at: 0,
      result: {
        ok: false,
        failure: {
          ...toFailure("empty_answer", { fallBack: true, spent: { model: "c", usage: NO_USAGE } }),
          message: "c gave an empty answer. Ask again, or in other words.",
        },
      },
    });
  });

  it("returns an overflow at once, with the model that the conversation must fit", async () => {
    const { model, ask, seen } = createWorld();
    const chain: ModelChain = [model("a", [MISSING]), model("b", [OVERFLOW, "Yes."]), model("c", ["Yes."])];
    expect(await ask(chain)).toEqual({ result: { ok: false, failure: OVERFLOW }, at: 1 });
    expect(seen).toEqual(["a", "restart model_missing", "b"]);
  });
});

describe("several keys of a model", () => {
  it("are rotated at once if one is wrong", async () => {
    const { model, ask, seen } = createWorld();
    await ask([model("a", [WRONG_KEY, WRONG_KEY, "Yes."], 3)]);
    expect(seen).toEqual([...["a", "key a auth", "restart auth", "a", "key a auth", "restart auth", "a", "text Yes."]]);
  });

  it("get a second try each at a rate limit", async () => {
    const { model, ask, seen } = createWorld();
    await ask([model("a", [LIMITED, LIMITED, LIMITED, "Yes."], 2)]);
    const restart = "restart rate_limit";
    expect(seen).toEqual([
      ...["a", restart, "wait 2500", "a", "key a rate_limit", restart, "a", restart, "wait 5000", "a", "text Yes."],
    ]);
  });

  it("get none if the limit lasts longer than the longest wait", async () => {
    const { model, ask, seen } = createWorld();
    await ask([model("a", [{ ...LIMITED, retryAfterMs: 60_000 }, "Yes."], 2)]);
    expect(seen).toEqual(["a", "key a rate_limit", "restart rate_limit", "a", "text Yes."]);
  });

  it("give way to the next model if no key is left", async () => {
    const { model, ask, seen } = createWorld();
    const allRest = { ...LIMITED, rotateKey: false, retryAfterMs: 3_600_000 };
    await ask([model("a", [WRONG_KEY, WRONG_KEY, allRest], 2), model("b", ["Yes."])]);
    expect(seen.filter((line) => !line.startsWith("restart"))).toEqual([
      ...["a", "key a auth", "a", "key a auth", "a", "b", "text Yes."],
    ]);
  });

  it("report when the first is available, if all are suspended and there is no other model", async () => {
    const { model, ask } = createWorld();
    const allRest = { ...LIMITED, rotateKey: false, retryAfterMs: 3_600_000 };
    expect(await ask([model("a", [WRONG_KEY, LIMITED, LIMITED, allRest], 2)])).toEqual({
      result: { ok: false, failure: allRest },
      at: 0,
    });
  });

  it("are not rotated endlessly by a provider that restores each key before it refuses the next", async () => {
    const { model, ask, seen } = createWorld();
    const chain: ModelChain = [model("a", Array(100).fill(WRONG_KEY), Infinity), model("b", ["Yes."])];
    expect(await ask(chain)).toMatchObject({ at: 1 });
    expect(seen.filter((line) => line === "a")).toHaveLength(33);
  });
});

describe("native parts", () => {
  const history: Message[] = [
    { role: "user", text: "Hi" },
    { role: "assistant", text: "Hello", calls: [], native: { wire: "w", data: ["signed"] } },
    { role: "user", text: "?" },
  ];
  const UNSIGNED = toFailure("native_refused", { fallBack: true, dropNative: true });

  it("are left out, once, if a provider refuses them; the request itself stays unchanged", async () => {
    const { model, ask, requests, seen } = createWorld();
    const request = toRequest({ messages: history });
    const kept = structuredClone(request);
    expect(await ask([model("a", [UNSIGNED, "Yes."])], { request })).toMatchObject({ result: { ok: true } });
    expect(seen).toEqual(["a", "restart native_refused", "a", "text Yes."]);
    const { native: _, ...bare } = history[1] as Extract<Message, { role: "assistant" }>;
    expect(requests[1]).toEqual({ ...request, messages: [history[0], bare, history[2]] });
    expect(request).toEqual(kept);
  });

  it("are not blamed if there are none: the next model is called, without them", async () => {
    const { model, ask, requests } = createWorld();
    const chain: ModelChain = [model("a", [UNSIGNED, UNSIGNED]), model("b", ["Yes."])];
    expect(await ask(chain, { request: toRequest({ messages: history }) })).toMatchObject({ at: 1 });
    expect(requests).toHaveLength(3);
    expect(JSON.stringify(requests[2])).not.toContain("signed");
  });
});

describe("a model's stream", () => {
  it("that is silent for too long is cut and retried, and the sink drops its text", async () => {
    const { model, ask, seen, clock } = createWorld();
    const asked = ask([model("a", [SILENCE, "Yes."])]);
    await settle();
    clock.advance(119_999);
    await settle();
    expect(seen).toEqual(["a", "text …silence"]);
    clock.advance(1);
    expect(await asked).toMatchObject({ result: { ok: true, value: { text: "Yes." } } });
    expect(seen).toEqual(["a", "text …silence", "restart stream_stalled, 9 tokens", "wait 2500", "a", "text Yes."]);
  });

  it("that keeps sending is not cut, however long it takes", async () => {
    const { ask, clock } = createWorld();
    const slow: Model = {
      name: "slow",
      contextWindow: 200_000,
      async *stream() {
        for (let minute = 0; minute < 10; minute++) {
          clock.advance(60_000);
          await settle();
          yield { type: "reasoning_delta", text: "Hm." };
        }
        yield { type: "done", answer: toAnswer("Yes.", "slow") };
      },
    };
    expect(await ask([slow])).toMatchObject({ result: { ok: true } });
  });

  it("that shows activity without events is not cut until the activity ends too", async () => {
    const { ask, clock } = createWorld();
    const writing: Model = {
      name: "writing",
      contextWindow: 200_000,
      async *stream(_request, signal, noteActivity) {
        for (let minute = 0; minute < 10; minute++) {
          clock.advance(60_000);
          noteActivity!();
          await settle();
        }
        clock.advance(120_000);
        await settle();
        yield { type: "done", answer: toAnswer("too late", "writing") };
      },
    };
    const limits = { modelRetries: 0, inlineWaitMs: 20_000, noProgressMs: 900_000, ...toTimeLimits(120_000) };
    expect(await ask([writing], { limits })).toMatchObject({
      result: { ok: false, failure: { code: "stream_stalled" } },
    });
  });

  it("is closed if it was cut, even an endless one", async () => {
    const { ask, clock } = createWorld();
    let wasAborted = false;
    const deaf: Model = {
      name: "deaf",
      contextWindow: 200_000,
      stream: (_, signal) => ({
        [Symbol.asyncIterator]: () => ({
          next: () => {
            signal.addEventListener("abort", () => (wasAborted = true));
            return new Promise<never>(() => undefined);
          },
        }),
      }),
    };
    const limits = { modelRetries: 0, inlineWaitMs: 20_000, noProgressMs: 900_000, ...toTimeLimits(120_000) };
    const asked = ask([deaf], { limits });
    await settle();
    clock.advance(120_000);
    expect(await asked).toEqual({
      result: {
        ok: false,
        failure: toFailure("stream_stalled", {
          message: "deaf sent nothing for 120 seconds. If it needs longer, raise turn.firstByteMs in TALARIA_SETTINGS.",
          retry: true,
          fallBack: true,
        }),
      },
      at: 0,
    });
    expect(wasAborted).toBe(true);
  });

  it.each([
    ["ends without an answer", [] as ModelEvent[], "stream_cut", true],
    ["throws", null, "model_crashed", false],
  ])("that %s is reported as a failure", async (_, events, code, retry) => {
    const { ask } = createWorld();
    const odd: Model = {
      name: "odd",
      contextWindow: 200_000,
      async *stream() {
        if (!events) throw new Error("a bug");
        yield* events;
      },
    };
    const limits = { modelRetries: 0, inlineWaitMs: 20_000, noProgressMs: 900_000, ...toTimeLimits(120_000) };
    expect(await ask([odd], { limits })).toMatchObject({
      result: { ok: false, failure: { code, retry, fallBack: true } },
    });
  });
});

describe("a server that processes a prompt for minutes", () => {
  const { turn } = DEFAULTS;
  const toSlow = (silentMs: number, isOwn: boolean, clock: TestClock): Model => ({
    ...{ name: "slow", contextWindow: 200_000, isOwn },
    async *stream(_request, signal) {
      await clock.sleep(silentMs, signal);
      if (signal.aborted) return yield { type: "failed", failure: toFailure("aborted") };
      yield { type: "text_delta", text: "Yes." };
      yield { type: "done", answer: toAnswer("Yes.", "slow") };
    },
  });
  /** How long the calls waited, in minutes, and how they ended. */
  async function waitFor(silentMs: number, isOwn: boolean, noProgressMs = turn.noProgressMs) {
    const { ask, clock } = createWorld();
    const began = clock.now();
    let waits = 0;
    const sink = { text() {}, reasoning() {}, restart() {}, noteWaiting: () => void waits++ };
    const asked = ask([toSlow(silentMs, isOwn, clock)], { limits: { ...turn, inlineWaitMs: 0, noProgressMs }, sink });
    let ended = false;
    void asked.finally(() => (ended = true));
    while (!ended) {
      await settle();
      if (!ended) clock.advance(30_000);
    }
    return { result: (await asked).result, minutes: Math.round((clock.now() - began) / 60_000), waits };
  }

  it("is waited for by default if the operator owns it, and the wait is noted with the turn", async () => {
    const { result, minutes, waits } = await waitFor(5 * 60_000, true);
    expect(result).toMatchObject({ ok: true });
    expect([minutes, waits >= 2]).toEqual([5, true]);
    expect((await waitFor(20 * 60_000, true)).result).toMatchObject({ ok: true });
  });

  it("reports its wait before the turn would be given up, however soon that is", async () => {
    expect((await waitFor(5 * 60_000, true, 60_000)).waits).toBeGreaterThanOrEqual(5);
  });

  it("is given up sooner if it is not the operator's, with the name of the setting", async () => {
    const { result, minutes } = await waitFor(5 * 60_000, false);
    expect(result).toMatchObject({ ok: false, failure: { code: "stream_stalled" } });
    expect(!result.ok && result.failure.message).toContain("turn.firstByteMs");
    expect(minutes).toBe(3);
  });

  it("gets a timeout half as long again at each retry", async () => {
    const { ask, clock, seen } = createWorld();
    const began = clock.now();
    const starts: number[] = [];
    const slow: Model = {
      ...{ name: "slow", contextWindow: 200_000 },
      async *stream(_request, signal) {
        starts.push(clock.now() - began);
        await clock.sleep(60 * 60_000, signal);
        yield { type: "failed", failure: toFailure("aborted") };
      },
    };
    const asked = ask([slow], { limits: { ...turn, modelRetries: 2 } });
    let ended = false;
    void asked.finally(() => (ended = true));
    while (!ended) {
      await settle();
      if (!ended) clock.advance(1_000);
    }
    const limits = [...starts, clock.now() - began].map((at, i, all) => at - (all[i - 1] ?? 0)).slice(1);
    expect(limits.map((ms) => Math.floor(ms / 10_000) * 10)).toEqual([180, 270, 400]);
    expect(seen.filter((line) => line.startsWith("restart"))).toHaveLength(2);
  });
});

describe("the limit of an answer's length", () => {
  const overflow = (sizes: Partial<ModelFailure>) => toFailure("context_overflow", { compact: true, ...sizes });

  it("is the room that the prompt leaves in the window", async () => {
    const { ask, requests, model } = createWorld();
    const small = { ...model("a", ["Yes."]), contextWindow: 8_192 };
    await ask([small], { request: toRequest({ maxOutputTokens: 16_000 }), promptTokens: 4_000 });
    expect(requests[0]!.maxOutputTokens).toBe(8_192 - 4_400 - 64);
  });

  it("is reduced to the room that a refusal names, and the conversation stays unchanged", async () => {
    const { ask, requests, model } = createWorld();
    const refusal = overflow({ window: 8_192, promptTokens: 4_000 });
    const answered = await ask([model("a", [refusal, "Yes."])], { request: toRequest({ maxOutputTokens: 16_000 }) });
    expect(answered.result.ok).toBe(true);
    expect(requests.map((request) => request.maxOutputTokens)).toEqual([16_000, 8_192 - 4_000 - 8]);
  });

  it("is halved a few times if the refusal does not name the prompt's length", async () => {
    const { ask, requests, model } = createWorld();
    const refusals = Array.from({ length: 9 }, () => overflow({ window: 64_000 }));
    const failed = await ask([model("a", refusals)], { request: toRequest({ maxOutputTokens: 16_000 }) });
    expect(failed.result).toMatchObject({ ok: false, failure: { compact: true } });
    expect(requests.map((request) => request.maxOutputTokens)).toEqual([16_000, 8_000, 4_000, 2_000]);
  });

  it("is at most what the refusal says this model's answers may be", async () => {
    const { ask, requests, model } = createWorld();
    const limit = (maxOutputTokens: number) => toFailure("answer_limit", { fallBack: true, maxOutputTokens });
    const answered = await ask([model("a", [limit(4_096), "Yes."])], {
      request: toRequest({ maxOutputTokens: 16_000 }),
    });
    expect(answered.result.ok).toBe(true);
    expect(requests.map((request) => request.maxOutputTokens)).toEqual([16_000, 4_096]);
    const failed = await ask([model("b", [limit(16_000)])], { request: toRequest({ maxOutputTokens: 16_000 }) });
    expect(failed.result).toMatchObject({ ok: false, failure: { code: "answer_limit" } });
  });

  it("is not changed if the prompt alone is too long", async () => {
    const { ask, requests, model } = createWorld();
    await ask([model("a", [overflow({ window: 8_192, promptTokens: 9_000 })])]);
    expect(requests).toHaveLength(1);
  });
});

describe("a prompt far longer than a known window", () => {
  const toLong = (chars: number) => toRequest({ messages: [{ role: "user", text: "word ".repeat(chars / 5) }] });

  it("is not sent, because a server may cut it silently", async () => {
    const { ask, requests, model } = createWorld();
    const known = { ...model("a", ["Yes."]), contextWindow: 4_096, isWindowKnown: true };
    const asked = await ask([known], { request: toLong(50_000) });
    expect(asked.result).toMatchObject({
      ok: false,
      failure: { code: "context_overflow", compact: true, retry: false, message: expect.stringContaining("4096") },
    });
    expect(requests).toEqual([]);
  });

  it("is sent if the estimate may be wrong, or the window is a guess", async () => {
    const { ask, requests, model } = createWorld();
    const known = { ...model("a", ["Yes."]), contextWindow: 4_096, isWindowKnown: true };
    expect((await ask([known], { request: toLong(25_000) })).result.ok).toBe(true);
    const guessed = { ...model("b", ["Yes."]), contextWindow: 4_096 };
    expect((await ask([guessed], { request: toLong(50_000) })).result.ok).toBe(true);
    expect(requests).toHaveLength(2);
  });
});

describe("stopping a model call", () => {
  it("ends a stream at once, without a retry or another model", async () => {
    const { model, ask, seen, stop } = createWorld();
    const asked = ask([model("a", [SILENCE]), model("b", ["Yes."])]);
    await settle();
    stop.abort();
    expect(await asked).toEqual({ result: { ok: false, failure: { ...toFailure("aborted"), spent: SPENT } }, at: 0 });
    expect(seen).toEqual(["a", "text …silence"]);
  });

  it("ends a wait", async () => {
    const { model, ask, stop, clock } = createWorld();
    const waiting: TestClock = {
      ...clock,
      async sleep(ms, signal) {
        if (ms < 100_000) stop.abort();
        return clock.sleep(ms, signal);
      },
    };
    expect(await ask([model("a", [BUSY, "Yes."])], { clock: waiting })).toMatchObject({
      at: 0,
      result: { ok: false, failure: { code: "aborted", retry: false } },
    });
  });
});

/** Runs everything that does not wait for time. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
