// What an update refuses before it begins, each with what to do, and what it tells of a new version. Real git, small repositories.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { describeStoredForms, listChanges } from "../../scripts/update/changes.ts";
import { checkClean, chooseTarget, compare, describeCommit, readCheckout } from "../../scripts/update/checkout.ts";
import { fetchGit, lastLines } from "../../scripts/update/command.ts";
import { recover, takeLock, toPlaces } from "../../scripts/update/recover.mjs";
import {
  commitAll,
  copyCheckout,
  createFastFolders,
  git,
  makeCheckout,
  writeIn,
} from "../support/update/small-checkout.ts";

const newFolder = createFastFolders();
const template = makeCheckout(newFolder());
git(template.root, "fetch", "--quiet");
const copy = () => copyCheckout(template, newFolder());

describe("a checkout", () => {
  it("that follows a branch is updated to that branch's commit", () => {
    const { root, from, to } = copy();
    const checkout = readCheckout(root);
    expect(checkout).toEqual({ root, commit: from, branch: "main", remote: "origin", upstream: "main" });
    expect(chooseTarget(checkout, undefined)).toBe(to);
    expect(chooseTarget({ ...checkout, commit: to }, undefined)).toBe(to);
  });

  it("with changes is refused, and the files are named; untracked files may stay", () => {
    const { root } = copy();
    writeFileSync(join(root, "mine.txt"), "mine");
    checkClean(root);
    writeFileSync(join(root, "kept.txt"), "mine");
    git(root, "rm", "--quiet", "Grüße 日本.txt");
    expect(() => checkClean(root)).toThrow(/These files were changed here: .*Grüße 日本\.txt.*kept\.txt.*git stash/s);
  });

  it("in the middle of a merge is refused", () => {
    const { root } = copy();
    writeFileSync(join(root, ".git/MERGE_HEAD"), `${git(root, "rev-parse", "HEAD")}\n`);
    expect(() => checkClean(root)).toThrow("A git command is unfinished (MERGE_HEAD)");
  });

  it("that is no checkout, or has no remote, is refused", () => {
    const { root } = copy();
    git(root, "remote", "remove", "origin");
    expect(() => readCheckout(root)).toThrow("This checkout has no remote");
    rmSync(join(root, ".git"), { recursive: true });
    expect(() => readCheckout(root)).toThrow("is not a git checkout of Talaria");
    mkdirSync(join(template.root, ".talaria/inner"), { recursive: true });
    expect(() => readCheckout(join(template.root, ".talaria/inner"))).toThrow("is not a git checkout of Talaria");
  });

  it("on no branch says that it needs --to, which takes branches, tags and commits", () => {
    const { root, to } = copy();
    git(root, "checkout", "--quiet", "--detach");
    const checkout = readCheckout(root);
    expect(() => chooseTarget(checkout, undefined)).toThrow("This checkout is on no branch");
    git(root, "tag", "v9", to);
    for (const name of ["main", "origin/main", "v9", to, to.slice(0, 10)])
      expect(chooseTarget(checkout, name)).toBe(to);
    expect(() => chooseTarget(checkout, "no-such")).toThrow('origin has no branch, tag or commit "no-such"');
    for (const name of ["--upload-pack=x", "a b", ""]) expect(() => chooseTarget(checkout, name)).toThrow("--to takes");
  });

  it("with commits of its own, or whose remote has rewritten its history, is refused without --to", () => {
    const { root, to } = copy();
    writeIn(root, { "mine.txt": "mine" });
    const mine = commitAll(root, "mine");
    const checkout = readCheckout(root);
    expect(() => chooseTarget(checkout, undefined)).toThrow(
      /main has commits that origin\/main has not.*git rebase origin\/main/,
    );
    expect(chooseTarget(checkout, "origin/main")).toBe(to);
    // Ahead only: there is nothing newer.
    git(root, "reset", "--quiet", "--hard", to);
    writeIn(root, { "mine.txt": "mine" });
    const ahead = commitAll(root, "mine, later");
    expect(ahead).not.toBe(mine);
    expect(chooseTarget(readCheckout(root), undefined)).toBe(ahead);
  });

  it("that was cloned shallow is updated too", () => {
    const folder = newFolder();
    const root = join(folder, "shallow");
    git(folder, "clone", "--quiet", "--depth=1", "--template=", `file://${template.origin}`, root);
    git(template.origin, "commit", "--quiet", "--allow-empty", "-m", "later");
    git(root, "fetch", "--quiet");
    const later = git(template.origin, "rev-parse", "HEAD");
    expect(chooseTarget(readCheckout(root), undefined)).toBe(later);
    expect(compare(root, git(root, "rev-parse", "HEAD"), later)).toEqual({ added: [], changed: [], removed: [] });
    git(template.origin, "reset", "--quiet", "--hard", "HEAD~1");
  });

  it("that cannot reach its remote says so", async () => {
    const { root } = copy();
    git(root, "remote", "set-url", "origin", join(root, "nowhere"));
    mkdirSync(toPlaces(root).home, { recursive: true });
    const ran = await fetchGit(["origin"], { root, cwd: root, signal: new AbortController().signal });
    expect([ran.code, ran.stderr]).toEqual([128, expect.stringContaining("does not appear to be a git repository")]);
  });
});

