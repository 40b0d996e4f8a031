// Observes a turn after its answer: what it was, what its message says about the turn before, and how similar turns ended.
// Reports it to the Archive and to the evidence of skills, carries out verdicts, and asks for a review. Runs as jobs of the
// outbox. Every step is idempotent, and one transaction at the end stores the result.
import { messageOf } from "../../errors.ts";
import { judgeMessage } from "../../learning/observe/judge-message.ts";
import { toComparedTurn, toNeighbourhood } from "../../learning/observe/neighbours.ts";
import {
  finalEntry,
  isAnswered,
  withJudgement,
  observeTurn,
  withNeighbours,
  toSignature,
  withCorrection,
} from "../../learning/observe/observe.ts";
import { isSelfTool } from "../../learning/tool-facts.ts";
import { taskOf } from "../../learning/requests.ts";
import { type SkillMove, settleSkill } from "../../learning/evidence/settle.ts";
import {
  type OfferedStores,
  decideOnCorrection,
  decideReview,
  updateCounters,
} from "../../learning/observe/triggers.ts";
import { hashFiles, textOfFiles } from "../../schemas/learning/digest.ts";
import { type Entry, type ToolEntry, type UserEntry, textOf } from "../../schemas/entry.ts";
import { type SkillName, dayOf } from "../../schemas/ids.ts";
import type {
  Judgement,
  LoadedText,
  Neighbourhood,
  Observation,
  ReviewCounters,
  TriedWords,
  TurnSignature,
} from "../../schemas/learning/learning.ts";
import type { Evidence, Outcome } from "../../schemas/skill.ts";
import type { Booking } from "../../schemas/usage.ts";
import { companionOf } from "../../skills/format/validate.ts";
import { withTimeout } from "../../timeout.ts";
import type { EngineContext, SessionHost } from "../context.ts";
import { isHeldOut } from "../prompt/held-out.ts";
import type { Job, JobRow } from "../jobs.ts";
import { putBookingRow } from "../ledger.ts";
import type { TurnRow } from "../log-turns.ts";
import { askForReview, beginDue, currentCounters, rememberReview, reviewState } from "./review-state.ts";

export type ObserveRow = JobRow & { job: Extract<Job, { kind: "observe" }> };

/** After this many attempts the Archive is skipped, and verdicts are left to the curator's sweep. */
const PATIENT_TRIES = 3;
/** Only later jobs of the outbox wait for the Archive. */
const ARCHIVE_MS = 45_000;
const ACCOUNT_MS = 45_000;
/** Settling a skill lists all of its uses. Beyond this many, one more success waits for the curator's next sweep. */
const USES_COUNTED_AT_ONCE = 100;
/** The end of an answer, where a question may be what the next message answers. */
const LAST_WORDS_CHARS = 200;
/** Earlier turns of the session that a new one is compared with when the Archive is unavailable. */
const OWN_TURNS = 20;

/** A turn with a new judgement. */
export interface JudgedTurn {
  row: TurnRow;
  entries: Entry[];
  observation: Observation;
  /** The judgement to report. */
  judgement: Judgement;
  nth: number;
}

/** Carries out the job that observes a turn. */
export async function carryObservation(context: EngineContext, row: ObserveRow): Promise<void> {
  const { host, log, jobs } = context;
  const { booking } = row.job;
  const booked = booking && book(host, booking);
  const turn = log.turn(row.job.turn)!;
  const entries = readTurnEntries(context, turn);
  const { work } = row.job;
  const base = { ...(work && { kind: work }), ...observe(context, turn, entries) };
  const before = judgeTurnBefore(context, turn, entries);
  const steered = findSteeredCorrections(entries);
  const corrected = before?.corrects === true || steered.length > 0;

  const seen = await place(
    context,
    row,
    turn,
    entries,
    steered.reduce((done, entry) => withCorrection(done, entry), base),
  );
  const judgedBefore = before?.judged && (await reportJudgement(context, row, before.judged));
  const moves = await writeEvidence(context, row, {
    row: turn,
    entries,
    ...seen,
    judgement: seen.observation.judgements![0]!,
    nth: 1,
  });

  const isBooked = await booked;
  host.sql.transaction(() => {
    if (!jobs.get(row.id)) return; // another attempt was quicker
    jobs.delete(row.id);
    if (booking && !isBooked) putBookingRow(context, booking);
    putWithdrawnNotices(context, [...moves, ...(judgedBefore ? judgedBefore.moves : [])]);
    const { observation, neighbourhood } = seen;
    const to = turn.final!;
    // A review that a person asked for may have covered the turn already.
    const isNew = to > reviewState(log).reviewedTo;
    const counters = isNew ? updateCounters(currentCounters(log).counters, entries) : currentCounters(log).counters;
    if (judgedBefore) putObservation(context, judgedBefore.row.n, judgedBefore.observation);
    putObservation(context, turn.n, observation, counters);
    const offered = learningOffered(context);
    const isBundled = (loaded: LoadedText) => bundledText(context, loaded.skill) === loaded.text;
    const decision = decideReview({
      counters,
      observation,
      neighbourhood,
      entries,
      settings: host.settings,
      offered,
      corrected,
      isBundled,
    });
    const extraTurns = judgedBefore ? [judgedBefore.row.n] : [];
    if (decision && isNew) return void askForReview(context, decision, { to, extraTurns });
    const waits = corrected ? decideOnCorrection(host.settings, offered) : null;
    if (waits) rememberReview(context, waits, extraTurns);
    else if (isAnswered(entries)) beginDue(context);
  });
}

