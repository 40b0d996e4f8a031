// Shortens a conversation that is longer than a target: as much of its middle as needed becomes one human turn with excerpts. The first
// system, human, gpt and tool turn and the last four stay. A call is never parted from its results. All numbers are from Hermes Agent,
// whose summary a model writes; this one needs none, and the same conversation gives the same bytes. Pure.
import type { Message } from "../agent/contract.ts";
import { renderStaticSummary } from "../agent/compaction/compaction-summary.ts";
import { estimateTokens } from "../tokens.ts";
import { renderSystem } from "./sharegpt.ts";
import type { Trajectory, TrajectoryMessage } from "./trajectory.ts";

export const TARGET_TOKENS = 15_250;
const SUMMARY_TOKENS = 750;
const PROTECTED_LAST = 4;

/** A turn of ShareGPT: one message, or the results of one round. */
interface Turn {
  from: "human" | "gpt" | "tool";
  messages: TrajectoryMessage[];
  tokens: number;
}

/** The same trajectory if it is short enough, or if nothing of it may be left out. */
export function compressTrajectory(trajectory: Trajectory, targetTokens = TARGET_TOKENS): Trajectory {
  const turns = toTurns(trajectory.messages);
  const total = estimateTokens(renderSystem(trajectory.tools)) + turns.reduce((sum, { tokens }) => sum + tokens, 0);
  if (total <= targetTokens) return trajectory;
  const region = planRegion(turns, total - targetTokens + SUMMARY_TOKENS);
  if (!region) return trajectory;
  const { from, to } = region;
  const gap = turns.slice(from, to).flatMap(({ messages }) => messages);
  const { turn, entry } = gap[0]!;
  const after = turns.slice(to).flatMap(({ messages }) => messages);
  const [next, ...rest] = after;
  const text = summarise(gap);
  // Roles alternate, so a human turn that follows takes the summary in.
  const joined: TrajectoryMessage[] =
    next?.role === "user"
      ? [{ ...next, text: `${text}\n\n${next.text}` }, ...rest]
      : [{ role: "user", text, turn, entry }, ...after];
  return { ...trajectory, messages: [...turns.slice(0, from).flatMap(({ messages }) => messages), ...joined] };
}

/** Turns of the middle, from its beginning, until they have this many tokens. `null`: fewer tokens would be left out than the summary has. */
function planRegion(turns: Turn[], neededTokens: number): { from: number; to: number } | null {
  const from = headLength(turns);
  const last = tailStart(turns, from);
  let to = from;
  let saved = 0;
  while (to < last && (saved < neededTokens || turns[to]!.from === "tool")) saved += turns[to++]!.tokens;
  return saved > SUMMARY_TOKENS ? { from, to } : null;
}

/** After the first human, gpt and tool turn, as far as they are in the first half. */
function headLength(turns: Turn[]): number {
  const firsts = (["human", "gpt", "tool"] as const).map((side) => turns.findIndex(({ from }) => from === side));
  const length = Math.max(0, ...firsts.filter((i) => i < turns.length / 2).map((i) => i + 1));
  return turns[length]?.from === "tool" ? length + 1 : length;
}

/** The last four turns, and the call of the first of them. */
function tailStart(turns: Turn[], earliest: number): number {
  let start = Math.max(earliest, turns.length - PROTECTED_LAST);
  while (start > earliest && turns[start]?.from === "tool") start--;
  return start;
}

function toTurns(messages: TrajectoryMessage[]): Turn[] {
  const turns: Turn[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    const tokens = weigh(message);
    if (message.role === "tool" && last?.from === "tool") {
      last.messages.push(message);
      last.tokens += tokens;
    } else turns.push({ from: SIDES[message.role], messages: [message], tokens });
  }
  return turns;
}

const SIDES = { user: "human", assistant: "gpt", tool: "tool" } as const;

function weigh(message: TrajectoryMessage): number {
  if (message.role !== "assistant") return estimateTokens(message.text);
  const { text, reasoning, calls } = message;
  return estimateTokens(
    [text, reasoning, ...calls.map(({ name, args }) => `${name} ${JSON.stringify(args)}`)].join("\n"),
  );
}

/** At most 750 tokens: the newest excerpts that fit. */
function summarise(gap: TrajectoryMessage[]): string {
  const input = { gap: gap.map(toMessage), previous: "", focus: "", dayOf: () => "" };
  const [head = "", ...lines] = renderStaticSummary(input).split("\n");
  const title = `[CONTEXT SUMMARY]: ${head}`;
  let left = SUMMARY_TOKENS - estimateTokens(title);
  const kept: string[] = [];
  for (const line of lines.toReversed()) {
    left -= estimateTokens(`${line}\n`);
    if (left < 0) break;
    kept.unshift(line);
  }
  return [title, ...kept].join("\n").trimEnd();
}

function toMessage(message: TrajectoryMessage): Message {
  switch (message.role) {
    case "user":
      return { role: "user", text: message.text };
    case "tool":
      return { role: "tool", call: message.call, name: message.name, text: message.text, failed: message.failed };
    case "assistant":
      return { role: "assistant", text: message.text, calls: message.calls };
  }
}
