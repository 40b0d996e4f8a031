// Runs one turn of a session again: pulls what it needs from the session, begins the turn as it began, lets the session's own engine drive it,
// and reports how it ended. Its shell is a Durable Object with a storage of its own; tests run it over node:sqlite. Two jobs of the outbox carry
// it: `copy` until the turn has begun, and `replayed` until the report was taken. See docs/decisions/0116.
import { type Failure, type Result, assert, err, ok } from "../../errors.ts";
import { FIXED } from "../../limits.ts";
import type { FileBodies } from "../../schemas/file-body.ts";
import type { Entry, ToolCall } from "../../schemas/entry.ts";
import { hashFiles, textOfFiles } from "../../schemas/learning/digest.ts";
import type { ReplayReport } from "../../schemas/learning/experiment.ts";
import { isAllowedUnasked } from "../approvals/questions.ts";
import type { SessionHost } from "../context.ts";
import { type JobRow, createJobs } from "../jobs.ts";
import { createLog } from "../log.ts";
import { type Engine, carryOn, openEngine } from "../open-engine.ts";
import type { ReplayEngine, ReplayPorts } from "./contract.ts";
import { findReplayNeed, placeTurn, takePage } from "./place-turn.ts";
import { openRecording } from "./recording.ts";
import { putRecordedFiles } from "./recorded-files.ts";
import { toReplayHost } from "./replay-host.ts";
import type { ReplayPart } from "./replay-part.ts";
import { toLinesSoFar, toReport } from "./replay-report.ts";
import { type ReplayState, changeState, createReplay, readState } from "./replay-state.ts";

const MAX_ARGS_CHARS = 500;

/** Throws `StateNewerError` if a newer version wrote what is stored. */
export function createReplayEngine(host: SessionHost, ports: ReplayPorts): ReplayEngine {
  let opened: Run | null = null;
  const open = (): Run | null => {
    const state = opened ? null : readState(host.sql, createLog(host.sql));
    return (opened ??= state && openRun(host, ports, state));
  };
  open();
  return {
    async begin(order) {
      const at = host.clock.now();
      await host.alarm.set(at); // first: an alarm that finds no order does nothing
      if (!open()) {
        host.sql.transaction(() => {
          createReplay(host.sql, createLog(host.sql), { v: 1, order, begunAt: at });
          createJobs(host).put("copy", at, { kind: "copy" });
        });
      }
      return ok(null);
    },
    alarm: async () => open()?.alarm(),
    look: () => open()?.look() ?? null,
    entryPage: (asked) => open()?.entryPage(asked) ?? { entries: [] },
    spent: () => open()?.spent() ?? null,
    end: () => open()?.end(),
  };
}

type Run = Pick<ReplayEngine, "alarm" | "entryPage" | "spent" | "end"> & {
  look(): { report: ReplayReport | null; activeAt: number };
};

