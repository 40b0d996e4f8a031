// Reads trajectories from the log of a session: what a model read, and what it wrote. A session without compactions is one conversation.
// Each compaction ends one, and the next begins with what the model read instead. Commands to the session and turns that were taken back
// are left out. Called by the page reader. Pure.
import { applyCompaction, inForce } from "../agent/compaction/compaction.ts";
import { pruneImages } from "../agent/compaction/compaction-prune.ts";
import type { Message, ToolSpec } from "../agent/contract.ts";
import type { CompactionEntry, Entry, JsonObject, ToolEntry, UserEntry } from "../schemas/entry.ts";
import { toMessages } from "../session/prompt/history.ts";
import { isOpen } from "../session/log-turns.ts";
import { withoutCommands } from "../session/turn/commands/without-commands.ts";
import type { Trajectory, TrajectoryMessage, TrajectorySource, TrajectoryTurn } from "./trajectory.ts";

/** `isWanted`: whether a turn is trained on. A conversation ends with the last such turn; one without any is left out. */
export function readTrajectories(source: TrajectorySource, isWanted: (turn: TrajectoryTurn) => boolean): Trajectory[] {
  const entries = readableEntries(source);
  const wanted = new Set(source.turns.filter((turn) => turn.n > source.inherited && isWanted(turn)).map(({ n }) => n));
  const made = entries.filter((entry) => entry.kind === "compaction");
  const cuts = [0, ...made.map(({ n }) => n), Infinity];
  return cuts.slice(1).flatMap((to, i) => {
    const shown = entries.filter(({ n }) => n < to);
    const messages = fromFirstUser(toTrajectoryMessages(shown, made.slice(0, i))).map((message) =>
      message.role === "assistant"
        ? { ...message, trains: message.entry > cuts[i]! && wanted.has(message.turn) }
        : message,
    );
    const kept = endAfterTraining(messages);
    return kept.length === 0 ? [] : [toTrajectory(source, kept)];
  });
}

/**
 * One turn by itself: what the model read when it began, and what followed. Also of a turn that was taken back. `null`: the turn has no
 * answer, or is a command.
 */
export function readTurnAlone(
  source: TrajectorySource,
  n: number,
): { prompt: TrajectoryMessage[]; answer: TrajectoryMessage[] } | null {
  const turn = source.turns.find((one) => one.n === n);
  if (!turn || turn.input === null || isOpen(turn)) return null;
  const before = { ...source, undone: source.undone.filter((one) => one.turn !== n) };
  const entries = readableEntries(before).filter((entry) => entry.turn <= n);
  const own = entries.filter((entry) => entry.turn === n && entry.n >= turn.input!);
  const begins = own.find((entry) => entry.kind === "assistant" || entry.kind === "compaction")?.n;
  if (begins === undefined) return null;
  const read = entries.filter((entry) => entry.n < begins);
  const chain = read.filter((entry) => entry.kind === "compaction");
  const answer = toTrajectoryMessages(
    own.filter((entry) => entry.n >= begins && entry.kind !== "compaction"),
    [],
  );
  const ended = withoutOpenEnd(answer);
  return ended.length === 0 ? null : { prompt: fromFirstUser(toTrajectoryMessages(read, chain)), answer: ended };
}

/** The entries that a model reads, of turns that have ended. */
function readableEntries({ entries, turns, undone }: TrajectorySource): Entry[] {
  const open = new Set(turns.filter(isOpen).map(({ n }) => n));
  const ended = entries.filter((entry) => !open.has(entry.turn));
  // The log begins with its first entry, so no other row is read.
  const log = { meta: <T>() => ({ undone }) as T, turn: () => null, entry: () => null };
  return withoutCommands(ended, log);
}

/** `made`: the compactions among the entries, oldest first. */
function toTrajectoryMessages(entries: Entry[], made: CompactionEntry[]): TrajectoryMessage[] {
  const chain = inForce(made);
  const all = toMessages(entries.map(withoutMarker));
  const read = chain.reduce((done, compaction, i) => applyCompaction(done, chain.slice(0, i), compaction), all);
  const byNumber = new Map(entries.map((entry) => [entry.n, entry]));
  return mergeNeighbours(read.flatMap((message) => toTrajectoryMessage(message, byNumber.get(message.entry ?? 0))));
}

/** The marker of a steering message is random and says nothing. */
function withoutMarker(entry: Entry): Entry {
  if (entry.kind !== "user" || !entry.steer) return entry;
  const { steer: _, ...plain }: UserEntry = entry;
  return plain;
}

function toTrajectoryMessage(message: Message, entry: Entry | undefined): TrajectoryMessage[] {
  const place = { turn: entry?.turn ?? 0, entry: message.entry ?? 0 };
  switch (message.role) {
    case "user": {
      const { text } = pruneImages(message);
      return text === "" ? [] : [{ role: "user", text, ...place }];
    }
    case "tool": {
      const { call, name, text, failed } = message;
      return [{ role: "tool", call, name, text, failed, ...place }];
    }
    case "assistant": {
      // What the harness says of a turn's end is read by later turns, and nothing that the model wrote.
      if (entry?.kind === "notice") return [{ role: "user", text: message.text, ...place }];
      const reasoning = (entry?.kind === "assistant" && entry.answer.reasoning) || "";
      const calls = message.calls.map(({ id, name, args }) => ({ id, name, args }));
      if (message.text === "" && calls.length === 0) return [];
      return [{ role: "assistant", text: message.text, reasoning, calls, trains: false, ...place }];
    }
  }
}

