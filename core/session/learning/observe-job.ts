// Observes a turn after its answer: what it was, what its message says about the turn before, and how similar turns ended.
// Sends its messages to the index, reports it to the Archive and to the evidence of skills, carries out verdicts, and asks for a
// review. Runs as jobs of the outbox. Every step is idempotent, and one transaction at the end stores the result.
import { messageOf } from "../../errors.ts";
import { toComparedTurn, toNeighbourhood } from "../../learning/observe/neighbours.ts";
import { isAnswered, toSignature, withCorrection, withNeighbours } from "../../learning/observe/observe.ts";
import type { SkillMove } from "../../learning/evidence/settle.ts";
import { updateCounters } from "../../learning/observe/triggers/review-counters.ts";
import { type OfferedStores, decideOnCorrection, decideReview } from "../../learning/observe/triggers/triggers.ts";
import { hashFiles, textOfFiles } from "../../schemas/learning/digest.ts";
import type { Entry } from "../../schemas/entry.ts";
import type { LoadedText, Neighbourhood, Observation, TurnSignature } from "../../schemas/learning/learning.ts";
import type { Booking } from "../../schemas/usage.ts";
import { withTimeout } from "../../timeout.ts";
import type { EngineContext, SessionHost } from "../context.ts";
import { planWithdrawn } from "../hooks/events.ts";
import { isHeldOut } from "../prompt/held-out.ts";
import type { Job, JobRow } from "../jobs.ts";
import { indexLater, indexObservedTurn } from "../index-messages.ts";
import { putBookingRow } from "../ledger.ts";
import type { TurnRow } from "../log-turns.ts";
import { type JudgedTurn, observe, putObservation, readTurnEntries } from "./observations.ts";
import { findSteeredCorrections, judgeTurnBefore } from "./person-judgement.ts";
import { PATIENT_TRIES, writeEvidence } from "./turn-evidence.ts";
import { askForReview, beginDue, currentCounters, rememberReview, reviewState } from "./review-state.ts";

export type ObserveRow = JobRow & { job: Extract<Job, { kind: "observe" }> };

/** Only later jobs of the outbox wait for the Archive. */
const ARCHIVE_MS = 45_000;
const ACCOUNT_MS = 45_000;
/** Earlier turns of the session that a new one is compared with when the Archive is unavailable. */
const OWN_TURNS = 20;

/** Carries out the job that observes a turn. */
export async function carryObservation(context: EngineContext, row: ObserveRow): Promise<void> {
  const { host, log, jobs } = context;
  const { booking } = row.job;
  const booked = booking && book(host, booking);
  const turn = log.turn(row.job.turn)!;
  const indexed = indexObservedTurn(context, turn);
  const entries = readTurnEntries(context, turn);
  const { work } = row.job;
  const base = { ...(work && { kind: work }), ...observe(context, turn, entries) };
  const before = judgeTurnBefore(context, turn, entries);
  const steered = findSteeredCorrections(entries);
  const corrected = before?.corrects === true || steered.length > 0;

  const observed = steered.reduce((done, entry) => withCorrection(done, entry), base);
  const compared = await compareWithSimilar(context, row, turn, entries, observed);
  const judgedBefore = before?.judged && (await reportJudgement(context, row, before.judged));
  const moves = await writeEvidence(context, row, {
    row: turn,
    entries,
    ...compared,
    judgement: compared.observation.judgements![0]!,
    nth: 1,
  });

  const [isBooked, isIndexed] = await Promise.all([booked, indexed]);
  host.sql.transaction(() => {
    if (!jobs.get(row.id)) return; // another attempt was quicker
    jobs.delete(row.id);
    if (booking && !isBooked) putBookingRow(context, booking);
    if (!isIndexed) indexLater(context, turn.n);
    putWithdrawnNotices(context, [...moves, ...(judgedBefore ? judgedBefore.moves : [])]);
    const { observation, neighbourhood } = compared;
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
    const trigger = corrected ? decideOnCorrection(host.settings, offered) : null;
    if (trigger) rememberReview(context, trigger, extraTurns);
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

/** Which kinds of learning the session offers to its model. Reviews may write only these. */
export function learningOffered(context: EngineContext): OfferedStores {
  const { learning, kind } = context.meta();
  const learns = learning === "on" && kind !== "webhook"; // nothing is learned from events
  return { skills: learns && !isHeldOut(context.host), memory: learns && kind !== "job" };
}

/** Records the turn and compares it with similar turns. */
async function compareWithSimilar(
  context: EngineContext,
  row: JobRow,
  turn: TurnRow,
  entries: Entry[],
  observation: Observation,
): Promise<{ observation: Observation; neighbourhood: Neighbourhood }> {
  const { host } = context;
  const at = turn.endedAt ?? 0;
  const heldOut = isHeldOut(host);
  const isChat = context.meta().kind === undefined;
  const signature = toSignature(observation, { session: host.session, at, heldOut, entries, isChat });
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
        isChat: false,
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
  const compared = await compareWithSimilar(context, row, judged.row, judged.entries, judged.observation);
  const report = { ...judged, ...compared };
  return { ...report, moves: await writeEvidence(context, row, report) };
}

/** Plans notices for the person about withdrawn skills, and events for webhooks. Call inside the transaction that ends the job that withdrew them. */
export function putWithdrawnNotices(context: EngineContext, moves: SkillMove[]): void {
  const { host, jobs } = context;
  planWithdrawn(context, moves);
  if (host.settings.review.notice === "off") return;
  for (const { skill, to, reason, rev, withdrew, inPart } of moves) {
    const what = inPart ? "changed: a part of it was withdrawn." : `withdrawn and is now ${to}.`;
    const text = `The skill '${skill}' was ${what} ${reason}`;
    if (withdrew) jobs.put(`notice:${skill}.${rev}.${to}`, host.clock.now(), { kind: "notice", text });
  }
}

function bundledText({ host }: EngineContext, skill: string): string | null {
  const files = Object.hasOwn(host.seeds, skill) ? host.seeds[skill] : undefined;
  return files ? textOfFiles(hashFiles(files)) : null;
}
