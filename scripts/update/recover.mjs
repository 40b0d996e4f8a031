// The part of an update that changes the checkout, forwards or back. Called by the update itself and, after an interruption, by
// scripts/run.mjs from a copy in .talaria/update/, because the checkout may then be half changed. Imports built-in modules and journal.mjs
// only, and runs on Node 20. Every step can be repeated: it looks at what is in place before it changes anything.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import {
  GIT_OPTIONS,
  UpdateError,
  closeJournal,
  isAlive,
  parseOrNull,
  readJournal,
  readOrEmpty,
  syncDisk,
  takeLock,
  toPlaces,
  writeJournal,
} from "./journal.mjs";

export * from "./journal.mjs";

/** A switch takes about a second. */
const SWITCH_MS = 120_000;
const POLL_MS = 100;
/** How long git may still be running after its update was killed. */
const GIT_LOCK_MS = 5_000;
/** How long the command of a killed update may take to end. */
const CHILD_MS = 5_000;
/** `.talaria/update/<name>`: what an update leaves behind when it is interrupted. `old` is what `--back` needs. */
const LEFTOVERS = [
  ...["discarded", "next", "old-next", "trial", "state-back", "index", "index.lock", "tmp", "snapshots/partial"],
];

// ---- recovery ----

/**
 * Brings an interrupted update to an end. Returns `null` when there is none, or when one is still being prepared by a live process, which
 * leaves the checkout alone; else `changed`: whether the checkout may have changed. Throws when the checkout is neither of the two versions.
 */
export async function recover(root, { say = () => {}, at } = {}) {
  const until = Date.now() + SWITCH_MS;
  let hasSaid = false;
  for (;;) {
    const journal = readJournal(root);
    if (!journal) return null;
    const lock = takeLock(root);
    if (lock.release) {
      try {
        return finish(root, { say, at });
      } finally {
        lock.release();
      }
    }
    if (!isSwitching(journal)) return null;
    if (Date.now() > until)
      throw new UpdateError(
        `An update by process ${lock.pid} has not ended. Stop it (kill ${lock.pid}) and try again.`,
      );
    if (!hasSaid) say(`an update (process ${lock.pid}) is putting its version in place: waiting`);
    hasSaid = true;
    await new Promise((done) => setTimeout(done, POLL_MS));
  }
}

function isSwitching({ step }) {
  return step === "switch" || step === "back";
}

function finish(root, { say, at }) {
  const journal = readJournal(root); // another process may have ended it before we had the lock
  if (!journal) return null;
  const when = new Date(journal.startedAt).toISOString().slice(0, 16).replace("T", " ");
  const interrupted = `the update of ${when} UTC was interrupted`;
  if (journal.step === "tidy") {
    tidy(root, journal, { say });
    return { changed: false };
  }
  if (!isSwitching(journal)) {
    say(`${interrupted} (step: ${journal.step}): removing what it had prepared`);
    cleanUp(root);
    closeJournal(root, journal, "interrupted");
    say(`nothing was changed: version ${journal.fromName} is in place`);
    return { changed: false };
  }
  const outcome = finishSwitch(root, journal, { say, at, isRecovery: true });
  const name = outcome === "done" ? journal.toName : journal.fromName;
  say(`${interrupted} and was ${outcome === "done" ? "finished" : "put back"}: version ${name} is in place`);
  return { changed: true };
}

/**
 * Puts the new version in place, or the old one back when that fails or the journal says `back`. Call with the lock held and the journal at
 * `switch` or `back`. Throws when neither works; the next command tries again.
 */
export function finishSwitch(root, journal, { say = () => {}, at = () => {}, isRecovery = false } = {}) {
  let present = journal;
  if (journal.step === "switch") {
    try {
      takeOld(root);
      goForward(root, journal, at, isRecovery);
      at("switched");
      return tidy(root, journal, { outcome: "done", say, at });
    } catch (error) {
      if (error?.isTest) throw error;
      say(`the new version could not be put in place: ${error.message}`);
      present = { ...journal, step: "back", failure: String(error.message) };
      writeJournal(root, present);
    }
  }
  goBack(root, present, at, isRecovery);
  at("switched back");
  return tidy(root, present, { outcome: "put back", say, at });
}

/** The version is in place: removes what it no longer needs. */
function tidy(root, journal, { outcome = journal.outcome, say, at = () => {} }) {
  say("the version is in place; removing what it no longer needs");
  syncDisk(root); // what follows must not reach the disk before what is in place
  writeJournal(root, { ...journal, step: "tidy", outcome });
  at("tidying");
  cleanUp(root);
  if (outcome === "put back") discardOld(root);
  closeJournal(root, journal, outcome);
  at("closed");
  return outcome;
}

