// A session that is recorded for the test of exactness, and the short forms in which flows write the answers of their models.
import type { NotReplayable } from "../../../../core/schemas/learning/experiment.ts";
import type { JsonObject } from "../../../../core/schemas/entry.ts";
import type { ScriptedAnswer } from "../../wires/scripted-model.ts";
import type { RecordedWorld } from "../recorded-world.ts";

export interface Flow {
  title: string;
  record(): Promise<RecordedWorld>;
  /** Turns that cannot be run again, and why. All others must be exact. */
  not?: Record<number, NotReplayable | "copied">;
}

export const call = (name: string, args: JsonObject = {}): ScriptedAnswer => ({ calls: [{ name, args }] });
/** Several calls in one answer. */
export const together = (...answers: ScriptedAnswer[]): ScriptedAnswer => ({
  text: "All at once.",
  calls: answers.flatMap(({ calls = [] }) => calls),
});
export const run = (command: string): ScriptedAnswer => call("terminal", { command });
export const write = (path: string, content: string): ScriptedAnswer => call("write_file", { path, content });
export const read = (path: string, more: JsonObject = {}): ScriptedAnswer => call("read_file", { path, ...more });
export const code = (text: string): ScriptedAnswer => call("execute_code", { code: text });
export const say = (text: string): ScriptedAnswer => ({ text });
export const done = say("Done.");
