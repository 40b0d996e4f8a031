// Calls that the client itself runs: shown to it once for each step, with the turn parked, and answered once. Implements the port of the
// client's tools over the session's log. A crash anywhere leaves one wait and one answer: the calls' intents and one meta row are the record.
import { type Result, err, ok } from "../../errors.ts";
import type { ToolEntry } from "../../schemas/entry.ts";
import { toTurnId } from "../../schemas/ids.ts";
import { byteLength, sha256Hex } from "../../schemas/learning/digest.ts";
import { type ClientResult, parseClientCallId, toClientCallId } from "../../schemas/sessions/client-part.ts";
import { CLIENT_SILENT, type ClientDesk } from "../../tools/client/client-tools.ts";
import { describeWait } from "../approvals/question-text.ts";
import type { EngineContext } from "../context.ts";
import type { Log } from "../log.ts";
import { type WaitEnd, endWait } from "../turn/waiting/park-turn.ts";
import { currentClient } from "./client-rows.ts";

/** Calls of one step. `entry`: the call's intent. */
interface ClientStep {
  turn: number;
  step: number;
  until: number;
  state: "waiting" | "answered" | "expired" | "withdrawn";
  calls: { id: string; entry: number }[];
  /** By the call's id. Empty once the turn has ended. */
  answers: Record<string, Pick<ClientResult, "text" | "failed">>;
  /** Fingerprint of the answers. */
  digest: string | null;
}

/** Meta key `client_calls`. `now`: the newest step. `before`: earlier answers, so that a repeated one is recognised. */
interface ClientCallsRow {
  v: 1;
  now: ClientStep;
  before: Pick<ClientStep, "turn" | "step" | "digest">[];
}

const KEY = "client_calls";
const MAX_BEFORE = 100;
/** All results of a step as JSON. One row holds them (`FIXED.rowBytes`). */
const MAX_RESULTS_BYTES = 1_200_000;

export function createClientDesk(context: EngineContext): ClientDesk {
  const { host, log } = context;
  return {
    wait(op) {
      const call = findCall(log, op);
      const known = log.meta<ClientCallsRow>(KEY);
      const isKnown = known?.now.turn === call.turn && known.now.step === call.step;
      if (known && isKnown && known.now.state !== "waiting") return null;
      const calls = openCalls(context, call);
      const until = isKnown ? known!.now.until : host.clock.now() + host.settings.turn.clientMs;
      const { turn, step } = call;
      const now: ClientStep = {
        ...{ turn, step, until, state: "waiting", answers: {}, digest: null },
        calls: calls.map(({ id, entry }) => ({ id, entry })),
      };
      return {
        asked: {
          for: "client",
          id: toWaitId(now),
          until,
          calls: calls.map(({ id, name, args }) => ({ id, name, args })),
        },
        code: "client_asked",
        text: `Waiting for the client to run ${calls.map(({ name }) => name).join(", ")}.`,
        record: () => putStep(log, now),
      };
    },
    find(op) {
      const { n, turn, step } = findCall(log, op);
      const now = log.meta<ClientCallsRow>(KEY)?.now;
      const id = now?.turn === turn && now.step === step ? now.calls.find(({ entry }) => entry === n)?.id : undefined;
      return id === undefined ? null : (now!.answers[id] ?? null);
    },
  };
}

function toWaitId({ turn, step }: Pick<ClientStep, "turn" | "step">): string {
  return `client_${turn}_${step}`;
}

/** The intent of a call, by its operation id (core/session/turn/journal/record-call.ts). */
function findCall(log: Log, op: string): ToolEntry {
  const entry = log.entry(Number(op.slice(op.lastIndexOf(":") + 1)));
  if (entry?.kind !== "tool") throw new Error(`the call ${op} has no intent`);
  return entry;
}

/** The open calls of the client's tools in this step, in the order of the model's answer. */
function openCalls({ host, log }: EngineContext, { turn, step }: ToolEntry) {
  const names = new Set(currentClient(log)?.tools?.map(({ name }) => name));
  const entries = log.entries(log.turn(turn)!.input!).filter((entry) => entry.turn === turn);
  const answer = entries.filter((entry) => entry.kind === "assistant")[step];
  const made = answer?.answer.calls ?? [];
  return entries
    .filter((entry) => entry.kind === "tool" && entry.state === "open" && entry.step === step)
    .filter((entry): entry is ToolEntry => entry.kind === "tool" && names.has(entry.call.name))
    .map(({ n: entry, call: { id: own, name, args } }) => {
      const index = made.findIndex(({ id }) => id === own);
      return { id: toClientCallId({ session: host.session, turn, step, index }), entry, name, args, index };
    })
    .toSorted((a, b) => a.index - b.index);
}

/** Inside the caller's transaction. */
function putStep(log: Log, now: ClientStep): void {
  const known = log.meta<ClientCallsRow>(KEY);
  const isSame = known?.now.turn === now.turn && known.now.step === now.step;
  const left = known && !isSame && known.now.digest !== null ? [toBefore(known.now)] : [];
  const before = [...(known?.before ?? []), ...left].slice(-MAX_BEFORE);
  log.setMeta(KEY, { v: 1, now, before } satisfies ClientCallsRow);
}

