// Tries each key of each model by one short call that must call a tool. Called by run-doctor.ts and test-model.ts. Never tells a key or a model's words.
import type { ModelEvent, ModelRequest } from "../../../core/agent/contract.ts";
import { mapLimit } from "../../../core/map-limit.ts";
import { isSmall } from "../../../core/agent/small-window.ts";
import type { ModelProbe } from "../../../core/models/routing.ts";
import type { Usage } from "../../../core/schemas/entry.ts";
import type { DoctorLine } from "../../../core/schemas/doctor.ts";
import { bad, good, guard, tell, warn } from "./lines.ts";

/** Calls of one check-up, which bounds what it may cost. */
export const MAX_MODEL_CALLS = 12;
/** Room for the reasoning of a model that cannot leave it out. */
const MAX_OUTPUT_TOKENS = 1_024;

const CALLS_AT_ONCE = 4;
const MODEL_MS = 30_000;

export interface Spent {
  modelCalls: number;
  tokens: number;
  usd: number;
}

const REQUEST: ModelRequest = {
  system: "You are a connection test. Call the tool `ping` once, with the word `pong`. Write nothing.",
  messages: [{ role: "user", text: "Call the tool." }],
  tools: [
    {
      name: "ping",
      description: "Answers the connection test.",
      parameters: {
        type: "object",
        properties: { word: { type: "string", description: "The word `pong`." } },
        required: ["word"],
        additionalProperties: false,
      },
    },
  ],
  maxOutputTokens: MAX_OUTPUT_TOKENS,
  effort: "minimal",
  toolChoice: "auto",
  cacheKey: "doctor",
};

/** The lines of the first twelve keys. */
export async function tryModels(probes: ModelProbe[], spent: Spent): Promise<DoctorLine[]> {
  const lines = await mapLimit(probes.slice(0, MAX_MODEL_CALLS), CALLS_AT_ONCE, (probe) =>
    guard(
      { check: nameKey(probe), fix: "Check that this provider can be reached from here.", ms: MODEL_MS },
      (signal) => checkModel(probe, signal, spent),
    ),
  );
  return lines.flat();
}

/** The lines of one key: whether it is accepted, and of its model the window and whether it calls tools. */
export async function checkModel(probe: ModelProbe, signal: AbortSignal, spent: Spent): Promise<DoctorLine[]> {
  const check = nameKey(probe);
  spent.modelCalls += 1;
  const end = await readEnd(probe.model.stream(REQUEST, signal));
  if (end?.type === "failed") {
    const { code, message } = end.failure;
    const late = signal.aborted ? "no answer in time" : tell(message);
    return [bad(check, `${late} (${code})`, fixOf(code, probe))];
  }
  if (end?.type !== "done")
    return [bad(check, "the answer ended too early", "Try again; if it stays so, choose another model.")];
  const { usage, cost, calls } = end.answer;
  spent.tokens += sumTokens(usage);
  spent.usd += (cost?.usdMicros ?? 0) / 1e6;
  const lines = [good(check, "accepted")];
  if (probe.nth > 1) return lines;
  const callsTool = calls.some(({ name }) => name === "ping");
  lines.push(
    callsTool
      ? good(`tools of ${probe.name}`, "it calls a tool when it is told to")
      : warn(
          `tools of ${probe.name}`,
          "it answered without calling the tool",
          "Choose a model that supports tool calls, or switch them on in your model server.",
        ),
  );
  const { contextWindow } = probe.model;
  const window = `${contextWindow.toLocaleString("en")} tokens`;
  lines.push(
    isSmall(contextWindow)
      ? warn(
          `window of ${probe.name}`,
          window,
          "Prompts are shortened to fit: raise the server's window, or set models.windows if it has a larger one.",
        )
      : good(`window of ${probe.name}`, window),
  );
  return lines;
}

/** `key 2 of 3 in OPENAI_API_KEY (openai:gpt-5)` */
export function nameKey({ name, variable, nth, of }: ModelProbe): string {
  if (variable === null) return `model ${name}`;
  return `key ${of > 1 ? `${nth} of ${of} in ` : ""}${variable} (${name})`;
}

const FIXES: Record<string, (variable: string) => string> = {
  auth: (variable) => `Put a valid key into ${variable}.`,
  billing: () => "Top up the provider's account, or use another key.",
  rate_limit: () => "Wait, then check again, or ask the provider for a higher limit.",
  model_missing: () => "Name a model in TALARIA_MODEL that this key may use.",
  tools_unsupported: () => "Choose a model that supports tool calls, or switch them on in your model server.",
  stream_malformed: () => "Correct the provider's base URL: what answers there speaks another protocol.",
};

function fixOf(code: string, { variable, name }: ModelProbe): string {
  const fix = FIXES[code];
  if (fix) return fix(variable ?? "the variable of the model server's key");
  return `Check that the provider of ${name} can be reached from here and offers this model.`;
}

async function readEnd(events: AsyncIterable<ModelEvent>): Promise<ModelEvent | null> {
  let last: ModelEvent | null = null;
  for await (const event of events) last = event;
  return last;
}

function sumTokens({ input, output, cacheRead, cacheWrite }: Usage): number {
  return input + output + cacheRead + cacheWrite;
}
