// Makes the rows of Hermes's tables `sessions` and `messages` from a session's log. Pure. Form: state.db version 22.
import { renderParts } from "../../agent/tool-result.ts";
import type { Entry, Part } from "../../schemas/entry.ts";
import { NO_INPUT, NO_RESULT } from "../../session/moving/transcript-rows.ts";
import { isObject } from "../../unknown-object.ts";
import type { OwnSession } from "./own-profile.ts";
import { toPreview } from "./transcripts.ts";

export interface HermesSessionRow {
  id: string;
  title: string | null;
  model: string | null;
  startedAt: number;
  endedAt: number;
  messages: HermesMessageRow[];
}

/** Times in seconds since 1970. */
export interface HermesMessageRow {
  role: "user" | "assistant" | "tool";
  content: string | null;
  toolCallId: string | null;
  /** JSON. */
  toolCalls: string | null;
  toolName: string | null;
  at: number;
  finishReason: string | null;
}

/** [hermes] */
const MAX_TITLE = 100;
/** What follows `talaria-` is the session's id: the import of this program finds the session by it. */
const PREFIX = "talaria-";

/** `null`: nobody said anything. `titles`: those that are taken; each may be there once. */
export function toHermesSession(session: OwnSession, titles: Set<string>): HermesSessionRow | null {
  const rows = session.entries.flatMap((entry) => toRow(entry) ?? []);
  const messages = session.from ? rows.filter(({ content }) => content !== NO_INPUT && content !== NO_RESULT) : rows;
  if (messages.length === 0) return null;
  const { from, createdAt } = session;
  const answer = session.entries.find((entry) => entry.kind === "assistant" && entry.answer.model !== "unknown");
  return {
    id: from?.program === "hermes" ? from.id : `${PREFIX}${session.session}`,
    title: toTitle(session.title, { first: messages.find(({ role }) => role === "user")?.content ?? "", titles }),
    model: answer?.kind === "assistant" ? answer.answer.model : null,
    startedAt: createdAt / 1_000,
    endedAt: Math.max(createdAt / 1_000, messages.at(-1)!.at),
    messages,
  };
}

/** The import names a conversation without a title by its first words. */
function toTitle(given: string, { first, titles }: { first: string; titles: Set<string> }): string | null {
  const title = given.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
  if (title === "" || given === toPreview(first)) return null;
  let chosen = Array.from(title).slice(0, MAX_TITLE).join("");
  for (let n = 2; titles.has(chosen); n++) {
    const ending = ` #${n}`;
    chosen =
      Array.from(title)
        .slice(0, MAX_TITLE - ending.length)
        .join("") + ending;
  }
  titles.add(chosen);
  return chosen;
}

function toRow(entry: Entry): HermesMessageRow | null {
  const at = entry.at / 1_000;
  const none = { toolCallId: null, toolCalls: null, toolName: null, finishReason: null, at };
  switch (entry.kind) {
    case "user":
      return { ...none, role: "user", content: joinParts(entry.parts) };
    case "assistant": {
      const { calls, stop } = entry.answer;
      const named = calls.map(({ id, name, args }) => ({
        ...{ id, type: "function" },
        function: { name, arguments: JSON.stringify(args) },
      }));
      return {
        ...{ ...none, role: "assistant", content: joinParts(entry.parts) },
        toolCalls: calls.length > 0 ? JSON.stringify(named) : null,
        finishReason: calls.length > 0 ? "tool_calls" : stop === "length" ? "length" : "stop",
      };
    }
    case "tool":
      if (entry.state === "open") return null;
      return {
        ...none,
        role: "tool",
        content: toOutput(entry.parts),
        toolCallId: entry.call.id,
        toolName: entry.call.name,
      };
    default:
      return null;
  }
}

function joinParts(parts: Part[]): string {
  return parts.map(({ text }) => text).join("");
}

/** The result of a call that was moved in is as it was there (core/session/moving/transcript-rows.ts). */
function toOutput(parts: Part[]): string {
  const [only] = parts;
  if (parts.length === 1 && only?.source === "content") {
    try {
      const value: unknown = JSON.parse(only.text);
      if (isObject(value) && typeof value.output === "string" && Object.keys(value).length === 1) return value.output;
    } catch {
      // Not JSON: it goes as it is.
    }
  }
  return renderParts(parts);
}
