// `npm run update`: fetches the newest version, tries it on a copy of the state, and puts it in place, or leaves everything as it was. What
// an interrupted update left is brought to an end by scripts/run.mjs before any other command.
import { createInterface } from "node:readline/promises";
import { PlainError, parseFlags, runCommand } from "./command-line.ts";
import { describeStoredForms, listChanges } from "./update/changes.ts";
import {
  type Checkout,
  checkClean,
  chooseTarget,
  compare,
  countCommits,
  describeCommit,
  isBelow,
  readCheckout,
} from "./update/checkout.ts";
import { askGit, fetchGit, lastLines } from "./update/command.ts";
import { goBack } from "./update/go-back.ts";
import { takeLock } from "./update/recover.mjs";
import { findRoot, runUpdate } from "./update/run-update.ts";
import { onStopSignal } from "./stack/processes.ts";

const USAGE = `Usage: npm run update [-- --check] [-- --to REF] [-- --yes] [-- --back]

Updates this checkout: fetches, tries the new version on a copy of the state, and puts it in place. When anything fails or
is interrupted, the present version stays. Stop Talaria first.

  --check     only tells what is new; exit code 10 if there is an update
  --to REF    a branch, a tag or a commit instead of the branch that this checkout follows
  --back      puts back the version before the last update
  --yes       asks nothing
  -h, --help  this text`;

/** Exit code of `--check` when there is an update. */
const THERE_IS_ONE = 10;
const FETCH_MS = 10 * 60_000;
const INTERRUPTED = 130;
/** A signal this long after the first one is another: a person does not want to wait. */
const AGAIN_MS = 500;
const root = findRoot();

// A closed terminal must not end an update in the middle of a step.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

await runCommand(USAGE, async () => {
  const flags = parseFlags({
    check: { type: "boolean" },
    to: { type: "string" },
    back: { type: "boolean" },
    yes: { type: "boolean" },
  });
  const abort = new AbortController();
  let firstAt: number | undefined;
  onStopSignal(() => {
    firstAt ??= performance.now();
    abort.abort(new PlainError("Interrupted. Nothing was changed."));
    // A closed terminal signals every process, and the launcher passes it on. The next command removes what is left.
    if (performance.now() - firstAt > AGAIN_MS) process.exit(INTERRUPTED);
  });
  try {
    if (flags.back) return await goBack({ root, signal: abort.signal, say, mayGo: () => mayGo(flags.yes, "Go back?") });
    return await update({ ...flags, signal: abort.signal });
  } catch (error) {
    if (!abort.signal.aborted) throw error;
    console.error("Interrupted. Nothing was changed.");
    return INTERRUPTED;
  }
});

interface Asked {
  check?: boolean | undefined;
  to?: string | undefined;
  yes?: boolean | undefined;
  signal: AbortSignal;
}

async function update({ check, to, yes, signal }: Asked): Promise<number> {
  const checkout = readCheckout(root);
  if (!check) checkClean(root);
  const lock = takeLock(root);
  if ("pid" in lock) throw new PlainError(`Another update is running (process ${lock.pid}). Wait until it has ended.`);
  try {
    await fetch(checkout, signal);
    const target = chooseTarget(checkout, to);
    const { commit, branch } = checkout;
    console.log(`Present version: ${describeCommit(root, commit)}`);
    if (target === commit) {
      console.log("There is nothing newer.");
      return 0;
    }
    describe(checkout, target, to);
    if (check) {
      console.log("Nothing was changed. `npm run update` updates.");
      return THERE_IS_ONE;
    }
    compare(root, commit, target);
    const isForward = isBelow(root, commit, target);
    const question = isForward ? "Update?" : "This version does not contain the present one. Take it?";
    if (!(await mayGo(yes, question, isForward))) {
      console.log("Nothing was changed.");
      return 0;
    }
    if (!isForward) askGit(root, ["update-ref", `refs/talaria/before-${commit.slice(0, 12)}`, commit]);
    const outcome = await runUpdate({ root, from: commit, to: target, branch, now: Date.now(), signal, say });
    if (outcome === "put back") {
      console.error(`The update failed and was put back. Version in place: ${describeCommit(root, commit)}`);
      return 1;
    }
    console.log(`Version in place: ${describeCommit(root, target)}. \`npm start\` starts it.`);
    return 0;
  } catch (error) {
    if (!signal.aborted) console.error(`Not updated. Version in place: ${describeCommit(root, checkout.commit)}`);
    throw error;
  } finally {
    lock.release();
  }
}

async function fetch({ remote, commit }: Checkout, signal: AbortSignal): Promise<void> {
  say(`Asking ${remote} what is new.`);
  const ran = await fetchGit([remote], { root, cwd: root, signal, timeoutMs: FETCH_MS });
  if (ran.code === 0) return;
  throw new PlainError(
    `${remote} could not be fetched: ${lastLines(ran.stderr)}. Nothing was changed at ${commit.slice(0, 8)}.`,
  );
}

function describe({ commit, remote, upstream }: Checkout, target: string, named: string | undefined): void {
  const [more, fewer] = [countCommits(root, commit, target), countCommits(root, target, commit)];
  const distance = `${more} ${more === 1 ? "commit" : "commits"} more${fewer === 0 ? "" : `, ${fewer} fewer`}`;
  console.log(`Newest version:  ${describeCommit(root, target)}, ${distance} (${named ?? `${remote}/${upstream}`})`);
  console.log(describeStoredForms(root, commit, target));
  const changes = listChanges(root, commit, target);
  console.log(changes.length === 0 ? "CHANGELOG.md has nothing new." : `What is new:\n${changes.join("\n")}`);
}

/** Asks at a terminal. Elsewhere the command itself is the order, unless commits would be left behind. */
async function mayGo(yes: boolean | undefined, question: string, isUsual = true): Promise<boolean> {
  if (yes) return true;
  if (!process.stdin.isTTY) {
    if (isUsual) return true;
    throw new PlainError(`${question} Say it with --yes.`);
  }
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}

function say(line: string): void {
  console.error(`[${(performance.now() / 1000).toFixed(1)} s] ${line}`);
}
