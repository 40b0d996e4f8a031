// The files of one session: plain methods for its owner and for the file tools, and a file system for the shell. The session's
// engine makes one over its own SQLite. Nothing is kept in memory but counts, so it survives eviction; nothing outside it is reached.
import { type Result, ok } from "../errors.ts";
import type { FileInfo, StoredFile } from "../schemas/api.ts";
import { attempt } from "./attempt.ts";
import type { Checkpoints } from "./checkpoints/checkpoints.ts";
import type { WorkspaceSnapshot } from "./exchange/export-zip.ts";
import { BrokenEntry, placeEntries } from "./exchange/import-zip.ts";
import { FileError, type FileNode, type Writer } from "./file-node.ts";
import { FileTree, type FileTreeOptions } from "./file-tree.ts";
import { isInstructionFile } from "./instruction-files.ts";
import { type Mount, type MountOptions, createMount } from "./mount.ts";
import { ShellFiles } from "./shell-files.ts";
import { TURN_WRITES, type WriteBudget, createWriteBudget } from "./write-budget.ts";
import { WORKSPACE_ROOT, joinPath, parseWorkspacePath, splitPath, toWorkspacePath } from "./workspace-path.ts";

export { migrateWorkspace } from "./upgrade.ts";

/** The tables must exist. Each write is its own transaction and must not be called inside another. */
export function createWorkspace(options: FileTreeOptions): Workspace {
  return new Workspace(options);
}

export class Workspace extends ShellFiles {
  /** Where the shell mounts it. */
  readonly root = WORKSPACE_ROOT;
  readonly #limits: Pick<FileTreeOptions, "maxBytes" | "maxFileBytes">;

  constructor(options: FileTreeOptions) {
    super(new FileTree(options));
    this.#limits = options;
  }

  /** What the workspace was at the beginning of recent turns. */
  get checkpoints(): Checkpoints {
    return this.tree.checkpoints;
  }

  /** The normalised path, `""` for the workspace itself. Failure: `bad_path`. */
  locate(path: string): Result<string> {
    const parsed = parseWorkspacePath(path);
    return parsed.ok ? ok(toWorkspacePath(parsed.value)) : parsed;
  }

  /**
   * Writes a file for the owner. It replaces a link and never follows one, because the agent may have created it.
   * `also` writes rows of the caller in the same transaction.
   */
  putAsPrincipal(path: string, bytes: Uint8Array, also?: () => void): Result<StoredFile> {
    const parsed = parseWorkspacePath(path);
    if (!parsed.ok) return parsed;
    const { folder } = splitPath(parsed.value);
    return attempt(path, () => {
      if (this.files.resolve(folder) !== folder) throw new FileError("ENOTDIR", "a link is on the way", path);
      this.tree.write(parsed.value, bytes, "principal", { replaceLink: true, also });
      return { path: toWorkspacePath(parsed.value), size: bytes.length };
    });
  }

