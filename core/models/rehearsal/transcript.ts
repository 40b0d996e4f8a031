// Parses the transcript in a review request: parts of entries, each after its citation in square brackets, and calls on lines that
// begin with an arrow. Used by reviewer.ts. Pure.
import type { JsonObject } from "../../schemas/entry.ts";
import { parseObject } from "./request.ts";

/** One tool call with its outcome. `citation` names the part with the outcome. */
export interface SeenCall {
  tool: string;
  args: JsonObject;
  failed: boolean;
  citation: string;
  /** All result parts, merged. */
  result: JsonObject;
}
export interface Transcript {
  /** What the person said, with citations. */
  principal: { citation: string; text: string }[];
  calls: SeenCall[];
}

/** The session before the entry's number is optional. */
const PART = /^\[((?:[^\s[\]]+\/)?(\d+)#(principal|outcome|own|content))\](.*)$/;

export function readTranscript(text: string): Transcript {
  const transcript: Transcript = { principal: [], calls: [] };
  const asked: { tool: string; args: JsonObject }[] = [];
  let entry = "";
  for (const part of toParts(text)) {
    if (part.source === "principal") transcript.principal.push({ citation: part.citation, text: part.body.trim() });
    const outcome = /^\s*(?:tool\s+)?([a-z_]+)\s+(ok|failed)\b/.exec(part.title);
    if (part.source === "outcome" && outcome) {
      const index = asked.findIndex(({ tool }) => tool === outcome[1]);
      const [call] = index >= 0 ? asked.splice(index, 1) : [];
      transcript.calls.push({
        tool: outcome[1]!,
        args: call?.args ?? {},
        failed: outcome[2] === "failed",
        citation: part.citation,
        result: jsonIn(part.body),
      });
      entry = part.entry;
    } else if (part.entry === entry && transcript.calls.length > 0) {
      Object.assign(transcript.calls.at(-1)!.result, jsonIn(part.body));
    } else if (part.source === "own") {
      for (const line of part.body.matchAll(/^-> ([a-z_]+) (\{.*\})\s*$/gm)) {
        asked.push({ tool: line[1]!, args: parseObject(line[2]!) });
      }
    }
  }
  return transcript;
}

function toParts(text: string) {
  const parts: { citation: string; entry: string; source: string; title: string; body: string }[] = [];
  for (const line of text.split("\n")) {
    const match = PART.exec(line);
    if (match) parts.push({ citation: match[1]!, entry: match[2]!, source: match[3]!, title: match[4]!, body: "" });
    else if (parts.length > 0) parts.at(-1)!.body += `${line}\n`;
  }
  return parts;
}

/** The first line of a part that is a JSON object, with or without a fence around it. */
function jsonIn(body: string): JsonObject {
  for (const line of body.split("\n")) {
    const found = parseObject(line.trim());
    if (Object.keys(found).length > 0) return found;
  }
  return parseObject(body.trim());
}
