// One command: started in a session and process group of its own, its output collected, ended at its time limit with everything that
// it left running. Made by commands.ts. Never throws after its start: what went wrong is in its state.
import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { LIMITS } from "../limits.ts";
import { Problem } from "../problem.ts";
import { Output, type OutputSummary } from "./output.ts";
import { type Found, type Mark, askToEnd, findProcesses, killAll } from "./processes.ts";

export interface CommandRequest {
  op: string;
  command: string;
  /** Absolute path of the folder in which it starts. */
  cwd: string;
  /** The whole input. Absent: none; of a background command the input stays open. */
  stdin?: Buffer;
  timeoutMs: number;
  /** Output of both streams is joined in `stdout`. */
  background: boolean;
}

/** `exited`: by itself. `signalled`: by a signal that was not ours. */
export type EndReason = "exited" | "signalled" | "timed_out" | "killed";

export interface CommandState {
  op: string;
  state: "running" | "ended";
  background: boolean;
  /** The first thousand characters. */
  command: string;
  /** Milliseconds since 1970. */
  startedAt: number;
  durationMs: number;
  exitCode: number | null;
  signal: string | null;
  reason: EndReason | null;
  /** Processes that still ran when the command had ended, and were killed. */
  leftovers: number;
  stdout: OutputSummary;
  stderr: OutputSummary;
  /** The text of the output was dropped, because newer commands needed the room. */
  dropped: boolean;
}

export type StreamName = "stdout" | "stderr";

const SHOWN_COMMAND_CHARS = 1_000;
/** How long the pipes may stay open after all processes were killed: one that escaped may hold them. */
const DRAIN_MS = 500;

export class Command {
  readonly op: string;
  readonly background: boolean;
  readonly ended: Promise<void>;
  readonly #shownCommand: string;
  readonly #mark: Mark;
  readonly #child: ChildProcess;
  readonly #output: Record<StreamName, Output>;
  readonly #startedAt = Date.now();
  readonly #listeners = new Set<() => void>();
  #reason: EndReason | null = null;
  #known: Found[] = [];
  #end: { exitCode: number | null; signal: string | null; at: number; leftovers: number } | null = null;

