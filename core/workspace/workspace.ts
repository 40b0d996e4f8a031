// The files of one session: a file system for the shell, plain methods for its owner and for the file tools. The session's
// engine makes one over its own SQLite. Nothing is kept in memory, so it survives eviction; nothing outside it is reached.
import type { CpOptions, FileContent, FsStat, IFileSystem, MkdirOptions, RmOptions } from "just-bash/browser";
import type { ByteString } from "just-bash";
import { type Result, err, ok } from "../errors.ts";
import type { FileInfo, StoredFile } from "../schemas/api.ts";
import { toLatin1 } from "../schemas/base64.ts";
import { type Encoding, decode, encode, readEncoding } from "./encoding.ts";
import { FileError, type FileNode, type Writer } from "./file-node.ts";
import type { Checkpoints } from "./checkpoints/checkpoints.ts";
import type { FileLookup } from "./file-lookup.ts";
import type { WorkspaceSnapshot } from "./exchange/export-zip.ts";
import { placeEntries } from "./exchange/import-zip.ts";
import { BrokenEntry, FileTree, type FileTreeOptions } from "./file-tree.ts";
import { isInstructionFile } from "./instruction-files.ts";
import { type Mount, type MountOptions, createMount } from "./mount.ts";
import { TURN_WRITES, type WriteBudget, createWriteBudget } from "./write-budget.ts";
import {
  WORKSPACE_ROOT,
  joinPath,
  normalizePath,
  parseWorkspacePath,
  splitPath,
  toWorkspacePath,
} from "./workspace-path.ts";

export { migrateWorkspace } from "./upgrade.ts";

/** The tables must exist. Each write is its own transaction and must not be called inside another. */
export function createWorkspace(options: FileTreeOptions): Workspace {
  return new Workspace(options);
}

export class Workspace implements IFileSystem {
  /** Where the shell mounts it. */
  readonly root = WORKSPACE_ROOT;
  readonly #tree: FileTree;
  readonly #files: FileLookup;

  readonly #limits: Pick<FileTreeOptions, "maxBytes" | "maxFileBytes">;

  constructor(options: FileTreeOptions) {
    this.#limits = options;
    this.#tree = new FileTree(options);
    this.#files = this.#tree.lookup;
  }

  /** What the workspace was at the beginning of recent turns. */
  get checkpoints(): Checkpoints {
    return this.#tree.checkpoints;
  }

