// The tools as a review tells them to its model: with every call of a review they are sent again, so a list of operations does not
// repeat the fields that stand beside it. What is checked stays the tools' own schema. Called by review.ts. Pure.
import type { Tool, ToolSpec } from "../../agent/contract.ts";
import { toToolSpecs } from "../../agent/tool-specs.ts";
import { JsonObject } from "../../schemas/entry.ts";

/** As for a model with a small window: no description is given twice. */
const IN_FEW_WORDS = 0;

export function toReviewSpecs(tools: Tool[]): ToolSpec[] {
  return toToolSpecs(tools, IN_FEW_WORDS).map((spec) => ({ ...spec, parameters: withoutNested(spec.parameters) }));
}

function withoutNested(parameters: JsonObject): JsonObject {
  const properties = JsonObject.safeParse(parameters.properties).data ?? {};
  const operations = JsonObject.safeParse(properties.operations).data;
  const items = JsonObject.safeParse(operations?.items).data;
  if (!items) return parameters;
  const fields = Object.keys(JsonObject.parse(items.properties)).filter((name) => Object.hasOwn(properties, name));
  const short = { type: "object", description: `With the fields ${fields.join(", ")}.`, required: items.required };
  return { ...parameters, properties: { ...properties, operations: { ...operations, items: short } } };
}
