// Searches the text files below a path. Called by routes.ts. The search runs in a thread of its own, which is ended at its time
// limit: a pattern may be written to take for ever, and cannot be stopped otherwise.
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { LIMITS } from "../limits.ts";
import { Problem, type ProblemCode } from "../problem.ts";
import type { Root } from "./walk.ts";

export interface SearchRequest {
  /** A JavaScript regular expression, matched against each line, or against each path. */
  pattern: string;
  ignoreCase: boolean;
  path: string;
  /** A JavaScript regular expression for the paths that are searched. */
  paths: string | null;
  mode: "content" | "names";
  limit: number;
}

/** `lines`: `path:line:text`, or paths. `skipped`: files that are too large to search. */
export interface SearchReply {
  lines: string[];
  truncated: boolean;
  skipped: string[];
}

/** What the thread answers: a reply, or a problem's parts. */
export type ThreadAnswer = { reply: SearchReply } | { problem: { code: ProblemCode; message: string } };

let running = 0;
const waiting: (() => void)[] = [];

export async function searchFiles(root: Root, request: SearchRequest): Promise<SearchReply> {
  if (running >= LIMITS.searches) await new Promise<void>((go) => waiting.push(go));
  running++;
  try {
    return await runThread(root, request);
  } finally {
    running--;
    waiting.shift()?.();
  }
}

async function runThread(root: Root, request: SearchRequest): Promise<SearchReply> {
  const thread = new Worker(join(import.meta.dirname, "search-thread.ts"), {
    workerData: { root, request },
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  let timer: NodeJS.Timeout | undefined;
  const answered = new Promise<ThreadAnswer>((done, fail) => {
    timer = setTimeout(() => fail(tooMuch()), LIMITS.searchMs);
    thread.once("message", done);
    thread.once("error", () => fail(tooMuch())); // it ran out of memory
    thread.once("exit", () => fail(tooMuch()));
  });
  try {
    const answer = await answered;
    if ("problem" in answer) throw new Problem(answer.problem.code, answer.problem.message);
    return answer.reply;
  } finally {
    clearTimeout(timer);
    await thread.terminate();
  }
}

function tooMuch(): Problem {
  return new Problem(
    "search_limit",
    "There is too much to search at once: narrow it with path or glob, or write a simpler pattern.",
  );
}
