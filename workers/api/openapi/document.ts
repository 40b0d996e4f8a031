// The OpenAPI 3.1 document of the whole API. Each route declares its answers and, with `refuses`, the problems that only it has; what
// every route of its kind may answer is added here. Called by index.ts.
import type { OpenAPIHono } from "@hono/zod-openapi";
import * as z from "zod";
import { Problem } from "../../../core/schemas/api.ts";
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
  const { $schema: _, ...problem } = z.toJSONSchema(Problem);
  const schemas = { ...document.components?.schemas, Problem: problem };
  return { ...document, components: { ...document.components, schemas }, paths: Object.fromEntries(paths) };
}

/** Replaces the `default` response by one for each status, with the codes that it may carry. */
function declareProblems(path: string, operation: Operation): Operation {
  const { default: isProblem, ...responses } = operation.responses;
  if (!isProblem) return operation;
  // A compatible route has refusals of its clients' form, the same for every status.
  const { content } = isProblem as { content?: object };
  if (content && Object.hasOwn(content, "application/json")) return operation;
  const codes = [...new Set([...listCommonProblems(path, operation), ...(operation[REFUSED] ?? [])])];
  const byStatus = Map.groupBy(codes, (code) => PROBLEMS[code][0]);
  const refusals = [...byStatus].map(([status, some]) => [status, toProblemResponse(some.toSorted())]);
  return { ...operation, responses: { ...responses, ...Object.fromEntries(refusals) } };
}

function toProblemResponse(codes: ProblemCode[]): object {
  const schema = {
    allOf: [{ $ref: "#/components/schemas/Problem" }, { properties: { code: { enum: codes } } }],
  };
  return {
    description: codes.map((code) => PROBLEMS[code][1]).join("; "),
    content: { "application/problem+json": { schema } },
  };
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
  "query_invalid",
  "body_too_large",
  "internal",
  "platform_busy",
  "bad_settings",
  "state_newer",
];

/** Of routes that take a key, a sign-in's cookie or a token of the identity provider. */
const OF_PROFILE: ProblemCode[] = [
  ...(["key_unknown", "scope_missing", "profile_gone", "sign_in_unknown", "csrf_refused", "origin_refused"] as const),
  ...(["access_token_invalid", "access_not_mapped", "access_unavailable"] as const),
];

/** Without `security` a route takes a key of a profile. */
function listCredentialProblems(security: Operation["security"] = [{ key: [] }]): ProblemCode[] {
  const takes = (scheme: string) => security.some((one) => Object.hasOwn(one, scheme));
  return [
    ...(security.length > 0 ? (["key_missing"] as const) : []),
    ...(takes("key") ? OF_PROFILE : []),
    ...(takes("operator") ? (["operator_required", "operator_token_unknown", "operator_token_missing"] as const) : []),
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
