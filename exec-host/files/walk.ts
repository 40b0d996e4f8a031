// Finds a path below the host's folder without ever leaving it. Each part is opened relative to the folder before it, by its file
// descriptor, and never through a link; links are read and followed here. So a link that is swapped in meanwhile changes nothing.
// Needs Linux: `/proc/self/fd/N/name` is what openat(2) is elsewhere, and O_PATH opens a FIFO or a device without touching it.
import { type Stats, closeSync, constants, fstatSync, mkdirSync, openSync, readlinkSync } from "node:fs";
import { LIMITS } from "../limits.ts";
import { Problem, toFileProblem } from "../problem.ts";

/** Of Linux; Node has no name for it. */
const O_PATH = 0o10000000;
const LOOK = O_PATH | constants.O_NOFOLLOW;

/** The folder that no path leaves, opened once, so that it stays the same when it is moved. */
export interface Root {
  fd: number;
}

/** An opened place. `fd` can be used for `fstat` and below `/proc/self/fd` only. */
export interface Place {
  fd: number;
  stats: Stats;
  /** Relative to the root, without links; `""` for the root. */
  path: string;
}

export function openRoot(folder: string): Root {
  return { fd: openSync(folder, O_PATH | constants.O_DIRECTORY) };
}

/** The root's present absolute path. */
export function rootPath({ fd }: Root): string {
  return readlinkSync(toPath(fd));
}

/** The path of an opened place, for calls that take no descriptor. */
export function toPath(fd: number, name?: string): string {
  return name === undefined ? `/proc/self/fd/${fd}` : `/proc/self/fd/${fd}/${name}`;
}

/** Links inside the folder are followed. `use` must not keep the descriptor. */
export function withPlace<T>(root: Root, path: string, use: (place: Place) => T): T {
  return withWalk(root, path, (walk) => {
    follow(walk, splitPath(root, path), path);
    return use(topPlace(walk));
  });
}

/**
 * The folder of a path that is to be written, and the last name. Nothing on the way may be a link: the caller judged the path by
 * its words. Missing folders are made.
 */
export function withParent<T>(root: Root, path: string, use: (parent: Place, name: string) => T): T {
  const parts = splitPath(root, path);
  const name = parts.pop();
  if (name === undefined) throw new Problem("not_a_file", "This is the folder itself. Name a file in it.");
  if (parts.includes("..") || name === "..") {
    throw new Problem("path_malformed", "Write the path of a file without '..'.");
  }
  return withWalk(root, path, (walk) => {
    for (const part of parts) {
      const entered = enter(walk, part, path) ?? makeFolder(walk, part, path);
      if (entered === "link") throw linkRefused(walk, part, path);
    }
    const parent = topPlace(walk);
    const found = look(parent.fd, name, path);
    if (found) closeSync(found.fd);
    if (found?.stats.isSymbolicLink()) throw linkRefused(walk, name, path);
    return use(parent, name);
  });
}

