// Strict servers that refuse an unknown field: with the refusals of vLLM, Mistral, Groq, OpenAI and their gateways.
import { describe, expect, it } from "vitest";
import { createOpenAiChatModel } from "../../../core/models/wires/openai-chat.ts";
import { toCompat } from "../../../core/models/wires/openai-compat.ts";
import { toChatFrames } from "../../support/wires/wire-openai-chat.ts";
import { readAnswer, toRequest } from "../../conformance/model.ts";
import { createTestClock } from "../../support/clock.ts";
import { toSseBody } from "../../support/wires/sse-body.ts";

const COMPAT = toCompat({
  provider: "Strict",
  takesCacheKey: true,
  developerRole: /./,
  effort: { form: "reasoning_effort", levels: ["low", "high"] },
});

let servers = 0;

/** A server that answers a request if `accepts` is true for it, and refuses every other one with `refusal`. */
function strict(refusal: (body: any) => { status: number; body: unknown } | null) {
  const bodies: any[] = [];
  const baseUrl = `http://127.0.0.1:9/${servers++}/v1`;
  const open = () =>
    createOpenAiChatModel({
      ...{ apiKey: "none", model: "m", baseUrl, clock: createTestClock(), compat: COMPAT },
      fetch: async (_, init) => {
        const body = JSON.parse(String(init!.body));
        bodies.push(body);
        const refused = refusal(body);
        if (refused) return new Response(JSON.stringify(refused.body), { status: refused.status });
        return new Response(toSseBody(toChatFrames({ text: "Yes." }, "m")));
      },
    });
  return { bodies, ask: () => readAnswer(open(), toRequest({ effort: "high" })) };
}

const openAi = (message: string) => ({ error: { message, type: "invalid_request_error", param: null, code: null } });

describe("a field that a server refuses", () => {
  it.each([
    ["stream_options", 400, openAi("Unrecognized request argument supplied: stream_options")],
    [
      "prompt_cache_key",
      422,
      {
        detail: [{ type: "extra_forbidden", loc: ["body", "prompt_cache_key"], msg: "Extra inputs are not permitted" }],
      },
    ],
    ["reasoning_effort", 400, openAi("property 'reasoning_effort' is unsupported")],
    ["reasoning_effort", 400, openAi("reasoning_effort: Input should be 'none' or 'high'")],
    ["reasoning_effort", 400, openAi('"gemma3:latest" does not support thinking')],
  ])("is left out, and not sent again: %s (%i)", async (field, status, body) => {
    const { ask, bodies } = strict((sent) => (field in sent ? { status, body } : null));
    expect(await ask()).toMatchObject({ text: "Yes." });
    expect(await ask()).toMatchObject({ text: "Yes." });
    expect(bodies.map((sent) => field in sent)).toEqual([true, false, false]);
    const { [field]: _, ...rest } = bodies[0];
    expect(bodies[1]).toEqual(rest);
  });

  it("may be one of several refused fields", async () => {
    const { ask, bodies } = strict((sent) => {
      const field = ["stream_options", "prompt_cache_key", "reasoning_effort"].find((name) => name in sent);
      return field ? { status: 400, body: openAi(`Unknown parameter: '${field}'.`) } : null;
    });
    expect(await ask()).toMatchObject({ text: "Yes." });
    expect(bodies).toHaveLength(4);
  });

  it("is sent under its other name", async () => {
    const message =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    const { ask, bodies } = strict((sent) => ("max_tokens" in sent ? { status: 400, body: openAi(message) } : null));
    expect(await ask()).toMatchObject({ text: "Yes." });
    expect(bodies[1]).toMatchObject({ max_completion_tokens: bodies[0].max_tokens });
    const role = strict(({ messages }) =>
      messages[0].role === "developer"
        ? { status: 400, body: openAi("Unexpected role 'developer': allowed are system, user, assistant, tool.") }
        : null,
    );
    expect(await role.ask()).toMatchObject({ text: "Yes." });
    expect(role.bodies[1].messages[0].role).toBe("system");
  });

  it("is left in if something else is wrong: the refusal is final, after one request", async () => {
    for (const body of [openAi("messages.1: content is missing"), openAi("max_tokens must be less than 4097")]) {
      const { ask, bodies } = strict(() => ({ status: 400, body }));
      await expect(ask()).rejects.toThrow();
      expect(bodies).toHaveLength(1);
    }
  });
});
