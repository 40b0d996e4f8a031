// The tool execute_code: runs JavaScript that the model wrote in a sandbox, in which the session's other tools are functions. What they
// return stays in the sandbox; the model reads only what the code prints and returns. A call that was cut off is never repeated, since
// the calls it had made may have taken effect.
import * as z from "zod";
import type { InnerCalls, Tool, ToolResult } from "../../agent/contract.ts";
import { readOutcome, renderParts, succeed } from "../../agent/tool-result.ts";
import type { Clock } from "../../ports.ts";
import {
  type CallReply,
  type CodeRun,
  type CodeSandbox,
  MAX_ARGUMENT_CHARS,
  MAX_REPLY_CHARS,
  MAX_RUN_MS,
} from "../../sandbox/code-sandbox.ts";
import type { JsonObject, ToolSpend } from "../../schemas/entry.ts";
import type { Settings } from "../../schemas/settings.ts";
import { isObject } from "../../unknown-object.ts";
import { fitsIn, headAndTail, jsonChars } from "../clip.ts";

// From Hermes Agent: the calls of tools that one piece of code may make.
const MAX_CALLS = 50;

const Args = z.strictObject({
  code: z
    .string()
    .min(1)
    .max(100_000)
    .describe("The body of an async function, in JavaScript: await works at its top."),
});
type Args = z.infer<typeof Args>;

/** Names tools for files only where the session has them. */
const toDescription = (hasFiles: boolean) =>
  "Runs JavaScript in a sandbox where your other tools are async functions. Use it when a task needs many calls, or sums, " +
  "sorting and JSON over their results: only what the code prints with console.log or returns comes back. " +
  (hasFiles
    ? "Example: const paths = ['a.csv', 'b.csv']; const files = await Promise.all(paths.map((path) => tools.read_file({ path }))); " +
      "return files.map((file) => file.content.length). "
    : "") +
  "Arguments and results are those of the tools; a failed call throws an Error with .code and .result. At most " +
  `${MAX_CALLS} calls, about a second of computing and 16 MB. There is no network, no timer, no import and no Node; Date is the time ` +
  "of the call. Variables do not stay.";

export interface ExecuteCodeOptions {
  sandbox: CodeSandbox;
  clock: Clock;
  settings: Settings;
  /** Whether the session has tools for files. */
  hasFiles: boolean;
}

export function createExecuteCode({ sandbox, clock, settings, hasFiles }: ExecuteCodeOptions): Tool<Args> {
  return {
    name: "execute_code",
    description: toDescription(hasFiles),
    parameters: Args,
    effect: "unkeyed",
    staysInside: true,
    failsOften: true,
    callsTools: true,
    ...(hasFiles && { inPieces: "Write data with write_file, in parts, and let the code read it." }),
    async run({ code }, { op, signal, inner }) {
      const calls = createCalls(inner, clock);
      const { names } = calls;
      const run = await sandbox.run({ code, tools: names, call: calls.call, now: clock.now(), seed: op, signal });
      await inner?.end();
      const result = toResult(run, calls, settings.turn.maxResultChars);
      return calls.spent.length > 0 ? { ...result, spent: calls.spent } : result;
    },
  };
}

/** Calls in a row of one tool that ended alike. */
interface CallLine extends JsonObject {
  tool: string;
  ok: boolean;
  times: number;
  ms: number;
}

interface Calls {
  names: readonly string[];
  call(name: string, args: string): Promise<CallReply>;
  lines: CallLine[];
  /** What the calls spent, such as those of `vision_analyze`. */
  spent: ToolSpend[];
  /** Whether a result had text from outside. What the code makes of it counts as such, too. */
  hasReadContent(): boolean;
}

function createCalls(inner: InnerCalls | undefined, clock: Clock): Calls {
  const lines: CallLine[] = [];
  const spent: ToolSpend[] = [];
  let count = 0;
  let charsInFlight = 0;
  let hasReadContent = false;
  return {
    names: inner?.names ?? [],
    lines,
    spent,
    hasReadContent: () => hasReadContent,
    async call(name, json) {
      if (!inner || ++count > MAX_CALLS) {
        return toFailure("call_limit", `Code may make ${MAX_CALLS} calls of tools. Do the rest in another call.`);
      }
      if (charsInFlight + json.length > MAX_ARGUMENT_CHARS) {
        return toFailure(
          "too_much_at_once",
          "The calls that still run have too long arguments together. Await them first.",
        );
      }
      charsInFlight += json.length;
      const began = clock.now();
      const result = await inner.call(name, parseArgs(json));
      charsInFlight -= json.length;
      spent.push(...(result.spent ?? []));
      hasReadContent ||= result.parts.some(({ source }) => source === "content");
      addLine(lines, { tool: name.slice(0, 64), ok: !result.failed, times: 1, ms: clock.now() - began });
      return toReply(name, result);
    },
  };
}

function parseArgs(json: string): { args: JsonObject; malformed?: string } {
  const args: unknown = JSON.parse(json);
  return isObject(args) ? { args: args as JsonObject } : { args: {}, malformed: json };
}

