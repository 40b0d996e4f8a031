// Makes the observation of one finished turn: its cost, its failures and recoveries, the skills it read or proved wrong, its outcome
// and the judge of it. The session calls it after the answer; triggers.ts decides whether to review. Pure; asks no model.
import * as z from "zod";
import { redactText } from "../../redact.ts";
import { CLOSING_CODES, type Entry, type ToolEntry, messageOf, promptTokens, textOf } from "../../schemas/entry.ts";
import { type SessionId, Sha256, SkillName, toTurnId } from "../../schemas/ids.ts";
import type {
  Effort,
  Judgement,
  LoadedText,
  Neighbourhood,
  Observation,
  TurnSignature,
} from "../../schemas/learning/learning.ts";
import { Judge } from "../../schemas/skill.ts";
import { shownTexts } from "./shown-texts.ts";
import { mayComeAgain } from "../requests.ts";
import { failureCode, isSelfTool, readOutcome, wasDenied } from "../tool-facts.ts";
import { findTriedWords } from "./tried-words.ts";
import { findUnfollowed } from "./unfollowed.ts";

const MAX_REQUEST_CHARS = 2_000;
/** Maximum number of failures that are read. In a turn with hundreds, the first ones are enough. */
const MAX_LISTED = 100;

interface TurnToObserve {
  session: SessionId;
  /** The turn's number in its session, from 1. */
  turn: number;
  /** The turn's entries up to its final one. Entries of other turns are ignored. */
  entries: Entry[];
}

/** Observes a turn from the log alone. `withNeighbours` adds similar turns, `withJudgement` adds later judges. */
export function observeTurn(options: TurnToObserve): Observation {
  const entries = options.entries.filter((entry) => entry.turn === options.turn);
  const tools = entries.filter(
    (entry) => entry.kind === "tool" && entry.state === "done" && !wasDenied(entry),
  ) as ToolEntry[];
  const failed = tools.filter((tool) => tool.failed);
  const recoveries = recoveriesIn(tools).slice(0, MAX_LISTED);
  const shown = shownTexts(entries, loadedTexts);
  const work = tools.filter((tool) => !isSelfTool(tool));
  const exit: Judgement = { judge: "exit", outcome: judgeByExit(entries, work), at: entries.at(-1)?.at ?? 0 };
  return withValue({
    v: 2,
    turn: toTurnId(options.session, options.turn),
    request: redactText(requestOf(entries)).slice(0, MAX_REQUEST_CHARS).toWellFormed(),
    steps: entries.filter((entry) => entry.kind === "assistant").length,
    toolCalls: tools.length,
    tools: [...new Set(work.map((tool) => tool.call.name))].sort(),
    failedCalls: failed.length,
    errors: failed
      .slice(0, MAX_LISTED)
      .map((tool) => ({ entry: tool.n, tool: tool.call.name, code: failureCode(tool) })),
    recoveries,
    loaded: unique(entries.flatMap(loadedTexts)),
    unfollowed: findUnfollowed(work, shown),
    triedWords: findTriedWords(work, shown),
    corrections: [],
    outcome: exit.outcome,
    judge: exit.judge,
    judgements: [exit],
    effort: {
      calls: tools.length,
      failedCalls: failed.length,
      tokens: tokensOf(entries),
      ms: Math.max(0, (entries.at(-1)?.at ?? 0) - (entries[0]?.at ?? 0)),
    },
    generalisable: false,
    value: 0,
  });
}

/** `neighbourhood`: the similar turns of the profile, or of the session if the Archive did not answer. */
export function withNeighbours(observation: Observation, { similar, best }: Neighbourhood): Observation {
  const generalisable = similar > 0 && mayComeAgain(observation.request);
  return withValue({ ...observation, best, similar, generalisable });
}

/** The strongest judge decides the outcome. If it has judged more than once, its newest judgement counts. */
export function withJudgement(observation: Observation, judgement: Judgement): Observation {
  const before = observation.judgements ?? [{ ...pickJudge(observation), at: 0 }];
  const judgements = [...before, judgement];
  const strongest = judgements.reduce((a, b) => (strengthOfJudge(b.judge) >= strengthOfJudge(a.judge) ? b : a));
  return withValue({ ...observation, judgements, ...pickJudge(strongest) });
}

export function withCorrection(observation: Observation, entry: number): Observation {
  const corrections = observation.corrections ?? [];
  if (corrections.some((known) => known.entry === entry)) return observation;
  return { ...observation, corrections: [...corrections, { entry }] };
}

/** The turn as the Archive records it. `isChat`: its session is a conversation with a person. */
export function toSignature(
  observation: Observation,
  {
    session,
    at,
    heldOut,
    entries,
    isChat,
  }: { session: SessionId; at: number; heldOut: boolean; entries: Entry[]; isChat: boolean },
): TurnSignature {
  const { turn, request, kind, loaded, outcome, judge, recoveries } = observation;
  const effort: Effort = observation.effort ?? {
    calls: observation.toolCalls,
    failedCalls: observation.failedCalls,
    tokens: 0,
  };
  const recovered = recoveries.length > 0;
  return {
    turn,
    session,
    at,
    request,
    ...(kind && { kind }),
    tools: toolsIn(entries),
    loaded,
    outcome,
    judge,
    recovered,
    effort,
    heldOut,
    ...(isChat && isOwnersRequest(entries) && { asked: "owner" }),
  };
}

