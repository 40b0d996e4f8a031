// A session whose scripted model calls execute_code, for tests: one turn for each piece of code, and the entry of its result.
import type { Tool } from "../../../core/agent/contract.ts";
import { createQuickJsSandbox } from "../../../core/sandbox/quickjs-code.ts";
import type { JsonObject, ToolEntry } from "../../../core/schemas/entry.ts";
import { systemClock } from "../../../stores/platform/system-clock.ts";
import { quickjs } from "../../support/quickjs.ts";
import { type HarnessOptions, createSessionHarness } from "../../support/session/session-harness.ts";
import { type ScriptLine, createScriptedModel } from "../../support/wires/scripted-model.ts";

export const sandbox = createQuickJsSandbox({ module: quickjs, clock: systemClock });

type Options = Omit<HarnessOptions, "model" | "sandbox"> & { files?: Record<string, string> };

export function createCodeSession(script: ScriptLine[], { files = {}, ...options }: Options = {}) {
  const model = createScriptedModel(script);
  const settings = { ...options.settings, review: { enabled: false } };
  const harness = createSessionHarness({ ...options, settings, model, sandbox });
  const life = harness.boot();
  return {
    model,
    harness,
    life,
    async begin() {
      await life.engine.create({ learning: "on", title: "" });
      for (const [path, text] of Object.entries(files)) {
        const put = life.engine.putFile(path, new TextEncoder().encode(text));
        if (!put.ok) throw new Error(put.failure.message);
      }
    },
    async ask(text = "Do it.") {
      const posted = await life.engine.post({ text });
      if (!posted.ok) throw new Error(posted.failure.message);
      await life.settled();
    },
    toolEntries(): ToolEntry[] {
      const entries = life.engine.entries(0);
      if (!entries.ok) throw new Error(entries.failure.message);
      return entries.value.filter((entry) => entry.kind === "tool");
    },
  };
}

export const code = (text: string): ScriptLine => ({ calls: [{ name: "execute_code", args: { code: text } }] });

export interface ShownResult {
  failed: boolean;
  /** The fields of each part, by source. */
  [source: string]: unknown;
}

export function toShown({ failed, parts }: Pick<ToolEntry, "failed" | "parts">): ShownResult {
  return { failed, ...Object.fromEntries(parts.map(({ source, text }) => [source, JSON.parse(text) as JsonObject])) };
}

/** Runs each piece of code as one call of one turn, and returns their results. */
export async function runCode(pieces: string[], options: Options = {}) {
  const session = createCodeSession([...pieces.map(code), { text: "Done." }], options);
  await session.begin();
  await session.ask();
  const results = session.toolEntries().map(toShown);
  return { ...session, results, result: results.at(-1)! };
}

/** A tool that notes each call, for rules that the built-in tools do not have. */
export function createNoteTool(name: string, notes: string[], more: Partial<Tool> & Pick<Tool, "parameters">): Tool {
  return {
    name,
    description: "Notes its calls.",
    effect: "unkeyed",
    async run(args) {
      notes.push(JSON.stringify(args));
      return { failed: false, parts: [{ source: "outcome", text: "{}" }] };
    },
    ...more,
  };
}
