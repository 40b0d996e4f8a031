// Whether a state folder can be worked in, found before anything is built: rights, room, and which version wrote it. Called by
// start. Changes nothing but that the folder is there.
import { accessSync, constants, mkdirSync, readdirSync, statSync, statfsSync } from "node:fs";
import { dirname, join } from "node:path";
import { PlainError } from "../command-line.ts";
import { readIfThere } from "./private-file.ts";

/** What the three Workers take when they are built, and a little for their first writes. */
const NEEDED_BYTES = 64 * 1024 * 1024;
/** Of Miniflare's files, and of ours. */
const LAYOUT = 3;
const OWN_VERSION = 1;
/** `data/v3/do/<class>/<object>.sqlite`. */
const MAX_DEPTH = 5;

/** Throws the system's error or a PlainError for the first thing that stands in the way. `accessFile`: see local-state.ts. */
export function checkState(stateDir: string, accessFile?: string): void {
  makeFolder(stateDir);
  checkRights(stateDir, MAX_DEPTH);
  if (accessFile) {
    accessSync(dirname(accessFile), constants.R_OK | constants.W_OK | constants.X_OK);
    readIfThere(accessFile);
  }
  const full = diskFull(stateDir);
  if (full !== null) throw new PlainError(full);
  const text = readIfThere(join(stateDir, "profile.json"));
  const layouts = readdirSync(stateDir).includes("data") ? readdirSync(join(stateDir, "data")) : [];
  const newest = Math.max(...layouts.map((name) => Number(/^v(\d+)$/.exec(name)?.[1] ?? 0)), 0);
  if (versionIn(text) > OWN_VERSION || newest > LAYOUT) {
    throw new PlainError(
      `${stateDir} was written by a newer version of Talaria. Start that version, or move the folder away for a new state.`,
    );
  }
}

/** What the Workers' end has to do with the disk: a full one leaves no room for a word in the log. */
export function toEndSentence(stateDir: string, log: string, free?: number): string {
  const full = diskFull(stateDir, free);
  return full === null
    ? `The Workers have ended. Their last words are in ${log}`
    : `The Workers have ended, and the disk is full. ${full}`;
}

/** `null` while there is room for a start. */
export function diskFull(stateDir: string, free = freeBytes(stateDir)): string | null {
  if (free >= NEEDED_BYTES) return null;
  const freeMb = Math.floor(free / 1024 / 1024);
  return `The disk of ${stateDir} has ${freeMb} MB left, and a start takes 64 MB: make room, then start again.`;
}

function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

/** Step by step: Node's own way of making all of a path says ENOENT on a disk that cannot be written to. */
function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

function checkRights(path: string, depth: number): void {
  accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const inner = join(path, entry.name);
    if (entry.isFile()) accessSync(inner, constants.R_OK | constants.W_OK);
    else if (entry.isDirectory() && depth > 0 && entry.name !== "blobs") checkRights(inner, depth - 1);
  }
}

function versionIn(text: string | null): number {
  try {
    return Number((JSON.parse(text ?? "{}") as { v?: unknown }).v ?? 0);
  } catch {
    return 0; // half-written: the profile is found in another way
  }
}
