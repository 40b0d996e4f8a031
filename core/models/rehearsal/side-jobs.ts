// Answers requests of the harness outside turns; called by rehearsal.ts. A title is taken from the first request. A summary is left
// empty, so that the harness uses its own excerpts. Pure.
import type { ModelRequest } from "../../agent/contract.ts";
import type { Reply } from "./reply.ts";
import { readInput } from "./request.ts";

const TITLE_WORDS = 7;

/** Null if the request is an ordinary turn. */
export function sideJob(request: ModelRequest): Reply | null {
  if (request.tools.length > 0) return null;
  const text = readInput(request);
  const asked = /^<request>\n([\s\S]*?)\n<\/request>/.exec(text)?.[1];
  if (asked !== undefined) return { text: toTitle(asked) };
  return /^<(?:previous_summary|conversation)>\n/.test(text) ? { text: "" } : null;
}

function toTitle(asked: string): string {
  const words = asked
    .replace(/[`*_#"]/g, "")
    .trim()
    .split(/\s+/)
    .slice(0, TITLE_WORDS)
    .join(" ");
  return words.replace(/[\s,;:.!?]+$/, "");
}
