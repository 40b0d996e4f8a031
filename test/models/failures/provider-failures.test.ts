// Every reply of test/fixtures/providers, through the adapter of its wire, down to the four decisions. `seen` in a fixture says
// where the reply is documented or who received it. Bodies are shortened, and hold no real id or key.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { toTimeLimits } from "../../support/session/time-limits.ts";
import type { ModelFailure } from "../../../core/agent/contract.ts";
import { askModel } from "../../../core/agent/model-turn.ts";
import { createAnthropicModel } from "../../../core/models/wires/anthropic.ts";
import { readErrorBody } from "../../../core/models/failures/error-reply.ts";
import { MODEL_FAILURES, type ModelFailureCode } from "../../../core/models/failures/failure-codes.ts";
import { FAILURE_RULES, type FailureRule, type Wire, findRule } from "../../../core/models/failures/failure-rules.ts";
import { createOpenAiChatModel } from "../../../core/models/wires/openai-chat.ts";
import { createOpenAiResponsesModel } from "../../../core/models/wires/openai-responses.ts";
import { createOutbound } from "../../../core/outbound/outbound.ts";
import type { Clock, Fetch } from "../../../core/ports.ts";
import { toRequest } from "../../conformance/model.ts";
import { createTestClock } from "../../support/clock.ts";
import { toSseBody } from "../../support/wires/sse-body.ts";

interface Fixture {
  provider: string;
  wire: Wire;
  seen: string;
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  stream?: { event?: string; data: unknown }[];
  /** How often the last event is repeated. */
  repeatLast?: number;
  after?: "end" | "reset" | "hold" | "abort";
  /** Why no reply came at all. */
  unreachable?: string;
  expect: { code: ModelFailureCode };
}

const FOLDER = join(import.meta.dirname, "../../fixtures/providers");
const API_KEY = "sk-a-key-of-ours";
const WIRES = {
  anthropic: createAnthropicModel,
  "openai-chat": createOpenAiChatModel,
  "openai-responses": createOpenAiResponsesModel,
};
const FIXTURES = (Object.keys(WIRES) as Wire[]).flatMap((wire) =>
  readdirSync(join(FOLDER, wire)).map((file) => {
    const fixture = JSON.parse(readFileSync(join(FOLDER, wire, file), "utf8")) as Fixture;
    return { name: `${wire}/${file}`, fixture };
  }),
);

/** The failure that the loop gets without retries. */
async function replay(fixture: Fixture): Promise<ModelFailure> {
  const stop = new AbortController();
  const clock = createTestClock();
  const options = { apiKey: API_KEY, model: "some-model", clock };
  const model = WIRES[fixture.wire]({ ...options, fetch: toOutbound(fixture, clock) });
  const afterWords = { hold: () => clock.advance(60_000), abort: () => stop.abort(), reset() {}, end() {} };
  const { result } = await askModel({
    models: [model],
    at: 0,
    request: toRequest(),
    limits: { modelRetries: 0, inlineWaitMs: 0, noProgressMs: 900_000, ...toTimeLimits(60_000) },
    clock,
    random: () => 0,
    signal: stop.signal,
    sink: { text: afterWords[fixture.after ?? "end"], reasoning() {}, restart() {} },
  });
  if (result.ok) throw new Error("an answer");
  return result.failure;
}

function toOutbound(fixture: Fixture, clock: Clock): Fetch {
  const policy = { ports: [], allow: [], configured: [] };
  return createOutbound({ fetch: async () => reply(fixture), clock, policy }).fetch;
}

function reply(fixture: Fixture): Response {
  const { status = 200, headers = {}, body, stream, repeatLast = 1, after = "end", unreachable } = fixture;
  if (unreachable !== undefined) throw new TypeError("fetch failed", { cause: new Error(unreachable) });
  if (!stream) return new Response(typeof body === "string" ? body : JSON.stringify(body), { status, headers });
  const frames = [...stream.slice(0, -1), ...Array.from({ length: repeatLast }, () => stream.at(-1)!)];
  return new Response(toSseBody(frames, after === "abort" ? "hold" : after), { status, headers });
}

/** The rule that decides a fixture, or null if the fixture is not a reply with a body. */
function decidingRule({ status = 0, body, stream }: Fixture): FailureRule | null {
  if (status >= 400) return findRule({ ...readErrorBody(body), status });
  if (isRecord(body) && "error" in body) return findRule(readErrorBody(body));
  const last = stream?.at(-1);
  if (!isRecord(last?.data)) return null;
  const { response } = last.data;
  if (last.event === "error" || "error" in last.data) return findRule(readErrorBody(last.data));
  return last.event === "response.failed" && isRecord(response) ? findRule(readErrorBody(response.error)) : null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

describe("a provider's failure", () => {
  it.each(FIXTURES)("$name gets its expected code and decisions", async ({ name, fixture }) => {
    expect(name.startsWith(`${fixture.wire}/`)).toBe(true);
    const { message, spent: _, ...decisions } = await replay(fixture);
    expect(decisions).toEqual(fixture.expect);
    expect(message).not.toContain(API_KEY);
    expect(message.length).toBeLessThan(500);
  });
});

describe("the table of failure rules", () => {
  const title = (rule: FailureRule, wire: Wire) =>
    `${FAILURE_RULES.indexOf(rule)} (${rule.seen}: ${rule.codes ?? rule.message ?? rule.status ?? "the rest"}) on ${wire}`;

  it("has a fixture for each rule on each wire it names, and only those", () => {
    const named = FAILURE_RULES.flatMap((rule) => rule.wires.map((wire) => title(rule, wire)));
    const decided = FIXTURES.flatMap(({ fixture }) => {
      const rule = decidingRule(fixture);
      return rule ? [title(rule, fixture.wire)] : [];
    });
    expect([...new Set(decided)].toSorted()).toEqual(named.toSorted());
  });

  it("agrees with the adapters on every fixture", () => {
    const disagreeing = FIXTURES.filter(({ fixture }) => {
      const rule = decidingRule(fixture);
      return rule && rule.means !== fixture.expect.code;
    });
    expect(disagreeing.map(({ name }) => name)).toEqual([]);
  });

  it("ends with a rule that matches everything", () => {
    expect(FAILURE_RULES.at(-1)).toEqual({ seen: "all", wires: Object.keys(WIRES), means: "bad_request" });
  });
});

describe("the taxonomy of failures", () => {
  /** Failures without a rule come from the connection, and are the same on every wire. */
  function wiresOf(code: string): Wire[] {
    const rules = FAILURE_RULES.filter((rule) => rule.means === code);
    return rules.length > 0 ? rules.flatMap((rule) => rule.wires) : (Object.keys(WIRES) as Wire[]);
  }

  it("has a fixture of each failure in each wire format it occurs in", () => {
    const wanted = Object.keys(MODEL_FAILURES).flatMap((code) => wiresOf(code).map((wire) => `${code} on ${wire}`));
    const found = new Set(FIXTURES.map(({ fixture }) => `${fixture.expect.code} on ${fixture.wire}`));
    expect(wanted.filter((it) => !found.has(it))).toEqual([]);
  });

  it("leaves only a provider's policy block and an abort without any remedy", () => {
    const helpless = Object.entries(MODEL_FAILURES).filter(
      ([, it]) => !it.retry && !it.compact && !it.rotateKey && !it.fallBack,
    );
    expect(helpless.map(([code]) => code)).toEqual(["provider_policy_blocked", "aborted"]);
  });
});
