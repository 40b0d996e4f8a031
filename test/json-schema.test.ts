// A value against a JSON Schema that others wrote.
import { describe, expect, it } from "vitest";
import { findProblems } from "../core/json-schema.ts";

const tree = {
  $ref: "#/$defs/node",
  $defs: {
    node: {
      type: "object",
      properties: { next: { anyOf: [{ type: "null" }, { $ref: "#/$defs/node" }] } },
      required: ["next"],
    },
  },
};

describe("findProblems", () => {
  it.each<[unknown, unknown]>([
    [1, {}],
    [1, true],
    [{ a: 1 }, { type: "object", properties: { a: { type: "integer", minimum: 1 } }, additionalProperties: false }],
    [null, { type: ["string", "null"] }],
    [null, { type: "string", nullable: true }],
    [["a", 1], { prefixItems: [{ type: "string" }], items: { type: "number" } }],
    [{ next: { next: null } }, tree],
    [{ b: 1, a: [2] }, { const: { a: [2], b: 1 } }],
    ["x", { pattern: "^(a+)+$" }],
    ["x", { $ref: "https://example.com/schema" }],
    ["😀", { maxLength: 1 }],
    [{ any: 1 }, { type: "object", patternProperties: { a: {} }, additionalProperties: false }],
  ])("accepts %j by %j", (value, schema) => {
    expect(findProblems(value, schema)).toEqual([]);
  });

  it.each<[unknown, unknown, string]>([
    [1, false, "the value is not allowed"],
    ["1", { type: "integer" }, "the value must be integer"],
    [{}, { required: ["a"] }, "a is missing"],
    [{ a: { b: "x" } }, { properties: { a: { properties: { b: { type: "number" } } } } }, "a.b must be number"],
    [[1, "x"], { items: { type: "number" } }, "[1] must be number"],
    [{ z: 1 }, { additionalProperties: false }, "z is not a field of the schema"],
    [{ z: 1 }, { additionalProperties: { type: "string" } }, "z must be string"],
    ["c", { enum: ["a", "b"] }, 'the value must be one of ["a","b"]'],
    [3, { exclusiveMaximum: 3 }, "the value must be less than 3, and has 3"],
    [[1, 1], { uniqueItems: true }, "the value has the same item twice"],
    [1, { oneOf: [{ type: "number" }, { type: "integer" }] }, "the value fits more than one of the alternatives"],
    [
      true,
      { anyOf: [{ type: "number" }, { type: "string" }] },
      "the value fits none of the alternatives that the schema allows",
    ],
    [1, { not: { type: "number" } }, "the value has a form that is excluded"],
    [{ next: { next: 1 } }, tree, "next fits none of the alternatives that the schema allows"],
  ])("refuses %j by %j", (value, schema, problem) => {
    expect(findProblems(value, schema)).toEqual([problem]);
  });

  it("names at most five problems", () => {
    expect(findProblems({}, { required: ["a", "b", "c", "d", "e", "f"] })).toHaveLength(5);
  });

  it("ends for a schema that refers to itself in many ways, and then refuses nothing", () => {
    const schema = {
      anyOf: Array.from({ length: 4 }, () => ({ $ref: "#", type: "string" })),
      allOf: [{ $ref: "#" }, { $ref: "#" }],
    };
    expect(findProblems(1, schema)).toEqual([]);
  });
});
