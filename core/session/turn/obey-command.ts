// Carries out a message that is a command to the session (`/compress`, `/refresh`, `/refine`, `/pending` …), and says how its
// turn ends. Called by run-turn.ts instead of the loop.
import type { EngineContext } from "../context.ts";
import { compress } from "../compaction/compact.ts";
import { type CompactionOptions, SAVES_NOTHING } from "../compaction/shorten.ts";
import type { SummaryCall } from "../compaction/summarise.ts";
import { answerRefine } from "../learning/refine.ts";
import type { Command } from "./commands.ts";
import type { Ending } from "./end-turn.ts";
import { obeyPending } from "./pending.ts";
import { refreshPrompt } from "./prepare-turn.ts";

export async function obeyCommand(
  context: EngineContext,
  command: Command,
  signal: AbortSignal,
  options: CompactionOptions,
): Promise<Ending> {
  switch (command.name) {
    case "refine":
      return answerRefine(context, command.focus);
    case "refresh":
      return refresh(context);
    case "compress":
      return compressNow(context, command.focus, signal, options);
    case "pending":
    case "approve":
    case "reject":
      return obeyPending(context, command);
  }
}

async function refresh(context: EngineContext): Promise<Ending> {
  const models = context.host.models("turn");
  await refreshPrompt(context, models.ok ? models.value[0].contextWindow : undefined);
  const text = "The prompt was made again: skills, memory and files as they are now.";
  return { state: "done", code: "refreshed", text };
}

async function compressNow(
  context: EngineContext,
  focus: string,
  signal: AbortSignal,
  options: CompactionOptions,
): Promise<Ending> {
  let compaction: SummaryCall[] = [];
  const failed = (calls: SummaryCall[]) => (compaction = calls);
  const done = await compress(context, focus, signal, { ...options, failed });
  if (!done.ok) {
    const { code, message: text } = done.failure;
    // "There is nothing to shorten" is an answer to the command, not a failure of the turn.
    return { state: SAVES_NOTHING.has(code) ? "done" : "failed", code, text, compaction };
  }
  const { before, after } = done.value;
  const text = `The conversation was made shorter: from about ${before} to ${after} tokens.`;
  return { state: "done", code: "compressed", text };
}
