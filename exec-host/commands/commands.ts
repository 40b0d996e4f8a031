// All commands of this host, by their operation id. Called by routes.ts. Bounded: how many run, how much output is kept.
import { randomBytes } from "node:crypto";
import { LIMITS } from "../limits.ts";
import { Problem } from "../problem.ts";
import { withoutSecrets } from "./clean-env.ts";
import { Command, type CommandRequest, type CommandState } from "./command.ts";
import { type Mark, killOnce } from "./processes.ts";

/** The variable that every process of a command inherits. */
export const MARK_NAME = "EXEC_HOST_MARK";

export class Commands {
  /** Of this run of the host: part of every mark. */
  readonly boot = randomBytes(12).toString("hex");
  /** Those that run, and the newest that have ended. */
  readonly #commands = new Map<string, Command>();
  readonly #ended: Command[] = [];
  /** How older ones ended, without their output. */
  readonly #old = new Map<string, CommandState>();
  #count = 0;
  #running = 0;
  #runningInBackground = 0;

  /** Throws a Problem. */
  start(request: CommandRequest): Command {
    const { background } = request;
    if (this.#running >= LIMITS.running || (background && this.#runningInBackground >= LIMITS.runningInBackground)) {
      throw new Problem("too_many_commands", "Too many commands run at once. Wait for some, or end them.");
    }
    const mark: Mark = { name: MARK_NAME, value: `${this.boot}.${++this.#count}.` };
    const command = new Command(request, { ...withoutSecrets(process.env), [MARK_NAME]: mark.value }, mark);
    this.#commands.set(request.op, command);
    this.#running++;
    if (background) this.#runningInBackground++;
    void command.ended.then(() => {
      this.#running--;
      if (background) this.#runningInBackground--;
      this.#ended.push(command);
      while (this.#ended.length > LIMITS.keptOutputs) this.#forget(this.#ended.shift()!);
    });
    return command;
  }

  /** One that runs, or has ended lately. Throws a Problem. */
  get(op: string): Command {
    const command = this.#commands.get(op);
    if (command) return command;
    if (this.#old.has(op))
      throw new Problem("command_ended", "The command ended long ago, and its output was dropped.");
    throw new Problem("command_unknown", "This host knows no such command. It may have been started again since.");
  }

  /** Throws a Problem. */
  state(op: string): CommandState {
    return this.#old.get(op) ?? this.get(op).state();
  }

  /** Newest first. */
  list(prefix: string): Command[] {
    return [...this.#commands.values()]
      .filter(({ op }) => op.startsWith(prefix))
      .toReversed()
      .slice(0, LIMITS.listedCommands);
  }

  #forget(command: Command): void {
    this.#commands.delete(command.op);
    const none = (bytes: number) => ({ bytes, head: "", tail: "" });
    const state = command.state();
    const { stdout, stderr } = state;
    this.#old.set(command.op, {
      ...state,
      command: "",
      stdout: none(stdout.bytes),
      stderr: none(stderr.bytes),
      dropped: true,
    });
  }

  /** Kills every process of every command, at once. For the end of the host. */
  killAllNow(): void {
    const all: Mark = { name: MARK_NAME, value: `${this.boot}.` };
    for (let round = 0; round < 3 && killOnce(all, null).length > 0; round++);
  }
}
