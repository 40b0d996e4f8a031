// The workspace as a file system for the shell: absolute paths from the mount on, failures as POSIX errors. The base of Workspace,
// which adds what its owner and the file tools call.
import type { CpOptions, FileContent, FsStat, IFileSystem, MkdirOptions, RmOptions } from "just-bash/browser";
import type { ByteString } from "just-bash";
import { toLatin1 } from "../schemas/base64.ts";
import { attempt } from "./attempt.ts";
import { type Encoding, decode, encode, readEncoding } from "./encoding.ts";
import type { FileLookup } from "./file-lookup.ts";
import { FileError, type FileNode } from "./file-node.ts";
import type { FileTree } from "./file-tree.ts";
import { joinPath, normalizePath } from "./workspace-path.ts";

export class ShellFiles implements IFileSystem {
  protected readonly tree: FileTree;
  protected readonly files: FileLookup;

  constructor(tree: FileTree) {
    this.tree = tree;
    this.files = tree.lookup;
  }

  async readFile(path: string, options?: Encoding): Promise<string> {
    const encoding = readEncoding(options);
    if (encoding !== "utf8" && encoding !== "utf-8") return decode(this.files.read(path), encoding);
    this.files.open(path);
    const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });
    const pieces: string[] = [];
    for (const part of this.files.parts(path)) pieces.push(decoder.decode(part, { stream: true }));
    return pieces.join("") + decoder.decode();
  }

  async readFileBuffer(path: string): Promise<Uint8Array> {
    return this.files.read(path);
  }

  /** One character per byte. Without this method just-bash builds one string per byte from readFileBuffer. */
  async readFileBytes(path: string): Promise<ByteString> {
    this.files.open(path);
    const pieces: string[] = [];
    for (const part of this.files.parts(path)) pieces.push(toLatin1(part));
    return pieces.join("") as unknown as ByteString;
  }

  async writeFile(path: string, content: FileContent, options?: Encoding): Promise<void> {
    this.tree.write(path, encode(content, readEncoding(options)), "content");
  }

  async appendFile(path: string, content: FileContent, options?: Encoding): Promise<void> {
    this.tree.append(path, encode(content, readEncoding(options)));
  }

  async exists(path: string): Promise<boolean> {
    return attempt(path, () => this.files.requireNode(path)).ok;
  }

  async stat(path: string): Promise<FsStat> {
    const { path: place, node } = this.files.requireNode(path);
    return toStat(place, node);
  }

  async lstat(path: string): Promise<FsStat> {
    const { path: place, node } = this.files.requireNode(path, false);
    return toStat(place, node);
  }

  async mkdir(path: string, options?: MkdirOptions): Promise<void> {
    this.tree.makeFolder(path, options?.recursive ?? false);
  }

  async readdir(path: string): Promise<string[]> {
    return this.files.children(path).map((node) => node.name);
  }

  async readdirWithFileTypes(path: string) {
    return this.files.children(path).map((node) => ({ name: node.name, ...kindFlags(node) }));
  }

  async rm(path: string, options?: RmOptions): Promise<void> {
    this.tree.remove(path, "own", options);
  }

  async cp(from: string, to: string, options?: CpOptions): Promise<void> {
    this.tree.copy(from, to, options?.recursive ?? false);
  }

  async mv(from: string, to: string): Promise<void> {
    this.tree.move(from, to);
  }

  resolvePath(base: string, path: string): string {
    return normalizePath(path.startsWith("/") ? path : `${base}/${path}`);
  }

  getAllPaths(): string[] {
    return this.files.all().map((node) => joinPath(node.parent, node.name));
  }

  async chmod(path: string, mode: number): Promise<void> {
    this.tree.setMode(path, mode);
  }

  async symlink(target: string, path: string): Promise<void> {
    this.tree.makeLink(target, path);
  }

  /** Refused instead of copied: users would not expect two names that diverge. */
  async link(_from: string, path: string): Promise<void> {
    throw new FileError("ENOTSUP", "hard links are not supported, use cp or ln -s", path);
  }

  async readlink(path: string): Promise<string> {
    const { node } = this.files.requireNode(path, false);
    if (node.kind !== "link") throw new FileError("EINVAL", "invalid argument", path);
    return node.target ?? "";
  }

  async realpath(path: string): Promise<string> {
    return this.files.requireNode(path).path;
  }

  async utimes(path: string, _accessed: Date, modified: Date): Promise<void> {
    this.tree.setTime(path, modified.getTime());
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
