// What rehearsal does for the harness beside the turns: it names a conversation by how it began, and leaves summaries to
// whoever asked, who has excerpts of its own. Used by rehearsal.ts. Pure.
import type { ModelRequest } from "../../agent/contract.ts";
import type { Reply } from "./reply.ts";
import { inputOf } from "./request.ts";

const TITLE_WORDS = 7;

/** Null for a conversation. */
export function sideJob(request: ModelRequest): Reply | null {
  if (request.tools.length > 0) return null;
  const text = inputOf(request);
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
