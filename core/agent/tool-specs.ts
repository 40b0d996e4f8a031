// What a model is told about tools. Pure; the same tools give the same bytes, because they are part of the cached prefix.
import * as z from "zod";
import type { JsonObject } from "../schemas/entry.ts";
import type { Tool, ToolSpec } from "./contract.ts";
import { isSmall, withoutRepeats } from "./small-window.ts";

/** Tools are made for each turn, their schemas once: making JSON Schema of one takes longer than a turn's other work. */
const known = new WeakMap<z.ZodType, JsonObject>();

/** In the order of `tools`; in fewer words for a model with a small window. */
export function toToolSpecs(tools: Tool[], contextWindow = Infinity): ToolSpec[] {
  const specs = tools.map(({ name, description, parameters }) => ({
    ...{ name, description },
    parameters: toSchema(parameters),
  }));
  return isSmall(contextWindow) ? withoutRepeats(specs) : specs;
}

function toSchema(type: z.ZodType): JsonObject {
  const cached = known.get(type);
  if (cached) return cached;
  const { $schema: _, ...schema } = z.toJSONSchema(type, { io: "input" }) as JsonObject;
  known.set(type, schema);
  return schema;
}
