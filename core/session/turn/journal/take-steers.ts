// Moves waiting steering messages into the running turn: messages that the person sent to correct it. The journal calls this before
// each model call.
import type { UserEntry } from "../../../schemas/entry.ts";
import { dropClient } from "../../client/client-rows.ts";
import { type TurnRow, isOpen } from "../../log-turns.ts";
import { placeSteer } from "../../readers/events.ts";
import { toInputParts } from "../input-parts.ts";
import { type TurnRecord, putEntry } from "./turn-record.ts";

/**
 * Turns the next waiting messages into entries of the running turn, up to the first that does not steer, and those that answer its
 * question. Each message keeps its row
 * in the list of turns, so its idempotency key, its readers and its position stay valid.
 */
export function takeSteers(record: TurnRecord, step: number): UserEntry[] {
  const { context, turn } = record;
  const { host, log, hub } = context;
  const waiting = waitingSteers(record);
  if (waiting.length === 0) return [];
  const marker = findMarker(record) ?? host.token();
  const first = log.nextEntry();
  const at = host.clock.now();
  const taken = waiting.map((row, i): UserEntry => ({
    v: 1,
    n: first + i,
    turn,
    at,
    kind: "user",
    parts: toInputParts(row, "principal"),
    steer: { accepted: row.n, marker, step },
    ...(row.more.images && { images: row.more.images }),
  }));
  host.sql.transaction(() => {
    for (const [i, row] of waiting.entries()) {
      putEntry(record, taken[i]!);
      const { channel } = row.more;
      const more = { into: turn, ...(channel && { channel }) };
      dropClient(log, row);
      log.putTurn({ ...row, state: "steered", waiting: null, input: taken[i]!.n, startedAt: at, more });
    }
  });
  for (const entry of taken) hub.emit(placeSteer(entry));
  return taken;
}

function waitingSteers({ context, turn }: TurnRecord): TurnRow[] {
  const { log } = context;
  const waiting: TurnRow[] = [];
  let isPastSteers = false;
  for (let next = log.turn(turn + 1); next; next = log.turn(next.n + 1)) {
    if (next.state === "steered") continue;
    if (!isOpen(next)) break;
    isPastSteers ||= next.more.busy !== "steer";
    if (!isPastSteers || next.more.answers !== undefined) waiting.push(next);
  }
  return waiting;
}

/** The marker of this turn's earlier steers, since all steers of a turn share one. */
function findMarker({ written }: TurnRecord): string | undefined {
  const steers = [...written.values()].flatMap((entry) => (entry.kind === "user" && entry.steer ? [entry.steer] : []));
  return steers[0]?.marker;
}
