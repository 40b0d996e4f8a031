// Copies of the state: complete, on the disk before they count, and only of a state that nobody uses. A snapshot is a folder
// `.talaria/update/snapshots/<time>-<commit>` with `state/`, `local.json` and `snapshot.json`.
import {
  constants,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { writePrivate } from "../stack/private-file.ts";
import { toPlaces } from "./recover.mjs";

/** Snapshots that are kept: of the last updates. */
export const KEPT_SNAPSHOTS = 2;
/** Of the state folder: what a start makes again, and marks of running processes. */
const LEFT_OUT = /^(?:built|tmp|config|registry|logs|stack\.(?:log|json)(?:\..*)?|host\.json|held-\d+-\d+)$/;

/** Returns the snapshot's name; `null` when there is no state yet. */
export function takeSnapshot(root: string, commit: string, now: number): string | null {
  const stateDir = join(root, ".talaria", "state");
  if (!existsSync(join(stateDir, "data"))) return null;
  const { snapshots } = toPlaces(root);
  const partial = join(snapshots, "partial");
  rmSync(partial, { recursive: true, force: true });
  copyState(stateDir, join(partial, "state"));
  const access = join(root, ".talaria", "local.json");
  if (existsSync(access)) copyDurably(access, join(partial, "local.json"));
  writePrivate(join(partial, "snapshot.json"), `${JSON.stringify({ v: 1, commit, at: now })}\n`);
  const name = `${new Date(now).toISOString().slice(0, 19).replaceAll(":", "-")}-${commit.slice(0, 8)}`;
  renameSync(partial, join(snapshots, name));
  return name;
}

/** Removes all but the newest snapshots. */
export function pruneSnapshots(root: string): void {
  const { snapshots } = toPlaces(root);
  const names = existsSync(snapshots) ? readdirSync(snapshots).filter((name) => /^\d{4}-/.test(name)) : [];
  for (const name of names.sort().slice(0, -KEPT_SNAPSHOTS))
    rmSync(join(snapshots, name), { recursive: true, force: true });
}

/** A copy that shares no file with the original. The SQLite files are copied with their write-ahead logs, which belong to them. */
export function copyState(from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (LEFT_OUT.test(entry.name)) continue;
    copyDeep(join(from, entry.name), join(to, entry.name), entry.isDirectory());
  }
  syncPath(to);
}

/**
 * Removes the alarms of a copy. A started stack calls each object whose alarm is due; the trial of a new version must not carry out
 * what the state itself will carry out later.
 */
export function removeAlarms(stateDir: string): void {
  const objects = join(stateDir, "data", "v3", "do");
  if (!existsSync(objects)) return;
  for (const name of readdirSync(objects)) {
    const file = join(objects, name, "metadata.sqlite");
    if (!existsSync(file)) continue;
    const database = new DatabaseSync(file);
    try {
      const has = database.prepare("SELECT 1 FROM sqlite_master WHERE name = '_cf_ALARM'").all().length > 0;
      if (has) database.exec("DELETE FROM _cf_ALARM");
    } finally {
      database.close();
    }
  }
}

/** Bytes of all files. */
export function measure(folder: string): number {
  if (!existsSync(folder)) return 0;
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += measure(path);
    else if (entry.isFile()) bytes += statSync(path).size;
  }
  return bytes;
}

function copyDeep(from: string, to: string, isFolder: boolean): void {
  if (!isFolder) return copyDurably(from, to);
  mkdirSync(to, { recursive: true, mode: 0o700 });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (entry.isDirectory() || entry.isFile())
      copyDeep(join(from, entry.name), join(to, entry.name), entry.isDirectory());
  }
  syncPath(to);
}

/** On the disk when it returns; a folder's entry for it is not. */
export function copyDurably(from: string, to: string): void {
  copyFileSync(from, to, constants.COPYFILE_FICLONE);
  syncPath(to);
}

function syncPath(path: string): void {
  const open = openSync(path, "r");
  try {
    fsyncSync(open);
  } finally {
    closeSync(open);
  }
}
