// The three tools under test, one per effect. A call is one request to the recording server. A keyed call sends its `op` as a key;
// repeated calls of the other tools cannot be distinguished.
import * as z from "zod";
import type { Effect, Tool } from "../../core/agent/contract.ts";
import { succeed } from "../../core/agent/tool-result.ts";

export function chaosTools(url: string, session: string): Tool[] {
  return (["read", "keyed", "unkeyed"] as const).map((effect) => recordedTool({ url, session }, effect));
}

function recordedTool(
  { url, session }: { url: string; session: string },
  effect: Effect,
): Tool<{ task: number; call: string }> {
  return {
    name: `do_${effect}`,
    description: `Does one thing outside (${effect}).`,
    parameters: z.strictObject({
      task: z.int().describe("Number of the task."),
      call: z.string().describe("Name of the call within the task."),
    }),
    effect,
    async run(args, { op, signal }) {
      const body = JSON.stringify({ effect, session, ...args, ...(effect === "keyed" ? { key: op } : {}) });
      const answer = await fetch(`${url}/tool`, { method: "POST", body, signal });
      return succeed({ done: answer.ok, call: args.call });
    },
  };
}
