// The workspace as one run of the shell sees it: what the run writes is charged to its budget, and what it appends is
// gathered, so that a loop of `>>` does not write the end of a file again for each line. Made by workspace.ts. Its owner
// calls `flush` when the run has ended, however it ended.
import type { FileContent, FsStat, IFileSystem } from "just-bash/browser";
import { type Encoding, encode, encodingOf } from "./encoding.ts";
import { FileError } from "./file-node.ts";
import type { FileTree } from "./file-tree.ts";
import { CALL_WRITES, type WriteBudget, createWriteBudget } from "./write-budget.ts";

/** Appended bytes that wait, of all files together. */
const MAX_WAITING_BYTES = 256 << 10;
/** Asked before each `>>`; none of them looks at content. */
const LOOKS = new Set<PropertyKey>(["exists", "resolvePath", "realpath", "readlink"]);

export interface Mount {
  files: IFileSystem;
  /** Writes what waits. Throws a FileError when there is no room for it any more. */
  flush(): void;
  /** Whether a write was refused because the run, or its turn, had written all it may. */
  isSpent(): boolean;
}

export interface MountOptions {
  /** What the run's turn may write. The run has a limit of its own besides. */
  turnBudget?: WriteBudget;
  /** Hears each refusal that commands report in other words, or not at all. */
  onRefused(error: FileError): void;
}

/** The methods of `files` are those of `tree` as promises, and do their work when they are called. */
export function createMount(files: IFileSystem, tree: FileTree, { turnBudget, onRefused }: MountOptions): Mount {
  const budget = createWriteBudget("call", CALL_WRITES, turnBudget);
  /** By the place of an existing file. */
  const waiting = new Map<string, { pieces: Uint8Array[]; bytes: number }>();
  let waitingBytes = 0;

  function flush(): void {
    const all = [...waiting];
    waiting.clear();
    waitingBytes = 0;
    for (const [place, { pieces, bytes }] of all) {
      tree.charged(budget, () => tree.append(place, joined(pieces, bytes)));
    }
  }

  function append(path: string, bytes: Uint8Array): void {
    const place = tree.findAppendTarget(path);
    if (place === null || !tree.canGrow(place, waitingFor(place) + bytes.length, waitingBytes + bytes.length)) {
      // What waits goes first, so that a refusal tells what there is.
      flush();
      tree.charged(budget, () => tree.append(path, bytes));
      return;
    }
    if (bytes.length === 0) return;
    const ofFile = waiting.get(place) ?? { pieces: [], bytes: 0 };
    waiting.set(place, ofFile);
    ofFile.pieces.push(bytes);
    ofFile.bytes += bytes.length;
    waitingBytes += bytes.length;
    if (waitingBytes >= MAX_WAITING_BYTES) flush();
  }

  const waitingFor = (place: string) => waiting.get(place)?.bytes ?? 0;

  /** As a promise, and with what is refused told. */
  async function told<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof FileError && TOLD.has(error.code)) onRefused(error);
      throw error;
    }
  }

  const withWaiting = (look: "stat" | "lstat") => (path: string) =>
    told(async (): Promise<FsStat> => {
      const found = await files[look](path);
      return { ...found, size: found.size + waitingFor(found.identity ?? "") };
    });

  const own: Partial<IFileSystem> = {
    appendFile: (path: string, content: FileContent, options?: Encoding) =>
      told(() => append(path, encode(content, encodingOf(options)))),
    stat: withWaiting("stat"),
    lstat: withWaiting("lstat"),
  };

  const proxy = new Proxy(files, {
    get(target, key) {
      const mine: unknown = Reflect.get(own, key);
      if (mine !== undefined) return mine;
      const member: unknown = Reflect.get(target, key, target);
      if (typeof member !== "function" || LOOKS.has(key)) {
        return typeof member === "function" ? (member.bind(target) as unknown) : member;
      }
      return (...args: unknown[]) => {
        if (key === "getAllPaths") {
          flush();
          return member.apply(target, args) as unknown;
        }
        return told(() => {
          flush();
          return tree.charged(budget, () => member.apply(target, args) as unknown);
        });
      };
    },
  });
  return { files: proxy, flush, isSpent: () => budget.isSpent() };
}

const TOLD = new Set<string>(["EPERM", "EDQUOT"]);

function joined(pieces: Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}
