// Makes text of an MCP server fit to be shown: what nobody sees is removed, orders to the agent are found. Used for descriptions and
// results. Pure.
import { clip } from "../clip.ts";
import { decide, scanText } from "../skills/scanner/scanner.ts";

/** Unicode tag characters: a model reads them, a person does not see them. */
const TAG_CHARACTERS = /[\u{E0000}-\u{E007F}]/gu;

export function stripTagCharacters(text: string): string {
  return text.replace(TAG_CHARACTERS, "");
}

/** Of a tool's description, as a model reads it in each request. */
const MAX_DESCRIPTION_CHARS = 2_000;

export function toDescription(text: string): string {
  return clip(stripTagCharacters(text).trim(), MAX_DESCRIPTION_CHARS);
}

/** Names of the scanner's patterns by which a text of foreign origin is refused or held. Empty: none. */
export function findOrders(texts: readonly string[]): string[] {
  const found = scanText(texts.join("\n\n"), "note");
  if (decide(found, "context") === "allow") return [];
  return found.filter(({ severity }) => severity === "critical" || severity === "high").map(({ pattern }) => pattern);
}
