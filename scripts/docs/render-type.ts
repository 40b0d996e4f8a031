// JSON Schema as a TypeScript type. Called by api-page.ts and client-types.ts. Pure.
import type { Shape } from "./contract.ts";

export const LINE_CHARS = 100;

export interface Form {
  /** Objects nested deeper than this are shown as `{…}`. Absent: all are shown. */
  maxDepth?: number;
  /** An optional field may also be `undefined`, as types of zod have it. */
  undefinedToo?: boolean;
}

export function renderType(shape: Shape, form: Form): string {
  return toType(shape, 0, form);
}

function toType(shape: Shape, depth: number, form: Form): string {
  const { type, enum: values, properties, additionalProperties, items } = shape;
  if (shape.const !== undefined) return JSON.stringify(shape.const);
  if (values) return values.map((value) => JSON.stringify(value)).join(" | ");
  const choices = shape.anyOf ?? shape.oneOf;
  if (choices) return toUnion([...new Set(choices.map((choice) => toType(choice, depth, form)))]);
  if (shape.allOf) return shape.allOf.map((part) => toType(part, depth, form)).join(" & ");
  if (Array.isArray(type)) return type.map((one) => toType({ ...shape, type: one }, depth, form)).join(" | ");
  if (type === "array") {
    const inner = items ? toType(items, depth, form) : "unknown";
    const isUnion = items?.anyOf ?? items?.oneOf ?? items?.enum ?? Array.isArray(items?.type);
    return isUnion ? `(${inner}${inner.includes("\n") ? "\n" : ""})[]` : `${inner}[]`;
  }
  if (type === "object" && properties) return toObject(shape, depth, form);
  if (type === "object") {
    const value = typeof additionalProperties === "object" ? toType(additionalProperties, depth, form) : "unknown";
    return `Record<string, ${value}>`;
  }
  return type === "integer" ? "number" : (type ?? "unknown");
}

/** On one line if it fits; else one choice a line. */
function toUnion(choices: string[]): string {
  const line = choices.join(" | ");
  if (line.length <= LINE_CHARS && !line.includes("\n")) return line;
  return choices.map((choice) => `\n  | ${choice.replaceAll("\n", "\n    ")}`).join("");
}

function toObject({ properties = {}, required = [] }: Shape, depth: number, form: Form): string {
  if (depth >= (form.maxDepth ?? Infinity)) return "{…}";
  const fields = Object.entries(properties).map(([name, field]) => {
    const isOptional = !required.includes(name);
    const key = /^[\w$]+$/.test(name) ? name : JSON.stringify(name);
    const end = isOptional && form.undefinedToo ? " | undefined" : "";
    return `${key}${isOptional ? "?" : ""}: ${toType(field, depth + 1, form)}${end}`;
  });
  const line = `{ ${fields.join("; ")} }`;
  if (line.length <= LINE_CHARS && !line.includes("\n")) return line;
  const indented = fields.map((field) => `  ${field.replaceAll("\n", "\n  ")};`);
  return `{\n${indented.join("\n")}\n}`;
}
