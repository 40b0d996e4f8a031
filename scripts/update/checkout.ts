// What an update asks of the checkout before it begins: where it is, where it comes from, whether anything in it would be lost. Changes
// nothing. Each refusal says what to do.
import { existsSync, lstatSync, readdirSync, realpathSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { toSeenLine } from "../../cli/output/plain-text.ts";
import { PlainError } from "../command-line.ts";
import { askGit } from "./command.ts";
import { isOfCheckout } from "./recover.mjs";

export interface Checkout {
  root: string;
  commit: string;
  /** `null`: on no branch. */
  branch: string | null;
  remote: string;
  /** The branch of the remote that this one follows; `null`: it follows none, and the update needs `--to`. */
  upstream: string | null;
}

export interface Difference {
  added: string[];
  changed: string[];
  removed: string[];
}

/** A merge or the like that a person has begun. */
const BEGUN = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG", "rebase-merge", "rebase-apply"];
/** Files that the new version must have, so that it can be tried and updated again. */
const NEEDED = [
  "scripts/run.mjs",
  "scripts/update.ts",
  "scripts/update/recover.mjs",
  "scripts/update/journal.mjs",
  "scripts/update/trial.ts",
];
const SHOWN = 10;

export function readCheckout(root: string): Checkout {
  // Without 128, git's own words are shown, for example that the folder belongs to another user.
  const codes = existsSync(join(root, ".git")) ? [0] : [0, 128];
  const top = askGit(root, ["rev-parse", "--show-toplevel"], { codes });
  if (top === "" || realpathSync(top) !== realpathSync(root))
    throw new PlainError(
      `${root} is not a git checkout of Talaria, so there is nothing to fetch. Clone the repository into a new folder, stop ` +
        "Talaria, and copy the folder .talaria into the clone.",
    );
  const commit = askGit(root, ["rev-parse", "--verify", "HEAD"]);
  const branch = askGit(root, ["symbolic-ref", "-q", "--short", "HEAD"], { codes: [0, 1] }) || null;
  const remotes = askGit(root, ["remote"]).split("\n").filter(Boolean);
  const followed = branch && askGit(root, ["config", `branch.${branch}.remote`], { codes: [0, 1] });
  const remote = followed && remotes.includes(followed) ? followed : remotes.includes("origin") ? "origin" : remotes[0];
  if (remote === undefined)
    throw new PlainError(
      "This checkout has no remote, so there is nothing to fetch. Add one: git remote add origin <address of the repository>.",
    );
  const merge = branch && askGit(root, ["config", `branch.${branch}.merge`], { codes: [0, 1] });
  const upstream = merge ? merge.replace("refs/heads/", "") : branch;
  return { root, commit, branch, remote, upstream };
}

/** Throws a PlainError when an update would meet changes that are in no commit. Untracked files may stay. */
export function checkClean(root: string): void {
  const begun = BEGUN.find((name) => existsSync(resolve(root, askGit(root, ["rev-parse", "--git-path", name]))));
  if (begun) throw new PlainError(`A git command is unfinished (${begun}). Finish or abort it, then update.`);
  const changed = askGit(root, ["status", "--porcelain", "-z", "--untracked-files=no"]).split("\0").filter(Boolean);
  if (changed.length === 0) return;
  throw new PlainError(
    `These files were changed here: ${listSome(changed.map((line) => line.slice(3)))}. An update never changes or hides your work: ` +
      "commit it, or put it aside with `git stash`, then update.",
  );
}

/** The commit to update to. Throws a PlainError when the present one would not be kept below it, unless `isNamed`. */
export function chooseTarget({ root, commit, branch, remote, upstream }: Checkout, named: string | undefined): string {
  if (named !== undefined) return readNamed(root, remote, named);
  if (upstream === null)
    throw new PlainError(
      "This checkout is on no branch, so it is unknown what to follow. Say it: `npm run update -- --to main`, or `git checkout main` first.",
    );
  const ref = `refs/remotes/${remote}/${upstream}`;
  const target = askGit(root, ["rev-parse", "-q", "--verify", `${ref}^{commit}`], { codes: [0, 1] });
  if (!target)
    throw new PlainError(
      `${remote} has no branch ${upstream}, which ${branch ?? "this checkout"} follows. Say what to update to: \`npm run update -- --to main\`.`,
    );
  if (isBelow(root, commit, target) || isBelow(root, target, commit))
    return isBelow(root, target, commit) ? commit : target;
  throw new PlainError(
    `${branch} has commits that ${remote}/${upstream} has not: you committed here, or the remote has rewritten its history. ` +
      `Bring them together with git (\`git rebase ${remote}/${upstream}\`), or take the remote's version as it is: ` +
      `\`npm run update -- --to ${remote}/${upstream}\` keeps your commits under refs/talaria/.`,
  );
}

function readNamed(root: string, remote: string, name: string): string {
  if (!/^[\w./@+-]+$/.test(name) || name.startsWith("-"))
    throw new PlainError(`--to takes a branch, a tag or a commit, not ${JSON.stringify(name)}.`);
  for (const ref of [`refs/tags/${name}`, `refs/remotes/${name}`, `refs/remotes/${remote}/${name}`, name]) {
    const commit = askGit(root, ["rev-parse", "-q", "--verify", `${ref}^{commit}`], { codes: [0, 1, 128] });
    if (commit) return commit;
  }
  throw new PlainError(`${remote} has no branch, tag or commit ${JSON.stringify(name)}.`);
}

/** Whether `commit` is `other` or one of its ancestors. */
export function isBelow(root: string, commit: string, other: string): boolean {
  return askGit(root, ["rev-list", "--max-count=1", commit, `^${other}`], { codes: [0] }) === "";
}

export function countCommits(root: string, from: string, to: string): number {
  return Number(askGit(root, ["rev-list", "--count", `${from}..${to}`]));
}

/** Throws a PlainError when the new version cannot be tried and updated again, or would overwrite a file that git does not know. */
export function compare(root: string, from: string, to: string): Difference {
  const absent = NEEDED.filter((path) => !hasFile(root, to, path));
  if (absent.length > 0)
    throw new PlainError(
      `${describeCommit(root, to)} is older than this command: it lacks ${absent.join(", ")}. Use git to go there: stop Talaria, copy ` +
        ".talaria away, then `git checkout`.",
    );
  const fields = askGit(root, ["diff", "--no-renames", "--name-status", "-z", from, to]).split("\0").filter(Boolean);
  const difference: Difference = { added: [], changed: [], removed: [] };
  for (let i = 0; i < fields.length; i += 2) {
    const [kind, path] = [fields[i]!, fields[i + 1]!];
    const list = kind === "A" ? "added" : kind === "D" ? "removed" : "changed";
    difference[list].push(path);
  }
  checkHidden(root, new Set([...difference.changed, ...difference.removed]));
  const own = Object.values(difference)
    .flat()
    .filter((path) => !isOfCheckout(path));
  if (own.length > 0)
    throw new PlainError(`That version has files where only packages and your state may be: ${listSome(own)}.`);
  const gone = new Set(difference.removed);
  const inTheWay = difference.added.flatMap((path) => findInTheWay(root, path, gone) ?? []);
  if (inTheWay.length > 0)
    throw new PlainError(
      `The new version brings files whose names are taken here: ${listSome(inTheWay)}. Move yours away, then update.`,
    );
  return difference;
}

/** Throws a PlainError for files whose changes git was told to overlook: what a person wrote there would be lost. */
function checkHidden(root: string, paths: ReadonlySet<string>): void {
  const marked = askGit(root, ["ls-files", "-v", "-z"])
    .split("\0")
    .flatMap((line) => (/^(?:[a-z]|S) /.test(line) && paths.has(line.slice(2)) ? [line.slice(2)] : []));
  if (marked.length === 0) return;
  throw new PlainError(
    `git was told to overlook your changes of files that the new version changes: ${listSome(marked)}. Say ` +
      "`git update-index --no-skip-worktree --no-assume-unchanged` for each (in a sparse checkout: `git sparse-checkout disable`), " +
      "keep what is yours, then update.",
  );
}

/** What a file of the new version would meet: a file that stays, as itself or as one of its folders, or a folder with files that stay. */
function findInTheWay(root: string, path: string, gone: ReadonlySet<string>): string | null {
  const parts = path.split("/");
  for (let i = 1; i <= parts.length; i += 1) {
    const place = parts.slice(0, i).join("/");
    const stat = lstatSync(join(root, place), { throwIfNoEntry: false });
    if (!stat) return null;
    if (!stat.isDirectory()) return gone.has(place) ? null : place;
    if (i < parts.length) continue;
    const files = readdirSync(join(root, place), { recursive: true, withFileTypes: true }).filter(
      (entry) => !entry.isDirectory(),
    );
    const staying = files.find(
      (entry) => !gone.has(relative(root, join(entry.parentPath, entry.name)).replaceAll("\\", "/")),
    );
    return staying ? place : null;
  }
  return null;
}

export function hasFile(root: string, commit: string, path: string): boolean {
  return askGit(root, ["ls-tree", "--name-only", commit, "--", path]) !== "";
}

/** The blob of a file; empty when the commit does not have it. */
export function blobOf(root: string, commit: string, path: string): string {
  return askGit(root, ["ls-tree", "--object-only", commit, "--", path]);
}

/** `218e3bb3 of 2026-11-27 (Lay the ground …)`. */
export function describeCommit(root: string, commit: string): string {
  return toSeenLine(askGit(root, ["show", "--no-patch", "--format=%h of %cs (%s)", "--abbrev=8", commit]));
}

function listSome(names: string[]): string {
  const more = names.length - SHOWN;
  return names.slice(0, SHOWN).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
