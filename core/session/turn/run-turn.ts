// One attempt at a turn: carries out a command, or prepares prompt, tools and notes and runs the agent loop with them. Called
// by the driver, which writes how the turn ends.
import { type LoopEnd, type LoopOptions, runLoop } from "../../agent/loop.ts";
import { parseSessionCommand } from "../../commands/parse-command.ts";
import { ok } from "../../errors.ts";
import { NO_STATS, messageOf } from "../../schemas/entry.ts";
import { looksLikeInvocation } from "../../skills/invocation.ts";
import { currentClient, readClient } from "../client/client-rows.ts";
import { findCollision } from "../client/read-client-part.ts";
import { limitOutput, noteFormat, toWishes } from "../client/wishes.ts";
import { admitCall, isAllowedUnasked } from "../approvals/questions.ts";
import { createContextKeeper } from "../compaction/compact.ts";
import type { CompactionOptions } from "../compaction/shorten.ts";
import { createImageDesk } from "../images/image-desk.ts";
import { turnEffort, turnModels } from "../choice/choice.ts";
import { bookLate, openBudget } from "../ledger.ts";
import type { TurnRow } from "../log-turns.ts";
import type { EngineContext } from "../context.ts";
import type { Settings } from "../../schemas/settings.ts";
import { readHistory } from "../prompt/history.ts";
import { areSettingsOld, renewProfileSettings } from "../prompt/profile-settings.ts";
import type { CurrentTurn, DriveState } from "./drive-state.ts";
import { isInterrupted } from "./interrupted.ts";
import type { NoticeEnding } from "./endings.ts";
import { readAttached, readInvocation, readRecalled, recordInvocation } from "./commands/invoke.ts";
import { prepareTurn } from "./prepare-turn.ts";
import { runCommand } from "./commands/run-command.ts";
import { markServer } from "./server-mark.ts";
import { parkCall } from "./waiting/park-turn.ts";
import { spillResult } from "./journal/spill.ts";

/** `ending`: the turn ends without the loop, because it was a command or could not begin. */
export type AttemptResult = { end: LoopEnd } | { ending: NoticeEnding };

export async function runTurn(drive: DriveState, turn: TurnRow, current: CurrentTurn): Promise<AttemptResult> {
  const { context, outbox, recall } = drive;
  const { host, log, jobs } = context;
  const { journal, abort } = current;
  // An object may die between accepting an input and setting its alarm, and then a request may take up the turn. So the alarm
  // is set before the turn is driven.
  await jobs.arm();
  // First: the settings choose the models, the tools and the budgets.
  if (areSettingsOld(context, turn)) await renewProfileSettings(context);
  await outbox.collectReviews(() => drive.current?.journal === journal);
  const request = messageOf(log.entry(turn.input!)!);
  const compaction = toCompactionOptions(drive, turn, current);
  const command = parseSessionCommand(request);
  if (command) return { ending: await runCommand(command, { context, turn, signal: abort.signal, compaction }) };
  const models = turnModels(context);
  if (!models.ok) return { end: { state: "failed", failure: models.failure, stats: NO_STATS } };
  const [model] = models.value;
  const { skills: attached } = turn.more;
  const loadRun = { contextWindow: model.contextWindow, signal: abort.signal, put: journal.put };
  const invoked = attached
    ? await readAttached(context, turn, attached, loadRun)
    : looksLikeInvocation(request) && !host.replay
      ? await readInvocation(context, turn, request, loadRun)
      : ok(null);
  if (!invoked.ok) {
    const { code, message: text } = invoked.failure;
    return { ending: { state: "failed", code, text } };
  }
  if (model.server !== undefined && !host.replay) current.mark = markServer(host, model.server);
  const prepared = await prepareTurn(context, turn, request, model);
  const isBegun = journal.entries().some(({ kind }) => kind === "assistant");
  const client = readClient(log, turn);
  const collision = client && !isBegun ? findCollision(context, client.tools ?? []) : null;
  if (collision) return { ending: { state: "failed", code: collision.code, text: collision.message } };
  const { tools, system, learned } = prepared;
  if (client?.format) noteFormat(context, turn, client.format, journal.put);
  // A replay has what the recorded turn was told: copied notes.
  const mayRecall = !host.replay;
  const loading = invoked.value ?? (learned && mayRecall ? await readRecalled(context, turn, request, learned) : null);
  if (mayRecall) await recall.writeNote(turn, request, journal.put);
  if (loading) recordInvocation(context, turn, loading, journal.put);
  try {
    return {
      end: await runLoop({ ...toLoopOptions(drive, turn, current, compaction), models: models.value, tools, system }),
    };
  } finally {
    for (const tool of tools) await tool.end?.();
  }
}

function toCompactionOptions(
  { context, recall }: DriveState,
  turn: TurnRow,
  { journal }: CurrentTurn,
): CompactionOptions & Required<Pick<CompactionOptions, "put" | "findRefusal">> {
  const budget = openBudget(context, turn, journal);
  return {
    put: journal.put,
    noteActivity: journal.noteActivity,
    onLateCalls(calls) {
      const booked = calls.map((call) => ({ kind: "compaction" as const, ...call }));
      bookLate(context, turn.n, booked);
    },
    findRefusal: async () => context.host.replay?.findRefusal() ?? budget.findRefusal(),
    readRecalled: recall.recallForSummary,
  };
}

function toLoopOptions(
  { context }: DriveState,
  turn: TurnRow,
  { journal, abort }: CurrentTurn,
  compaction: ReturnType<typeof toCompactionOptions>,
): Omit<LoopOptions, "models" | "tools" | "system"> {
  const { host, log, hub } = context;
  const { settings } = host;
  const findRefusal = async () => compaction.findRefusal();
  const admission = host.replay?.openAdmission();
  return {
    journal: {
      ...journal,
      ...(host.replay && { serving: host.replay.serving }),
      async admit(step, request) {
        if (admission) return admission(request);
        const hasIntent = journal.hasCall(step, request.call);
        const { put } = journal;
        return admitCall(context, { turn: turn.n, step, hasIntent, findRefusal, signal: abort.signal, put }, request);
      },
      isAllowed: (gate) => isAllowedUnasked(context, gate),
      park: (wait) => parkCall(context, turn.n, wait),
    },
    history: readHistory(context, turn),
    limits: limitsOf(context),
    effort: turnEffort(context),
    ...toWishes(context),
    cacheKey: host.session,
    clock: host.clock,
    random: host.random,
    signal: abort.signal,
    guardrails: {
      settings: settings.guardrails,
      attended: () => host.replay?.isWatched(log.nextEntry()) ?? hub.isWatched(),
    },
    isInterrupted: () => isInterrupted(log, turn.n),
    spill: async (place, text) => spillResult(context, place, text),
    context: createContextKeeper(context, turn.n, compaction),
    images: createImageDesk(context, { turn: turn.n, ...compaction }),
    findRefusal,
  };
}

/** A delegated turn may take fewer steps, and a client may want shorter answers. */
function limitsOf({ host, log, meta }: EngineContext): Settings["turn"] {
  const { delegation } = host.settings;
  const turn = limitOutput(host.settings.turn, currentClient(log)?.maxTokens);
  if (meta().kind !== "delegated") return turn;
  return { ...turn, maxSteps: Math.min(turn.maxSteps, delegation.maxSteps) };
}
