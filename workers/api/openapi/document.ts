// The OpenAPI 3.1 document of the whole API. Each route declares its answers and, with `refuses`, the problems that only it has; what
// every route of its kind may answer is added here. Called by index.ts.
import type { OpenAPIHono } from "@hono/zod-openapi";
import * as z from "zod";
import { Problem } from "../../../core/schemas/api.ts";
import { AnthropicError, OpenAiError } from "../doors/describe-door.ts";
import { type DoorShape, TURN_STATUSES, listShapes, toStatus } from "../doors/shape-problem.ts";
import { VERSION } from "../health.ts";
import { PROBLEMS, type ProblemCode } from "../problems.ts";
import type { ApiEnv } from "../auth/principal.ts";
import { ANY_PATH, CODE_BY_FIELD, REFUSED } from "../router.ts";

interface Parameter {
  name: string;
  in: string;
}

interface Operation {
  security?: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, unknown> };
  responses: Record<string, unknown>;
  [REFUSED]?: ProblemCode[];
}

type Paths = Record<string, Record<string, Operation>>;

export function toDocument(api: OpenAPIHono<ApiEnv>): object {
  const document = api.getOpenAPI31Document({
    openapi: "3.1.0",
    info: { title: "Talaria", version: VERSION },
    security: [{ key: [] }],
  });
  const paths = Object.entries((document.paths ?? {}) as Paths).map(([path, item]) => {
    const operations = Object.entries(item).map(([method, operation]) => [method, declareProblems(path, operation)]);
    return [path.replace(ANY_PATH, ""), Object.fromEntries(operations)] as const;
  });
  const schemas = {
    ...document.components?.schemas,
    ...toComponents({ Problem, OpenAiError, AnthropicError }),
  };
  return { ...document, components: { ...document.components, schemas }, paths: Object.fromEntries(paths) };
}

/** As they are received: with fields of later versions. */
function toComponents(schemas: Record<string, z.ZodType>): Record<string, object> {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const { $schema: _, ...shape } = z.toJSONSchema(schema, { io: "input" });
      return [name, shape];
    }),
  );
}

/** Replaces the `default` response by one for each status, with the codes that it may carry. */
function declareProblems(path: string, operation: Operation): Operation {
  const { default: refusal, ...responses } = operation.responses as Record<string, Described>;
  if (!refusal) return operation;
  const codes = [...new Set([...listCommonProblems(path, operation), ...(operation[REFUSED] ?? [])])].toSorted();
  const refusals = listShapes(path).flatMap((shape) => describeRefusals(shape, refusal, codes));
  return { ...operation, responses: { ...responses, ...mergeByStatus(refusals) } };
}

interface Described {
  description: string;
  content?: Record<string, object>;
}

/** In one form: a response for each status. */
function describeRefusals(shape: DoorShape | null, refusal: Described, codes: ProblemCode[]): [string, Described][] {
  const statusOf = (code: ProblemCode) => {
    const status = PROBLEMS[code][0];
    return String(shape ? toStatus(shape, { status, code, message: "" }) : status);
  };
  const described = [...Map.groupBy(codes, statusOf)].map(([status, some]): [string, Described] => [
    status,
    {
      description: some.map((code) => PROBLEMS[code][1]).join("; "),
      content: shape ? SHAPED[shape].content : describeProblem(some),
    },
  ]);
  // A turn that fails answers with what its model's provider said.
  const failed = shape && refusal.content?.["application/json"] ? TURN_STATUSES : [];
  return [
    ...described,
    ...failed.map((status): [string, Described] => [
      String(toStatus(shape!, { status, code: "", message: "" })),
      { description: "The turn failed", content: SHAPED[shape!].content },
    ]),
  ];
}

/** Answers of the same status become one, with the content of each. */
function mergeByStatus(all: [string, Described][]): Record<string, Described> {
  const merged: Record<string, Described> = {};
  for (const [status, { description, content }] of all) {
    const before = merged[status];
    const both = [...new Set([before?.description, description].filter((text) => text !== undefined))].join("; ");
    merged[status] = { description: both, content: { ...before?.content, ...content } };
  }
  return merged;
}

const SHAPED: Record<DoorShape, { content: Record<string, object> }> = {
  openai: { content: { "application/json": { schema: { $ref: "#/components/schemas/OpenAiError" } } } },
  anthropic: { content: { "application/json": { schema: { $ref: "#/components/schemas/AnthropicError" } } } },
};

function describeProblem(codes: ProblemCode[]): Record<string, object> {
  const parts = [{ $ref: "#/components/schemas/Problem" }, { properties: { code: { enum: codes } } }];
  return { "application/problem+json": { schema: { allOf: parts } } };
}

/** Of every route, of those with a credential, with a body, and with a field of this name. */
function listCommonProblems(path: string, { security, parameters = [], requestBody }: Operation): ProblemCode[] {
  const fields = parameters.flatMap(
    (field) => CODE_BY_FIELD[`${field.in === "path" ? "param" : field.in}.${field.name}`] ?? [],
  );
  return [
    ...EVERY_ROUTE,
    ...listCredentialProblems(security),
    ...fields,
    ...(path.includes("{session}") ? (["session_not_found"] as const) : []),
    ...listBodyProblems(requestBody),
  ];
}

const EVERY_ROUTE: ProblemCode[] = [
  "url_too_long",
  "query_invalid",
  "body_too_large",
  "internal",
  "platform_busy",
  "bad_settings",
  "state_newer",
];

/** Of routes that take a key, a sign-in's cookie or a token of the identity provider. */
const OF_PROFILE: ProblemCode[] = [
  ...(["key_unknown", "key_expired", "scope_missing", "profile_gone"] as const),
  ...(["sign_in_unknown", "csrf_refused", "origin_refused", "access_token_invalid"] as const),
  ...(["access_not_mapped", "access_unavailable"] as const),
];

/** Without `security` a route takes a key of a profile. */
function listCredentialProblems(security: Operation["security"] = [{ key: [] }]): ProblemCode[] {
  const takes = (scheme: string) => security.some((one) => Object.hasOwn(one, scheme));
  return [
    ...(security.length > 0 ? (["key_missing"] as const) : []),
    ...(takes("key") ? OF_PROFILE : []),
    ...(takes("operator")
      ? (["operator_required", "operator_token_unknown", "operator_token_missing", "key_unknown"] as const)
      : []),
  ];
}

function listBodyProblems(body: Operation["requestBody"]): ProblemCode[] {
  if (!body) return [];
  const isJson = Object.hasOwn(body.content, "application/json");
  return [
    ...(body.required ? (["body_missing"] as const) : []),
    ...(isJson ? (["content_type_unsupported", "json_malformed", "body_invalid", "field_unknown"] as const) : []),
  ];
}