/** Messages of the same side become one: roles alternate. */
function mergeNeighbours(messages: TrajectoryMessage[]): TrajectoryMessage[] {
  const merged: TrajectoryMessage[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (message.role === "user" && last?.role === "user") {
      merged[merged.length - 1] = { ...message, text: joinTexts(last.text, message.text) };
    } else if (message.role === "assistant" && last?.role === "assistant") {
      const { text, reasoning } = last;
      const both = { text: joinTexts(text, message.text), reasoning: joinTexts(reasoning, message.reasoning) };
      merged[merged.length - 1] = { ...message, ...both };
    } else merged.push(message);
  }
  return merged;
}

/** A conversation begins with a person. */
function fromFirstUser(messages: TrajectoryMessage[]): TrajectoryMessage[] {
  const first = messages.findIndex(({ role }) => role === "user");
  return first < 0 ? [] : messages.slice(first);
}

function joinTexts(...texts: string[]): string {
  return texts.filter((text) => text !== "").join("\n\n");
}

/** Up to the end of the last turn that is trained on. Empty: there is none. */
function endAfterTraining(messages: TrajectoryMessage[]): TrajectoryMessage[] {
  const last = messages.findLast((message) => message.role === "assistant" && message.trains);
  if (!last) return [];
  const end = messages.findLastIndex(({ role, turn }) => turn === last.turn && role !== "user");
  return messages.slice(0, end + 1);
}

/** Without calls and results at the end that no answer follows. */
function withoutOpenEnd(messages: TrajectoryMessage[]): TrajectoryMessage[] {
  const end = messages.findLastIndex((message) => message.role === "assistant" && message.calls.length === 0);
  return messages.slice(0, end + 1);
}

function toTrajectory(source: TrajectorySource, messages: TrajectoryMessage[]): Trajectory {
  const last = messages.at(-1)!;
  const turn = source.turns.find(({ n }) => n === last.turn);
  const entries = new Map(source.entries.map((entry) => [entry.n, entry]));
  const answers = messages.flatMap(({ entry }) => {
    const found = entries.get(entry);
    return found?.kind === "assistant" ? [found] : [];
  });
  const isAnswered = last.role === "assistant" && last.calls.length === 0;
  return {
    session: source.session,
    at: turn?.endedAt ?? answers.at(-1)?.at ?? 0,
    model: answers.at(-1)?.answer.model ?? "",
    completed: isAnswered && turn?.state === "done" && (turn.reason ?? "answer") === "answer",
    tools: listTools(source, messages),
    messages: numberCalls(messages),
  };
}

/** Ids of calls become `call_1`, `call_2`: OpenAI's limit is 40 characters, and a provider's ids say nothing. */
export function numberCalls(messages: TrajectoryMessage[]): TrajectoryMessage[] {
  let count = 0;
  let named = new Map<string, string>();
  return messages.map((message) => {
    if (message.role === "assistant") {
      named = new Map(message.calls.map(({ id }) => [id, `call_${++count}`]));
      return { ...message, calls: message.calls.map((call) => ({ ...call, id: named.get(call.id)! })) };
    }
    return message.role === "tool" ? { ...message, call: named.get(message.call) ?? message.call } : message;
  });
}

/** Those that the session has now, and those that were called. A tool that is gone is described by the arguments it was called with. */
function listTools({ tools, entries }: TrajectorySource, messages: TrajectoryMessage[]): ToolSpec[] {
  const offered = new Map(tools.map((tool) => [tool.name, tool]));
  const known = new Map(offered);
  const refused = unknownTools(entries);
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    for (const { name, args } of message.calls) {
      if (offered.has(name) || refused.has(name)) continue;
      known.set(name, inferSpec(name, args, known.get(name)));
    }
  }
  return [...known.values()];
}

/** Names of calls that were refused because there is no such tool, and that never succeeded. */
function unknownTools(entries: Entry[]): Set<string> {
  const called = entries.filter((entry): entry is ToolEntry => entry.kind === "tool" && entry.state === "done");
  const isUnknown = ({ failed, parts }: ToolEntry) =>
    failed && parts.some(({ text }) => /"code":"unknown_tool"/.test(text));
  const worked = new Set(called.filter((entry) => !isUnknown(entry)).map(({ call }) => call.name));
  return new Set(
    called
      .filter(isUnknown)
      .map(({ call }) => call.name)
      .filter((name) => !worked.has(name)),
  );
}

function inferSpec(name: string, args: JsonObject, seen: ToolSpec | undefined): ToolSpec {
  const known = (seen?.parameters.properties ?? {}) as JsonObject;
  const properties = Object.fromEntries(Object.entries(args).map(([key, value]) => [key, { type: typeOf(value) }]));
  return {
    name,
    description: "",
    parameters: { type: "object", properties: { ...properties, ...known } },
  };
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value;
}