function goForward(root, journal, at, isRecovery) {
  const { next, old } = toPlaces(root);
  const [present, aside, coming] = [join(root, "node_modules"), join(old, "node_modules"), join(next, "node_modules")];
  checkHead(root, journal);
  if (exists(coming)) {
    if (!exists(aside) && exists(present)) renameSync(present, aside);
    at("modules aside");
    if (exists(present)) rmSync(present, { recursive: true, force: true, maxRetries: 3 }); // made by a command in between
    renameSync(coming, present);
    at("modules in place");
  }
  const { added, changed, removed } = journal;
  replaceFiles(root, { source: next, write: [...added, ...changed], remove: removed }, at);
  moveHead(root, journal, journal.to, at, isRecovery);
}

function goBack(root, journal, at, isRecovery) {
  const { next, old } = toPlaces(root);
  const [present, aside, coming] = [join(root, "node_modules"), join(old, "node_modules"), join(next, "node_modules")];
  checkHead(root, journal);
  if (journal.restore) restoreState(root, at);
  if (exists(aside)) {
    if (exists(present)) {
      mkdirSync(next, { recursive: true });
      rmSync(coming, { recursive: true, force: true, maxRetries: 3 });
      renameSync(present, coming);
    }
    at("modules out");
    renameSync(aside, present);
    at("modules back");
  }
  const { added, changed, removed } = journal;
  replaceFiles(root, { source: join(old, "files"), write: [...removed, ...changed], remove: added }, at);
  moveHead(root, journal, journal.from, at, isRecovery);
}

/** From now on, the present version is what `--back` puts back. What it put back until now is removed at the end. */
function takeOld(root) {
  const { old, oldNext, discarded } = toPlaces(root);
  if (!exists(oldNext)) return;
  rmSync(discarded, { recursive: true, force: true, maxRetries: 3 });
  if (exists(old)) renameSync(old, discarded);
  renameSync(oldNext, old);
}

/** The state of before the update, of which `--back` has made a copy. The present one is kept. */
function restoreState(root, at) {
  const { stateBack, stateAside } = toPlaces(root);
  const state = join(root, ".talaria", "state");
  if (!exists(stateBack)) return;
  if (exists(state)) {
    rmSync(stateAside, { recursive: true, force: true, maxRetries: 3 });
    renameSync(state, stateAside);
  }
  at("state aside");
  renameSync(stateBack, state);
  at("state back");
}

/** Removes what an update had prepared, after the end of its last command. The version in place does not need it. */
export function cleanUp(root) {
  const { home, child } = toPlaces(root);
  endChild(child);
  for (const name of LEFTOVERS)
    rmSync(join(home, name), { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}

/** In one step, so that a part of it never counts as the whole. */
export function discardOld(root) {
  const { old, discarded } = toPlaces(root);
  rmSync(discarded, { recursive: true, force: true, maxRetries: 3 });
  if (exists(old)) renameSync(old, discarded);
  rmSync(discarded, { recursive: true, force: true, maxRetries: 3 });
}

/** The command that a killed update was running: leash.mjs, leader of a process group, ends it. This waits, and ends what remains. */
function endChild(file) {
  const child = parseOrNull(readOrEmpty(file));
  const until = Date.now() + CHILD_MS;
  while (child && isAlive(child) && Date.now() < until) pause(50);
  if (child && isAlive(child)) {
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // it has just ended
    }
  }
  rmSync(file, { force: true });
}

// ---- files ----

/** Each file is replaced in one step, so that every file of the checkout is always a whole one, of either version. */
function replaceFiles(root, { source, write, remove }, at) {
  const { tmp } = toPlaces(root);
  mkdirSync(dirname(tmp), { recursive: true });
  const [written, gone] = [new Set(write), new Set(remove)];
  // A file that becomes a folder, or a folder that becomes a file, has to go first.
  const first = remove.filter(
    (path) =>
      listFolders(path).some((folder) => written.has(folder)) || write.some((one) => one.startsWith(`${path}/`)),
  );
  for (const path of first) removeFile(root, path);
  for (const path of write) {
    const [from, to] = [join(source, path), join(root, path)];
    if (isSame(from, to)) continue;
    mkdirSync(dirname(to), { recursive: true });
    rmSync(tmp, { recursive: true, force: true });
    placeCopy(from, tmp);
    renameSync(tmp, to);
    at(`file ${path}`);
  }
  for (const path of gone) {
    if (written.has(path) || !exists(join(root, path))) continue;
    removeFile(root, path);
    at(`file ${path}`);
  }
}

/** A hard link needs no room on the disk. */
function placeCopy(from, to) {
  const stat = lstatSync(from);
  if (stat.isSymbolicLink()) return symlinkSync(readlinkSync(from), to);
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
    chmodSync(to, stat.mode & 0o777);
  }
}

