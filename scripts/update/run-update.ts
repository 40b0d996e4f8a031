// The steps of an update. Everything that takes long happens beside the checkout, in `.talaria/update/next`: the new version's files, its
// packages, and a trial of it on a copy of the state. Only then `finishSwitch` (recover.mjs) puts it in place, within about a second. The
// journal says before each step what it will be, so that the next command knows what an interrupted one left (scripts/run.mjs).
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, statSync, statfsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { PlainError } from "../command-line.ts";
import { holdState } from "../stack/stack.ts";
import { type Difference, blobOf, compare, describeCommit } from "./checkout.ts";
import { type Ran, askGit, lastLines, runCommand } from "./command.ts";
import {
  type Journal,
  type Outcome,
  type SwitchOptions,
  cleanUp,
  closeJournal,
  finishSwitch,
  syncDisk,
  toPlaces,
  writeJournal,
} from "./recover.mjs";
import { copyDurably, copyState, measure, pruneSnapshots, removeAlarms, takeSnapshot } from "./snapshots.ts";

export interface UpdateSteps {
  /** Installs the packages of the folder it is started in. */
  install: string[];
  /** Tries the version of the folder it is started in: `<command> <state folder> <key file>`. */
  trial: string[];
  /** Starts the update of that version, which only says how it is used, as a person would: with the Node of this machine. */
  askUpdate: string[];
}

export interface UpdateOptions extends SwitchOptions {
  root: string;
  from: string;
  to: string;
  branch: string | null;
  now: number;
  signal: AbortSignal;
  say(line: string): void;
  steps?: UpdateSteps;
}

/** What scripts/run.mjs needs after an interruption. */
const RECOVERY = ["journal.mjs", "recover.mjs"];
/** Same lock file, same packages: they are copied, which needs no network. */
const PACKAGES = ["package.json", "package-lock.json"];
const SPARE_BYTES = 300 << 20;
/** One start of the stack, and every profile's export. */
const TRIAL_MS = 60 * 60_000;
const INSTALL_MS = 30 * 60_000;
const DEFAULT_STEPS: UpdateSteps = {
  install: [process.execPath, "scripts/run.mjs"],
  trial: [process.execPath, "scripts/run.mjs", "scripts/update/trial.ts"],
  askUpdate: [process.env.npm_node_execpath ?? process.execPath, "scripts/run.mjs", "scripts/update.ts", "--help"],
};

/** Call with the lock of updates held. Throws a PlainError when the new version was refused; the checkout is then unchanged. */
export async function runUpdate(options: UpdateOptions): Promise<"done" | "put back"> {
  const { root, from, to, branch, now, say, at } = options;
  const difference = compare(root, from, to);
  const names = { fromName: describeCommit(root, from), toName: describeCommit(root, to) };
  let journal: Journal = {
    step: "snapshot",
    startedAt: now,
    from,
    to,
    branch,
    ...names,
    ...difference,
    snapshot: null,
  };
  const step = (name: Journal["step"], more: Partial<Journal> = {}) => {
    journal = { ...journal, step: name, ...more };
    writeJournal(root, journal);
    at?.(`step ${name}`);
  };
  const places = toPlaces(root);
  cleanUp(root);
  mkdirSync(places.home, { recursive: true, mode: 0o700 });
  for (const name of RECOVERY) copyDurably(join(import.meta.dirname, name), join(places.home, name));
  const stateDir = join(root, ".talaria", "state");
  return holdState(stateDir, async () => {
    try {
      checkRoom(root, stateDir, needsInstall(root, from, to));
      say("Copying the state.");
      step("snapshot");
      const snapshot = takeSnapshot(root, from, now);
      say("Unpacking the new version.");
      step("unpack", { snapshot });
      unpack(root, to, places.next);
      unpackOld(root, from, difference);
      at?.("unpacked");
      step("install");
      await install(options);
      at?.("installed");
      say("Trying the new version on a copy of the state.");
      step("try");
      await tryVersion(options, snapshot);
      at?.("tried");
      rmSync(places.trial, { recursive: true, force: true, maxRetries: 3 });
      if (askGit(root, ["rev-parse", "HEAD"]) !== from || hasChanges(root))
        throw new PlainError(
          "The checkout was changed while the new version was tried. Commit or put aside what you changed.",
        );
      compare(root, from, to);
      options.signal.throwIfAborted();
    } catch (error) {
      if ((error as { isTest?: boolean }).isTest) throw error;
      end(root, journal, "failed");
      throw error;
    }
    say("Putting the new version in place.");
    syncDisk(root);
    step("switch");
    const outcome = finishSwitch(root, journal, { say, ...(at && { at }) });
    pruneSnapshots(root);
    return outcome;
  });
}

function end(root: string, journal: Journal, outcome: Outcome): void {
  cleanUp(root);
  closeJournal(root, journal, outcome);
}

function hasChanges(root: string): boolean {
  return askGit(root, ["status", "--porcelain", "--untracked-files=no"]) !== "";
}

