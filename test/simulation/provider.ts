// The model of a simulated session: follows the script of each message, even after the session was interrupted, and checks every
// request as a provider and its cache would. Used by world.ts.
import type { Message, Model, ModelEvent, ModelFailure, ModelRequest } from "../../core/agent/contract.ts";
import { NO_USAGE } from "../../core/schemas/entry.ts";
import type { Script, Trouble } from "./plan.ts";

export interface Provider extends Model {
  /** Invalid requests, in words. */
  faults: string[];
  /** Calls that a request reported as unknown. */
  unknown: Set<string>;
}

const TIMES: Partial<Record<Trouble, number>> = { flaky: 1, broken: 1, away: 6, fatal: 1, overflow: 1 };

/** `scripts`: by message. `epoch`: changes with each compaction. */
export function createProvider(scripts: Script[], epoch: () => number): Provider {
  const asked = new Map<string, number>();
  const faults: string[] = [];
  const unknown = new Set<string>();
  let before: { epoch: number; system: string; tools: string; messages: string[] } | null = null;

  /** Within an epoch, one of two consecutive requests must be a prefix of the other. */
  function checkPrefix(request: ModelRequest): void {
    if (request.toolChoice === "none") return; // its last message is for this call alone
    const { system } = request;
    const now = {
      epoch: epoch(),
      system,
      tools: JSON.stringify(request.tools),
      messages: request.messages.map(toBytes),
    };
    if (before && before.epoch === now.epoch && before.system === system) {
      if (before.tools !== now.tools) faults.push("the tools changed within an epoch");
      const shared = Math.min(before.messages.length, now.messages.length);
      const at = before.messages.slice(0, shared).findIndex((message, i) => message !== now.messages[i]);
      if (at >= 0)
        faults.push(`message ${at} changed within an epoch: ${before.messages[at]} became ${now.messages[at]}`);
    }
    before = now;
  }

  return {
    name: "simulated:1",
    contextWindow: 200_000,
    faults,
    unknown,
    async *stream(request, signal): AsyncGenerator<ModelEvent> {
      if (request.tools.length === 0) return yield done("A summary.", []); // the session itself asks for a compaction
      const problem = findProblem(request.messages);
      if (problem) faults.push(problem);
      checkPrefix(request);
      for (const message of request.messages) {
        if (message.role === "tool" && message.text.includes('"outcome_unknown"')) unknown.add(message.call);
      }
      const at = request.messages.findLastIndex((message) => tagOf(message) !== null);
      const tag = tagOf(request.messages[at]!)!;
      const n = request.messages.slice(at).filter(({ role }) => role === "assistant").length;
      const step = scripts[tag]![n];
      const times = (asked.get(`${tag}.${n}`) ?? 0) + 1;
      asked.set(`${tag}.${n}`, times);
      // A repeated call gets another text, as models do.
      const words = Array.from({ length: (step?.words ?? 2) + 1 }, (_, i) => `m${tag}.${n}.${times}.${i} `);
      const trouble = step && times <= (TIMES[step.trouble] ?? 0) ? step.trouble : "none";
      if (trouble === "none" || trouble === "broken") {
        for (const text of words) {
          if (signal.aborted) break;
          yield { type: "text_delta", text };
          await ticks(2);
        }
      }
      if (signal.aborted) return yield failed("aborted", {});
      if (trouble === "flaky" || trouble === "broken") return yield failed("stream_cut", { retry: true });
      if (trouble === "away") return yield failed("overloaded", { retry: true });
      if (trouble === "fatal") return yield failed("auth", {});
      if (trouble === "overflow") return yield failed("context_overflow", { compact: true });
      // After a compaction the model does not see what was done, so a repeated action is a new call.
      const place = `m${tag}.${n}.e${epoch()}`;
      yield done(
        words.join(""),
        (step?.calls ?? []).map((effect, i) => ({ id: `${place}.${i}`, effect })),
      );
    },
  };
}

export async function ticks(count: number): Promise<void> {
  for (let tick = 0; tick < count; tick++) await Promise.resolve();
}

export function toMessageText(tag: number): string {
  return `Message ${tag}.`;
}

function tagOf(message: Message): number | null {
  const match = message.role === "user" && /(?:^|\n)Message (\d+)\.$/.exec(message.text);
  return match ? Number(match[1]) : null;
}

/** The message as it is sent. */
function toBytes({ entry: _entry, ...message }: Message): string {
  return JSON.stringify(message);
}

/** Providers refuse a call without a result, and a result without a call. */
function findProblem(messages: Message[]): string | null {
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === "tool") {
      if (open.shift() !== message.call) return `the result of ${message.call} is not where it belongs`;
      continue;
    }
    if (open.length > 0) return `${open.join(", ")} has no result`;
    if (message.role === "assistant") open = message.calls.map(({ id }) => id);
  }
  return open.length > 0 ? `${open.join(", ")} has no result` : null;
}

function done(text: string, calls: { id: string; effect: string }[]): ModelEvent {
  return {
    type: "done",
    answer: {
      text,
      calls: calls.map(({ id, effect }) => ({ id, name: effect, args: { call: id } })),
      stop: calls.length > 0 ? "tools" : "end",
      usage: { ...NO_USAGE, input: 10, output: 5 },
      model: "simulated:1",
    },
  };
}

function failed(code: string, decisions: Partial<ModelFailure>): ModelEvent {
  const failure = { code, message: "It failed.", retry: false, compact: false, rotateKey: false, fallBack: false };
  return { type: "failed", failure: { ...failure, ...decisions } };
}