/** Books in parallel with the observation. False: the booking needs its own row. The Account counts it once. Never rejects. */
async function book({ account, clock, report }: SessionHost, booking: Booking): Promise<boolean> {
  try {
    await withTimeout(account.book(booking), ACCOUNT_MS, clock);
    return true;
  } catch (error) {
    report(`booking ${booking.id}`, error);
    return false;
  }
}

/** The outbox's row of a turn that has ended. */
export function observeRow(turn: number): string {
  return `observe:${turn}`;
}

/** Observes the turn from the log alone, then applies the later judgements, its kind of work and its corrections. */
export function observe(context: EngineContext, turn: TurnRow, entries = readTurnEntries(context, turn)): Observation {
  const { host, log } = context;
  const stored = log.observed(turn.n)?.observation;
  const base = observeTurn({ session: host.session, turn: turn.n, entries });
  const later = stored?.judgements?.filter(({ judge }) => judge !== "exit") ?? [];
  const named = stored?.kind ? { ...base, kind: stored.kind } : base;
  const judged = later.reduce((done, one) => withJudgement(done, one), named);
  return (stored?.corrections ?? []).reduce((done, { entry }) => withCorrection(done, entry), judged);
}

/** The entries of a turn up to its final one. Later notices and notes may carry its number too. */
export function readTurnEntries({ log }: EngineContext, turn: TurnRow): Entry[] {
  if (turn.input === null || turn.final === null) return [];
  return log.entries(turn.input, turn.final).filter((entry) => entry.turn === turn.n);
}

/** Which kinds of learning the session offers to its model. Reviews may write only these. */
export function learningOffered(context: EngineContext): OfferedStores {
  const memory = context.meta().learning === "on";
  return { skills: memory && !isHeldOut(context.host), memory };
}

/**
 * Judges the turn before by the message that began this turn. The message counts as a judgement only if its author could
 * have read the answer. It may be a correction in any case.
 */
function judgeTurnBefore(
  context: EngineContext,
  turn: TurnRow,
  entries: Entry[],
): { judged: JudgedTurn | null; corrects: boolean } | null {
  const { log } = context;
  const input = entries[0];
  const before = turnBefore(context, turn);
  if (!before || !input || !isFromPrincipal(input)) return null;
  const rowEntries = readTurnEntries(context, before);
  const final = finalEntry(rowEntries);
  const asked = final !== undefined && /[?？]/.test(textOf(final).slice(-LAST_WORDS_CHARS));
  const request = rowEntries.find(isFromPrincipal);
  const { outcome, correction } = judgeMessage(textOf(input), {
    asked,
    calls: filterTaskCalls(rowEntries),
    ...(request && { request: textOf(request) }),
    ...(final && { answer: textOf(final) }),
  });
  if (!couldReadAnswer(input, before)) return { judged: null, corrects: correction };
  const observation = log.observed(before.n)?.observation ?? observe(context, before, rowEntries);
  const isJudged = observation.judgements?.some(({ judge }) => judge === "message" || judge === "reviewer");
  if (isJudged) return null;
  if (outcome === "unknown") return correction ? { judged: null, corrects: true } : null;
  const judgement: Judgement = { judge: "message", outcome, at: input.at };
  const judged = withJudgement(observation, judgement);
  return {
    judged: {
      row: before,
      entries: rowEntries,
      judgement,
      nth: 1,
      observation: correction ? withCorrection(judged, input.n) : judged,
    },
    corrects: correction,
  };
}

/** The calls that worked on the task. */
function filterTaskCalls(entries: Entry[]): ToolEntry[] {
  return entries.filter((entry): entry is ToolEntry => entry.kind === "tool" && !isSelfTool(entry));
}