function openRun(host: SessionHost, ports: ReplayPorts, { order, placed }: ReplayState): Run {
  let text: Promise<FileBodies | null> | null = null;
  let activeAt = 0;
  let shiftMs = placed?.shiftMs ?? 0;
  const isExact = order.arm === "recorded";
  const readText = (): Promise<FileBodies | null> => {
    text ??= isExact ? Promise.resolve(null) : ports.readText(order).then(unwrapText);
    void text.catch(() => (text = null)); // asked for again
    return text;
  };
  const recording = openRecording({
    ...{ sql: host.sql, turn: order.source.turn, isExact },
    noteLeft: (call) => noteLeft(engine, call),
    putFiles: (result) => putRecordedFiles(engine.context, result),
  });
  const state = (): ReplayState => readState(host.sql, engine.context.log)!;
  const replay: ReplayPart = {
    isExact,
    placedTo: () => state().placed?.to ?? 0,
    noticeAt: recording.noticeAt,
    staysWhole: recording.staysWhole,
    isWatched: recording.isWatched,
    ranAgain: recording.ranAgain,
    serving: recording.serving,
    openAdmission: () => recording.openAdmission((gate) => isAllowedUnasked(engine.context, gate)),
    findRefusal: () => (state().left ? LEFT : null),
    async copy(row) {
      try {
        await pull(row, await readText());
      } catch (error) {
        if (!(error instanceof TextGone)) throw error;
        giveUp(error.failure);
      }
    },
    async report(row) {
      await ports.report(order, makeReport()!);
      engine.context.jobs.delete(row.id);
    },
  };
  const replayHost = toReplayHost(host, { order, replay, text: readText, shiftMs: () => shiftMs });
  const engine: Engine = openEngine(replayHost, () => false);
  const { context, driver } = engine;
  const { jobs, log } = context;

  async function pull(row: JobRow, files: FileBodies | null): Promise<void> {
    const source = ports.source(order);
    let before = "";
    for (let need = findReplayNeed(context, order); need; need = findReplayNeed(context, order)) {
      const asked = JSON.stringify(need);
      assert(asked !== before, `a page brought nothing of what was asked for: ${asked.slice(0, 200)}`);
      before = asked;
      const page = await source.readReplay(order.source.turn, need);
      if (!jobs.get(row.id)) return; // another attempt was quicker
      if (!page.ok) return giveUp(page.failure);
      takePage(context, page.value);
      activeAt = host.clock.now();
    }
    const hash = files && textOfFiles(hashFiles(files));
    placeTurn(context, { order, text: hash, recorded: recording.ofTurn() }, (shift) => (shiftMs = shift));
    engine.known = true;
    driver.kick();
  }

  function giveUp({ code, message }: Failure): void {
    context.host.sql.transaction(() => {
      const at = host.clock.now();
      changeState(log, { failed: { code, message, at } });
      jobs.delete("copy");
      jobs.put("replayed", at, { kind: "replayed" });
    });
  }

  const isCopied = (entry: Entry) => recording.noticeAt(entry.n)?.at === entry.at;
  function makeReport(): ReplayReport | null {
    return toReport(context, state(), isCopied);
  }

  return {
    async alarm() {
      if (jobs.isEmpty()) return jobs.armFor(null);
      await carryOn(engine);
    },
    look() {
      const report = makeReport();
      const newest = shiftMs === 0 ? null : log.entry(log.nextEntry() - 1);
      const seen = [driver.lastProgressAt(), newest?.at ?? null].map((at) => (at === null ? 0 : at - shiftMs));
      return { report, activeAt: Math.max(state().begunAt, activeAt, report?.endedAt ?? 0, ...seen) };
    },
    entryPage({ after, limit }) {
      const first = state().placed?.input;
      if (first === undefined) return { entries: [] };
      const { entries, more } = log.entryPage(Math.max(first, after + 1), limit, FIXED.pageBytes);
      return { entries, ...(more && { next: String(entries.at(-1)!.n) }) };
    },
    spent() {
      const lines = jobs.isEmpty() ? [] : toLinesSoFar(context, state(), isCopied);
      return lines.length === 0 ? null : { order, lines };
    },
    end() {
      driver.end();
      context.hub.end();
      engine.known = false;
      log.forget();
    },
  };
}

class TextGone extends Error {
  override name = "TextGone";
  readonly failure: Failure;
  constructor(failure: Failure) {
    super(failure.message);
    this.failure = failure;
  }
}

function unwrapText(read: Result<FileBodies | null>): FileBodies | null {
  if (read.ok) return read.value;
  throw new TextGone(read.failure);
}

const LEFT = err("left_recording", "The run ended: it made a call whose result nobody has recorded.").failure;

/** Only the first one is kept: the run ends before the next model call. */
function noteLeft({ context: { host, log } }: Engine, { name, args }: ToolCall): void {
  if (readState(host.sql, log)?.left) return;
  changeState(log, { left: { tool: name, args: JSON.stringify(args).slice(0, MAX_ARGS_CHARS).toWellFormed() } });
}