it("the words of a failed npm are told by what happened, those of other commands by their end", () => {
  const npm =
    "[setup] npm ci\nnpm error code ECONNREFUSED\nnpm error syscall connect\nnpm error\nnpm error A complete log is in x\n";
  expect(lastLines(npm)).toBe("code ECONNREFUSED syscall connect A complete log is in x");
  expect(lastLines("one\ntwo\n\nthree\nfour\n")).toBe("two three four");
  expect(lastLines("\n")).toBe("no output");
});

describe("a new version", () => {
  it("that would overwrite a file which git does not know is refused, also below folders", () => {
    const { root, from, to } = copy();
    expect(compare(root, from, to).added).toContain("file-then-folder/inner.txt");
    writeIn(root, { "added/deep/come.txt": "mine" });
    expect(() => compare(root, from, to)).toThrow("files whose names are taken here: added/deep/come.txt");
    rmSync(join(root, "added"), { recursive: true });
    writeFileSync(join(root, "added"), "mine");
    expect(() => compare(root, from, to)).toThrow("taken here: added.");
    rmSync(join(root, "added"));
    writeIn(root, { "folder-then-file/mine.txt": "mine" });
    expect(() => compare(root, from, to)).toThrow("taken here: folder-then-file.");
  });

  it.each(["--skip-worktree", "--assume-unchanged"])(
    "that would overwrite a change hidden by %s is refused",
    (mark) => {
      const { root, from, to } = copy();
      git(root, "update-index", mark, "kept.txt");
      compare(root, from, to);
      git(root, "update-index", mark, "changed.txt");
      writeFileSync(join(root, "changed.txt"), "mine");
      checkClean(root);
      expect(() => compare(root, from, to)).toThrow(
        /overlook your changes of files .*: changed\.txt\. Say `git update-index/,
      );
    },
  );

  it("that has files of its own among the packages or the state is refused", () => {
    const { root, from } = copy();
    writeIn(root, { ".talaria/update/journal.json": "{}", "node_modules/a/b": "" });
    git(root, "add", "--force", ".talaria/update/journal.json", "node_modules/a/b");
    expect(() => compare(root, from, commitAll(root, "own"))).toThrow(
      "files where only packages and your state may be: .talaria/update/journal.json, node_modules/a/b.",
    );
  });

  it("that is older than this command is refused", () => {
    const { root, from } = copy();
    git(root, "checkout", "--quiet", "-b", "older");
    git(root, "rm", "--quiet", "scripts/update/trial.ts");
    expect(() => compare(root, from, commitAll(root, "older"))).toThrow("it lacks scripts/update/trial.ts");
  });

  it("is told by what CHANGELOG.md gained, and by its tables", () => {
    const { root, from, to } = copy();
    expect(listChanges(root, from, to)).toEqual(["- Second, which is long."]);
    expect(describeStoredForms(root, from, to)).toBe("Stored forms: the tables stay as they are.");
    const tables = (columns: string[]) => JSON.stringify({ Session: { turn: columns } });
    writeIn(root, { "test/fixtures/update/tables.json": tables(["n INTEGER", "old TEXT"]) });
    const before = commitAll(root, "before");
    writeIn(root, { "test/fixtures/update/tables.json": tables(["n INTEGER", "new TEXT"]) });
    expect(describeStoredForms(root, before, commitAll(root, "after"))).toBe(
      "Stored forms: 1 columns are added (Session.turn.new TEXT); 1 columns are gone (Session.turn.old TEXT).",
    );
  });

  it("reaches the terminal without control characters", () => {
    const { root } = copy();
    const before = git(root, "rev-parse", "HEAD").trim();
    writeIn(root, { "CHANGELOG.md": "- Cleared \u001b[2J the screen.\n" });
    const after = commitAll(root, "named \u001b]0;x\u0007");
    expect(listChanges(root, before, after)).toEqual(["- Cleared \ufffd[2J the screen."]);
    expect(describeCommit(root, after)).toContain("(named \ufffd]0;x\ufffd)");
  });
});

it.each([
  ["leads out of the checkout", { removed: ["../precious.txt"] }],
  ["leads into git's own files", { added: [".git/config"] }],
  ["leads into the state", { removed: [".talaria/local.json"] }],
  ["has an absolute path", { changed: ["/precious.txt"] }],
  ["names no commit", { to: "--all" }],
  ["lacks a list", { added: undefined }],
])("a journal that %s is not acted on", async (_, more) => {
  const { root, from, to } = copy();
  const [lists, names] = [
    { added: [], changed: [], removed: [] },
    { fromName: "old", toName: "new", branch: "main" },
  ];
  const journal = { step: "switch", startedAt: 1, from, to, ...names, ...lists, snapshot: null, ...more };
  const precious = join(root, "../precious.txt");
  writeFileSync(precious, "precious");
  writeIn(root, { ".talaria/update/journal.json": JSON.stringify({ v: 1, ...journal }) });
  await expect(recover(root)).rejects.toThrow("journal.json cannot be read");
  expect([readFileSync(precious, "utf8"), git(root, "rev-parse", "HEAD")]).toEqual(["precious", from]);
});

it("two updates at once: the second is told which process holds the lock, and a dead one's is taken over", () => {
  const { root } = copy();
  const first = takeLock(root);
  expect(takeLock(root)).toEqual({ pid: process.pid });
  if ("release" in first) first.release();
  writeFileSync(toPlaces(root).lock, '{"pid":4194303,"startedAt":1}');
  const second = takeLock(root);
  expect("release" in second && readFileSync(toPlaces(root).lock, "utf8")).toContain(String(process.pid));
  writeFileSync(toPlaces(root).lock, "damaged");
  expect(takeLock(root)).toHaveProperty("release");
});
