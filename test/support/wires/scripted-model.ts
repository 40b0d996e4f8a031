// A Model that answers from a script: one line per call, in order. A line may be a function of the request. The model records all
// requests and fails when the script is exhausted.
import type { Model, ModelEvent, ModelFailure, ModelRequest } from "../../../core/agent/contract.ts";
import { type Answer, type JsonObject, NO_USAGE } from "../../../core/schemas/entry.ts";

export interface ScriptedAnswer {
  text?: string;
  reasoning?: string;
  calls?: { id?: string; name: string; args?: JsonObject; malformed?: string }[];
  stop?: Answer["stop"];
  cutBy?: Answer["cutBy"];
  usage?: Partial<Answer["usage"]>;
  cost?: Answer["cost"];
  /** Ends the stream with this failure after the text. */
  failure?: Partial<ModelFailure> & { code: string };
  /** Ends the stream without a final event. */
  cut?: boolean;
  /** After the text, the stream waits until this resolves. */
  until?: Promise<unknown>;
}

export type ScriptLine = ScriptedAnswer | ((request: ModelRequest) => ScriptedAnswer);

export interface ScriptedModel extends Model {
  requests: ModelRequest[];
}

/** `more`: further properties of the model, such as `sees`. */
export function createScriptedModel(script: ScriptLine[], more: Partial<Model> = {}): ScriptedModel {
  const requests: ModelRequest[] = [];
  return {
    name: "scripted:test",
    contextWindow: 200_000,
    ...more,
    requests,
    async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
      const { readImage: _, ...recorded } = request;
      requests.push(structuredClone(recorded));
      const line = script[requests.length - 1] ?? { text: "The script is over." };
      const answer = typeof line === "function" ? line(request) : line;
      if (answer.reasoning) yield { type: "reasoning_delta", text: answer.reasoning };
      for (const text of answer.text?.match(/\S+\s*/g) ?? []) yield { type: "text_delta", text };
      if (answer.until) await Promise.race([answer.until, aborted(signal)]);
      if (signal.aborted) yield failed({ code: "aborted", message: "The call was aborted." });
      else if (answer.failure) yield failed(answer.failure);
      else if (!answer.cut) yield { type: "done", answer: toAnswer(answer, requests.length, more.name) };
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    signal.addEventListener("abort", () => done(), { once: true });
  });
}

function failed(failure: Partial<ModelFailure> & { code: string }): ModelEvent {
  return {
    type: "failed",
    failure: { message: "It failed.", retry: false, compact: false, rotateKey: false, fallBack: false, ...failure },
  };
}

function toAnswer(answer: ScriptedAnswer, request: number, model = "scripted:test"): Answer {
  const calls = (answer.calls ?? []).map(({ id, name, args = {}, malformed }, index) => ({
    id: id ?? `call-${request}-${index}`,
    name,
    args,
    ...(malformed === undefined ? {} : { malformed }),
  }));
  return {
    text: answer.text ?? "",
    ...(answer.reasoning ? { reasoning: answer.reasoning } : {}),
    calls,
    ...(answer.cutBy && { cutBy: answer.cutBy }),
    stop: answer.stop ?? (calls.length > 0 ? "tools" : "end"),
    usage: { ...NO_USAGE, input: 10, output: 5, ...answer.usage },
    ...(answer.cost ? { cost: answer.cost } : {}),
    model,
  };
}
