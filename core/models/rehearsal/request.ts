// Reads a ModelRequest, the only input of rehearsal: listed skills, loaded skills, and the calls of the turn with their results.
// Used by rehearsal.ts, worker.ts, reviewer.ts and chat.ts. Pure.
import { isObject } from "../../unknown-object.ts";
import type { Message, ModelRequest } from "../../agent/contract.ts";
import { readRendered } from "../../agent/tool-result.ts";
import type { JsonObject, ToolCall } from "../../schemas/entry.ts";

export interface ListedSkill {
  name: string;
  description: string;
}
export interface Done {
  call: ToolCall;
  failed: boolean;
  /** The result as JSON; `{}` if it is not an object. */
  result: JsonObject;
}

export function offered(request: ModelRequest): Set<string> {
  return new Set(request.toolChoice === "none" ? [] : request.tools.map((tool) => tool.name));
}

/** The person's last message. The harness's request to close a turn that ran out of steps does not count. */
export function inputOf(request: ModelRequest): string {
  const message = request.messages[inputIndex(request)];
  // A steering message of the person begins with a marker.
  return message?.role === "user" ? message.text.replace(/^\[steer [^\]]*\]\n/, "") : "";
}

const LOADED = "<skills>\n";

/** The skills that the person loaded by name, newest last. */
export function loadedSkills(request: ModelRequest): { name: string; content: string }[] {
  return request.messages
    .flatMap((message) => (message.role === "user" && message.text.startsWith(LOADED) ? [message.text] : []))
    .flatMap((text) => [...text.matchAll(/^<skill name="([a-z0-9-]+)">\n([\s\S]*?)\n<\/skill>$/gm)])
    .map((found) => ({ name: found[1]!, content: found[2]! }));
}

/** Calls and results since the person last spoke, in order. */
export function doneSinceInput(request: ModelRequest): Done[] {
  return toDone(request.messages.slice(inputIndex(request) + 1));
}

/** Calls and results of the whole conversation. */
export function doneInAll(request: ModelRequest): Done[] {
  return toDone(request.messages);
}

/** Lines of the form `- name: description`, only from the skills block if there is one. */
export function listedSkills(system: string): ListedSkill[] {
  const block = /<available_skills>([\s\S]*?)<\/available_skills>/.exec(system)?.[1] ?? system;
  const line = /^[ \t]*[-*]\s+\**`?([a-z0-9]+(?:-[a-z0-9]+)*)`?\**(?:\s*[([][^)\]]*[)\]])?\s*(?::|—|–)\s+(\S.*)$/gm;
  return [...block.matchAll(line)].map((match) => ({ name: match[1]!, description: match[2]! }));
}

function inputIndex({ messages, toolChoice }: ModelRequest): number {
  const said = messages.flatMap((message, index) => (message.role === "user" && !isNote(message.text) ? [index] : []));
  const closes = toolChoice === "none" && said.length > 1 && said.at(-1) === messages.length - 1;
  return said.at(closes ? -2 : -1) ?? -1;
}

/** Notes of the harness come after the person's message. */
function isNote(text: string): boolean {
  return text.startsWith("<note>") || text.startsWith(LOADED);
}

function toDone(messages: Message[]): Done[] {
  const results = new Map<string, Extract<Message, { role: "tool" }>>();
  for (const message of messages) if (message.role === "tool") results.set(message.call, message);
  return messages
    .flatMap((message) => (message.role === "assistant" ? message.calls : []))
    .flatMap((call) => {
      const result = results.get(call.id);
      return result ? [{ call, failed: result.failed, result: readRendered(result.text) ?? {} }] : [];
    });
}

export function parseObject(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? (value as JsonObject) : {};
  } catch {
    return {}; // a truncated result, or plain text
  }
}