  /** Throws a Problem when there is no process. */
  constructor(request: CommandRequest, env: Record<string, string>, mark: Mark) {
    const { op, background, command, cwd, stdin, timeoutMs } = request;
    this.op = op;
    this.background = background;
    this.#shownCommand = command.slice(0, SHOWN_COMMAND_CHARS);
    this.#mark = mark;
    const tail = background ? LIMITS.backgroundTailBytes : LIMITS.tailBytes;
    this.#output = { stdout: new Output(LIMITS.headBytes, tail), stderr: new Output(LIMITS.headBytes, tail) };
    this.#child = spawnBash(background ? `exec 2>&1\n${command}` : command, {
      cwd,
      env,
      detached: true, // setsid: a session and a process group of its own
      stdio: [stdin || background ? "pipe" : "ignore", "pipe", "pipe"],
    });
    for (const name of ["stdout", "stderr"] as const) {
      this.#child[name]!.on("data", (piece: Buffer) => {
        this.#output[name].add(piece);
        this.#tell();
      });
      this.#child[name]!.on("error", () => {}); // the pipe was closed by us
    }
    this.#child.stdin?.on("error", () => {}); // it does not read its input
    if (stdin) this.#child.stdin!.end(stdin);
    const timer = setTimeout(() => void this.#stop("timed_out"), timeoutMs);
    this.ended = this.#watch().finally(() => {
      clearTimeout(timer);
      this.#tell();
    });
  }

  state(): CommandState {
    const end = this.#end;
    return {
      op: this.op,
      state: end ? "ended" : "running",
      background: this.background,
      command: this.#shownCommand,
      startedAt: this.#startedAt,
      durationMs: (end?.at ?? Date.now()) - this.#startedAt,
      exitCode: end?.exitCode ?? null,
      signal: end?.signal ?? null,
      reason: end ? this.#reason : null,
      leftovers: end?.leftovers ?? 0,
      stdout: this.#output.stdout.summary(),
      stderr: this.#output.stderr.summary(),
      dropped: false,
    };
  }

  /** Waits until it has ended, at most `ms`. */
  async waitForEnd(ms: number): Promise<void> {
    if (this.#end || ms === 0) return;
    await this.#waitFor(ms, () => this.#end !== null);
  }

  /** A piece of output; waits, at most `ms`, until there is one. */
  async read(stream: StreamName, { from, limit, ms }: { from: number; limit: number; ms: number }) {
    const output = this.#output[stream];
    if (ms > 0) await this.#waitFor(ms, () => this.#end !== null || output.hasMore(from));
    return {
      ...output.read(from, limit, this.#end === null),
      state: this.#end ? ("ended" as const) : ("running" as const),
    };
  }

  /** `end`: no more will come. Throws a Problem. */
  write(data: Buffer, end: boolean): void {
    const { stdin } = this.#child;
    if (this.#end) throw new Problem("command_ended", "The command has ended: it reads nothing more.");
    if (!stdin || stdin.writableEnded || stdin.destroyed) {
      throw new Problem(
        "stdin_closed",
        "The input of this command is closed. Only a background command keeps it open.",
      );
    }
    if (stdin.writableLength + data.length > LIMITS.stdinBytes) {
      throw new Problem("stdin_full", "The command does not read its input. Wait until it does, or end it.");
    }
    if (data.length > 0) stdin.write(data);
    if (end) stdin.end();
  }

  /** Ends it with everything that it started: SIGTERM first, SIGKILL two seconds later. */
  async kill(): Promise<void> {
    await this.#stop("killed");
    await this.ended;
  }

  async #stop(reason: EndReason): Promise<void> {
    const { pid } = this.#child;
    if (this.#end || pid === undefined) return;
    this.#reason ??= reason;
    // Before its parent ends: a child without the mark cannot be found afterwards.
    this.#known = findProcesses(this.#mark, pid);
    askToEnd(pid);
    const grace = setTimeout(() => void killAll(this.#mark, pid, this.#known), LIMITS.graceMs);
    await this.ended.finally(() => clearTimeout(grace));
  }

  async #watch(): Promise<void> {
    const child = this.#child;
    const closed = new Promise<void>((done) => child.once("close", () => done()));
    const [exitCode, signal] = await new Promise<[number | null, string | null]>((done) => {
      child.once("exit", (code, by) => done([code, by]));
      child.once("error", () => done([null, null]));
    });
    const leftovers = child.pid === undefined ? 0 : await killAll(this.#mark, child.pid, this.#known);
    await Promise.race([closed, new Promise((done) => setTimeout(done, DRAIN_MS).unref())]);
    child.stdout?.destroy();
    child.stderr?.destroy();
    child.stdin?.destroy();
    this.#reason ??= signal === null ? "exited" : "signalled";
    this.#end = { exitCode, signal, at: Date.now(), leftovers };
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  async #waitFor(ms: number, isReady: () => boolean): Promise<void> {
    if (isReady()) return;
    await new Promise<void>((done) => {
      const timer = setTimeout(finish, ms);
      const check = () => isReady() && finish();
      const listeners = this.#listeners;
      function finish(): void {
        clearTimeout(timer);
        listeners.delete(check);
        done();
      }
      listeners.add(check);
    });
  }
}

/** Node throws some failures, reports others by an event only, and without a free descriptor returns a child without streams. */
function spawnBash(script: string, options: SpawnOptions): ChildProcess {
  let child: ChildProcess | null = null;
  try {
    child = spawn("bash", ["-c", script], options);
    child.on("error", () => {}); // unhandled, it would end the host
  } catch {
    // E2BIG: the text and the environment together
  }
  if (child?.pid !== undefined) return child;
  throw new Problem(
    "command_not_started",
    "The command could not be started: its folder is gone, the machine has no process or no open file left, or it has no bash.",
  );
}