function removeFile(root, path) {
  const file = join(root, path);
  if (!exists(file)) return;
  if (lstatSync(file).isDirectory()) return;
  unlinkSync(file);
  for (const folder of listFolders(path).toReversed()) {
    if (readdirSync(join(root, folder)).length > 0) return;
    rmdirSync(join(root, folder));
  }
}

/** `a/b/c` is in `a` and `a/b`. */
function listFolders(path) {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, i) => parts.slice(0, i + 1).join("/"));
}

function isSame(from, to) {
  if (!exists(to)) return false;
  const [a, b] = [lstatSync(from), lstatSync(to)];
  if (a.isSymbolicLink() || b.isSymbolicLink())
    return a.isSymbolicLink() && b.isSymbolicLink() && readlinkSync(from) === readlinkSync(to);
  if (!a.isFile() || !b.isFile() || a.size !== b.size || (a.mode & 0o111) !== (b.mode & 0o111)) return false;
  return readFileSync(from).equals(readFileSync(to));
}

/** Also true for a symbolic link that leads nowhere. False below a file. */
function exists(path) {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if (error.code === "ENOTDIR") return false;
    throw error;
  }
}

// ---- git ----

/** A person may have used git while the update was interrupted. What they did is not undone. */
function checkHead(root, { from, to, branch }) {
  const head = git(root, ["rev-parse", "--verify", "HEAD"]);
  if (head !== from && head !== to)
    throw new UpdateError(
      `The checkout is at ${head.slice(0, 8)}, which is neither the old version (${from.slice(0, 8)}) nor the new one ` +
        `(${to.slice(0, 8)}): it was changed after the update was interrupted. Run \`git reset --hard ${from.slice(0, 8)}\`, then try again.`,
    );
  const present = git(root, ["symbolic-ref", "-q", "--short", "HEAD"], [0, 1]);
  if (present !== (branch ?? ""))
    throw new UpdateError(
      `The checkout is on ${present || "no branch"}, but the update began on ${branch ?? "no branch"}. ` +
        `Run \`git checkout ${branch ?? from.slice(0, 8)}\`, then try again.`,
    );
}

/** Moves the branch and the index. The files are in place already, and stay as they are. */
function moveHead(root, { from, branch }, target, at, isRecovery) {
  waitForGit(root, branch, isRecovery);
  const isThere = git(root, ["rev-parse", "HEAD"]) === target && isIndexOf(root, target);
  if (!isThere) git(root, ["reset", "--quiet", "--mixed", target]);
  at("head moved");
  const different = git(root, ["diff", "--name-only", "HEAD"]).split("\n").filter(Boolean);
  if (different.length === 0) return;
  const which = target === from ? "old" : "new";
  throw new UpdateError(`Files differ from the ${which} version: ${different.slice(0, 5).join(", ")}.`);
}

function isIndexOf(root, commit) {
  return git(root, ["diff", "--cached", "--name-only", commit]) === "";
}

/** A git that was killed leaves its locks behind. After an interruption they are ours to remove, once git has had time to end. */
function waitForGit(root, branch, isRecovery) {
  const names = ["index.lock", "HEAD.lock", ...(branch ? [`refs/heads/${branch}.lock`] : [])];
  const files = names.map((name) => resolve(root, git(root, ["rev-parse", "--git-path", name])));
  const until = Date.now() + GIT_LOCK_MS;
  while (files.some(exists) && Date.now() < until) pause(50);
  const left = files.find(exists);
  if (left && !isRecovery) throw new UpdateError(`Another git command is running: ${left} exists.`);
  for (const file of files) rmSync(file, { force: true });
}

function pause(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function git(root, args, codes = [0]) {
  const env = { ...process.env, GIT_TERMINAL_PROMPT: "0", LC_ALL: "C", GIT_OPTIONAL_LOCKS: "0" };
  for (const name of ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"]) delete env[name];
  const ran = spawnSync("git", [...GIT_OPTIONS, ...args], { cwd: root, env, encoding: "utf8", maxBuffer: 64 << 20 });
  if (ran.error) throw new UpdateError(`git cannot be run: ${ran.error.message}`);
  if (codes.includes(ran.status)) return ran.stdout.trim();
  throw new UpdateError(`git ${args[0]} failed: ${(ran.stderr || "").trim().split("\n").at(-1) || ran.signal}`);
}
