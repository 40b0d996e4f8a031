// Brings a file of a session's workspace to this machine: /get PATH [TO]. Called by the commands of the terminal and of the plain
// conversation. Without TO the file lands in the present folder under its own name, whatever its path says. Never overwrites
// without a yes, and never writes through a link.
import { randomUUID } from "node:crypto";
import { lstat, mkdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import type { Client } from "../connection/client.ts";
import { toOneLine } from "../output/plain-text.ts";

export interface GetFileOptions {
  client: Pick<Client, "getFile">;
  session: string;
  /** Where a file lands whose target the person did not name. */
  folder: string;
  /** Whether the person wants the file there replaced. */
  mayReplace(path: string): Promise<boolean>;
}

/** Such as `reports/a.txt`, `"my file.txt" ~/out/` or `a.txt b.txt`. Null for anything else. */
export function parseGet(argument: string): { path: string; to: string | null } | null {
  const words = [...argument.matchAll(/"([^"]+)"|(\S+)/g)].map(([, quoted, plain]) => (quoted ?? plain)!);
  const [path, to = null, ...rest] = words;
  return path === undefined || rest.length > 0 ? null : { path, to };
}

/** A sentence for the person. */
export async function getFile(argument: string, options: GetFileOptions): Promise<string> {
  const parsed = parseGet(argument);
  if (parsed === null) return 'Write it as /get PATH [TO], with "" around a path with spaces.';
  const { path, to } = parsed;
  const name = basename(path.replaceAll("\\", "/"));
  if (name === "" || name === "." || name === ".." || name.includes("\0")) return `${toOneLine(path)} names no file.`;
  const target = await chooseTarget(to, name, options.folder);
  const bytes = await options.client.getFile(options.session, path);
  if (await exists(target)) {
    if ((await lstat(target)).isDirectory()) return `${toOneLine(target)} is a folder.`;
    if (!(await options.mayReplace(target))) return `(${toOneLine(target)} exists already, so nothing was written)`;
    await replace(target, bytes);
  } else {
    if (to !== null) await mkdir(dirname(target), { recursive: true });
    // `wx` fails where something has appeared meanwhile, a link included.
    await writeFile(target, bytes, { flag: "wx" });
  }
  return `(${toOneLine(path)} is now ${toOneLine(target)}, ${bytes.length.toLocaleString("en")} bytes)`;
}

/** A target that the person named may be a folder, also by a link of their own. */
async function chooseTarget(to: string | null, name: string, folder: string): Promise<string> {
  if (to === null) return join(folder, name);
  const target = resolve(folder, to.replace(/^~(?=\/|$)/, homedir()));
  const isFolder =
    to.endsWith("/") ||
    (await stat(target).then(
      (found) => found.isDirectory(),
      () => false,
    ));
  return isFolder ? join(target, name) : target;
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** A link is replaced by the file, not followed. */
async function replace(target: string, bytes: Uint8Array): Promise<void> {
  const next = `${target}.${randomUUID()}`;
  try {
    await writeFile(next, bytes, { flag: "wx" });
    await rename(next, target);
  } finally {
    await rm(next, { force: true });
  }
}
