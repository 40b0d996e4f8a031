// Makes a tool call durable: writes the intent before the tool runs and the result after it. A call with a recorded result is
// not run again. Used by the journal.
import type { Attempt, Effect, Journal, Recorded, ToolResult } from "../../../agent/contract.ts";
import { fail } from "../../../agent/tool-result.ts";
import type { JsonObject, ToolEntry } from "../../../schemas/entry.ts";
import { planPendingOfCall } from "../../hooks/events.ts";
import { placeTool } from "../../readers/events.ts";
import { type TurnRecord, assertOpen, callKey, nextEntry, noteProgress, putEntry } from "./turn-record.ts";

type CallWork = Parameters<Journal["call"]>[2];

/** Without `work.prepare` the intent is written synchronously, so that intents have the order of the calls. */
export async function recordCall(record: TurnRecord, step: number, work: CallWork): Promise<Recorded<ToolResult>> {
  const { context, turn, earlierCalls } = record;
  const { host, hub } = context;
  assertOpen(record);
  const earlier = earlierCalls.get(callKey(step, work.call));
  if (earlier?.state === "done") return { value: earlier, entry: earlier.n };
  const intent = earlier ?? openIntent(record, step, work, work.prepare ? await prepare(record, work.prepare) : {});
  let isOpen = true;
  const attempt: Attempt = {
    op: `${host.session}-${turn}:${intent.n}`,
    prepared: intent.prepared,
    entry: intent.n,
    // A call that was abandoned at its timeout may note facts after its result is recorded.
    note: (facts) => {
      if (isOpen) addFacts(record, intent, facts);
    },
    ...(earlier && { resumed: true as const }),
  };
  let result = earlier && !mayRunAgain(work.effect) ? outcomeUnknown(earlier) : await work.run(attempt);
  // The recorded call was cut off after its effect, and ran again: it found what it had done.
  if (host.replay?.ranAgain(intent.n, result)) result = await work.run({ ...attempt, resumed: true });
  isOpen = false;
  assertOpen(record);
  noteProgress(record);
  const { failed, parts, print, spent, delegated } = result;
  const at = host.clock.now();
  const done: ToolEntry = {
    ...intent,
    state: "done",
    failed,
    parts,
    at,
    ...(print && { print }),
    ...(spent && { spent }),
    ...(delegated && { delegated }),
  };
  // Before the result: a call that runs again finds its change, and the event is the same.
  planPendingOfCall(context, done);
  putEntry(record, done);
  hub.emit(placeTool(done)[1]!);
  return { value: result, entry: intent.n };
}

async function prepare(record: TurnRecord, work: () => Promise<JsonObject>): Promise<JsonObject> {
  const prepared = await work();
  assertOpen(record);
  return prepared;
}

function openIntent(record: TurnRecord, step: number, { call }: CallWork, prepared: JsonObject): ToolEntry {
  const { context, turn } = record;
  const intent: ToolEntry = {
    v: 1,
    n: nextEntry(record),
    turn,
    at: context.host.clock.now(),
    kind: "tool",
    state: "open",
    parts: [],
    call,
    step,
    failed: false,
    prepared,
  };
  putEntry(record, intent);
  context.hub.emit(placeTool(intent)[0]!);
  return intent;
}

function mayRunAgain(effect: Effect): boolean {
  return effect !== "unkeyed";
}

/** Once the turn was ended by other code, nothing is written. */
function addFacts(record: TurnRecord, intent: ToolEntry, facts: JsonObject): void {
  if (record.isClosed) return;
  intent.prepared = { ...intent.prepared, ...facts };
  putEntry(record, intent);
}

/** `inner`: the calls that code had made, with the state of each. */
function outcomeUnknown({ prepared: { inner } }: ToolEntry): ToolResult {
  const unknown = "The session was interrupted while this ran";
  if (!Array.isArray(inner)) {
    return fail("outcome_unknown", `${unknown}, so whether it took effect is unknown. Look before you do it again.`);
  }
  return fail(
    "outcome_unknown",
    `${unknown}. calls lists what it had called, calls that only read left out: "done" and "failed" had ended; of "began" the ` +
      "outcome is unknown. Do only the rest again.",
    { calls: inner },
  );
}
