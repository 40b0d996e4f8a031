// What a model is told about tools. Pure; the same tools give the same bytes, because they are part of the cached prefix.
import * as z from "zod";
import type { JsonObject } from "../schemas/entry.ts";
import type { Tool, ToolSpec } from "./contract.ts";

const known = new WeakMap<Tool, ToolSpec>();

/** In the order of `tools`. */
export function toToolSpecs(tools: Tool[]): ToolSpec[] {
  return tools.map((tool) => {
    const cached = known.get(tool);
    if (cached) return cached;
    const { $schema: _, ...parameters } = z.toJSONSchema(tool.parameters, { io: "input" }) as JsonObject;
    const spec = { name: tool.name, description: tool.description, parameters };
    known.set(tool, spec);
    return spec;
  });
}
