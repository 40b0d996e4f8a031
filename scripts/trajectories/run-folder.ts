// The folder of a run: its lock, what is done, and its files. A line is written and synced before the checkpoint says that it is done; a
// half-written last line is cut when the run is opened again. So a run that is killed anywhere goes on, and no prompt has two lines.
import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { PlainError } from "../command-line.ts";
import { identifyProcess, isAlive } from "../stack/processes.ts";

/** `discarded`: it called a tool that does not exist, or showed no reasoning where that is asked for. */
export const OUTCOMES = ["completed", "failed", "discarded"] as const;
export type BatchOutcome = (typeof OUTCOMES)[number];
const FILES: Record<"completed" | "failed", string> = {
  completed: "trajectories.jsonl",
  failed: "failed_trajectories.jsonl",
};
const CHECKPOINT = "checkpoint.jsonl";

const Mark = z.object({ hash: z.string(), outcome: z.enum(OUTCOMES), why: z.string().optional() });
export type Mark = z.infer<typeof Mark>;
const Line = z.object({ prompt_hash: z.string() });
const Owner = z.object({ pid: z.int(), startedAt: z.number() });

export type RunFolder = ReturnType<typeof openRunFolder>;

/** Throws a PlainError if another process works on the run. */
export function openRunFolder(folder: string) {
  mkdirSync(folder, { recursive: true });
  lock(join(folder, "run.lock"));
  const place = (name: string) => join(folder, name);
  for (const name of [...Object.values(FILES), CHECKPOINT]) cutHalfLine(place(name));
  const done = new Map(
    readLines(place(CHECKPOINT))
      .map((line) => Mark.parse(line))
      .map((mark) => [mark.hash, mark]),
  );
  // A line whose checkpoint was not written any more.
  for (const outcome of ["completed", "failed"] as const) {
    for (const line of readLines(place(FILES[outcome]))) {
      const { prompt_hash: hash } = Line.parse(line);
      if (!done.has(hash)) mark({ hash, outcome });
    }
  }

  function mark(one: Mark): void {
    append(place(CHECKPOINT), one);
    done.set(one.hash, one);
  }

  return {
    done: done as ReadonlyMap<string, Mark>,
    /** `line`: absent for a sample that is discarded. */
    put(one: Mark, line?: object): void {
      if (done.has(one.hash)) return;
      if (line && one.outcome !== "discarded") append(place(FILES[one.outcome]), { prompt_hash: one.hash, ...line });
      mark(one);
    },
    lines: (outcome: keyof typeof FILES): unknown[] => readLines(place(FILES[outcome])),
    writeStatistics(statistics: object): void {
      const path = place("statistics.json");
      writeFileSync(`${path}.partial`, `${JSON.stringify(statistics, null, 2)}\n`);
      renameSync(`${path}.partial`, path);
    },
    stateDir: place("state"),
    close: () => rmSync(place("run.lock"), { force: true }),
  };
}

/** The lock has its owner's process from the moment it exists. One of a process that has ended is taken over. */
function lock(path: string): void {
  const own = `${path}.${process.pid}`;
  writeFileSync(own, JSON.stringify(identifyProcess(process.pid)));
  try {
    for (let tries = 0; ; tries++) {
      try {
        return linkSync(own, path);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      }
      const owner = existsSync(path) ? Owner.safeParse(JSON.parse(readFileSync(path, "utf8"))).data : undefined;
      if ((owner && isAlive(owner)) || tries > 0) {
        throw new PlainError(
          `Another process (${owner?.pid ?? "?"}) works on this run. Wait for it, or choose another --run.`,
        );
      }
      rmSync(path, { force: true });
    }
  } finally {
    rmSync(own, { force: true });
  }
}

function append(path: string, value: object): void {
  const file = openSync(path, "a", 0o600);
  const { size } = fstatSync(file);
  try {
    // Until all of it is written: a disk that is nearly full takes a part.
    writeFileSync(file, `${JSON.stringify(value)}\n`);
    fsyncSync(file);
  } catch (error) {
    ftruncateSync(file, size); // the next line must not stand behind half a line
    throw error;
  } finally {
    closeSync(file);
  }
}

function cutHalfLine(path: string): void {
  if (!existsSync(path)) return;
  const bytes = readFileSync(path);
  const end = bytes.lastIndexOf(10) + 1;
  if (end < bytes.length) truncateSync(path, end);
}

function readLines(path: string): unknown[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as unknown);
}
