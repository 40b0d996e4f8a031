// The journal and the lock of updates, and the places of their files. Part of the recovery (recover.mjs), which an update copies beside it:
// imports built-in modules only, and runs on Node 20.
import { spawnSync } from "node:child_process";
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";

const VERSION = 1;
/** Folders of the checkout that belong to no version. */
const OWN_FOLDERS = [".talaria", "node_modules"];

/** A hook of a person could refuse the switch in its middle, or a program that watches files could hide changes from git. */
export const GIT_OPTIONS = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"];

/** Nothing can be decided without a person. The message is for them. */
export class UpdateError extends Error {
  name = "UpdateError";
}

// ---- the journal ----

export function toPlaces(root) {
  const home = join(root, ".talaria", "update");
  const place = (name) => join(home, name);
  return {
    home,
    journal: place("journal.json"),
    last: place("last.json"),
    lock: place("lock"),
    child: place("child.json"),
    next: place("next"),
    old: place("old"),
    oldNext: place("old-next"),
    discarded: place("discarded"),
    trial: place("trial"),
    stateBack: place("state-back"),
    stateAside: place("state-aside"),
    index: place("index"),
    tmp: place("tmp"),
    snapshots: place("snapshots"),
  };
}

/** `null`: there is no unfinished update. Throws an UpdateError for a journal that this version cannot read. */
export function readJournal(root) {
  const { journal } = toPlaces(root);
  if (!existsSync(journal)) return null;
  let read;
  try {
    read = JSON.parse(readFileSync(journal, "utf8"));
  } catch {
    read = null;
  }
  if (read?.v === VERSION && isJournal(read)) return read;
  throw new UpdateError(
    `${journal} cannot be read, so it is unknown how far the last update came. \`git status\` shows the checkout; ` +
      "remove the file when the checkout is as you want it.",
  );
}

/** Whether it can be acted on: a journal that is damaged, or not from an update, must not lead anywhere else. */
function isJournal({ step, startedAt, from, to, branch, added, changed, removed, snapshot }) {
  return (
    typeof step === "string" &&
    Number.isFinite(startedAt) &&
    [from, to].every((commit) => /^[0-9a-f]{40,64}$/.test(commit)) &&
    (branch === null || typeof branch === "string") &&
    [added, changed, removed].every((list) => Array.isArray(list) && list.every(isOfCheckout)) &&
    (snapshot === null || /^\d{4}[\w-]+$/.test(snapshot))
  );
}

/** Whether an update may write this path: below the checkout, and neither git's nor Talaria's own files nor packages. */
export function isOfCheckout(path) {
  if (typeof path !== "string") return false;
  const parts = path.split("/");
  return !parts.some((part) => ["", ".", "..", ".git"].includes(part)) && !OWN_FOLDERS.includes(parts[0]);
}

/** Replaces the journal in one step: a reader finds the old or the new one, also after a power cut. */
export function writeJournal(root, journal) {
  const places = toPlaces(root);
  writeWhole(places.journal, JSON.stringify({ v: VERSION, ...journal }, null, 2));
}

/** Ends an update. The journal of one that changed the checkout becomes `last.json`, with what came of it. */
export function closeJournal(root, journal, outcome) {
  const places = toPlaces(root);
  if (outcome === "done" || outcome === "put back")
    writeWhole(places.last, JSON.stringify({ v: VERSION, ...journal, outcome, endedAt: Date.now() }, null, 2));
  rmSync(places.journal, { force: true });
  syncFolder(places.home);
}

/** `null`: no update has changed the checkout, or its record is of another version. */
export function readLast(root) {
  try {
    const read = JSON.parse(readFileSync(toPlaces(root).last, "utf8"));
    return read?.v === VERSION && isJournal(read) ? read : null;
  } catch {
    return null;
  }
}

function writeWhole(file, text) {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const next = `${file}.${process.pid}`;
  const open = openSync(next, "w", 0o600);
  try {
    writeSync(open, text);
    fsyncSync(open);
  } finally {
    closeSync(open);
  }
  renameSync(next, file);
  syncFolder(dirname(file));
}

function syncFolder(folder) {
  const open = openSync(folder, "r");
  try {
    fsyncSync(open);
  } catch {
    // this file system does not support fsync on folders
  } finally {
    closeSync(open);
  }
}

/** Writes what the system still holds in memory to the disk of `root`. Not every system can do that for one disk. */
export function syncDisk(root) {
  const ran = spawnSync("sync", ["-f", root], { stdio: "ignore" });
  if (ran.status !== 0) spawnSync("sync", { stdio: "ignore" });
}

// ---- the lock ----

/**
 * Takes the lock of updates. Of several processes one succeeds: `link` is atomic. A lock of a dead process is taken over. Returns the
 * release, or `{ pid }` of the live process that holds it.
 */
export function takeLock(root) {
  const { home, lock } = toPlaces(root);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const own = identify(process.pid);
  const mine = `${lock}.${process.pid}`;
  writeFileSync(mine, JSON.stringify(own), { mode: 0o600 });
  try {
    for (;;) {
      try {
        linkSync(mine, lock);
        return { release: () => release(lock, own) };
      } catch (error) {
        if (error.code !== "EEXIST") throw error;
      }
      const text = readOrEmpty(lock);
      const held = parseOrNull(text);
      if (held && isAlive(held)) return { pid: held.pid };
      takeAside(lock, text);
    }
  } finally {
    rmSync(mine, { force: true });
  }
}

function release(lock, own) {
  const held = parseOrNull(readOrEmpty(lock));
  if (held?.pid === own.pid && held.startedAt === own.startedAt) rmSync(lock, { force: true });
}

/** Removes the lock of a dead process, unless another process has just replaced it. */
function takeAside(lock, text) {
  const aside = `${lock}.${process.pid}.dead`;
  try {
    renameSync(lock, aside);
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
    return;
  }
  try {
    if (readOrEmpty(aside) !== text) linkSync(aside, lock);
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

export function readOrEmpty(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return ""; // it has just been removed
  }
}

export function parseOrNull(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A process by pid and start time, as the lock and `child.json` name it. */
export function identify(pid) {
  return { pid, startedAt: startOf(pid) };
}

/** Ticks since boot; 0 where there is no /proc. Pids are reused, start times of one pid are not. */
function startOf(pid) {
  return statOf(pid)?.startedAt ?? 0;
}

function statOf(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return { isDead: fields[0] === "Z" || fields[0] === "X", startedAt: Number(fields[19]) };
  } catch {
    return null;
  }
}

export function isAlive({ pid, startedAt }) {
  if (existsSync("/proc/self")) {
    const stat = statOf(pid);
    return stat !== null && !stat.isDead && stat.startedAt === startedAt;
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}
