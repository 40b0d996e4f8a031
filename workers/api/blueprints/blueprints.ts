// Blueprints: jobs and goals that people start from. They ship with the program; what is made of one is a job or goal like any.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { BLUEPRINTS, findBlueprint } from "../../../core/blueprints/catalog/index.ts";
import { toBlueprintInfo } from "../../../core/blueprints/fill.ts";
import {
  BlueprintId,
  BlueprintInfo,
  BlueprintList,
  MadeOfBlueprint,
  UseBlueprint,
} from "../../../core/schemas/agenda/blueprint.ts";
import { OpHeader } from "../boards/open-board.ts";
import { unwrap } from "../problems.ts";
import { createRouter, describeResponses, optionalJsonBody, refuses } from "../router.ts";
import { MAKE_REFUSALS, makeOfBlueprint } from "./make-of-blueprint.ts";

export const blueprints = createRouter();

const BlueprintParams = z.object({ blueprint: BlueprintId });

blueprints.openapi(
  createRoute({
    method: "get",
    path: "/v1/blueprints",
    operationId: "listBlueprints",
    description: "Lists the jobs and goals that people start from, with the questions that each asks.",
    responses: describeResponses(200, "Blueprints", BlueprintList),
  }),
  (c) => c.json({ blueprints: BLUEPRINTS.map(toBlueprintInfo) }, 200),
);

blueprints.openapi(
  createRoute({
    method: "get",
    path: "/v1/blueprints/{blueprint}",
    operationId: "readBlueprint",
    ...refuses("blueprint_not_found"),
    description:
      "Reads a blueprint. `form` is the JSON Schema of its slots: of a form, of the command and of the request.",
    request: { params: BlueprintParams },
    responses: describeResponses(200, "The blueprint", BlueprintInfo),
  }),
  (c) => c.json(toBlueprintInfo(unwrap(findBlueprint(c.req.valid("param").blueprint))), 200),
);

blueprints.openapi(
  createRoute({
    method: "post",
    path: "/v1/blueprints/{blueprint}",
    operationId: "useBlueprint",
    ...refuses("blueprint_not_found", ...MAKE_REFUSALS),
    description:
      "Makes a job or a goal of a blueprint. What is in the slots is data in its prompt. Repeated with its `Idempotency-Key`, it answers the " +
      "same job or goal.",
    request: { params: BlueprintParams, headers: OpHeader, body: optionalJsonBody(UseBlueprint) },
    responses: describeResponses(201, "What was made", MadeOfBlueprint),
  }),
  async (c) => {
    const { blueprint } = c.req.valid("param");
    const key = c.req.valid("header")["idempotency-key"];
    return c.json(await makeOfBlueprint(c, { ...c.req.valid("json"), blueprint, key }), 201);
  },
);