/** Whether the author of an input could have read the answer of the turn before. A message that interrupts a turn counts. */
export function couldReadAnswer({ waited }: UserEntry, before: TurnRow): boolean {
  return !waited || waited.interrupts === before.n || waited.since >= (before.endedAt ?? 0);
}

/** The last earlier turn with a model call. Turns that only carried out a command are skipped. */
export function turnBefore({ log }: EngineContext, turn: TurnRow): TurnRow | null {
  for (let before = log.turn(turn.n - 1); before; before = log.turn(before.n - 1)) {
    if (before.state !== "steered" && before.stats.modelCalls > 0) return before;
  }
  return null;
}

/** Entries with which the person corrected the turn while it ran. */
function findSteeredCorrections(entries: Entry[]): number[] {
  const steered = entries.filter((entry): entry is UserEntry => isFromPrincipal(entry) && entry.steer !== undefined);
  return steered
    .filter((entry) => {
      const calls = filterTaskCalls(entries.filter(({ n }) => n < entry.n));
      return judgeMessage(textOf(entry), { calls }).correction;
    })
    .map(({ n }) => n);
}

export function isFromPrincipal(entry: Entry): entry is UserEntry {
  return entry.kind === "user" && entry.parts.every(({ source }) => source === "principal");
}

/** Records the turn and compares it with similar turns. */
async function place(
  context: EngineContext,
  row: JobRow,
  turn: TurnRow,
  entries: Entry[],
  observation: Observation,
): Promise<{ observation: Observation; neighbourhood: Neighbourhood }> {
  const { host } = context;
  const at = turn.endedAt ?? 0;
  const heldOut = isHeldOut(host);
  const signature = toSignature(observation, { session: host.session, at, heldOut, entries });
  const neighbourhood = await askArchive(context, row, signature, turn.n);
  return { observation: withNeighbours(observation, neighbourhood), neighbourhood };
}

/** Asks the profile's Archive. Falls back on the session's own turns without an Archive, or when it failed too often. */
async function askArchive(
  context: EngineContext,
  row: JobRow,
  signature: TurnSignature,
  turn: number,
): Promise<Neighbourhood> {
  const { host, log } = context;
  try {
    if (host.archive) return await withTimeout(host.archive.observe(signature), ARCHIVE_MS, host.clock);
  } catch (error) {
    if (row.tries < PATIENT_TRIES) throw error;
    host.report("archive", `turn ${turn} is compared with those of its session: ${messageOf(error)}`);
  }
  const own = log.observedTurns(0, turn, OWN_TURNS).map(({ n, observed }) =>
    toComparedTurn(
      toSignature(observed.observation, {
        session: host.session,
        at: log.turn(n)?.endedAt ?? 0,
        heldOut: signature.heldOut,
        entries: [],
      }),
    ),
  );
  return toNeighbourhood(toComparedTurn(signature), own, host.settings.learning.discount);
}

/** Reports a new judgement of a turn that was observed before. */
export async function reportJudgement(
  context: EngineContext,
  row: JobRow,
  judged: JudgedTurn,
): Promise<JudgedTurn & { moves: SkillMove[] }> {
  const placed = await place(context, row, judged.row, judged.entries, judged.observation);
  const report = { ...judged, ...placed };
  return { ...report, moves: await writeEvidence(context, row, report) };
}

/** Plans notices for the person about withdrawn skills. Call inside the transaction that ends the job that withdrew them. */
export function putWithdrawnNotices({ host, jobs }: EngineContext, moves: SkillMove[]): void {
  if (host.settings.review.notice === "off") return;
  for (const { skill, to, reason, rev, withdrew, inPart } of moves) {
    const what = inPart ? "changed: a part of it was withdrawn." : `withdrawn and is now ${to}.`;
    const text = `The skill '${skill}' was ${what} ${reason}`;
    if (withdrew) jobs.put(`notice:${skill}.${rev}.${to}`, host.clock.now(), { kind: "notice", text });
  }
}

