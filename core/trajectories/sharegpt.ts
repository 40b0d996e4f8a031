// Writes a trajectory as Hermes Agent does: ShareGPT turns `system`, `human`, `gpt` and `tool`. Each gpt turn begins with a think block,
// calls are JSON in `tool_call` tags, and the results of one round are one tool turn. The system turn lists the tools and nothing of the
// session's prompt, which has what the agent remembers. Pure.
import { type ToolSpec } from "../agent/contract.ts";
import type { ShareGptLine, ShareGptTurn } from "../schemas/trajectories.ts";
import type { Trajectory, TrajectoryMessage } from "./trajectory.ts";

// Hermes Agent's own words.
const SYSTEM_HEAD =
  "You are a function calling AI model. You are provided with function signatures within <tools> </tools> XML tags. You may call one or " +
  "more functions to assist with the user query. If available tools are not relevant in assisting with user query, just respond in " +
  "natural conversational language. Don't make assumptions about what values to plug into functions. After calling & executing the " +
  "functions, you will be provided with function results within <tool_response> </tool_response> XML tags. Here are the available tools:";
const SYSTEM_TAIL =
  "For each function call return a JSON object, with the following pydantic model json schema for each:\n" +
  "{'title': 'FunctionCall', 'type': 'object', 'properties': {'name': {'title': 'Name', 'type': 'string'}, 'arguments': {'title': " +
  "'Arguments', 'type': 'object'}}, 'required': ['name', 'arguments']}\n" +
  "Each function call should be enclosed within <tool_call> </tool_call> XML tags.\n" +
  "Example:\n<tool_call>\n{'name': <function-name>,'arguments': <args-dict>}\n</tool_call>";

/** The tags of the format. In any other text they are escaped, so that a reader finds only ours. */
const TAG = /<(?=\/?(?:think|tools|tool_call|tool_response)>)/g;

export function toShareGpt({ messages, tools, at, model, completed }: Trajectory): ShareGptLine {
  const turns: ShareGptTurn[] = [{ from: "system", value: renderSystem(tools) }];
  let results: string[] = [];
  const close = () => {
    if (results.length > 0) turns.push({ from: "tool", value: results.join("\n") });
    results = [];
  };
  for (const message of messages) {
    if (message.role === "tool") {
      results.push(renderResult(message));
      continue;
    }
    close();
    if (message.role === "user") turns.push({ from: "human", value: escapeText(message.text) });
    else turns.push({ from: "gpt", value: renderAnswer(message) });
  }
  close();
  return { conversations: turns, timestamp: new Date(at).toISOString(), model, completed };
}

export function renderSystem(tools: ToolSpec[]): string {
  const listed = tools.map(({ name, description, parameters }) => ({ name, description, parameters, required: null }));
  return `${SYSTEM_HEAD}\n<tools>\n${toJson(listed)}\n</tools>\n${SYSTEM_TAIL}`;
}

function renderAnswer({ text, reasoning, calls }: Extract<TrajectoryMessage, { role: "assistant" }>): string {
  const think = reasoning === "" ? "<think>\n</think>" : `<think>\n${escapeText(reasoning)}\n</think>`;
  const made = calls.map(({ name, args }) => `<tool_call>\n${toJson({ name, arguments: args })}\n</tool_call>`);
  return [think, ...(text === "" ? [] : [escapeText(text)]), ...made].join("\n");
}

/** A result that is JSON stays JSON, as in the reference. */
function renderResult({ call, name, text }: Extract<TrajectoryMessage, { role: "tool" }>): string {
  const response = { tool_call_id: call, name, content: readJson(text) ?? text };
  return `<tool_response>\n${toJson(response)}\n</tool_response>`;
}

function readJson(text: string): unknown {
  if (!/^[[{]/.test(text)) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null; // plain text that begins like JSON
  }
}

/** The escape keeps the value. */
function toJson(value: unknown): string {
  return JSON.stringify(value).replace(TAG, "\\u003c");
}

function escapeText(text: string): string {
  return text.replace(TAG, "&lt;");
}
