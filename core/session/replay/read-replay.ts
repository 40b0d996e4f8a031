// The session whose turn is run again: gives a replay what it copies, page by page. That is the session before the turn, and the recording:
// the entries of the turn, and what calls of tools that reach outside gave in any turn. Called by the engine. Reads only.
import { type Result, err, ok } from "../../errors.ts";
import type { ReplayBeginning, ReplayNeed, ReplayPage } from "../../schemas/sessions/replay.ts";
import { splitPath } from "../../workspace/workspace-path.ts";
import { fit, readRange } from "../branch/read-branch.ts";
import type { EngineContext } from "../context.ts";
import { type TurnRow, isOpen } from "../log-turns.ts";
import { SPILLED_PATHS } from "../turn/journal/spill.ts";
import { findReplayability } from "./replayable.ts";
import type { FrozenPrompt } from "../turn/prepare-turn.ts";
import { sessionTools } from "../turn/session-tools.ts";

/** More is not copied: a replay is one of many, and its recording is read at once. */
const MAX_RECORDED_BYTES = 8 << 20;
const ROWS_A_PAGE = 500;

type EndedTurn = TurnRow & { input: number; final: number };
type SqlRow = Record<string, string | number | null>;

/** Failures: `not_replayable`, `branch_outdated`. */
export function readReplay(context: EngineContext, n: number, need: ReplayNeed): Result<ReplayPage> {
  const turn = context.log.turn(n);
  if (!isEnded(turn))
    return err("not_replayable", `This session has no turn ${n} that has ended.`, { reason: "not_ended" });
  if (need.stage === "recording") return ok(readRecording(context, turn, need.after));
  if (need.stage === "begin") {
    const judged = findReplayability(context, n);
    if (!judged.replayable) return err("not_replayable", judged.why, { reason: judged.reason });
  }
  const range = { turn: n - 1, entry: turn.input - 1, lastTurn: n - 1, imagesTo: turn.input };
  const page = readRange(context, range, need);
  if (!page.ok || page.value.stage !== "begin") return page;
  const replay = readBeginning(context, turn);
  return replay.ok ? ok({ ...page.value, replay: replay.value }) : replay;
}

/** Of its own: an input that was put into a running turn is a part of that turn. */
function isEnded(turn: TurnRow | null): turn is EndedTurn {
  if (turn?.more.into !== undefined) return false;
  return turn !== null && !isOpen(turn) && turn.input !== null && turn.final !== null;
}

function readBeginning(context: EngineContext, turn: EndedTurn): Result<ReplayBeginning> {
  const { sql } = context.host;
  const { n, input, final } = turn;
  const [query, ...values] = recordedRows(context, turn);
  const [sum] = sql.run<{ bytes: number | null; newest: number | null }>(
    `SELECT sum(octet_length(body)) AS bytes, max(n) AS newest FROM entry WHERE ${query}`,
    ...values,
  );
  if ((sum?.bytes ?? 0) > MAX_RECORDED_BYTES) {
    return err("not_replayable", `What turn ${n} and its session read is more than a replay copies.`, {
      reason: "too_large",
    });
  }
  const [row] = sql.run<SqlRow>(
    "SELECT n, state, waiting, input, final, attempts, stats, started_at, ended_at, more FROM turn WHERE n = ?",
    n,
  );
  return ok({
    turn: row!,
    ...{ input, final },
    recordedTo: sum?.newest ?? final,
    meta: readMeta(context, turn),
    spilled: findSpilled(context, turn),
  });
}

/** The condition for rows of `entry`, and its values. Tools that stay in the workspace run again, so what they gave elsewhere is not needed. */
function recordedRows(context: EngineContext, { input, final }: EndedTurn): [string, ...number[]] {
  const inside = sessionTools(context, "").flatMap(({ name, staysInside }) => (staysInside ? [`'${name}'`] : []));
  const isCall = `json_extract(body, '$.kind') = 'tool' AND json_extract(body, '$.state') = 'done'`;
  const isOutside = `json_extract(body, '$.call.name') NOT IN (${inside.join(", ")})`;
  return [`((n >= ? AND n <= ?) OR (${isCall} AND ${isOutside}))`, input, final];
}

function readRecording(context: EngineContext, turn: EndedTurn, after: number): ReplayPage {
  const { sql } = context.host;
  const [query, ...values] = recordedRows(context, turn);
  const sizes = sql.run<{ n: number; bytes: number }>(
    `SELECT n, octet_length(body) AS bytes FROM entry WHERE n > ? AND ${query} ORDER BY n LIMIT ${ROWS_A_PAGE}`,
    after,
    ...values,
  );
  const to = fit(sizes).at(-1)?.n ?? after;
  const rows = sql.run<SqlRow>(
    `SELECT n, turn, body FROM entry WHERE n > ? AND n <= ? AND ${query} ORDER BY n`,
    after,
    to,
    ...values,
  );
  return { stage: "recording", rows };
}

/** The prompt of the present epoch is the one of the turn if it was made before the turn's first answer. */
function readMeta({ host, log }: EngineContext, { n, input, final }: EndedTurn): ReplayBeginning["meta"] {
  const answer = log.entries(input, final).find((entry) => entry.kind === "assistant" && entry.turn === n);
  const prompt = log.meta<FrozenPrompt>("prompt");
  const isOfTurn = prompt !== null && answer !== undefined && prompt.at <= answer.at;
  const keys = ["session", "profile", ...(isOfTurn ? ["prompt"] : [])];
  return keys.flatMap((key) =>
    host.sql.run<{ key: string; value: string }>("SELECT key, value FROM meta WHERE key = ?", key),
  );
}

/** Files that are gone are left out: the result that names one is served, and its file cannot be read, as in the session itself. */
function findSpilled(context: EngineContext, turn: EndedTurn): SqlRow[] {
  const { sql } = context.host;
  const [query, ...values] = recordedRows(context, turn);
  const rows = sql.run<{ body: string }>(
    `SELECT body FROM entry WHERE instr(body, '.talaria/results/') > 0 AND ${query}`,
    ...values,
  );
  const paths = new Set(rows.flatMap(({ body }) => body.match(SPILLED_PATHS) ?? []));
  return [...paths].flatMap((path) => {
    const { folder, name } = splitPath(`/${path}`);
    return sql.run<SqlRow>("SELECT * FROM file_node WHERE parent = ? AND name = ? AND kind = 'file'", folder, name);
  });
}
