// Parses a ModelRequest, the only input of rehearsal: the person's message, listed and loaded skills, and finished calls with their
// results. Used by rehearsal.ts, worker.ts, reviewer.ts and chat.ts. Pure.
import { isObject } from "../../unknown-object.ts";
import type { Message, ModelRequest } from "../../agent/contract.ts";
import { readRendered } from "../../agent/tool-result.ts";
import type { JsonObject, ToolCall } from "../../schemas/entry.ts";

export interface ListedSkill {
  name: string;
  description: string;
}
export interface FinishedCall {
  call: ToolCall;
  failed: boolean;
  /** `{}` if the result is not a JSON object. */
  result: JsonObject;
}

export function offeredTools(request: ModelRequest): Set<string> {
  return new Set(request.toolChoice === "none" ? [] : request.tools.map((tool) => tool.name));
}

/** The person's last message. Skips the harness's request to close a turn that ran out of steps. */
export function readInput(request: ModelRequest): string {
  const message = request.messages[inputIndex(request)];
  // A steering message begins with a marker.
  return message?.role === "user" ? message.text.replace(/^\[steer [^\]]*\]\n/, "") : "";
}

const LOADED = "<skills>\n";

/** Skills that the person loaded by name, oldest first. */
export function loadedSkills(request: ModelRequest): { name: string; content: string }[] {
  return request.messages
    .flatMap((message) => (message.role === "user" && message.text.startsWith(LOADED) ? [message.text] : []))
    .flatMap((text) => [...text.matchAll(/^<skill name="([a-z0-9-]+)">\n([\s\S]*?)\n<\/skill>$/gm)])
    .map((found) => ({ name: found[1]!, content: found[2]! }));
}

/** Finished calls since the person's last message, in order. */
export function callsSinceInput(request: ModelRequest): FinishedCall[] {
  return toFinishedCalls(request.messages.slice(inputIndex(request) + 1));
}

/** Finished calls of the whole conversation, in order. */
export function allCalls(request: ModelRequest): FinishedCall[] {
  return toFinishedCalls(request.messages);
}

/** Lines of the form `- name: description`: from the skills block if there is one, else from the whole prompt. */
export function listedSkills(system: string): ListedSkill[] {
  const block = /<available_skills>([\s\S]*?)<\/available_skills>/.exec(system)?.[1] ?? system;
  const line = /^[ \t]*[-*]\s+\**`?([a-z0-9]+(?:-[a-z0-9]+)*)`?\**(?:\s*[([][^)\]]*[)\]])?\s*(?::|—|–)\s+(\S.*)$/gm;
  return [...block.matchAll(line)].map((match) => ({ name: match[1]!, description: match[2]! }));
}

function inputIndex({ messages, toolChoice }: ModelRequest): number {
  const inputs = messages.flatMap((message, index) =>
    message.role === "user" && !isNote(message.text) ? [index] : [],
  );
  const isClosing = toolChoice === "none" && inputs.length > 1 && inputs.at(-1) === messages.length - 1;
  return inputs.at(isClosing ? -2 : -1) ?? -1;
}

/** The harness adds notes and loaded skills as user messages after the person's message. */
function isNote(text: string): boolean {
  return text.startsWith("<note>") || text.startsWith(LOADED);
}

function toFinishedCalls(messages: Message[]): FinishedCall[] {
  const results = new Map<string, Extract<Message, { role: "tool" }>>();
  for (const message of messages) if (message.role === "tool") results.set(message.call, message);
  return messages
    .flatMap((message) => (message.role === "assistant" ? message.calls : []))
    .flatMap((call) => {
      const result = results.get(call.id);
      return result ? [{ call, failed: result.failed, result: readRendered(result.text) ?? {} }] : [];
    });
}

/** `{}` if the text is not a JSON object. */
export function parseObject(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? (value as JsonObject) : {};
  } catch {
    return {}; // a truncated result, or plain text
  }
}
