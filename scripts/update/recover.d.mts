// The types of recover.mjs and journal.mjs, which run on Node 20 without a loader.

export interface Journal {
  /** Before `switch` nothing of the checkout has changed. */
  step: "fetch" | "snapshot" | "unpack" | "install" | "try" | "switch" | "back" | "tidy";
  /** Unix time in ms. */
  startedAt: number;
  /** Commits. */
  from: string;
  to: string;
  /** The versions as a person reads them. */
  fromName: string;
  toName: string;
  /** `null`: the checkout is on no branch. */
  branch: string | null;
  /** Paths of files in the checkout, with `/`. */
  added: string[];
  changed: string[];
  removed: string[];
  /** Folder of the snapshot of the state, in `snapshots`; `null` without a state. */
  snapshot: string | null;
  /** `--back`: the state of before the update comes back. */
  restore?: boolean;
  /** Why the new version was put back. */
  failure?: string;
}

export type Outcome = "done" | "put back" | "interrupted" | "failed";

export interface Ended extends Journal {
  outcome: Outcome;
  endedAt: number;
}

/** Files and folders below `.talaria/update`. */
export interface Places {
  home: string;
  journal: string;
  last: string;
  lock: string;
  child: string;
  next: string;
  old: string;
  oldNext: string;
  discarded: string;
  trial: string;
  stateBack: string;
  stateAside: string;
  index: string;
  tmp: string;
  snapshots: string;
}

export interface SwitchOptions {
  say?(line: string): void;
  /** Called after each change, with its name. Tests end the process here. */
  at?(point: string): void;
}

export const GIT_OPTIONS: string[];
export class UpdateError extends Error {}
export function toPlaces(root: string): Places;
export function readJournal(root: string): Journal | null;
export function writeJournal(root: string, journal: Journal): void;
export function closeJournal(root: string, journal: Journal, outcome: Outcome): void;
export function isOfCheckout(path: unknown): boolean;
export function readLast(root: string): Ended | null;
export function syncDisk(root: string): void;
export function takeLock(root: string): { release(): void } | { pid: number };
export function identify(pid: number): { pid: number; startedAt: number };
export function recover(root: string, options?: SwitchOptions): Promise<{ changed: boolean } | null>;
export function finishSwitch(root: string, journal: Journal, options?: SwitchOptions): "done" | "put back";
export function cleanUp(root: string): void;
export function discardOld(root: string): void;
