// What a session says of one of its turns to the experiments of its profile: the request, the answer, how it was judged, whether it can be
// run again, and which answer the person accepted. Called by the engine. Reads the log.
import { headOf } from "../../clip.ts";
import type { RecordedTurn } from "../../experiments/ports.ts";
import { finalEntry } from "../../learning/observe/observe.ts";
import { hidesFailure, leavesOf } from "../../learning/tool-facts.ts";
import { type AssistantEntry, type Entry, messageOf, spokenParts, textOf } from "../../schemas/entry.ts";
import { type SessionId, toTurnId } from "../../schemas/ids.ts";
import { MAX_ANSWER_CHARS } from "../../schemas/learning/experiment.ts";
import type { Judge } from "../../schemas/skill.ts";
import type { EngineContext } from "../context.ts";
import { observe, readTurnEntries } from "../learning/observations.ts";
import type { TurnRow } from "../log-turns.ts";
import { isInherited } from "../undo/undone.ts";
import { findReplayability } from "./replayable.ts";

/** One of the session's turns by its number, or the one that an entry of its log belongs to. */
export type AskedTurn = { turn: number } | { entry: number };

const MAX_REQUEST_CHARS = 4_000;
/** Turns after the one that was asked for. */
const MAX_CORRECTED = 3;

/** Judges that know what the person thinks of an answer. */
const OF_PERSON: ReadonlySet<Judge> = new Set(["rating", "reviewer", "message"]);

/**
 * An input that was put into a running turn stands for that turn. `null`: there is no such turn, or it is a copy from another session: see
 * `findOrigin`.
 */
export function describeTurn(context: EngineContext, asked: AskedTurn): RecordedTurn | null {
  const turn = findTurn(context, asked);
  if (!turn || isInherited(context, turn.n)) return null;
  const entries = readTurnEntries(context, turn);
  const observation = observe(context, turn, entries);
  const answers = entries.filter((entry): entry is AssistantEntry => entry.kind === "assistant");
  const { outcome, judge, judgements, loaded } = observation;
  const accepted = findAccepted(context, turn);
  const isRefused = accepted === null && outcome === "failure" && OF_PERSON.has(judge);
  return {
    turn: toTurnId(context.host.session, turn.n),
    replayability: findReplayability(context, turn.n),
    request: headOf(entries[0] ? messageOf(entries[0]) : (turn.waiting ?? ""), MAX_REQUEST_CHARS),
    ...("entry" in asked ? readCited(context, asked.entry) : { said: "", called: [] }),
    endedAt: turn.endedAt ?? 0,
    model: answers.at(-1)?.answer.model ?? "",
    stats: turn.stats,
    answer: answerOf(entries),
    ...{ outcome, judge, exit: judgements!.find((one) => one.judge === "exit")!.outcome },
    loaded: loaded.map(({ skill, text }) => ({ skill, text })),
    accepted,
    ...(isRefused && { refused: { correction: findCorrection(context, turn, observation.corrections) } }),
  };
}

/** Said with a rating, or else in the message after the answer. */
function findCorrection({ log }: EngineContext, { n }: TurnRow, corrections: { entry: number }[] = []): string {
  const entries = corrections.flatMap(({ entry }) => log.entry(entry) ?? []);
  const said = log.observed(n)?.rating?.correction ?? entries.map(messageOf).join("\n");
  return headOf(said, MAX_REQUEST_CHARS);
}

/**
 * The session that a copied turn comes from; `null`: the turn is the session's own. A branch has neither the files that an inherited turn began
 * with nor what was said of it, so its origin describes it. Turns and entries have the same numbers there.
 */
export function findOrigin(context: EngineContext, asked: AskedTurn): SessionId | null {
  const turn = findTurn(context, asked);
  const origins = context.meta().branchedFrom ?? [];
  return (turn && origins.find((origin) => turn.n <= origin.turn)?.session) ?? null;
}

function findTurn({ log }: EngineContext, asked: AskedTurn): TurnRow | null {
  const n = "turn" in asked ? asked.turn : log.entry(asked.entry)?.turn;
  const found = n === undefined ? null : log.turn(n);
  return found?.more.into === undefined ? found : log.turn(found.more.into);
}

/** What an entry that is cited shows: the person's parts, without what came with the message from elsewhere; the words of a call that worked. */
function readCited({ log }: EngineContext, n: number): Pick<RecordedTurn, "said" | "called"> {
  const entry = log.entry(n);
  const parts = entry?.kind === "user" ? spokenParts(entry) : (entry?.parts ?? []);
  const said = parts.flatMap(({ source, text }) => (source === "principal" ? [text] : [])).join("\n");
  const hasWorked = entry?.kind === "tool" && entry.state === "done" && !entry.failed;
  const called = hasWorked && !hidesFailure(entry) ? leavesOf(entry.call.args) : [];
  const isShort = called.join("").length <= MAX_REQUEST_CHARS;
  return { said: headOf(said, MAX_REQUEST_CHARS), called: isShort ? called : [] };
}

function answerOf(entries: Entry[]): string {
  const final = finalEntry(entries);
  return final?.kind === "assistant" ? headOf(textOf(final), MAX_ANSWER_CHARS) : "";
}

/** The turn's own answer, or that of the turn that a correction led to, and so on while the person corrects. */
function findAccepted(context: EngineContext, asked: TurnRow): RecordedTurn["accepted"] {
  let turn: TurnRow | null = asked;
  for (let corrected = 0; turn && corrected <= MAX_CORRECTED; corrected++) {
    const entries = readTurnEntries(context, turn);
    const { outcome, judge, corrections = [] } = observe(context, turn, entries);
    if (!OF_PERSON.has(judge) || outcome === "unknown") return null;
    const text = answerOf(entries);
    if (outcome === "success") {
      const id = toTurnId(context.host.session, turn.n);
      return text === "" ? null : { turn: id, text, isOwn: turn.n === asked.n };
    }
    turn = findCorrected(context, turn.n, corrections);
  }
  return null;
}

/** The first later turn that began with one of these corrections. */
function findCorrected({ log }: EngineContext, n: number, corrections: { entry: number }[]): TurnRow | null {
  const later = corrections.flatMap(({ entry }) => {
    const turn = log.turn(log.entry(entry)?.turn ?? 0);
    return turn && turn.n > n && turn.input === entry ? [turn] : [];
  });
  return later.toSorted((a, b) => a.n - b.n)[0] ?? null;
}
