import { expect, it } from "vitest";
import type { PoolWorker, WorkerRequest } from "vitest/node";
import { RerunningWorker } from "../support/runners/rerun-lost-file.ts";

/** A pool's worker that answers a start, notes what it is sent, and ends when told. */
class FakeWorker implements PoolWorker {
  readonly name = "fake";
  readonly sent: string[] = [];
  readonly callbacks = new Map<string, (...details: unknown[]) => void>();
  async start(): Promise<void> {}
  async stop(): Promise<void> {}
  on(event: string, callback: (...details: unknown[]) => void): void {
    this.callbacks.set(event, callback);
  }
  off(event: string): void {
    this.callbacks.delete(event);
  }
  deserialize(data: unknown): unknown {
    return data;
  }
  send(message: WorkerRequest): void {
    this.sent.push(message.type);
    if (message.type === "start") this.callbacks.get("message")?.({ type: "started" });
  }
  end(): void {
    this.callbacks.get("exit")?.("ended");
  }
}

it("a file whose runtime ended runs once more, and a second end on the same file is told", async () => {
  const made: FakeWorker[] = [];
  const lines: string[] = [];
  const heard: unknown[] = [];
  const worker = new RerunningWorker(
    () => {
      const fake = new FakeWorker();
      made.push(fake);
      return fake;
    },
    (line) => lines.push(line),
  );
  await worker.start();
  for (const event of ["error", "exit", "message"]) {
    worker.on(event, (detail) => heard.push(event === "message" ? detail : event));
  }
  worker.send({ type: "start" } as WorkerRequest);
  worker.send({ type: "run", context: { files: [{ filepath: "a.test.ts" }] } } as WorkerRequest);
  const [first] = made as [FakeWorker];
  first.end();
  await expect.poll(() => made[1]?.sent).toEqual(["start", "run"]);
  made[1]?.callbacks.get("message")?.({ type: "testfileFinished" });
  expect(heard).toEqual([{ type: "started" }, { type: "testfileFinished" }]);
  expect(lines).toEqual([expect.stringContaining("a.test.ts")]);

  made[1]?.end();
  expect(heard.at(-1)).toBe("exit");
  expect(made).toHaveLength(2);
});