function toBefore({ turn, step, digest }: ClientStep): ClientCallsRow["before"][number] {
  return { turn, step, digest };
}

/**
 * Takes the results of a step's calls, and has the turn go on; the caller has it driven. The same results again are the same answer.
 * Failures: `call_unknown`, `call_missing`, `call_answered`, `call_over`, `results_too_long`.
 */
export function takeClientResults(context: EngineContext, results: readonly ClientResult[]): Result<{ turn: string }> {
  const { host, log } = context;
  const place = parseClientCallId(results[0]?.callId ?? "");
  const row = log.meta<ClientCallsRow>(KEY);
  const isOurs = ({ turn, step }: Pick<ClientStep, "turn" | "step">) => turn === place?.turn && step === place.step;
  const known = row && [row.now, ...row.before].find(isOurs);
  if (!place || place.session !== host.session || !row || !known) return unknown(results[0]?.callId);
  const done = ok({ turn: toTurnId(host.session, place.turn) });
  const digest = toDigest(results);
  if (known.digest !== null) {
    return known.digest === digest
      ? done
      : err("call_answered", "These calls were answered before, with other results.");
  }
  const { now } = row;
  if (now.state !== "waiting") {
    return err(
      "call_over",
      "The results come too late: the client was not waited for any longer, and the turn went on.",
    );
  }
  const refused = findMismatch(now, results);
  if (refused) return refused;
  const turn = log.turn(now.turn);
  if (turn?.more.parked?.id !== toWaitId(now)) return err("call_over", "The turn that made these calls has ended.");
  const answers = Object.fromEntries(
    results.map(({ callId, text, failed }) => [callId, { text: text.toWellFormed(), ...(failed && { failed }) }]),
  );
  if (byteLength(JSON.stringify(answers)) > MAX_RESULTS_BYTES) {
    return err(
      "results_too_long",
      `The results of one step have at most ${MAX_RESULTS_BYTES} bytes together. Shorten them.`,
    );
  }
  endWait(context, turn, {
    record() {
      putStep(log, { ...now, state: "answered", answers, digest });
      return {
        code: "client_answered",
        text: `The client sent ${results.length === 1 ? "a result" : `${results.length} results`}.`,
      };
    },
  });
  return done;
}

/** Every call must have its result, and nothing else may have one. */
function findMismatch({ calls }: ClientStep, results: readonly ClientResult[]): Result<never> | null {
  const given = new Set(results.map(({ callId }) => callId));
  const stranger = results.find(({ callId }) => !calls.some(({ id }) => id === callId));
  if (stranger) return unknown(stranger.callId);
  if (given.size < results.length) return err("call_answered", "A call has two results. Send one for each call.");
  const missing = calls.filter(({ id }) => !given.has(id)).map(({ id }) => id);
  if (missing.length === 0) return null;
  return err("call_missing", `Send the results of all calls together. Missing: ${missing.join(", ")}.`, { missing });
}

function unknown(id = ""): Result<never> {
  return err("call_unknown", `No call has the id '${id.slice(0, 80).toWellFormed()}' in this session.`);
}

function toDigest(results: readonly ClientResult[]): string {
  const sorted = results.map(({ callId, text, failed = false }) => [callId, text.toWellFormed(), failed]);
  return sha256Hex(JSON.stringify(sorted.sort(([a], [b]) => (a! < b! ? -1 : 1))));
}

/** What happens to calls that the client does not answer. */
export const CLIENT_END: WaitEnd = {
  expire(context) {
    close(context.log, "expired");
    const wait = describeWait(context.host.settings.turn.clientMs);
    return {
      code: "client_timed_out",
      text: `The client sent no results within ${wait}. The agent goes on without them.`,
    };
  },
  /** The turn asks no model any more: the calls' results are for later turns. */
  withdraw({ host, log }) {
    const { failed, parts } = CLIENT_SILENT;
    for (const { entry: n } of close(log, "withdrawn")) {
      const intent = log.entry(n);
      if (intent?.kind !== "tool" || intent.state === "done") continue;
      log.put({ ...intent, state: "done", at: host.clock.now(), failed, parts });
    }
  },
};

/** Inside the caller's transaction. Returns the calls that were waited for. */
function close(log: Log, state: "expired" | "withdrawn"): ClientStep["calls"] {
  const row = log.meta<ClientCallsRow>(KEY);
  if (row?.now.state !== "waiting") return [];
  log.setMeta(KEY, { ...row, now: { ...row.now, state } } satisfies ClientCallsRow);
  return row.now.calls;
}

/** Inside the transaction that ends the turn: its entries hold the results. */
export function dropAnswers(log: Log, turn: number): void {
  const row = log.meta<ClientCallsRow>(KEY);
  if (row?.now.turn !== turn || Object.keys(row.now.answers).length === 0) return;
  log.setMeta(KEY, { ...row, now: { ...row.now, answers: {} } } satisfies ClientCallsRow);
}
