// Checks a state folder before anything is built: permissions, free disk space, and the version that wrote it. Called by start.
// Creates the folder if it is missing, and changes nothing else.
import { accessSync, constants, mkdirSync, readdirSync, statSync, statfsSync } from "node:fs";
import { dirname, join } from "node:path";
import { PlainError } from "../command-line.ts";
import { readIfThere } from "./private-file.ts";

/** Room for the three built Workers and their first writes. */
const NEEDED_BYTES = 64 * 1024 * 1024;
/** Newest known version of Miniflare's file layout, and of profile.json. */
const LAYOUT = 3;
const OWN_VERSION = 1;
/** `data/v3/do/<class>/<object>.sqlite`. */
const MAX_DEPTH = 5;

/** Throws a system error or a PlainError for the first problem found. `accessFile`: see local-state.ts. */
export function checkState(stateDir: string, accessFile?: string): void {
  makeFolder(stateDir);
  checkRights(stateDir, MAX_DEPTH);
  if (accessFile) {
    accessSync(dirname(accessFile), constants.R_OK | constants.W_OK | constants.X_OK);
    readIfThere(accessFile);
  }
  const full = describeFullDisk(stateDir);
  if (full !== null) throw new PlainError(full);
  const text = readIfThere(join(stateDir, "profile.json"));
  const layouts = readdirSync(stateDir).includes("data") ? readdirSync(join(stateDir, "data")) : [];
  const newest = Math.max(...layouts.map((name) => Number(/^v(\d+)$/.exec(name)?.[1] ?? 0)), 0);
  if (readVersion(text) > OWN_VERSION || newest > LAYOUT) {
    throw new PlainError(
      `${stateDir} was written by a newer version of Talaria. Start that version, or move the folder away for a new state.`,
    );
  }
}

/** Why the Workers ended. A full disk is checked here because the log could not record it. */
export function toEndSentence(stateDir: string, log: string, free?: number): string {
  const full = describeFullDisk(stateDir, free);
  return full === null
    ? `The Workers have ended. Their last output is in ${log}`
    : `The Workers have ended, and the disk is full. ${full}`;
}

/** A sentence for a person; `null` while there is enough room for a start. */
export function describeFullDisk(stateDir: string, free = freeBytes(stateDir)): string | null {
  if (free >= NEEDED_BYTES) return null;
  const freeMb = Math.floor(free / 1024 / 1024);
  return `The disk of ${stateDir} has ${freeMb} MB left, but a start needs 64 MB. Free some space, then start again.`;
}

function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}

/** Creates each level separately: `mkdirSync` with `recursive` reports ENOENT on a read-only disk. */
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

function readVersion(text: string | null): number {
  try {
    return Number((JSON.parse(text ?? "{}") as { v?: unknown }).v ?? 0);
  } catch {
    return 0; // truncated; local-state.ts finds the profile another way
  }
}
