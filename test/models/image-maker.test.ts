// Images by OpenAI's images API, against a local replica of it over real HTTP.
import { type IncomingMessage, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEFAULTS } from "../../core/limits.ts";
import { createImageMaker } from "../../core/models/image-maker.ts";
import { findImageApi } from "../../core/models/routing.ts";
import { createOutbound } from "../../core/outbound/outbound.ts";
import { systemClock } from "../../stores/platform/system-clock.ts";
import { makePng } from "../support/images.ts";

const PNG = makePng(1_024, 1_024);
const KEY = "sk-proj-a-key-of-ours";
const SIGNAL = new AbortController().signal;

let origin = "";
let requests: { path: string | undefined; key: string | undefined; body: any }[] = [];
let next: { status?: number; body: unknown } = { body: {} };

async function read(request: IncomingMessage): Promise<any> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return pieces.length === 0 ? null : JSON.parse(Buffer.concat(pieces).toString());
}

/** Refuses what OpenAI refuses. */
function findProblem(body: any): string | null {
  if (!["1024x1024", "1536x1024", "1024x1536", "auto"].includes(body.size)) return "Invalid value for 'size'.";
  if ("response_format" in body) return "Unknown parameter: 'response_format'.";
  return null;
}

const server = createServer((request, response) => {
  void read(request).then((body) => {
    if (request.url === "/made.png") return response.writeHead(200, { "content-type": "image/png" }).end(PNG);
    requests.push({ path: request.url, key: request.headers.authorization, body });
    const problem = body.model.startsWith("gpt-image") ? findProblem(body) : null;
    const { status = 200, body: answer } = problem ? { status: 400, body: { error: { message: problem } } } : next;
    response.writeHead(status, { "content-type": "application/json" });
    return response.end(typeof answer === "string" ? answer : JSON.stringify(answer));
  });
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

function make(model: string, aspect: "square" | "landscape" = "square", settings = DEFAULTS) {
  requests = [];
  const policy = { ports: [], allow: [], configured: [origin] };
  const outbound = createOutbound({ fetch: (...asked) => fetch(...asked), clock: systemClock, policy });
  const api = { name: model, model: model.split(":")[1]!, baseUrl: `${origin}/v1`, key: KEY };
  return createImageMaker(api, { outbound, settings }).make({ prompt: "A fox", aspect }, SIGNAL);
}

describe("a provider of images", () => {
  it("gets one request in OpenAI's form, and its tokens are priced", async () => {
    next = {
      body: {
        data: [{ b64_json: Buffer.from(PNG).toString("base64") }],
        usage: { input_tokens: 12, output_tokens: 1_056 },
      },
    };
    const made = await make("openai:gpt-image-1", "landscape");
    expect(requests).toEqual([
      {
        path: "/v1/images/generations",
        key: `Bearer ${KEY}`,
        body: { model: "gpt-image-1", prompt: "A fox", n: 1, size: "1536x1024" },
      },
    ]);
    const usage = { input: 12, output: 1_056, cacheRead: 0, cacheWrite: 0 };
    const cost = { usdMicros: 12 * 5 + 1_056 * 40, source: "catalog" };
    expect(made).toEqual({
      ok: true,
      value: {
        bytes: PNG,
        model: "openai:gpt-image-1",
        spent: { kind: "image", model: "openai:gpt-image-1", usage, cost },
      },
    });
  });

  it("is asked for Base64 where it may send an address, and a price of the operator wins", async () => {
    next = { body: { data: [{ b64_json: Buffer.from(PNG).toString("base64") }], usage: { output_tokens: 10 } } };
    const prices = { "xai:grok-imagine-image": { input: 1, output: 2 } };
    const made = await make("xai:grok-imagine-image", "square", {
      ...DEFAULTS,
      models: { ...DEFAULTS.models, prices },
    });
    expect(requests[0]!.body).toEqual({
      model: "grok-imagine-image",
      prompt: "A fox",
      n: 1,
      response_format: "b64_json",
    });
    expect(made).toMatchObject({ value: { spent: { cost: { usdMicros: 20, source: "operator" } } } });
  });

  it("may send an address: the image is fetched, but from public hosts only", async () => {
    next = { body: { data: [{ url: `${origin}/made.png` }] } };
    expect(await make("together:flux")).toMatchObject({ ok: false, failure: { code: "image_failed" } });
    expect(requests).toHaveLength(1);
  });

  it.each([
    [
      400,
      {
        error: {
          message: `Your request with ${KEY} was rejected by our safety system.`,
          code: "content_policy_violation",
        },
      },
    ],
    [401, { error: { message: `Incorrect API key provided: ${KEY}`, code: "invalid_api_key" } }],
    [500, { error: { message: "The server had an error" } }],
    [200, "<html>not JSON</html>"],
    [200, { data: [] }],
    [200, { data: [{}] }],
    [200, { data: [{ b64_json: "***" }] }],
    [302, "moved"],
  ])("that answers %s %j leaves a sentence without the key, after one request", async (status, body) => {
    next = { status, body };
    const made = await make("openai:gpt-image-1");
    expect(made).toMatchObject({ ok: false, failure: { code: "image_failed" } });
    expect(JSON.stringify(made)).not.toContain(KEY);
    expect(requests).toHaveLength(1);
  });
});

describe("the setting images.model", () => {
  const find = (env: object, spec = DEFAULTS.images.model) => {
    const api = findImageApi(env, spec);
    return api.ok ? api.value : api.failure.code;
  };

  it("finds address and key as models do, and nothing without a key", () => {
    expect(find({ OPENAI_API_KEY: `${KEY}, other` })).toEqual({
      ...{ name: "openai:gpt-image-1", model: "gpt-image-1", baseUrl: "https://api.openai.com/v1", key: KEY },
    });
    expect(find({ XAI_API_KEY: "k" }, "xai:grok-imagine-image")).toMatchObject({
      baseUrl: "https://api.x.ai/v1",
      key: "k",
    });
    expect(find({ OPENAI_API_KEY: "k", OPENAI_BASE_URL: "http://own:1/v1" }, "openai-chat:sdxl")).toMatchObject({
      ...{ baseUrl: "http://own:1/v1", model: "sdxl" },
    });
    for (const [env, spec] of [
      [{}, undefined],
      [{ OPENAI_API_KEY: "k" }, ""],
      [{ ANTHROPIC_API_KEY: "k" }, "anthropic:claude-opus-5"],
      [{}, "rehearsal"],
      [{ OPENAI_API_KEY: "k", OPENAI_BASE_URL: "http://own:1/v1" }, undefined],
    ] as const) {
      expect([spec, find(env, spec)]).toEqual([spec, "model_not_configured"]);
    }
  });
});
