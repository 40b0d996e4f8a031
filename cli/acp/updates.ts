// What an editor is shown of a session, in the words of the Agent Client Protocol: of a running turn from its events, of earlier turns from
// the log. Used by serve-acp.ts. Pure.
import type { SessionUpdate, StopReason, ToolKind } from "@agentclientprotocol/sdk";
import { type AgentEvent, type Entry, type JsonObject, textOf } from "../../core/schemas/entry.ts";
import { summarise, toOneLine, toPlain } from "../output/plain-text.ts";

/** Editors show an icon by it. Other tools are `other`. */
const KINDS: Record<string, ToolKind> = {
  read_file: "read",
  skill_view: "read",
  session_search: "search",
  search_files: "search",
  skills_list: "search",
  web_search: "search",
  web_extract: "fetch",
  write_file: "edit",
  patch: "edit",
  skill_manage: "edit",
  memory: "edit",
  terminal: "execute",
  execute_code: "execute",
  todo: "think",
};

/** Longer arguments are cut in the title of a call; the editor gets them whole beside it. */
const TITLE_CHARS = 80;

export function toUpdates(event: AgentEvent): SessionUpdate[] {
  switch (event.type) {
    case "text_delta":
      return [{ sessionUpdate: "agent_message_chunk", content: { type: "text", text: toPlain(event.text) } }];
    case "reasoning_delta":
      return [{ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: toPlain(event.text) } }];
    case "tool_start":
      return [
        { sessionUpdate: "tool_call", ...describeCall(event.entry, event.name, event.args), status: "in_progress" },
      ];
    case "tool_end":
      return [{ sessionUpdate: "tool_call_update", ...describeEnd(event.entry, event) }];
    case "notice_add":
      return [{ sessionUpdate: "notice", severity: "info", title: toPlain(event.text) }];
    case "turn_park":
      // An approval is asked as a request of its own.
      return event.question.for === "clarify"
        ? [{ sessionUpdate: "agent_message_chunk", content: { type: "text", text: `\n\n${toPlain(event.text)}\n` } }]
        : [];
    default:
      return [];
  }
}

/** An entry of the log as its turn showed it. Notes to the model are not shown. */
export function toPastUpdates(entry: Entry): SessionUpdate[] {
  const text = textOf(entry);
  const content = { type: "text", text: toPlain(text) } as const;
  switch (entry.kind) {
    case "user":
      return [{ sessionUpdate: "user_message_chunk", content }];
    case "assistant":
      return text === "" ? [] : [{ sessionUpdate: "agent_message_chunk", content }];
    case "tool": {
      const { call, state, failed } = entry;
      const { name, args } = call;
      if (state === "open")
        return [{ sessionUpdate: "tool_call", ...describeCall(entry.n, name, args), status: "pending" }];
      const end = describeEnd(entry.n, { failed, result: text });
      return [{ sessionUpdate: "tool_call", ...describeCall(entry.n, name, args), ...end }];
    }
    case "notice":
      return [{ sessionUpdate: "notice", severity: "info", title: toPlain(text) }];
    default:
      return [];
  }
}

function describeCall(entry: number, name: string, args: JsonObject) {
  const title = `${toOneLine(name)} ${summarise(args)}`;
  return {
    toolCallId: toCallId(entry),
    name,
    title: title.length > TITLE_CHARS ? `${title.slice(0, TITLE_CHARS - 1)}…` : title,
    kind: KINDS[name] ?? "other",
    rawInput: args,
  };
}

function describeEnd(entry: number, { failed, result }: { failed: boolean; result: string }) {
  return {
    toolCallId: toCallId(entry),
    status: failed ? ("failed" as const) : ("completed" as const),
    content: [{ type: "content" as const, content: { type: "text" as const, text: toPlain(result) } }],
  };
}

export function toCallId(entry: number): string {
  return `call-${entry}`;
}

const STOPS: Record<string, StopReason> = {
  stopped: "cancelled",
  redirected: "cancelled",
  length: "max_tokens",
  refusal: "refusal",
  step_limit: "max_turn_requests",
};

/** A turn that ended otherwise has said why in a notice. */
export function toStopReason({ state, reason }: Extract<AgentEvent, { type: "turn_end" }>): StopReason {
  return state === "stopped" ? "cancelled" : (STOPS[reason] ?? "end_turn");
}
