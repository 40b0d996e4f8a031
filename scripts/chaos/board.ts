// Works off a diamond of five cards again and again, and kills the board's object at every point between claim and completion: before and after
// each write of its database and each call of another object. In one process: node:sqlite, a clock that is moved, scripted workers whose sessions
// outlive the board. Called by chaos.ts and, in a short form, by a test.
import { type BoardMethod, answerCall } from "../../core/board/board-calls.ts";
import { BOARD_SCHEMA, type Board, createBoard } from "../../core/board/board.ts";
import type { Changed } from "../../core/board/contract.ts";
import { DISPATCH_SCHEMA, createDispatchRows } from "../../core/board/dispatch/dispatch-rows.ts";
import { createDispatcher } from "../../core/board/dispatch/dispatcher.ts";
import { type Result, err, ok } from "../../core/errors.ts";
import { DEFAULTS } from "../../core/limits.ts";
import type { Sql } from "../../core/ports.ts";
import type { Author, CardEvent, CardId, CardRun, RunId } from "../../core/schemas/board/card.ts";
import { type SessionId, toTurnId } from "../../core/schemas/ids.ts";
import { createWorkerSessions } from "../../durable-objects/board/worker-sessions.ts";
import { mulberry32 } from "../seeded.ts";

export interface BoardRun {
  kills: number;
  /** Cards that were not done. */
  lost: number;
  /** Cards that were completed twice or by a worker that had lost them, worked on by two runs at once, or begun before the cards before them were done. */
  duplicated: number;
  /** Runs and steps that were left open. */
  stuck: number;
  remarks: string[];
}

export interface BoardOptions {
  /** At least so many. Every point is killed at once, and then random ones, two in a diamond. */
  kills: number;
  /** For a short form: only each such point, in order. */
  every?: number;
  seed: number;
  say(line: string): void;
}

const OWNER: Author = { by: "owner" };
const START = 1_800_000_000_000;
const LIMIT_MS = 12 * 60 * 60_000;
const CARDS = 5;

export async function runBoardChaos(
  { kills, every = 1, seed, say }: BoardOptions,
  createSql: () => Sql,
): Promise<BoardRun> {
  const calm = await runDiamond(createSql(), { seed, killAt: [] });
  say(`A diamond passes ${calm.points} points. Seed ${seed}.`);
  const random = mulberry32(seed);
  const sum: BoardRun = { ...calm.run, kills: 0 };
  const plans = Array.from({ length: calm.points }, (_, i) => [i + 1]).filter((_, i) => i % every === 0);
  while (plans.flat().length < kills) {
    const first = 1 + Math.floor(random() * calm.points);
    plans.push([first, first + 1 + Math.floor(random() * calm.points)]);
  }
  for (const killAt of plans) {
    const { run } = await runDiamond(createSql(), { seed, killAt });
    for (const figure of ["kills", "lost", "duplicated", "stuck"] as const) sum[figure] += run[figure];
    for (const remark of run.remarks) say(`Killed at ${killAt.join(" and ")}: ${remark}`);
    sum.remarks.push(...run.remarks);
  }
  return sum;
}

/** The object died here. Nothing that belongs to it may go on. */
class Killed extends Error {}

interface Turn {
  n: number;
  run: RunId;
  card: CardId;
  /** Calls that the worker has made of its script. */
  done: number;
  state: "running" | "done" | "stopped";
  told: boolean;
}

/** A worker's session. It is another object, so it outlives the board's. */
interface WorkerSession {
  card: { card: CardId; run: RunId } | null;
  keys: Map<string, number>;
  turns: Turn[];
}

