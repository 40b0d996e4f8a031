// Writes a trajectory in the form of OpenAI's fine-tuning: `messages` with `tool_calls`, and the tools beside them. Messages that are
// context only have the weight 0. There is no system message: the session's prompt has what the agent remembers. Pure.
import type { ToolSpec } from "../agent/contract.ts";
import type { OpenAiLine, OpenAiMessage, OpenAiTool } from "../schemas/trajectories.ts";
import type { Trajectory, TrajectoryMessage } from "./trajectory.ts";

/** OpenAI's limit for the name of a function, and what else a name may have. */
const NAME = /^[\w-]{1,64}$/;

/** `null`: nothing is left to train on. The last message is the model's, as OpenAI's check demands. */
export function toOpenAi({ messages, tools }: Trajectory): OpenAiLine | null {
  const end = messages.findLastIndex(({ role }) => role === "assistant");
  const kept = messages.slice(0, end + 1);
  const answers = kept.filter((message) => message.role === "assistant");
  if (!answers.some(({ trains }) => trains)) return null;
  const weighs = answers.some(({ trains }) => !trains);
  const written = kept.map((message) => toOpenAiMessage(message, weighs));
  if (!answers.some(({ calls }) => calls.length > 0)) return { messages: written };
  return { messages: written, tools: tools.map(toOpenAiTool) };
}

export function toOpenAiMessage(message: TrajectoryMessage, weighs = false): OpenAiMessage {
  switch (message.role) {
    case "user":
      return { role: "user", content: message.text };
    case "tool":
      return { role: "tool", tool_call_id: message.call, content: message.text };
    case "assistant": {
      const { text, calls, trains } = message;
      const made = calls.map(({ id, name, args }) => ({
        id,
        type: "function" as const,
        function: { name: toName(name), arguments: JSON.stringify(args) },
      }));
      return {
        role: "assistant",
        content: text,
        ...(made.length > 0 && { tool_calls: made }),
        ...(weighs && { weight: trains ? (1 as const) : (0 as const) }),
      };
    }
  }
}

function toOpenAiTool({ name, description, parameters }: ToolSpec): OpenAiTool {
  return { type: "function", function: { name: toName(name), description, parameters } };
}

/** A name that a model made up may be of any form. */
function toName(name: string): string {
  return NAME.test(name) ? name : name.replace(/[^\w-]/g, "_").slice(0, 64) || "_";
}
