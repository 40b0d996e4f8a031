// Refusals in the forms of OpenAI and Anthropic, read by the official clients: each client's own class of error.
import Anthropic from "@anthropic-ai/sdk";
import { Hono } from "hono";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { AppError, type ProblemCode, answerError } from "../../../workers/api/problems.ts";
import { shapeProblem, toErrorAnswer, toErrorBody, toTurnError } from "../../../workers/api/doors/shape-problem.ts";

/** A server that refuses everything for this reason. */
function refusing(code: ProblemCode) {
  const app = new Hono();
  app.onError((error, c) => shapeProblem(answerError(error, c), c));
  app.all("*", () => {
    throw new AppError(code, "This is why.", { errors: [{ in: "json", path: "input", message: "no" }] });
  });
  const fetch = async (url: string | URL | Request, init?: RequestInit) => app.fetch(new Request(url, init));
  const openai = new OpenAI({ apiKey: "k", baseURL: "http://x/v1", fetch, maxRetries: 0 });
  const anthropic = new Anthropic({ apiKey: "k", baseURL: "http://x", fetch, maxRetries: 0 });
  return {
    app,
    openai: () => openai.responses.create({ model: "talaria", input: "hi" }),
    anthropic: () =>
      anthropic.messages.create({ model: "talaria", max_tokens: 9, messages: [{ role: "user", content: "hi" }] }),
  };
}

describe("a refusal of a compatible route", () => {
  it.each([
    ["body_invalid", 400, OpenAI.BadRequestError, 400, Anthropic.BadRequestError, "invalid_request_error"],
    ["key_unknown", 401, OpenAI.AuthenticationError, 401, Anthropic.AuthenticationError, "authentication_error"],
    ["scope_missing", 403, OpenAI.PermissionDeniedError, 403, Anthropic.PermissionDeniedError, "permission_error"],
    ["session_not_found", 404, OpenAI.NotFoundError, 404, Anthropic.NotFoundError, "not_found_error"],
    ["profile_gone", 404, OpenAI.NotFoundError, 404, Anthropic.NotFoundError, "not_found_error"],
    ["idempotency_conflict", 409, OpenAI.ConflictError, 409, Anthropic.ConflictError, "conflict_error"],
    ["body_too_large", 413, OpenAI.APIError, 413, Anthropic.ContentTooLargeError, "request_too_large"],
    ["content_type_unsupported", 400, OpenAI.BadRequestError, 400, Anthropic.BadRequestError, "invalid_request_error"],
    ["too_many_queued", 429, OpenAI.RateLimitError, 429, Anthropic.RateLimitError, "rate_limit_error"],
    ["internal", 500, OpenAI.InternalServerError, 500, Anthropic.InternalServerError, "api_error"],
    ["platform_busy", 503, OpenAI.InternalServerError, 529, Anthropic.OverloadedError, "overloaded_error"],
  ] as const)(
    "with %s is the client's own error",
    async (code, status, OpenAiError, anthropicStatus, AnthropicError, type) => {
      const { openai, anthropic } = refusing(code);
      const ofOpenAi = await openai().catch((error: unknown) => error);
      expect(ofOpenAi).toBeInstanceOf(OpenAiError);
      expect(ofOpenAi).toMatchObject({ status, code, param: "input", requestID: expect.any(String) });
      expect((ofOpenAi as Error).message).toContain("This is why.");
      const ofAnthropic = await anthropic().catch((error: unknown) => error);
      expect(ofAnthropic).toBeInstanceOf(AnthropicError);
      expect(ofAnthropic).toMatchObject({
        status: anthropicStatus,
        type,
        apiMessage: "This is why.",
        requestID: expect.any(String),
      });
    },
  );

  it("says when to try again, and that a conflict is not to be repeated", async () => {
    const busy = await refusing("too_many_queued").app.request("/v1/messages", { method: "POST" });
    expect([busy.headers.get("retry-after"), busy.headers.get("x-should-retry")]).toEqual(["5", null]);
    const conflict = await refusing("idempotency_conflict").app.request("/v1/responses", { method: "POST" });
    expect(conflict.headers.get("x-should-retry")).toBe("false");
  });

  it("of the models has the form of the client that asks", async () => {
    const { app } = refusing("key_unknown");
    const plain = await app.request("/v1/sessions");
    expect(plain.headers.get("content-type")).toBe("application/problem+json");
    const models = await app.request("/v1/models", { headers: { "anthropic-version": "2023-06-01" } });
    expect(await models.json()).toMatchObject({ type: "error", error: { type: "authentication_error" } });
  });
});

describe("a turn that failed", () => {
  it("is a status that says whether to try again", async () => {
    const answer = (code: string) => toErrorAnswer("anthropic", toTurnError({ code, message: "Why." }));
    expect(["overloaded", "rate_limit", "context_overflow", "gave_up"].map((code) => answer(code).status)).toEqual([
      529, 429, 400, 502,
    ]);
    const spent = answer("profile_budget_spent");
    expect([spent.status, spent.headers.get("x-should-retry")]).toEqual([429, "false"]);
    const body = toErrorBody("anthropic", toTurnError({ code: "overloaded", message: "Why." }), "req_1");
    expect(body).toEqual({ type: "error", error: { type: "overloaded_error", message: "Why." }, request_id: "req_1" });
  });
});