/** The entry of an opened folder itself, not what a link leads to; `null` for none. The caller closes it. */
export function look(folder: number, name: string, path: string): { fd: number; stats: Stats } | null {
  let fd: number;
  try {
    fd = openSync(toPath(folder, name), LOOK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw toFileProblem(error, path);
  }
  return { fd, stats: fstatSync(fd) };
}

interface Walk {
  root: Root;
  /** Open folders from the root to the present place, and their names. The root's descriptor is not ours to close. */
  fds: number[];
  names: string[];
  stats: Stats;
}

const ROOT_DELETED =
  "The folder that the exec host serves was deleted. Tell the person: it must be made again, and the exec host started again.";

function withWalk<T>(root: Root, path: string, use: (walk: Walk) => T): T {
  const walk: Walk = { root, fds: [root.fd], names: [], stats: fstatSync(root.fd) };
  if (walk.stats.nlink === 0) throw new Problem("file_not_found", ROOT_DELETED);
  try {
    return use(walk);
  } catch (error) {
    throw toFileProblem(error, path);
  } finally {
    leaveTo(walk, 1);
  }
}

function topPlace({ root, fds, names, stats }: Walk): Place {
  const fd = fds.at(-1)!;
  // A folder may have been moved out of the root since it was opened.
  const [top, place] = [rootPath(root), readlinkSync(toPath(fd))];
  if (place !== top && !place.startsWith(top === "/" ? "/" : `${top}/`)) throw outside();
  return { fd, stats, path: names.join("/") };
}

function follow(walk: Walk, parts: string[], path: string): void {
  const queue = parts.toReversed();
  let links = 0;
  for (let steps = 0; queue.length > 0; steps++) {
    if (steps > LIMITS.pathParts) throw new Problem("path_malformed", "This path has too many parts.");
    const part = queue.pop()!;
    if (part === "..") {
      leave(walk);
      continue;
    }
    const entered = enter(walk, part, path);
    if (entered === null) throw new Problem("file_not_found", `There is no '${path.slice(0, 300)}'.`);
    if (entered !== "link") continue;
    if (++links > LIMITS.pathLinks) throw new Problem("link_refused", "This path leads through too many links.");
    const target = readLink(walk, part, path);
    if (target.startsWith("/")) leaveTo(walk, 1);
    queue.push(...splitPath(walk.root, target).toReversed());
  }
}

function readLink(walk: Walk, part: string, path: string): string {
  try {
    return readlinkSync(toPath(walk.fds.at(-1)!, part));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EINVAL") throw error;
    throw new Problem("link_refused", `'${path.slice(0, 300)}' changed while it was opened. Try again.`); // no link any more
  }
}

/** Enters a part of the present folder. `null`: it does not exist. `"link"`: it was not entered. */
function enter(walk: Walk, part: string, path: string): "entered" | "link" | null {
  if (!walk.stats.isDirectory())
    throw new Problem("not_a_folder", `A part of '${path.slice(0, 300)}' is not a folder.`);
  const found = look(walk.fds.at(-1)!, part, path);
  if (!found) return null;
  if (found.stats.isSymbolicLink()) {
    closeSync(found.fd);
    return "link";
  }
  walk.fds.push(found.fd);
  walk.names.push(part);
  walk.stats = found.stats;
  return "entered";
}

function makeFolder(walk: Walk, part: string, path: string): "entered" | "link" | null {
  try {
    mkdirSync(toPath(walk.fds.at(-1)!, part));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return enter(walk, part, path);
}

function leave(walk: Walk): void {
  if (walk.fds.length === 1) throw outside();
  leaveTo(walk, walk.fds.length - 1);
}

function leaveTo(walk: Walk, depth: number): void {
  while (walk.fds.length > depth) {
    closeSync(walk.fds.pop()!);
    walk.names.pop();
  }
  walk.stats = fstatSync(walk.fds.at(-1)!);
}

/** An absolute path must lie below the root as its own words say it. */
function splitPath(root: Root, path: string): string[] {
  if (path.includes("\0") || !path.isWellFormed() || Buffer.byteLength(path) > LIMITS.pathBytes) {
    throw new Problem(
      "path_malformed",
      "This cannot be a path: it is too long, or holds characters that no name may have.",
    );
  }
  let below = path;
  if (path.startsWith("/")) {
    const top = rootPath(root);
    if (path !== top && !path.startsWith(`${top}/`)) throw outside();
    below = path.slice(top.length);
  }
  const parts = below.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.length > LIMITS.pathParts) throw new Problem("path_malformed", "This path has too many parts.");
  return parts;
}

/** Its target is a fact, not in the sentence: others may have chosen its words. */
function linkRefused(walk: Walk, part: string, path: string): Problem {
  const target = readLink(walk, part, path);
  const link = [...walk.names, part].join("/");
  return new Problem(
    "link_refused",
    `'${path.slice(0, 300)}' leads through the link '${link}'. Write to the file that it points to, by its own path.`,
    { target },
  );
}

function outside(): Problem {
  return new Problem(
    "outside_folder",
    "This path leads out of the folder that the exec host serves. Use a path in it.",
  );
}
