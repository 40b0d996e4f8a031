// workerd at times ends with a segmentation fault of its own (cloudflare/workerd#6763), and takes along the test file that
// it ran: the run then fails though no test did. A file whose runtime ended runs once more in a new one. A runtime that ends
// twice on the same file fails the run, so that a crash that the code causes is still seen.
import type { PoolOptions, PoolRunnerInitializer, PoolWorker, WorkerRequest } from "vitest/node";

type Callback = Parameters<PoolWorker["on"]>[1];

export class RerunningWorker implements PoolWorker {
  readonly name: string;
  private worker: PoolWorker;
  private readonly listeners = new Map<string, Callback>();
  private start_?: WorkerRequest;
  private run?: WorkerRequest;
  private restarting?: Promise<void>;

  private readonly make: () => PoolWorker;
  private readonly report: (line: string) => void;

  /** @param report takes the one line that says what runs again. */
  constructor(make: () => PoolWorker, report: (line: string) => void) {
    this.make = make;
    this.report = report;
    this.worker = make();
    this.name = this.worker.name;
  }

  async start(): Promise<void> {
    await this.worker.start();
  }

  async stop(): Promise<void> {
    await this.restarting;
    await this.worker.stop();
  }

  send(message: WorkerRequest): void {
    if (message.type === "start") this.start_ = message;
    if (message.type === "run") this.run = message;
    // An answer to a runtime that is gone concerns nobody: its successor asks for itself.
    if (!this.restarting) this.worker.send(message);
  }

  on(event: string, callback: Callback): void {
    this.listeners.set(event, callback);
    this.worker.on(event, event === "exit" ? this.toExit(callback) : callback);
  }

  off(event: string, callback: Callback): void {
    this.listeners.delete(event);
    this.worker.off(event, callback);
  }

  deserialize(data: unknown): unknown {
    return this.worker.deserialize(data);
  }

  private toExit(callback: Callback): Callback {
    return (...details) => {
      const { run } = this;
      if (!run || !this.start_) return callback(...details);
      // Once for each request to run: the next loss of the same one is told.
      this.run = undefined;
      this.restarting = this.restart(this.start_, run)
        .catch(() => callback(...details))
        .finally(() => (this.restarting = undefined));
    };
  }

  private async restart(start: WorkerRequest, run: WorkerRequest): Promise<void> {
    const files = "context" in run && "files" in run.context ? run.context.files.map(({ filepath }) => filepath) : [];
    this.report(`The runtime of a test file ended by itself; it runs once more: ${files.join(", ")}`);
    await this.worker.stop().catch(() => undefined);
    this.worker = this.make();
    await this.worker.start();
    const exit = this.listeners.get("exit");
    if (exit) this.worker.on("exit", this.toExit(exit));
    const error = this.listeners.get("error");
    if (error) this.worker.on("error", error);
    await new Promise<void>((resolve) => {
      // Vitest has heard of one start: the second is for this class alone.
      this.worker.on("message", (message) => {
        if (isStarted(this.worker.deserialize(message))) resolve();
        else this.listeners.get("message")?.(message);
      });
      this.worker.send(start);
    });
    this.worker.send(run);
  }
}

function isStarted(message: unknown): boolean {
  return typeof message === "object" && message !== null && "type" in message && message.type === "started";
}

/** A Vitest plugin, listed after the one that sets the project's pool. */
export function rerunLostFiles() {
  return {
    name: "rerun-lost-files",
    configureVitest({ project }: { project: { config: { poolRunner?: PoolRunnerInitializer } } }): void {
      const pool = project.config.poolRunner;
      if (!pool) throw new Error("rerun-lost-files: no pool is set: list the plugin after the one that sets it.");
      project.config.poolRunner = {
        name: pool.name,
        createPoolWorker: (options: PoolOptions) =>
          new RerunningWorker(
            () => pool.createPoolWorker(options),
            (line) => process.stderr.write(`${line}\n`),
          ),
      };
    },
  };
}