  /**
   * Writes a file for the agent and creates missing folders. `writer` says whether the words are the agent's own.
   * Failures: `bad_path`, `file_too_large`, `workspace_full`, `write_limit`, and `approval_needed` for a file that only
   * its owner may change.
   */
  putAsAgent(
    path: string,
    bytes: Uint8Array,
    writer: Exclude<Writer, "principal"> = "own",
    budget: WriteBudget | null = null,
  ): Result<StoredFile & { created: boolean }> {
    return this.#writeForAgent(path, budget, (place) => ({
      size: bytes.length,
      created: this.tree.write(place, bytes, writer),
    }));
  }

  /** Appends to a file for the agent. The cost does not grow with the file. */
  appendAsAgent(
    path: string,
    bytes: Uint8Array,
    writer: Exclude<Writer, "principal"> = "own",
    budget: WriteBudget | null = null,
  ): Result<StoredFile & { created: boolean }> {
    return this.#writeForAgent(path, budget, (place) => this.tree.append(place, bytes, writer));
  }

  /**
   * Changes several files for the agent, all or none. A file gets the least trusted of its writers. Failures: those of
   * `putAsAgent`; their message names the path.
   */
  changeAsAgent(changes: readonly AgentChange[], budget: WriteBudget | null = null): Result<null> {
    let current = "";
    const changed = new Set<string>();
    return attempt(
      () => current,
      () =>
        this.tree.chargeTo(budget, () =>
          this.tree.inTransaction(() => {
            for (const change of changes) {
              current = change.path;
              const place = this.files.resolve(toStoredPath(change.path));
              if (changed.has(place)) throw new FileError("EEXIST", "another change names this file as well", current);
              changed.add(place);
              this.#changeForAgent(change);
            }
            return null;
          }),
        ),
    );
  }

  #changeForAgent({ path, bytes, writer, movedFrom }: AgentChange): void {
    const place = toStoredPath(path);
    if (bytes === null) {
      this.tree.remove(place, writer);
      return;
    }
    if (movedFrom !== undefined) {
      const { folder } = splitPath(place);
      if (folder !== "/") this.tree.makeFolder(folder, true);
      this.tree.move(toStoredPath(movedFrom), place);
    }
    if (bytes === undefined) return;
    const before = this.files.node(place);
    this.tree.write(place, bytes, before && before.writer !== "own" ? "content" : writer);
  }

  #writeForAgent(
    path: string,
    budget: WriteBudget | null,
    write: (place: string) => { size: number; created: boolean },
  ): Result<StoredFile & { created: boolean }> {
    const parsed = parseWorkspacePath(path);
    if (!parsed.ok) return parsed;
    return attempt(path, () => ({
      path: toWorkspacePath(parsed.value),
      ...this.tree.chargeTo(budget, () => write(parsed.value)),
    }));
  }

  /** Size in bytes of the file at a path, links followed; 0 when there is none. */
  sizeOf(path: string): number {
    const parsed = parseWorkspacePath(path);
    const found = parsed.ok ? attempt(path, () => this.files.requireNode(parsed.value)) : parsed;
    return found.ok && found.value.node.kind === "file" ? found.value.node.size : 0;
  }

  /** Whether anything is at exactly this path: a file, a folder or a link. */
  isTaken(path: string): boolean {
    const parsed = parseWorkspacePath(path);
    return parsed.ok && this.files.node(parsed.value) !== null;
  }

  /** The path of the file that a path leads to, links followed; `null` when it leads to none. */
  realPath(path: string): string | null {
    const parsed = parseWorkspacePath(path);
    const found = parsed.ok ? attempt(path, () => this.files.requireNode(parsed.value)) : parsed;
    return found.ok && found.value.node.kind === "file" ? toWorkspacePath(found.value.path) : null;
  }

  /** All files, sorted by path. Links are not listed. */
  list(): FileInfo[] {
    const files = this.files.all().filter((node) => node.kind === "file");
    const listed = files.map(({ parent, name, size, writer }) => ({
      path: toWorkspacePath(joinPath(parent, name)),
      size,
      writer,
    }));
    return listed.sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** Size and writer of the file at exactly this path; `null` when there is none. Links are not followed. */
  statFile(path: string): { size: number; writer: Writer } | null {
    const parsed = parseWorkspacePath(path);
    const node = parsed.ok ? this.files.node(parsed.value) : null;
    return node?.kind === "file" ? { size: node.size, writer: node.writer } : null;
  }

  /** The sorted names in a folder; empty when there is no folder or only a link to one. */
  namesIn(folder: string): string[] {
    const parsed = parseWorkspacePath(folder);
    if (!parsed.ok || this.files.node(parsed.value)?.kind !== "folder") return [];
    return this.files.children(parsed.value).map((node) => node.name);
  }

  /** The source that reading a path gives, links followed. A file from the owner is `content`, like any other file. */
  labelOf(path: string): "own" | "content" {
    const parsed = parseWorkspacePath(path);
    const found = parsed.ok ? attempt(path, () => this.files.requireNode(parsed.value)) : parsed;
    return found.ok && found.value.node.writer === "own" ? "own" : "content";
  }

  /** The bytes of a file; `null` when the path is not a file. */
  read(path: string): Uint8Array | null {
    const parsed = parseWorkspacePath(path);
    if (!parsed.ok) return null;
    const bytes = attempt(path, () => this.files.read(parsed.value));
    return bytes.ok ? bytes.value : null;
  }

  /**
   * Reads a file as text, part by part, so that its bytes are never all in memory. `null` when the path is not a file.
   * `text` is null when the bytes are not UTF-8 text. A byte order mark is kept, because programs that read the file
   * see it too.
   */
  readText(path: string): { text: string | null; size: number } | null {
    const parsed = parseWorkspacePath(path);
    const found = parsed.ok ? attempt(path, () => this.files.open(parsed.value)) : parsed;
    if (!parsed.ok || !found.ok) return null;
    const { size } = found.value;
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    const pieces: string[] = [];
    try {
      for (const part of this.files.parts(parsed.value)) {
        if (part.includes(0)) return { text: null, size };
        pieces.push(decoder.decode(part, { stream: true }));
      }
      return { text: pieces.join("") + decoder.decode(), size };
    } catch (error) {
      if (error instanceof TypeError) return { text: null, size }; // thrown by the decoder for invalid UTF-8
      throw error;
    }
  }

  /** Removes a file, a link, or a folder with its contents, for the owner. Returns whether there was one. */
  remove(path: string): boolean {
    const parsed = parseWorkspacePath(path);
    if (!parsed.ok || parsed.value === "/") return false;
    const removed = attempt(path, () => this.tree.remove(parsed.value, "principal", { recursive: true, force: true }));
    return removed.ok && removed.value;
  }

  /** Everything as it is now, folders before what they hold, for an export. */
  snapshot(): WorkspaceSnapshot {
    const path = ({ parent, name }: FileNode) => joinPath(parent, name);
    const nodes = this.files.all().sort((a, b) => (path(a) < path(b) ? -1 : 1));
    return { nodes, read: (content) => this.files.contentOf(content) };
  }

  /**
   * Unpacks a zip for the owner, all or nothing. `replace`: what was there before is removed. Failures: those of `placeEntries`
   * and of `putAsPrincipal`.
   */
  importZip(zip: Uint8Array, replace: boolean): Result<{ files: number; bytes: number; undo: number | null }> {
    const placed = placeEntries(zip, this.#limits);
    if (!placed.ok) return placed;
    try {
      this.tree.importEntries(placed.value, replace);
    } catch (error) {
      if (error instanceof BrokenEntry) return { ok: false, failure: error.failure };
      if (!(error instanceof FileError)) throw error;
      return attempt(error.path, () => {
        throw error;
      });
    }
    const files = placed.value.filter(({ kind }) => kind === "file");
    const undo = this.checkpoints.list().at(-1);
    return ok({
      files: files.length,
      bytes: files.reduce((sum, { size }) => sum + size, 0),
      undo: undo?.kind === "import" ? undo.n : null,
    });
  }

  /** Whether a file at this path would be read as the owner's instructions. */
  isInstructionFile(path: string): boolean {
    const parsed = parseWorkspacePath(path);
    return parsed.ok && isInstructionFile(parsed.value);
  }

  /** The write budget of a turn that begins now. */
  beginTurn(): WriteBudget {
    return createWriteBudget("turn", TURN_WRITES);
  }

  /** The workspace as one run of the shell sees it. */
  mount(options: MountOptions): Mount {
    return createMount(this, this.tree, options);
  }
}

/** One file of a change by the agent, by the path that people read. */
export interface AgentChange {
  path: string;
  /** `null`: it is removed. Absent: its content stays. */
  bytes?: Uint8Array | null;
  writer: Exclude<Writer, "principal">;
  /** It is moved from there first. */
  movedFrom?: string;
}

function toStoredPath(path: string): string {
  const parsed = parseWorkspacePath(path);
  if (!parsed.ok) throw new FileError("EINVAL", "not a path of the workspace", path);
  return parsed.value;
}
