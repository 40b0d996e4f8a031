// A thread that searches for a function's slowest text and reports each run before it starts. hostile.ts terminates the thread
// if a run takes too long: a running regular expression cannot be stopped in any other way.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { parentPort, workerData } from "node:worker_threads";
import { findWorst } from "./search.ts";
import { SUBJECTS } from "./subjects.ts";

export interface Task {
  name: string;
  seed: number;
  keep: [number, number];
}

export type Report = { shape: string; chars: number } | { worst: Awaited<ReturnType<typeof findWorst>> };

const { name, seed, keep } = workerData as Task;
const subject = SUBJECTS.find((one) => one.name === name)!;
const say = (report: Report) => parentPort!.postMessage(report);
const sizes: [number, number, number] = [1 << 10, 10 << 10, 100 << 10];
const onRun = (shape: string, chars: number) => say({ shape, chars });
setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
say({ worst: await findWorst(subject, { seed, sizes, keep, runs: 5, now: () => performance.now(), collect, onRun }) });