function addLine(lines: CallLine[], line: CallLine): void {
  const last = lines.at(-1);
  if (last?.tool !== line.tool || last.ok !== line.ok) lines.push(line);
  else Object.assign(last, { times: last.times + 1, ms: last.ms + line.ms });
}

function toReply(name: string, result: ToolResult): CallReply {
  const json = renderParts(result.parts);
  if (json.length > MAX_REPLY_CHARS) {
    return toFailure("result_too_large", `The result of ${name} has ${json.length} characters. Ask for less.`);
  }
  if (!result.failed) return { ok: true, json };
  const { error, code, exit_code: exit } = readOutcome(result);
  const ended = exit === undefined ? `${name} failed` : `${name} ended with exit code ${String(exit)}`;
  return {
    ok: false,
    message: typeof error === "string" ? error : ended,
    code: typeof code === "string" ? code : "failed",
    json,
  };
}

function toFailure(code: string, message: string): CallReply {
  return { ok: false, message, code, json: JSON.stringify({ error: message, code }) };
}

/** Room for the sentence, the list of calls and the keys. */
const ENVELOPE_CHARS = 1_000;

function toResult(run: CodeRun, calls: Calls, maxChars: number): ToolResult {
  const stop = run.stopped === null ? null : toStop(run, run.stopped, calls.names);
  const outcome: JsonObject = {
    ...(stop ?? (run.error && { code: "code_failed", error: "The code threw an error: see thrown." })),
    ...(calls.lines.length > 0 && { calls: calls.lines }),
  };
  const room = maxChars - ENVELOPE_CHARS;
  const at = run.error?.line === undefined ? "" : ` (line ${run.error.line} of the code)`;
  const thrown = run.error && headAndTail(`${run.error.text}${at}`, Math.floor(room / 4)).text;
  const left = room - jsonChars(thrown ?? "");
  const value = toValue(run.value, Math.floor(left / 2));
  const stdout = headAndTail(run.stdout, left - (value.chars ?? 0));
  if (stdout.cut || value.cut) outcome.truncated = true;
  const text: JsonObject = {
    ...(run.stdout !== "" && { stdout: stdout.text }),
    ...("value" in value && { returned: value.value }),
    ...(thrown !== undefined && { thrown }),
  };
  const source = calls.hasReadContent() ? "content" : "own";
  const result = succeed(outcome, Object.keys(text).length > 0 ? { [source]: text } : {});
  return { ...result, failed: run.stopped !== null || run.error !== undefined };
}

/** A value that is too long is shown as the beginning and the end of its JSON. */
function toValue(
  json: string | undefined,
  maxChars: number,
): { value?: JsonObject[string]; chars?: number; cut?: boolean } {
  if (json === undefined) return {};
  if (fitsIn(json, maxChars)) return { value: JSON.parse(json) as JsonObject[string], chars: jsonChars(json) };
  const { text } = headAndTail(json, maxChars);
  return { value: text, chars: maxChars, cut: true };
}

/** Names a tool only where the session has it. */
function toStop(
  { hasLostOutput }: CodeRun,
  stopped: NonNullable<CodeRun["stopped"]>,
  tools: readonly string[],
): { code: string; error: string } {
  const { code, error } = STOPPED[stopped];
  const kept = hasLostOutput ? error.replace(KEPT, KEPT_IN_PART) : error;
  return { code, error: stopped === "output" && tools.includes("write_file") ? `${kept} ${TO_FILE}` : kept };
}

const TO_FILE = "Write the rest to a file with tools.write_file.";
const KEPT = "What it had printed, and what its calls had done, is kept.";
const KEPT_IN_PART = "What its calls had done is kept. What it printed after the last of them is lost.";
const STOPPED: Record<NonNullable<CodeRun["stopped"]>, { code: string; error: string }> = {
  time: {
    code: "timed_out",
    error: `The code computed for too long and was stopped. ${KEPT} Find a faster way, or do less in one call.`,
  },
  memory: {
    code: "memory_limit",
    error: `The code needed more memory than it may have and was stopped. ${KEPT} Work on one piece at a time.`,
  },
  stack: {
    code: "stack_limit",
    error: `The code nested too deep: calls of functions, JSON or a pattern. ${KEPT} Use a loop instead of recursion.`,
  },
  output: {
    code: "output_limit",
    error: `The code printed or returned too much and was stopped. ${KEPT} Print less.`,
  },
  wait: {
    code: "timed_out",
    error: `The code waited for its calls for more than ${MAX_RUN_MS / 1_000} seconds and was stopped. ${KEPT} Make fewer or shorter calls.`,
  },
  never: {
    code: "never_settled",
    error:
      "The code waits for a promise that nothing settles. Only calls of tools take time here: there are no timers.",
  },
  busy: {
    code: "sandbox_busy",
    error: "The code was not run: all sandboxes of this place are in use. Try again later, or call the tools directly.",
  },
  lost: {
    code: "sandbox_lost",
    error: `The sandbox failed before the code ended. ${KEPT} Run the rest again, or call the tools directly.`,
  },
  signal: { code: "aborted", error: `The code was called off before it ended. ${KEPT}` },
};
