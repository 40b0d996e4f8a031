// Parses the transcript in a review request. Each part of an entry follows its citation, as in `[12#outcome] terminal ok`. A call is a
// line like `-> terminal {"command": …}`. Used by reviewer.ts. Pure.
import type { JsonObject } from "../../schemas/entry.ts";
import { parseObject } from "./request.ts";

/** One tool call with its outcome. `citation` points to the outcome. */
export interface SeenCall {
  tool: string;
  args: JsonObject;
  failed: boolean;
  citation: string;
  /** All result parts, merged. */
  result: JsonObject;
}
export interface Transcript {
  /** Messages of the person. */
  principal: { citation: string; text: string }[];
  calls: SeenCall[];
}

/** `[session/entry#source] title`, where the session is optional. */
const PART = /^\[((?:[^\s[\]]+\/)?(\d+)#(principal|outcome|own|content))\](.*)$/;

export function readTranscript(text: string): Transcript {
  const transcript: Transcript = { principal: [], calls: [] };
  const unanswered: { tool: string; args: JsonObject }[] = [];
  let lastOutcomeEntry = "";
  for (const part of toParts(text)) {
    if (part.source === "principal") transcript.principal.push({ citation: part.citation, text: part.body.trim() });
    const outcome = /^\s*(?:tool\s+)?([a-z_]+)\s+(ok|failed)\b/.exec(part.title);
    if (part.source === "outcome" && outcome) {
      const index = unanswered.findIndex(({ tool }) => tool === outcome[1]);
      const [call] = index >= 0 ? unanswered.splice(index, 1) : [];
      transcript.calls.push({
        tool: outcome[1]!,
        args: call?.args ?? {},
        failed: outcome[2] === "failed",
        citation: part.citation,
        result: findJson(part.body),
      });
      lastOutcomeEntry = part.entry;
    } else if (part.entry === lastOutcomeEntry && transcript.calls.length > 0) {
      Object.assign(transcript.calls.at(-1)!.result, findJson(part.body));
    } else if (part.source === "own") {
      for (const line of part.body.matchAll(/^-> ([a-z_]+) (\{.*\})\s*$/gm)) {
        unanswered.push({ tool: line[1]!, args: parseObject(line[2]!) });
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

/** The first line that is a JSON object with at least one key; else the whole body, parsed. */
function findJson(body: string): JsonObject {
  for (const line of body.split("\n")) {
    const found = parseObject(line.trim());
    if (Object.keys(found).length > 0) return found;
  }
  return parseObject(body.trim());
}
