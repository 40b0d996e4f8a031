// The models of the profile: its agent under the name `talaria`, and the models to choose from. One answer for our clients, OpenAI's and
// Anthropic's, which says the same to each in its own form.
import { createRoute } from "@hono/zod-openapi";
import type { Context } from "hono";
import * as z from "zod";
import type { Effort } from "../../../core/schemas/settings.ts";
import { AnthropicModel, AnthropicModelList, ModelList, ModelTest, OpenAiModel } from "../../../core/schemas/models.ts";
import { readModelChoices, readModelSlots } from "../../../wiring/models.ts";
import type { ApiEnv } from "../auth/principal.ts";
import { parseEnvSettings } from "../env.ts";
import { AppError } from "../problems.ts";
import { runAlone } from "../doctor/run-alone.ts";
import { pageQuery } from "../pages.ts";
import { createRouter, describeResponses, refuses } from "../router.ts";
import { AGENT_MODEL } from "./responses/request.ts";

export const models = createRouter();

/** Anthropic's clients send its version. */
const ClientHeaders = z.object({ "anthropic-version": z.string().optional() });
const isAnthropic = (c: Context<ApiEnv>) => c.req.header("anthropic-version") !== undefined;

models.openapi(
  createRoute({
    method: "get",
    path: "/v1/models",
    operationId: "listModels",
    description:
      "Lists the profile's agent, `talaria`, and the models that may be chosen for a session: those of the deployment, and the operator's " +
      "`models.choices`. `models` are the choices, `data` is OpenAI's form of all, `slots` says which models each kind of work uses. With the header `anthropic-version` the answer has " +
      "Anthropic's form, whose clients page with `after_id` and `before_id`.",
    request: {
      headers: ClientHeaders,
      query: z.strictObject({
        ...pageQuery(1_000),
        after_id: z.string().optional(),
        before_id: z.string().optional(),
      }),
    },
    responses: describeResponses(200, "The models, the default first", z.union([ModelList, AnthropicModelList])),
  }),
  (c) => {
    const choices = readChoices(c);
    const { limit, after, after_id: afterId = after, before_id: beforeId } = c.req.valid("query");
    const all = [AGENT_MODEL, ...choices.map(({ name }) => name)];
    const start = afterId === undefined ? 0 : findModel(all, afterId) + 1;
    const rest = all.slice(start, beforeId === undefined ? all.length : findModel(all, beforeId));
    const ids = beforeId === undefined ? rest.slice(0, limit) : rest.slice(-limit);
    const hasMore = rest.length > limit;
    if (isAnthropic(c)) {
      const data = ids.map(toAnthropicModel);
      return c.json({ data, has_more: hasMore, first_id: ids[0] ?? null, last_id: ids.at(-1) ?? null }, 200);
    }
    const models = choices.filter(({ name }) => ids.includes(name));
    const next = hasMore ? { next: ids.at(-1)! } : {};
    const slots = readModelSlots(c.env, parseEnvSettings(c.env)).map((slot) => ({
      ...slot,
      models: slot.models.map(withOwnEfforts),
    }));
    return c.json({ object: "list" as const, data: ids.map(toOpenAiModel), models, slots, ...next }, 200);
  },
);

models.openapi(
  createRoute({
    method: "get",
    path: "/v1/models/{model}",
    operationId: "readModel",
    ...refuses("model_not_found"),
    description:
      "Reads one model of that list, in OpenAI's form or, with the header `anthropic-version`, in Anthropic's.",
    request: { headers: ClientHeaders, params: z.object({ model: z.string() }) },
    responses: describeResponses(200, "The model", z.union([OpenAiModel, AnthropicModel])),
  }),
  (c) => {
    const { model } = c.req.valid("param");
    if (model !== AGENT_MODEL && !readChoices(c).some(({ name }) => name === model)) {
      const detail = `There is no model '${model.slice(0, 200)}'. GET /v1/models lists them.`;
      throw new AppError("model_not_found", detail);
    }
    return c.json(isAnthropic(c) ? toAnthropicModel(model) : toOpenAiModel(model), 200);
  },
);

/** Between two tests of one isolate. */
const TEST_REST_MS = 1_000;

models.openapi(
  createRoute({
    method: "post",
    path: "/v1/models/{model}/test",
    operationId: "testModel",
    ...refuses("model_not_found", "doctor_busy", "bad_settings"),
    scope: "admin",
    description:
      "Tests a model of `GET /v1/models`, or of one of its slots, by one short call with each of its keys (at most 12): whether the key is " +
      "accepted and whether the model calls tools. Takes up to 30 seconds. No budget counts what it costs, so there is one test or check-up at a time.",
    request: { params: z.object({ model: z.string() }) },
    responses: describeResponses(200, "What was found", ModelTest),
  }),
  async (c) => {
    const { model } = c.req.valid("param");
    const { testModel } = await import("../doctor/test-model.ts");
    const test = testModel(c.env, model);
    return c.json(await runAlone(c.env.SKILLS, TEST_REST_MS, test), 200);
  },
);

/** Throws `query_invalid`: the list has changed since the page before. */
function findModel(ids: string[], id: string): number {
  const at = ids.indexOf(id);
  if (at < 0) throw new AppError("query_invalid", "The cursor names no model of the list. Start again without it.");
  return at;
}

function readChoices(c: Context<ApiEnv>) {
  return readModelChoices(c.env, parseEnvSettings(c.env)).map(withOwnEfforts);
}

/** The list of efforts as one that may be changed, as the description's type has it. */
function withOwnEfforts<Model extends { efforts?: readonly Effort[] }>({ efforts, ...model }: Model) {
  return { ...model, ...(efforts && { efforts: [...efforts] }) };
}

/** Nobody knows since when there is a model. */
function toOpenAiModel(id: string): OpenAiModel {
  const [owner] = id.split(":");
  return { id, object: "model", created: 0, owned_by: id === AGENT_MODEL || !id.includes(":") ? AGENT_MODEL : owner! };
}

/** [Anthropic] The epoch stands for an unknown date. */
function toAnthropicModel(id: string): AnthropicModel {
  return { type: "model", id, display_name: id === AGENT_MODEL ? "Talaria" : id, created_at: "1970-01-01T00:00:00Z" };
}
