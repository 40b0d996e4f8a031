// Answers requests of the harness outside turns; called by rehearsal.ts. A title is taken from the first request. A summary is left
// empty, so that the harness uses its own excerpts. A card of a board is specified in its own words, and divided into two. Pure.
import type { ModelRequest } from "../../agent/contract.ts";
import type { Reply } from "./reply.ts";
import { readInput } from "./request.ts";

const TITLE_WORDS = 7;

/** Null if the request is an ordinary turn. */
export function sideJob(request: ModelRequest): Reply | null {
  if (request.tools.length > 0) return null;
  const text = readInput(request);
  const card =
    /^<request>\n([^\n]*)([\s\S]*?)\n<\/request>(?![\s\S]*<answer>)[\s\S]*\n(Write the spec|Divide this card)[^\n]*$/.exec(
      text,
    );
  if (card) return { text: JSON.stringify(toPlan(card[1]!, card[2]!.trim(), card[3]!.startsWith("Divide"))) };
  const asked = /^<request>\n([\s\S]*?)\n<\/request>/.exec(text)?.[1];
  if (asked !== undefined) return { text: toTitle(asked) };
  return /^<(?:previous_summary|conversation)>\n/.test(text) ? { text: "" } : null;
}

function toPlan(title: string, body: string, isDivided: boolean): object {
  if (!isDivided) return { title, body: body || title, acceptance: [`${title}: it is done.`] };
  const part = (what: string, after: number[]) => ({
    title: `${what}: ${title}`.slice(0, 200),
    body: body || title,
    after,
  });
  return { cards: [part("Do the work", []), part("Check the work", [0])] };
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