async function runDiamond(
  sql: Sql,
  { seed, killAt }: { seed: number; killAt: number[] },
): Promise<{ points: number; run: BoardRun }> {
  for (const query of [...BOARD_SCHEMA, ...DISPATCH_SCHEMA]) sql.run(query);
  const clock = { at: START };
  const sessions = new Map<SessionId, WorkerSession>();
  const random = mulberry32(seed);
  let [points, kills, life, made] = [0, 0, 0, 0];

  const pass = (mine: number) => {
    if (mine !== life) throw new Killed("it is dead");
    if (!killAt.includes(++points)) return;
    kills++;
    life++;
    throw new Killed("killed");
  };
  /** Of the object's present life. */
  function boot() {
    const mine = life;
    const guarded: Sql = {
      run<Row>(query: string, ...values: Parameters<Sql["run"]> extends [string, ...infer Values] ? Values : never) {
        if (mine !== life) throw new Killed("it is dead");
        if (/^\s*SELECT/i.test(query)) return sql.run<Row>(query, ...values);
        pass(mine);
        const rows = sql.run<Row>(query, ...values);
        pass(mine);
        return rows;
      },
      transaction: (work) => sql.transaction(work),
    };
    const outside = async <T>(work: () => T): Promise<T> => {
      pass(mine);
      const value = work();
      await Promise.resolve();
      pass(mine);
      return value;
    };
    const ticking = { now: () => clock.at, sleep: async () => {} };
    const board = createBoard({ sql: guarded, clock: ticking, random, limits: DEFAULTS.board });
    const workers = createWorkerSessions({
      ...{ board: "main", maxTokens: 0, agenda: { readRole: async () => err("role_not_found", "none") } },
      account: {
        checkProfile: () => outside(() => 0),
        registerSession: () => outside(() => true),
        eraseSession: () => outside(() => null),
      },
      session: (id) => ({
        create: ({ card }) => outside(() => (open(id).card ??= card!) as never),
        post: ({ key }) => outside(() => post(id, key!) as never),
        stop: () => outside(() => stop(id)),
        readTurn: (n) => outside(() => readTurn(id, n) as never),
      }),
    });
    const dispatcher = createDispatcher({
      ...{ board, rows: createDispatchRows(guarded), clock: ticking, workers },
      newSession: () => `01JZ${String(++made).padStart(22, "0")}`,
      takePlaces: (wanted) => outside(() => wanted),
      changed: () => {},
      report: (_what, error) => {
        if (!(error instanceof Killed)) throw error;
      },
    });
    return { board, dispatcher };
  }

  function open(id: SessionId): WorkerSession {
    const known = sessions.get(id) ?? { card: null, keys: new Map(), turns: [] };
    sessions.set(id, known);
    return known;
  }
  function post(id: SessionId, key: string) {
    const session = open(id);
    const n = session.keys.get(key) ?? session.turns.length + 1;
    if (!session.keys.has(key)) {
      session.keys.set(key, n);
      session.turns.push({ n, ...session.card!, done: 0, state: "running", told: false });
    }
    return ok({ turn: toTurnId(id, n) });
  }
  function stop(id: SessionId) {
    for (const turn of open(id).turns) if (turn.state === "running") turn.state = "stopped";
    return ok(null);
  }
  function readTurn(id: SessionId, n: number) {
    const turn = sessions.get(id)?.turns[n - 1];
    if (!turn) return err("turn_not_found", "none");
    const endedAt = turn.state === "running" ? null : clock.at;
    return ok({ state: turn.state, answer: "", notice: null, endedAt });
  }

  let live = boot();
  /** Repeats what a caller repeats until it is answered. */
  async function call<T>(work: (now: typeof live) => T | Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work(live);
      } catch (error) {
        if (!(error instanceof Killed)) throw error;
        live = boot();
      }
    }
  }
  const ask = (method: BoardMethod, ...args: unknown[]) =>
    call(({ board, dispatcher }) => {
      const answer = answerCall(board, method, args) as Result<Changed>;
      if (answer.ok && answer.value.stopped) dispatcher.stopRun(answer.value.stopped);
      return answer;
    });
  const make = async (title: string, parents: CardId[]) => {
    const answer = await ask("create", { author: OWNER, op: `make ${title}` }, { title, parents });
    if (!answer.ok) throw new Error(answer.failure.message);
    return answer.value.card.id;
  };

  const top = await make("top", []);
  const sides = [await make("left", [top]), await make("right", [top]), await make("middle", [top])];
  const cards = [top, ...sides, await make("bottom", sides)];
  const taken = sides[0]!;

  /**
   * One more call of the worker's script: it reads, it says that it lives, it completes. The first worker of the top card ends in words. From the
   * first worker of one card the owner takes the card, and its completion comes too late.
   */
  async function step(id: SessionId, turn: Turn): Promise<void> {
    const author: Author = { by: "agent", session: id, run: turn.run };
    const by = { author, op: `${id}-${turn.n}-${turn.done}` };
    const isQuiet = turn.card === top && turn.n === 1;
    if (turn.done === 0) await ask("show", turn.card);
    else if (turn.done === 1) await ask("heartbeat", by, turn.card);
    else if (turn.done === 2 && !isQuiet) {
      if (turn.card === taken) {
        await ask("reclaim", { author: OWNER, op: "take" }, taken);
        await call(({ dispatcher }) => dispatcher.run());
      }
      await ask("complete", by, turn.card, { summary: "done" });
    } else turn.state = "done";
    turn.done++;
  }

  async function tell(id: SessionId, turn: Turn): Promise<void> {
    const ended = { state: turn.state === "stopped" ? ("stopped" as const) : ("done" as const) };
    const said = { v: 1 as const, id: `${id}.${turn.n}`, session: id, turn: turn.n, at: clock.at, text: "words" };
    const origin = { chat: `card:main/${turn.run}` };
    await call(({ dispatcher }) => dispatcher.takeDelivery({ ...said, kind: "answer", origin, ended }));
    turn.told = true;
  }

  const isDone = (board: Board) =>
    cards.every((id) => {
      const shown = board.show(id);
      return shown.ok && shown.value.card.status === "done";
    });
  while (clock.at < START + LIMIT_MS) {
    await call(({ dispatcher }) => dispatcher.run());
    for (const [id, { turns }] of sessions) {
      for (const turn of turns) {
        if (turn.state === "running") await step(id, turn);
        else if (!turn.told) await tell(id, turn);
      }
    }
    const isQuiet = [...sessions.values()].every(({ turns }) => turns.every(({ told }) => told));
    if (isQuiet && (await call(({ board }) => isDone(board)))) break;
    clock.at += isQuiet ? 30_000 : 1_000;
  }
  await call(({ dispatcher }) => dispatcher.run());
  return { points, run: { kills, ...(await call(({ board }) => measure(board, cards, sql))) } };
}

