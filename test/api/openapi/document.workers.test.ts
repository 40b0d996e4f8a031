// What the OpenAPI document says of refusals. That it says all of them is checked by every test that calls the API (documented.ts).
import { beforeAll, describe, expect, it } from "vitest";
import type { Contract, Operation } from "../../../scripts/docs/contract.ts";
import { PROBLEMS } from "../../../workers/api/problems.ts";
import { START_MS, ask } from "../api-calls.ts";

const problems: Contract["problems"] = PROBLEMS;
let paths: Contract["paths"];
let operations: { at: string; operation: Operation }[];

beforeAll(async () => {
  ({ paths } = (await ask("GET", "/openapi.json")).body as Contract);
  operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ at: `${method} ${path}`, operation })),
  );
}, START_MS);

describe("the OpenAPI document", () => {
  it("names the codes of every refusal under its status", () => {
    const withProblems = operations.filter(
      ({ operation }) => operation.responses["500"]?.content?.["application/problem+json"],
    );
    expect(withProblems.length).toBeGreaterThan(80);
    for (const { at, operation } of withProblems) {
      expect(operation.responses, at).not.toHaveProperty("default");
      for (const [status, { content = {} }] of Object.entries(operation.responses)) {
        const schema = content["application/problem+json"]?.schema;
        if (!schema) continue;
        const codes = schema.allOf![1]!.properties!.code!.enum as string[];
        expect(codes.length, at).toBeGreaterThan(0);
        for (const code of codes)
          expect({ at, code, status: String(problems[code]?.[0]) }).toEqual({ at, code, status });
      }
    }
  });

  it("tells an open route from one that takes a key and from one of the operator", () => {
    const codesOf = (path: string, method: string, status: string) =>
      paths[path]![method]!.responses[status]?.content!["application/problem+json"]!.schema.allOf![1]!.properties!.code!
        .enum ?? null;
    expect(codesOf("/health", "get", "401")).toBeNull();
    expect(codesOf("/v1/sessions", "get", "401")).toEqual(
      expect.arrayContaining(["key_missing", "key_unknown", "sign_in_unknown"]),
    );
    expect(codesOf("/v1/profiles", "post", "401")).toContain("operator_token_unknown");
    expect(codesOf("/v1/sessions/{session}", "get", "404")).toEqual(["session_not_found"]);
  });
});
