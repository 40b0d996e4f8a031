// Renders tools for a request. Pure. The same tools must give the same bytes, because they are part of the cached prefix.
import * as z from "zod";
import type { JsonObject } from "../schemas/entry.ts";
import type { Tool, ToolSpec } from "./contract.ts";
import { isSmall, shortenSchemas } from "./small-window.ts";

/** Tools are created for each turn, but their schemas once: converting to JSON Schema takes longer than a turn's other work. */
const known = new WeakMap<z.ZodType, JsonObject>();

/** In the order of `tools`; shorter for a model with a small window. */
export function toToolSpecs(tools: Tool[], contextWindow = Infinity): ToolSpec[] {
  const specs = tools.map(({ name, description, parameters, schema }) => ({
    name,
    description,
    parameters: schema ?? toSchema(parameters),
  }));
  return isSmall(contextWindow) ? shortenSchemas(specs) : specs;
}

function toSchema(type: z.ZodType): JsonObject {
  const cached = known.get(type);
  if (cached) return cached;
  const { $schema: _, ...schema } = z.toJSONSchema(type, { io: "input" }) as JsonObject;
  known.set(type, schema);
  return schema;
}
