// A session as an export of data to train on reads it: its log page by page, and with the first page what is known of its turns. Called by
// the engine. Writes nothing and resumes nothing.
import { type Result, err, ok } from "../../errors.ts";
import { toToolSpecs } from "../../agent/tool-specs.ts";
import type { ToolSpec } from "../../agent/contract.ts";
import { FIXED } from "../../limits.ts";
import type { Entry } from "../../schemas/entry.ts";
import type { Origin } from "../../schemas/sessions/origin.ts";
import type { SessionKind } from "../../schemas/sessions/session-kind.ts";
import type { SessionId } from "../../schemas/ids.ts";
import type { TrajectoryTurn } from "../../trajectories/trajectory.ts";
import type { TurnRow } from "../log-turns.ts";
import { type Engine, UNKNOWN_SESSION } from "../open-engine.ts";
import { sessionTools } from "../turn/session-tools.ts";
import { undoneTurns } from "../undo/undone.ts";

/** [own] Turns of one session. A longer one is not exported. */
const MAX_TURNS = 5_000;
/** A page is bounded by bytes; an entry has at least a hundred. */
const ENTRIES_A_PAGE = 40_000;

export interface TrajectoryHead {
  /** Whether it learns, now and since it began. */
  learning: boolean;
  kind: SessionKind;
  parent: SessionId | null;
  /** It began in a chat, in which several people write. */
  chat: "own" | "shared" | null;
  branchedFrom: Origin[];
  undone: { turn: number; by: number }[];
  tools: ToolSpec[];
  turns: TrajectoryTurn[];
}

/** `head`: with the first page. `next`: the entry to read after; `null` on the last page. */
export interface TrajectoryLogPage {
  head: TrajectoryHead | null;
  entries: Entry[];
  next: number | null;
}

/** `after`: the last entry of the page before, 0 at first. Failures: `session_not_found`, `trajectory_too_large`. */
export function readTrajectory({ known, context }: Engine, after: number): Result<TrajectoryLogPage> {
  if (!known) return UNKNOWN_SESSION;
  const { log } = context;
  if ((log.lastTurn()?.n ?? 0) > MAX_TURNS) {
    return err("trajectory_too_large", `A session of more than ${MAX_TURNS} turns is not exported for training.`);
  }
  const { entries, more } = log.entryPage(after + 1, ENTRIES_A_PAGE, FIXED.pageBytes);
  return ok({ head: after === 0 ? readHead(context) : null, entries, next: more ? entries.at(-1)!.n : null });
}

function readHead(context: Engine["context"]): TrajectoryHead {
  const { log } = context;
  const { learning, kind = "chat", parent, channel, branchedFrom = [] } = context.meta();
  const observed = new Map(log.observedTurns(0, MAX_TURNS + 1, MAX_TURNS).map((row) => [row.n, row.observed]));
  return {
    learning: learning === "on",
    kind,
    parent: parent ?? null,
    chat: channel ? (channel.shared ? "shared" : "own") : null,
    branchedFrom,
    undone: [...undoneTurns(log)],
    tools: toToolSpecs(sessionTools(context, "")),
    turns: log.turns(MAX_TURNS).map((turn) => toTurn(turn, observed.get(turn.n))),
  };
}

type Observed = NonNullable<ReturnType<Engine["context"]["log"]["observed"]>>;

function toTurn({ n, state, input, final, endedAt, more }: TurnRow, observed: Observed | undefined): TrajectoryTurn {
  const { observation, rating } = observed ?? {};
  return {
    ...{ n, state, input, final, endedAt },
    ...(more.reason !== undefined && { reason: more.reason }),
    ...(rating && { rating: rating.rating }),
    ...(observation && { outcome: observation.outcome }),
    corrections: (observation?.corrections ?? []).map(({ entry }) => entry),
    loaded: observation?.loaded ?? [],
  };
}