function needsInstall(root: string, from: string, to: string): boolean {
  const isSame = PACKAGES.every((path) => blobOf(root, from, path) === blobOf(root, to, path));
  return !isSame || !existsSync(join(root, "node_modules"));
}

/** Two copies of the state, an export of it, a second node_modules, and some more. */
function checkRoom(root: string, stateDir: string, isNew: boolean): void {
  const { home } = toPlaces(root);
  if (statSync(home).dev !== statSync(root).dev)
    throw new PlainError(
      `${join(root, ".talaria")} is on another disk than ${root}, so the new version could not be put in place in one step. ` +
        "Update by hand: stop Talaria, `git pull`, `npm start`.",
    );
  const needed = 3 * measure(stateDir) + measure(join(root, "node_modules")) + SPARE_BYTES;
  const { bavail, bsize } = statfsSync(home);
  if (bavail * bsize >= needed) return;
  const toMb = (bytes: number) => Math.ceil(bytes / 1024 / 1024);
  throw new PlainError(
    `An update needs ${toMb(needed)} MB on the disk of ${root}: copies of the state, and ${isNew ? "new" : "copied"} packages beside ` +
      `the old. ${toMb(bavail * bsize)} MB are free. Free some space, then update.`,
  );
}

/** The files of a commit, as a checkout would write them. Uses an index of its own. */
function unpack(root: string, commit: string, folder: string): void {
  const { index } = toPlaces(root);
  mkdirSync(folder, { recursive: true });
  const env = { GIT_INDEX_FILE: index };
  askGit(root, ["read-tree", commit], { env });
  askGit(root, ["checkout-index", "--all", "--force", `--prefix=${relative(root, folder)}/`], { env });
}

/** The files that the new version changes or removes, as they are now: with them the way back needs nothing else. */
function unpackOld(root: string, commit: string, { changed, removed }: Difference): void {
  const { index, oldNext } = toPlaces(root);
  const files = join(oldNext, "files");
  mkdirSync(files, { recursive: true });
  const env = { GIT_INDEX_FILE: index };
  askGit(root, ["read-tree", commit], { env });
  const all = [...changed, ...removed];
  for (let i = 0; i < all.length; i += 200) {
    const some = all.slice(i, i + 200);
    askGit(root, ["checkout-index", "--force", `--prefix=${relative(root, files)}/`, "--", ...some], { env });
  }
}

async function install({ root, from, to, signal, say, steps = DEFAULT_STEPS }: UpdateOptions): Promise<void> {
  const { next, tmp } = toPlaces(root);
  const [present, coming] = [join(root, "node_modules"), join(next, "node_modules")];
  if (!needsInstall(root, from, to)) {
    say("Copying the packages, which are the same.");
    rmSync(tmp, { recursive: true, force: true });
    const copy = [process.execPath, join(import.meta.dirname, "copy-packages.mjs"), present, tmp];
    const copied = await runCommand(copy, { root, cwd: root, signal, timeoutMs: INSTALL_MS });
    if (copied.code !== 0) throw toRefusal("The packages could not be copied", copied);
    renameSync(tmp, coming);
  } else say("Installing the packages of the new version.");
  const ran = await runCommand(steps.install, { root, cwd: next, signal, timeoutMs: INSTALL_MS, onLine: say });
  if (ran.code !== 0) throw toRefusal("The packages of the new version could not be installed", ran);
}

async function tryVersion(options: UpdateOptions, snapshot: string | null): Promise<void> {
  const { root, signal, say, steps = DEFAULT_STEPS } = options;
  const { next, trial, snapshots } = toPlaces(root);
  rmSync(trial, { recursive: true, force: true });
  mkdirSync(trial, { recursive: true, mode: 0o700 });
  if (snapshot !== null) {
    copyState(join(snapshots, snapshot, "state"), join(trial, "state"));
    removeAlarms(join(trial, "state"));
    const access = join(snapshots, snapshot, "local.json");
    if (existsSync(access)) copyFileSync(access, join(trial, "local.json"));
  }
  const command = [...steps.trial, join(trial, "state"), join(trial, "local.json")];
  const ran = await runCommand(command, { root, cwd: next, signal, timeoutMs: TRIAL_MS, onLine: say });
  if (ran.code !== 0) throw toRefusal("The new version did not pass its trial", ran);
  // What the trial does not use: without it there would be no way back from the new version.
  const asked = await runCommand(steps.askUpdate, { root, cwd: next, signal, timeoutMs: TRIAL_MS });
  if (asked.code !== 0) throw toRefusal("The new version could not be updated again", asked);
}

function toRefusal(what: string, ran: Ran): PlainError {
  return new PlainError(`${what}: ${lastLines(ran.stderr || ran.stdout)}`);
}

/** The folder of the launcher, from where the update was started. */
export function findRoot(): string {
  return dirname(dirname(import.meta.dirname));
}
