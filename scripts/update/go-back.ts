// `npm run update -- --back`: puts back the version before the last update. Its files and packages were kept, so this needs no network. The
// state of that time comes back with it only if nothing was done on it since: nothing is lost, and nothing is done twice.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { PlainError } from "../command-line.ts";
import { holdState } from "../stack/stack.ts";
import { checkClean } from "./checkout.ts";
import { askGit } from "./command.ts";
import { findChange } from "./compare-states.ts";
import {
  type Ended,
  type SwitchOptions,
  finishSwitch,
  readLast,
  syncDisk,
  takeLock,
  toPlaces,
  writeJournal,
} from "./recover.mjs";
import { copyState } from "./snapshots.ts";

export interface GoBackOptions extends SwitchOptions {
  root: string;
  signal: AbortSignal;
  say(line: string): void;
  mayGo(): Promise<boolean>;
}

/** Resolves with the exit code. */
export async function goBack(options: GoBackOptions): Promise<number> {
  const { root, signal, say, mayGo, at } = options;
  const lock = takeLock(root);
  if ("pid" in lock) throw new PlainError(`Another update is running (process ${lock.pid}). Wait until it has ended.`);
  try {
    const last = readLast(root);
    if (last?.outcome !== "done" || !existsSync(join(toPlaces(root).old, "files")))
      throw new PlainError("There is no finished update to go back from.");
    if (askGit(root, ["rev-parse", "HEAD"]) !== last.to)
      throw new PlainError(
        `The checkout has changed since the last update. Use git: \`git checkout ${last.from.slice(0, 8)}\`.`,
      );
    checkClean(root);
    say(`Version before the last update: ${last.fromName}`);
    if (!(await mayGo())) {
      console.log("Nothing was changed.");
      return 0;
    }
    await holdState(join(root, ".talaria", "state"), async () => {
      const restore = prepareState(root, last, say);
      signal.throwIfAborted();
      syncDisk(root);
      const journal = { ...last, step: "back" as const, startedAt: Date.now(), restore };
      writeJournal(root, journal);
      finishSwitch(root, journal, { say, ...(at && { at }) });
    });
    console.log(`Version in place: ${last.fromName}. \`npm start\` starts it.`);
    return 0;
  } finally {
    lock.release();
  }
}

/** Whether the state of the time before the update shall come back: its copy is then ready. */
function prepareState(root: string, last: Ended, say: (line: string) => void): boolean {
  const { snapshots, stateBack } = toPlaces(root);
  const stateDir = join(root, ".talaria", "state");
  const snapshot = last.snapshot === null ? null : join(snapshots, last.snapshot, "state");
  if (snapshot === null || !existsSync(snapshot)) return false;
  const change = findChange(stateDir, snapshot);
  if (change !== null) {
    say(`The state stays as it is: it was used since the update (${change}). The copy from before is in ${snapshot}.`);
    return false;
  }
  copyState(snapshot, stateBack);
  say("The state of the time before the update comes back with it: nothing was done on it since.");
  return true;
}
