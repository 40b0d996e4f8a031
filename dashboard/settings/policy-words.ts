// A policy in words, and its arguments as lines of a text field. Pure.
import type { Answer } from "../data/api.ts";

export type NamedPolicy = Answer<"GET /v1/policies">["policies"][number];
export type Policy = NamedPolicy["policy"];

/** "write_file with path = deploy/*, before the call" */
export function describePolicy({ hook, tool, arguments: args, result }: Policy): string {
  const patterns = Object.entries(args ?? {}).map(([name, pattern]) => `${name} = ${pattern}`);
  const parts = [...patterns, ...(result === undefined ? [] : [`result = ${result}`])];
  const when = hook === "pre_tool_call" ? "before the call" : "after the call";
  return `${tool}${parts.length > 0 ? ` with ${parts.join(", ")}` : ""}, ${when}`;
}

/** One line for each: `path = deploy/*`. */
export function writeArguments(args: Policy["arguments"]): string {
  return Object.entries(args ?? {})
    .map(([name, pattern]) => `${name} = ${pattern}`)
    .join("\n");
}

/** Throws an Error that names the line which is not of the form `name = pattern`. */
export function readArguments(text: string): NonNullable<Policy["arguments"]> {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf("=");
      const [name, pattern] = [line.slice(0, at).trim(), line.slice(at + 1).trim()];
      if (at < 1 || name === "" || pattern === "")
        throw new Error(`Write each argument as name = pattern. This line is not so: ${line.trim()}`);
      return [name, pattern];
    }),
  );
}