function measure(board: Board, cards: CardId[], sql: Sql): Omit<BoardRun, "kills"> {
  const run = { lost: 0, duplicated: 0, stuck: board.listOpen().length, remarks: [] as string[] };
  run.stuck += createDispatchRows(sql).all().length;
  for (const id of cards) {
    const shown = board.show(id);
    if (!shown.ok || shown.value.card.status !== "done") run.lost++;
    const runs = board.runs(id);
    run.duplicated += countLate(board.events({ after: 0, card: id }), runs);
    if (runs.filter(({ outcome }) => outcome === "completed").length > 1) run.duplicated++;
    for (const [i, later] of runs.entries()) {
      if (i > 0 && later.startedAt < (runs[i - 1]!.endedAt ?? Infinity)) run.duplicated++;
    }
    for (const parent of shown.ok ? shown.value.parents : []) {
      const ended = board.runs(parent.id).find(({ outcome }) => outcome === "completed")?.endedAt ?? Infinity;
      if (runs.some(({ startedAt }) => startedAt < ended)) run.duplicated++;
    }
    const isTaken = runs.map(({ outcome }) => outcome).join() === "reclaimed,completed";
    if (runs.length > 1 && !isTaken)
      run.remarks.push(`${id} took ${runs.length} runs: ${runs.map(({ outcome }) => outcome).join(", ")}`);
  }
  if (cards.length !== CARDS) run.lost++;
  return run;
}

/** Completions by workers whose runs had lost the card. */
export function countLate(events: CardEvent[], runs: CardRun[]): number {
  const completed = events.filter(({ kind }) => kind === "completed");
  return completed.filter(({ author }) => {
    if (author.by !== "agent" || author.run === undefined) return false;
    return runs.find(({ id }) => id === author.run)?.outcome !== "completed";
  }).length;
}