/** Writes evidence for each text that the turn used, and settles due verdicts. Returns the skills whose state changed. */
async function writeEvidence(
  context: EngineContext,
  job: JobRow,
  report: JudgedTurn & { neighbourhood: Neighbourhood },
): Promise<SkillMove[]> {
  const { host } = context;
  const { row, entries, observation, judgement, nth, neighbourhood } = report;
  const { judge, outcome } = judgement;
  if (observation.loaded.length === 0 || (judge === "exit" && !isAnswered(entries))) return [];
  const { modelCalls, toolCalls, failedCalls } = row.stats;
  const at = row.endedAt ?? 0;
  for (const { skill, text } of observation.loaded) {
    await host.evidence.put({
      v: 2,
      skill,
      text,
      turn: observation.turn,
      judge,
      nth,
      day: dayOf(at),
      at,
      outcome: decideCredit(skill, observation, outcome),
      modelCalls,
      toolCalls,
      failedCalls,
      tokens: observation.effort?.tokens ?? 0,
      task: taskOf(observation.request),
      contradicted: isContradicted(observation, { skill, text }),
      ...collectTriedWords(observation, { skill, text }),
      baseline: neighbourhood.skills[skill]?.without ?? null,
    });
  }
  try {
    return await settle(host, report);
  } catch (error) {
    if (job.tries < PATIENT_TRIES) throw error;
    host.report("verdict", `left to the curator: ${messageOf(error)}`);
    return [];
  }
}

/**
 * The outcome of the turn for one text it used. A base that was read with its companion gets no credit or blame: the
 * companion exists because the base was not enough, so the outcome counts for the companion.
 */
function decideCredit(skill: SkillName, { loaded }: Observation, outcome: Outcome): Outcome {
  return loaded.some((other) => other.skill === companionOf(skill)) ? "unknown" : outcome;
}

/** A word of the text failed, or was avoided because it had failed before, or a call succeeded with another value than the text's. */
function isContradicted({ triedWords = [], unfollowed = [] }: Observation, used: LoadedText): boolean {
  const wrong = triedWords.filter(({ failed }) => failed.length > 0);
  return [...wrong, ...unfollowed].some(({ skill, text }) => skill === used.skill && text === used.text);
}

/** Whether the turn gives evidence about the text itself, independent of its outcome. */
function hasTextEvidence(observation: Observation, used: LoadedText): boolean {
  return isContradicted(observation, used) || ownTriedWords(observation, used).length > 0;
}

function ownTriedWords({ triedWords = [] }: Observation, used: LoadedText): TriedWords[] {
  return triedWords.filter(({ skill, text }) => skill === used.skill && text === used.text);
}

function collectTriedWords(observation: Observation, used: LoadedText) {
  const own = ownTriedWords(observation, used);
  const each = (words: (tried: TriedWords) => string[]) => [...new Set(own.flatMap(words))];
  return {
    failedWords: each(({ failed }) => failed),
    refusedWords: each(({ refused = [] }) => refused),
    workedWords: each(({ worked }) => worked),
  } satisfies Partial<Evidence>;
}

async function settle(
  host: SessionHost,
  { observation, judgement: { judge, outcome }, nth }: JudgedTurn,
): Promise<SkillMove[]> {
  const moves: SkillMove[] = [];
  const telling = observation.loaded.filter((used) => outcome !== "unknown" || hasTextEvidence(observation, used));
  const index = telling.length > 0 ? await host.skills.index() : null;
  for (const { skill, text } of telling) {
    const line = Object.hasOwn(index!.skills, skill) ? index!.skills[skill] : undefined;
    // A success does not change an active skill. Uses of a replaced text are counted by the curator.
    const isOpen = line?.state === "trial" || line?.state === "stale";
    const isHarm = outcome === "failure" || hasTextEvidence(observation, { skill, text });
    const isDue = isHarm || (isOpen && (line.use?.uses ?? 0) < USES_COUNTED_AT_ONCE);
    if (line?.text !== text || line.state === "archived" || !isDue) continue;
    const op = `verdict:${observation.turn}.${judge}${nth > 1 ? `.${nth}` : ""}`;
    const { skills, evidence, settings } = host;
    const { moved } = await settleSkill({ skills, evidence, settings, skill, op });
    if (moved) moves.push(moved);
  }
  return moves;
}

/** Stores an observation, merged with judgements and corrections that were stored meanwhile, such as a rating. */
export function putObservation(
  { log }: EngineContext,
  turn: number,
  observation: Observation,
  counters?: ReviewCounters,
): void {
  const stored = log.observed(turn);
  const { judgements = [], corrections = [] } = stored?.observation ?? {};
  const missing = judgements.filter(
    ({ judge, at }) => !observation.judgements?.some((known) => known.judge === judge && known.at === at),
  );
  const judged = missing.reduce((done, one) => withJudgement(done, one), observation);
  const whole = corrections.reduce((done, { entry }) => withCorrection(done, entry), judged);
  log.putObserved(turn, { ...stored, observation: whole, ...(counters && { counters }) });
}

function bundledText({ host }: EngineContext, skill: string): string | null {
  const files = Object.hasOwn(host.seeds, skill) ? host.seeds[skill] : undefined;
  return files ? textOfFiles(hashFiles(files)) : null;
}
