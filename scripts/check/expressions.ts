// Extracts regular expressions and string literals from a source file, with vitest's parser; never runs the file. Used by the regex
// check and by bench:hostile, which builds its attacks from them.
import { readFileSync } from "node:fs";
import { parseAst } from "vitest/node";

export interface FoundRegex {
  pattern: string;
  flags: string;
  /** `<file>:<line>`. */
  place: string;
}

export interface Literals {
  regexes: FoundRegex[];
  strings: string[];
}

interface AstNode {
  type?: string;
  start?: number;
  regex?: { pattern: string; flags: string };
  value?: unknown;
}

export function readLiterals(file: string): Literals {
  const source = readFileSync(file, "utf8");
  const regexes: FoundRegex[] = [];
  const strings: string[] = [];
  const walk = (node: unknown): void => {
    if (node === null || typeof node !== "object") return;
    if (Array.isArray(node)) return node.forEach(walk);
    const { type, start = 0, regex, value } = node as AstNode;
    if (type === "ImportDeclaration") return;
    if (type === "Literal" && regex) {
      const line = source.slice(0, start).split("\n").length;
      regexes.push({ ...regex, place: `${file}:${line}` });
    } else if (type === "Literal" && typeof value === "string") strings.push(value);
    else if (type === "TemplateElement") strings.push((value as { cooked?: string | null }).cooked ?? "");
    for (const child of Object.values(node)) if (typeof child === "object") walk(child);
  };
  walk(parseAst(source, { lang: file.endsWith(".tsx") ? "tsx" : "ts", sourceType: "module" }));
  return { regexes, strings };
}
