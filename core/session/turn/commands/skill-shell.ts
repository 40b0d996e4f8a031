// Runs the inline shell snippets of a skill that the person loads by a slash command, before the model reads it. Only if the profile's
// owner has switched it on, and only in the session's own shell. Called by invoke.ts. A snippet may have an effect, so none is run a
// second time after a crash.
import { renderParts } from "../../../agent/tool-result.ts";
import { clip } from "../../../clip.ts";
import { JsonObject, type NoticeEntry } from "../../../schemas/entry.ts";
import type { EngineContext } from "../../context.ts";
import type { TurnRow } from "../../log-turns.ts";
import { toNotice } from "../../prompt/notices.ts";
import { areSettingsOld, profileSettings, renewProfileSettings } from "../../prompt/profile-settings.ts";
import { sessionTools } from "../session-tools.ts";

/** [own] Snippets of one message, and characters of each output. */
const MAX_SNIPPETS = 8;
const MAX_OUTPUT_CHARS = 4_000;
const TIMEOUT_MS = 10_000;
const NOTICE = "skill_commands";

export interface SnippetRun {
  signal: AbortSignal;
  put(entry: NoticeEntry): void;
}

/** The outputs by command; empty if nothing may be run. Never throws because of a snippet. */
export async function runSnippets(
  context: EngineContext,
  turn: TurnRow,
  commands: string[],
  { signal, put }: SnippetRun,
): Promise<Map<string, string>> {
  const outputs = new Map<string, string>();
  const wanted = [...new Set(commands)].slice(0, MAX_SNIPPETS);
  if (wanted.length === 0 || context.meta().backend === "host") return outputs;
  if (areSettingsOld(context, turn)) await renewProfileSettings(context);
  if (profileSettings(context).sections.skills.all?.inlineShell !== true) return outputs;
  const terminal = sessionTools(context, "").find(({ name }) => name === "terminal");
  if (!terminal) return outputs;
  const { host, log } = context;
  const hasBegun = log
    .entries(turn.input! + 1)
    .some((entry) => entry.turn === turn.n && entry.kind === "notice" && entry.code === NOTICE);
  if (hasBegun)
    return new Map(wanted.map((command) => [command, "(The command was cut off: what it did is not known.)"]));
  const text = `Commands of the loaded skills: ${wanted.map((command) => clip(command, 200)).join("; ")}`;
  put(toNotice({ n: log.nextEntry(), turn: turn.n, at: host.clock.now(), code: NOTICE, text }));
  for (const [i, command] of wanted.entries()) {
    const args = { command, timeout_ms: TIMEOUT_MS };
    const gate = terminal.gate?.(args) ?? { verdict: "run" };
    if (gate.verdict !== "run" || signal.aborted) continue;
    const result = await terminal.run(args, { op: `${turn.n}.skill.${i}`, prepared: {}, signal });
    outputs.set(command, describe(renderParts(result.parts)));
  }
  return outputs;
}

/** What a shell would have printed, and how it ended if that was not well. */
function describe(json: string): string {
  const read = JsonObject.safeParse(JSON.parse(json));
  const { stdout = "", stderr = "", exit_code: code, error } = read.success ? read.data : {};
  const printed = [stdout, stderr, error ?? ""].map(String).filter((part) => part !== "");
  const ending = code === 0 || code === undefined ? [] : [`(exit code ${String(code)})`];
  return clip([...printed, ...ending].join("\n").trimEnd(), MAX_OUTPUT_CHARS);
}