/** The owner wrote all of it: no stranger, no program, and not the harness for a goal. */
function isOwnersRequest(entries: Entry[]): boolean {
  const inputs = entries.filter((entry) => entry.kind === "user");
  const isOwners = ({ goal, told, parts }: (typeof inputs)[number]) =>
    goal === undefined && told === undefined && parts.every(({ source }) => source === "principal");
  return inputs.length > 0 && inputs.every(isOwners);
}

/** What the person asked for in a turn. */
function requestOf(entries: Entry[]): string {
  return entries
    .filter((entry) => entry.kind === "user")
    .map(messageOf)
    .join("\n");
}

/** The turn ended with text for the person: it was neither cut off nor refused by the provider, and was not empty. */
export function isAnswered(entries: Entry[]): boolean {
  const last = finalEntry(entries);
  return (
    last?.kind === "assistant" &&
    last.answer.calls.length === 0 &&
    last.answer.stop !== "refusal" &&
    textOf(last).trim() !== ""
  );
}

/** A turn's final entry. Skips a notice that only says why the turn ended with a closing answer. */
export function finalEntry(entries: Entry[]): Entry | undefined {
  const final = entries.at(-1);
  return final?.kind === "notice" && CLOSED.has(final.code) ? entries.at(-2) : final;
}

const CLOSED: ReadonlySet<string> = new Set(CLOSING_CODES);

/** Each failed call with the first later success of the same tool. */
function recoveriesIn(tools: ToolEntry[]): Observation["recoveries"] {
  return tools.flatMap((failed, index) => {
    if (!failed.failed) return [];
    const success = tools.slice(index + 1).find((later) => !later.failed && later.call.name === failed.call.name);
    return success ? [{ failed: failed.n, succeeded: success.n }] : [];
  });
}

/**
 * The weakest judge: the result of the last tool call that worked on the task. Without such a call or an answer the outcome is
 * `unknown`, which counts as a use and never as a success.
 */
function judgeByExit(entries: Entry[], work: ToolEntry[]): Observation["outcome"] {
  const last = work.at(-1);
  if (!last || !isAnswered(entries)) return "unknown";
  return last.failed ? "failure" : "success";
}

/**
 * The texts of skills that an entry put before the model: by skill_view, by the person's slash command, or because a skill helped
 * before. A base comes with its companion, which counts as another text.
 */
export function loadedTexts(entry: Entry): LoadedText[] {
  if (entry.kind === "note") return (entry.skills ?? []).map(({ skill, text }) => ({ skill, text }));
  return entry.kind === "tool" && entry.state === "done" && !entry.failed ? viewedSkills(entry) : [];
}

function viewedSkills(tool: ToolEntry): LoadedText[] {
  if (tool.call.name !== "skill_view") return [];
  const outcome = readOutcome(tool);
  return [outcome, outcome.companion].flatMap((facts) => {
    const read = ViewedText.safeParse(facts);
    return read.success ? [{ skill: read.data.name, text: read.data.text }] : [];
  });
}

const ViewedText = z.object({ name: SkillName, text: Sha256 });

function unique(loaded: LoadedText[]): LoadedText[] {
  return [...new Map(loaded.map((read) => [`${read.skill} ${read.text}`, read])).values()];
}

/** Tokens of all model calls of the turn, including compactions and calls without a result. */
function tokensOf(entries: Entry[]): number {
  return entries
    .flatMap((entry) => {
      if (entry.kind === "assistant") return [entry.answer.usage];
      if (entry.kind === "compaction") return entry.calls.map(({ usage }) => usage);
      if (entry.kind !== "notice") return [];
      return [...(entry.spent ? [entry.spent] : []), ...(entry.compaction ?? [])].map(({ usage }) => usage);
    })
    .reduce((sum, usage) => sum + promptTokens(usage) + usage.output, 0);
}

function toolsIn(entries: Entry[]): Record<string, number> {
  const counts: Record<string, number> = Object.create(null) as Record<string, number>;
  for (const entry of entries) {
    if (entry.kind !== "tool" || entry.state !== "done" || isSelfTool(entry)) continue;
    counts[entry.call.name] = (counts[entry.call.name] ?? 0) + 1;
  }
  return { ...counts };
}

function pickJudge({ judge, outcome }: Pick<Judgement, "judge" | "outcome">) {
  return { judge, outcome };
}

function strengthOfJudge(judge: Judge): number {
  return Judge.options.indexOf(judge);
}

/** A success with at most this share of the calls of the best similar turn shows a better way. */
const EFFICIENT_SHARE = 0.7;

/**
 * 0.4 for success; 0.2 each for three different tools, a recovery, work that may come again, and a success far cheaper than any
 * similar turn. 1 at most.
 */
function withValue(observation: Observation): Observation {
  const { outcome, toolCalls, tools, recoveries, generalisable, effort, best } = observation;
  const efficiency = effort && best ? best.calls / Math.max(1, effort.calls) : null;
  const isSuccess = outcome === "success";
  const tenths =
    (isSuccess ? 4 : 0) +
    ((tools?.length ?? toolCalls) >= 3 ? 2 : 0) +
    (recoveries.length > 0 ? 2 : 0) +
    (generalisable ? 2 : 0) +
    (isSuccess && efficiency !== null && efficiency >= 1 / EFFICIENT_SHARE ? 2 : 0);
  return { ...observation, efficiency, value: Math.min(10, tenths) / 10 };
}
