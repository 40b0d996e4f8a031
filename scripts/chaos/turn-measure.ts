// Measures the turns of a chaos run: lost, duplicated, unknown, repeated or stuck. Reads the log through the HTTP API and compares
// it with the requests at the tools' server, the results the model received, and the files after each kill. Called by turns.ts.
// Changes nothing.
import type { Client } from "../../cli/connection/client.ts";
import type { SessionDetail } from "../../core/schemas/api.ts";
import { type Entry, textOf } from "../../core/schemas/entry.ts";
import type { TurnReading } from "./reader.ts";
import { CALLS, type World } from "./world.ts";

export interface TurnUnderTest {
  task: number;
  session: string;
  reading: TurnReading | null;
  /** `within`: the turn was running or about to be accepted. */
  cuts: { at: number; point: string; within: boolean }[];
  /** Calls that a kill left with an intent and no result, with the time of the kill. */
  unsure: Map<string, number>;
}

export interface MeasuredTurns {
  /** Accepted inputs without a final entry, plus keyed effects that never happened. */
  lost: number;
  /** Calls that arrived under two idempotency keys, plus unkeyed calls that were sent twice. */
  duplicated: number;
  /** Unkeyed calls that were reported to the model as unknown. */
  unknown: number;
  /** Unkeyed calls that were sent again after a kill had left an intent and no result. */
  unknownRerun: number;
  /** Turns that have not ended. */
  stuck: number;
  /** Kills that left an unkeyed call with an intent and no result, counted once per call. */
  between: number;
  /** All other problems, as sentences. */
  remarks: string[];
}

type ToolEntry = Extract<Entry, { kind: "tool" }>;

export async function measureTurns(client: Client, turns: TurnUnderTest[], world: World): Promise<MeasuredTurns> {
  const total: MeasuredTurns = {
    lost: 0,
    duplicated: 0,
    unknown: 0,
    unknownRerun: 0,
    stuck: 0,
    between: 0,
    remarks: [],
  };
  for (const turn of turns) {
    const [detail, log] = [await client.session(turn.session), await client.entries(turn.session)];
    const one = measureTurn(turn, detail, log, world);
    total.lost += one.lost;
    total.duplicated += one.duplicated;
    total.unknown += one.unknown;
    total.unknownRerun += one.unknownRerun;
    total.stuck += one.stuck;
    total.between += one.between;
    total.remarks.push(...one.remarks.map((remark) => `turn ${turn.task}: ${remark}`));
  }
  return total;
}

function measureTurn(turn: TurnUnderTest, detail: SessionDetail, log: Entry[], world: World): MeasuredTurns {
  const remarks = [...(turn.reading?.remarks ?? [])];
  const tools = log.filter((entry) => entry.kind === "tool");
  const arrivals = world.arrivals.filter(({ task }) => task === turn.task);
  const [row] = detail.turns;
  const isFinal = row?.final != null && log.some(({ n }) => n === row.final);
  const isOpen = row?.state === "queued" || row?.state === "running";

  let lost = isFinal ? 0 : 1;
  let duplicated = Math.max(0, detail.turns.length - 1);
  let unknownRerun = 0;
  for (const { call, effect } of CALLS) {
    const sent = arrivals.filter((arrival) => arrival.call === call);
    if (effect === "keyed") {
      const isOwed = row?.state === "done" || tools.some((entry) => entry.call.id === call);
      if (isOwed && sent.length === 0) lost++;
      if (new Set(sent.map(({ key }) => key)).size > 1) duplicated++;
    }
    if (effect === "unkeyed") {
      if (sent.length > 1) duplicated++;
      const unsureAt = turn.unsure.get(call);
      if (unsureAt !== undefined && sent.some(({ at }) => at > unsureAt)) unknownRerun++;
    }
  }

  const unknownOutcomes = world.shown.filter(
    ({ task, text }) => task === turn.task && text.includes('"outcome_unknown"'),
  );
  const unknown = new Set(unknownOutcomes.map(({ call }) => call));
  const between = [...turn.unsure.keys()].filter(isUnkeyed);
  for (const call of unknown) {
    if (!isUnkeyed(call)) remarks.push(`${call} is not unkeyed, and was reported as unknown`);
    if (!tools.some((entry) => entry.call.id === call && isUnknown(entry)))
      remarks.push(`${call} is unknown, and not in the log`);
    if (!between.includes(call)) remarks.push(`${call} is unknown, and no kill fell between its intent and its result`);
  }
  if (row?.state !== "done") remarks.push(`ended as ${row?.state ?? "nothing"}`);
  if (turn.cuts.length > 0 && turn.cuts.every(({ within }) => !within)) remarks.push("was never cut while it ran");
  remarks.push(...compareCalls(tools), ...(turn.reading ? compareReading(turn.reading, log) : []));
  return {
    lost,
    duplicated,
    unknown: [...unknown].filter(isUnkeyed).length,
    unknownRerun,
    stuck: row === undefined || isOpen ? 1 : 0,
    between: between.length,
    remarks,
  };
}

/** Checks that the log holds the script's ten calls, once each, in order, each with a result. */
function compareCalls(tools: ToolEntry[]): string[] {
  const actualCalls = tools.map(({ call, state }) => (state === "done" ? call.id : `${call.id} (open)`)).join(" ");
  const expectedCalls = CALLS.map(({ call }) => call).join(" ");
  return actualCalls === expectedCalls ? [] : [`has the calls ${actualCalls}`];
}

function compareReading({ ended, texts }: TurnReading, log: Entry[]): string[] {
  const answers = log.filter((entry) => entry.kind === "assistant");
  const remarks = ended ? [] : ["its reader never saw it end"];
  for (const entry of answers) {
    if (texts.get(entry.n) !== textOf(entry)) remarks.push(`its reader has another text of entry ${entry.n}`);
  }
  for (const [n, text] of texts) {
    // An answer that was started without any text displays nothing.
    if (text !== "" && !answers.some((entry) => entry.n === n)) {
      remarks.push(`its reader has ${text.length} characters of entry ${n}, which is not an answer`);
    }
  }
  return remarks;
}

function isUnkeyed(call: string): boolean {
  return CALLS.some((scripted) => scripted.call === call && scripted.effect === "unkeyed");
}

function isUnknown(entry: ToolEntry): boolean {
  return entry.failed && entry.parts.some(({ text }) => text.includes('"outcome_unknown"'));
}
