// The workspace as one run of the shell sees it. Writes are charged to the run's budget. Appended bytes are buffered,
// so that a loop of `>>` does not rewrite the end of a file for each line. Created by workspace.ts. The caller must
// call `flush` when the run has ended, even if it failed.
import type { FileContent, FsStat, IFileSystem } from "just-bash/browser";
import { type Encoding, concatBytes, encode, readEncoding } from "./encoding.ts";
import { FileError } from "./file-node.ts";
import type { FileTree } from "./file-tree.ts";
import { CALL_WRITES, type WriteBudget, createWriteBudget } from "./write-budget.ts";

/** Largest amount of buffered bytes, over all files. */
const MAX_BUFFERED_BYTES = 256 << 10;
/** just-bash calls these before each `>>`. They do not depend on contents, so they need no flush. */
const NO_FLUSH_NEEDED = new Set<PropertyKey>(["exists", "resolvePath", "realpath", "readlink"]);

export interface Mount {
  files: IFileSystem;
  /** Writes the buffered bytes. Throws a FileError when there is no longer room for them. */
  flush(): void;
  /** Whether a write was refused because the budget of the run or of its turn was spent. */
  isSpent(): boolean;
}

export interface MountOptions {
  /** The budget of the run's turn. The run also has a limit of its overrides. */
  turnBudget?: WriteBudget;
  /** Called for each refusal, because commands report it in other words or not at all. */
  onRefused(error: FileError): void;
}

/** `files` must expose the methods of `tree` as promises, and do their work synchronously when called. */
export function createMount(files: IFileSystem, tree: FileTree, { turnBudget, onRefused }: MountOptions): Mount {
  const budget = createWriteBudget("call", CALL_WRITES, turnBudget);
  /** Buffered bytes by the resolved path of an existing file. */
  const buffered = new Map<string, { pieces: Uint8Array[]; bytes: number }>();
  let bufferedBytes = 0;

  function flush(): void {
    const all = [...buffered];
    buffered.clear();
    bufferedBytes = 0;
    for (const [place, { pieces }] of all) {
      tree.chargeTo(budget, () => tree.append(place, concatBytes(pieces)));
    }
  }

  function append(path: string, bytes: Uint8Array): void {
    const place = tree.findAppendTarget(path);
    if (place === null || !tree.canGrow(place, bufferedFor(place) + bytes.length, bufferedBytes + bytes.length)) {
      // The buffer is written first, so that a refusal describes the current state.
      flush();
      tree.chargeTo(budget, () => tree.append(path, bytes));
      return;
    }
    if (bytes.length === 0) return;
    const ofFile = buffered.get(place) ?? { pieces: [], bytes: 0 };
    buffered.set(place, ofFile);
    ofFile.pieces.push(bytes);
    ofFile.bytes += bytes.length;
    bufferedBytes += bytes.length;
    if (bufferedBytes >= MAX_BUFFERED_BYTES) flush();
  }

  const bufferedFor = (place: string) => buffered.get(place)?.bytes ?? 0;

  /** Runs `work` as a promise and reports refusals. */
  async function reportRefusals<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof FileError && REPORTED_CODES.has(error.code)) onRefused(error);
      throw error;
    }
  }

  const withBuffered = (method: "stat" | "lstat") => (path: string) =>
    reportRefusals(async (): Promise<FsStat> => {
      const found = await files[method](path);
      return { ...found, size: found.size + bufferedFor(found.identity ?? "") };
    });

  const overrides: Partial<IFileSystem> = {
    appendFile: (path: string, content: FileContent, options?: Encoding) =>
      reportRefusals(() => append(path, encode(content, readEncoding(options)))),
    stat: withBuffered("stat"),
    lstat: withBuffered("lstat"),
  };

  const proxy = new Proxy(files, {
    get(target, key) {
      const override: unknown = Reflect.get(overrides, key);
      if (override !== undefined) return override;
      const member: unknown = Reflect.get(target, key, target);
      if (typeof member !== "function" || NO_FLUSH_NEEDED.has(key)) {
        return typeof member === "function" ? (member.bind(target) as unknown) : member;
      }
      return (...args: unknown[]) => {
        if (key === "getAllPaths") {
          flush();
          return member.apply(target, args) as unknown;
        }
        return reportRefusals(() => {
          flush();
          return tree.chargeTo(budget, () => member.apply(target, args) as unknown);
        });
      };
    },
  });
  return { files: proxy, flush, isSpent: () => budget.isSpent() };
}

const REPORTED_CODES = new Set<string>(["EPERM", "EDQUOT"]);