  // ---- for the owner and the file tools: paths as people write them ----

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
      if (this.#files.resolve(folder) !== folder) throw new FileError("ENOTDIR", "a link is on the way", path);
      this.#tree.write(parsed.value, bytes, "principal", { replaceLink: true, also });
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
      created: this.#tree.write(place, bytes, writer),
    }));
  }

  /** Appends to a file for the agent. The cost does not grow with the file. */
  appendAsAgent(
    path: string,
    bytes: Uint8Array,
    writer: Exclude<Writer, "principal"> = "own",
    budget: WriteBudget | null = null,
  ): Result<StoredFile & { created: boolean }> {
    return this.#writeForAgent(path, budget, (place) => this.#tree.append(place, bytes, writer));
  }

  /**
   * Changes several files for the agent, all or none. A file gets the least trusted of its writers. Failures: those of
   * `putAsAgent`; their message names the path.
   */
  changeAsAgent(changes: readonly AgentChange[], budget: WriteBudget | null = null): Result<null> {
    let current = "";
    return attempt(
      () => current,
      () =>
        this.#tree.chargeTo(budget, () =>
          this.#tree.inTransaction(() => {
            for (const change of changes) {
              current = change.path;
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
      this.#tree.remove(place, writer);
      return;
    }
    if (movedFrom !== undefined) {
      const { folder } = splitPath(place);
      if (folder !== "/") this.#tree.makeFolder(folder, true);
      this.#tree.move(toStoredPath(movedFrom), place);
    }
    if (bytes === undefined) return;
    const before = this.#files.node(place);
    this.#tree.write(place, bytes, before && before.writer !== "own" ? "content" : writer);
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
      ...this.#tree.chargeTo(budget, () => write(parsed.value)),
    }));
  }

  /** Size in bytes of the file at a path, links followed; 0 when there is none. */
  sizeOf(path: string): number {
    const parsed = parseWorkspacePath(path);
    const found = parsed.ok ? attempt(path, () => this.#files.requireNode(parsed.value)) : parsed;
    return found.ok && found.value.node.kind === "file" ? found.value.node.size : 0;
  }

  /** Whether anything is at exactly this path: a file, a folder or a link. */
  isTaken(path: string): boolean {
    const parsed = parseWorkspacePath(path);
    return parsed.ok && this.#files.node(parsed.value) !== null;
  }

  /** The path of the file that a path leads to, links followed; `null` when it leads to none. */
  realPath(path: string): string | null {
    const parsed = parseWorkspacePath(path);
    const found = parsed.ok ? attempt(path, () => this.#files.requireNode(parsed.value)) : parsed;
    return found.ok && found.value.node.kind === "file" ? toWorkspacePath(found.value.path) : null;
  }

  /** All files, sorted by path. Links are not listed. */
  list(): FileInfo[] {
    const files = this.#files.all().filter((node) => node.kind === "file");
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
    const node = parsed.ok ? this.#files.node(parsed.value) : null;
    return node?.kind === "file" ? { size: node.size, writer: node.writer } : null;
  }

  /** The sorted names in a folder; empty when there is no folder or only a link to one. */
  namesIn(folder: string): string[] {
    const parsed = parseWorkspacePath(folder);
    if (!parsed.ok || this.#files.node(parsed.value)?.kind !== "folder") return [];
    return this.#files.children(parsed.value).map((node) => node.name);
  }

  /** The source that reading a path gives, links followed. A file from the owner is `content`, like any other file. */
  labelOf(path: string): "own" | "content" {
    const parsed = parseWorkspacePath(path);
    const found = parsed.ok ? attempt(path, () => this.#files.requireNode(parsed.value)) : parsed;
    return found.ok && found.value.node.writer === "own" ? "own" : "content";
  }

  /** The bytes of a file; `null` when the path is not a file. */
  read(path: string): Uint8Array | null {
    const parsed = parseWorkspacePath(path);
    if (!parsed.ok) return null;
    const bytes = attempt(path, () => this.#files.read(parsed.value));
    return bytes.ok ? bytes.value : null;
  }

  /**
   * Reads a file as text, part by part, so that its bytes are never all in memory. `null` when the path is not a file.
   * `text` is null when the bytes are not UTF-8 text. A byte order mark is kept, because programs that read the file
   * see it too.
   */
  readText(path: string): { text: string | null; size: number } | null {
    const parsed = parseWorkspacePath(path);
    const found = parsed.ok ? attempt(path, () => this.#files.open(parsed.value)) : parsed;
    if (!parsed.ok || !found.ok) return null;
    const { size } = found.value;
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    const pieces: string[] = [];
    try {
      for (const part of this.#files.parts(parsed.value)) {
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
    const removed = attempt(path, () => this.#tree.remove(parsed.value, "principal", { recursive: true, force: true }));
    return removed.ok && removed.value;
  }

  /** Everything as it is now, folders before what they hold, for an export. */
  snapshot(): WorkspaceSnapshot {
    const path = ({ parent, name }: FileNode) => joinPath(parent, name);
    const nodes = this.#files.all().sort((a, b) => (path(a) < path(b) ? -1 : 1));
    return { nodes, read: (content) => this.#files.contentOf(content) };
  }

  /**
   * Unpacks a zip for the owner, all or nothing. `replace`: what was there before is removed. Failures: those of `placeEntries`
   * and of `putAsPrincipal`.
   */
  importZip(zip: Uint8Array, replace: boolean): Result<{ files: number; bytes: number; undo: number | null }> {
    const placed = placeEntries(zip, this.#limits);
    if (!placed.ok) return placed;
    try {
      this.#tree.inTransaction(() => this.#tree.importEntries(placed.value, replace));
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
    return createMount(this, this.#tree, options);
  }

  // ---- for the shell: absolute paths from the mount on ----

  async readFile(path: string, options?: Encoding): Promise<string> {
    const encoding = readEncoding(options);
    if (encoding !== "utf8" && encoding !== "utf-8") return decode(this.#files.read(path), encoding);
    this.#files.open(path);
    const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });
    const pieces: string[] = [];
    for (const part of this.#files.parts(path)) pieces.push(decoder.decode(part, { stream: true }));
    return pieces.join("") + decoder.decode();
  }

  async readFileBuffer(path: string): Promise<Uint8Array> {
    return this.#files.read(path);
  }

  /** One character per byte. Without this method just-bash builds one string per byte from readFileBuffer. */
  async readFileBytes(path: string): Promise<ByteString> {
    this.#files.open(path);
    const pieces: string[] = [];
    for (const part of this.#files.parts(path)) pieces.push(toLatin1(part));
    return pieces.join("") as unknown as ByteString;
  }

  async writeFile(path: string, content: FileContent, options?: Encoding): Promise<void> {
    this.#tree.write(path, encode(content, readEncoding(options)), "content");
  }

  async appendFile(path: string, content: FileContent, options?: Encoding): Promise<void> {
    this.#tree.append(path, encode(content, readEncoding(options)));
  }

  async exists(path: string): Promise<boolean> {
    return attempt(path, () => this.#files.requireNode(path)).ok;
  }

  async stat(path: string): Promise<FsStat> {
    const { path: place, node } = this.#files.requireNode(path);
    return toStat(place, node);
  }

  async lstat(path: string): Promise<FsStat> {
    const { path: place, node } = this.#files.requireNode(path, false);
    return toStat(place, node);
  }

  async mkdir(path: string, options?: MkdirOptions): Promise<void> {
    this.#tree.makeFolder(path, options?.recursive ?? false);
  }

  async readdir(path: string): Promise<string[]> {
    return this.#files.children(path).map((node) => node.name);
  }

  async readdirWithFileTypes(path: string) {
    return this.#files.children(path).map((node) => ({ name: node.name, ...kindFlags(node) }));
  }

  async rm(path: string, options?: RmOptions): Promise<void> {
    this.#tree.remove(path, "own", options);
  }

  async cp(from: string, to: string, options?: CpOptions): Promise<void> {
    this.#tree.copy(from, to, options?.recursive ?? false);
  }

  async mv(from: string, to: string): Promise<void> {
    this.#tree.move(from, to);
  }

  resolvePath(base: string, path: string): string {
    return normalizePath(path.startsWith("/") ? path : `${base}/${path}`);
  }

  getAllPaths(): string[] {
    return this.#files.all().map((node) => joinPath(node.parent, node.name));
  }

  async chmod(path: string, mode: number): Promise<void> {
    this.#tree.setMode(path, mode);
  }

  async symlink(target: string, path: string): Promise<void> {
    this.#tree.makeLink(target, path);
  }

  /** Refused instead of copied: users would not expect two names that diverge. */
  async link(_from: string, path: string): Promise<void> {
    throw new FileError("ENOTSUP", "hard links are not supported, use cp or ln -s", path);
  }

  async readlink(path: string): Promise<string> {
    const { node } = this.#files.requireNode(path, false);
    if (node.kind !== "link") throw new FileError("EINVAL", "invalid argument", path);
    return node.target ?? "";
  }

  async realpath(path: string): Promise<string> {
    return this.#files.requireNode(path).path;
  }

  async utimes(path: string, _accessed: Date, modified: Date): Promise<void> {
    this.#tree.setTime(path, modified.getTime());
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

/** Turns a FileError into a failure. All path problems share the code `bad_path`. */
function attempt<T>(at: string | (() => string), work: () => T): Result<T> {
  try {
    return ok(work());
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const path = typeof at === "string" ? at : at();
    const message = `'${path}': ${error.what}.`;
    if (error.code === "EFBIG") return err("file_too_large", `${message} Make it smaller, or split it.`);
    if (error.code === "EPERM") return err("approval_needed", message);
    if (error.code === "ENOSPC") return err("workspace_full", message);
    if (error.code === "EDQUOT") return err("write_limit", `${message} Continue in another turn.`);
    return err("bad_path", `${message} Choose another path.`);
  }
}

function toStat(place: string, node: FileNode): FsStat {
  return { ...kindFlags(node), mode: node.mode, size: node.size, mtime: new Date(node.mtime), identity: place };
}

function kindFlags(node: FileNode) {
  return {
    isFile: node.kind === "file",
    isDirectory: node.kind === "folder",
    isSymbolicLink: node.kind === "link",
  };
}
