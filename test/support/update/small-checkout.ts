// A small checkout with an origin that is one version ahead, and a state: what an update needs, without the product's weight. The stand-ins
// for installing and trying the new version are commands of Node.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll } from "vitest";
import type { UpdateSteps } from "../../../scripts/update/run-update.ts";

export type Files = Record<string, string>;

const REPOSITORY = join(import.meta.dirname, "../../..");
/** Files that each version has, because an update needs them. */
const COMMON: Files = {
  "scripts/run.mjs": readFileSync(join(REPOSITORY, "scripts/run.mjs"), "utf8"),
  "scripts/update.ts": "",
  "scripts/update/recover.mjs": readFileSync(join(REPOSITORY, "scripts/update/recover.mjs"), "utf8"),
  "scripts/update/journal.mjs": "",
  "scripts/update/trial.ts": "",
  "scripts/patch-just-bash.mjs": "export const patchJustBash = () => {};",
  "scripts/patch-miniflare.mjs": "export const patchMiniflare = () => {};",
  "scripts/patch-quickjs.mjs": "export const meterQuickJs = () => {};",
  "scripts/patch-unpdf.mjs": "export const patchUnpdf = () => {};",
  ".gitignore": "node_modules\n.talaria\n",
};
export const OLD: Files = {
  ...COMMON,
  "package.json": '{"version":"1"}',
  "package-lock.json": '{"lockfileVersion":3,"packages":{"":{}}}',
  "CHANGELOG.md": "# Changelog\n\n## Unreleased\n\n- First.\n",
  "kept.txt": "kept",
  "changed.txt": "old",
  "removed/deep/gone.txt": "old",
  "file-then-folder": "old",
  "folder-then-file/inner.txt": "old",
  "Grüße 日本.txt": "old",
};
export const NEW: Files = {
  ...COMMON,
  "scripts/run.mjs": `${COMMON["scripts/run.mjs"]}\n// newer\n`,
  "package.json": '{"version":"2"}',
  "package-lock.json": '{"lockfileVersion":3,"packages":{"":{"version":"2"}}}',
  "CHANGELOG.md": "# Changelog\n\n## Unreleased\n\n- Second, which\n  is long.\n- First.\n",
  "kept.txt": "kept",
  "changed.txt": "new",
  "added/deep/come.txt": "new",
  "file-then-folder/inner.txt": "new",
  "folder-then-file": "new",
  "Grüße 日本.txt": "new",
};

export const STEPS: UpdateSteps = {
  install: [
    process.execPath,
    "-e",
    `const fs = require("fs"); fs.mkdirSync("node_modules"); fs.writeFileSync("node_modules/which", "new");
     fs.writeFileSync("node_modules/.package-lock.json", '{"packages":{}}')`,
  ],
  // Needs what a trial is given, and changes it.
  trial: [
    process.execPath,
    "-e",
    `const fs = require("fs"); if (!fs.existsSync("changed.txt")) process.exit(1);
     fs.appendFileSync(process.argv[1] + "/data/v3/r2/blob", "changed"); fs.readFileSync(process.argv[2])`,
  ],
  askUpdate: [process.execPath, "scripts/update.ts"],
};

export interface SmallCheckout {
  /** Below `folder`. */
  root: string;
  origin: string;
  from: string;
  to: string;
}

export function git(cwd: string, ...args: string[]): string {
  const who = [
    "-c",
    "user.name=T",
    "-c",
    "user.email=t@example.org",
    "-c",
    "init.defaultBranch=main",
    "-c",
    "commit.gpgsign=false",
  ];
  return execFileSync("git", [...who, ...args], { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trim();
}

/** As createTempFolders, in memory where that is possible: an update writes each of its steps to the disk and waits for it. */
export function createFastFolders(): () => string {
  const base = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
  const root = mkdtempSync(join(base, "talaria-test-"));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  return () => mkdtempSync(join(root, "f-"));
}

/** The checkout is at the old version, and knows the new one only after a fetch. */
export function makeCheckout(folder: string): SmallCheckout {
  const [origin, root] = [join(folder, "origin"), join(folder, "checkout of a person")];
  mkdirSync(origin, { recursive: true });
  git(origin, "init", "--quiet", "--template=");
  writeIn(origin, OLD);
  symlinkSync("kept.txt", join(origin, "link"));
  chmodSync(join(origin, "changed.txt"), 0o755);
  commitAll(origin, "old");
  git(folder, "clone", "--quiet", "--template=", origin, root);
  const from = git(origin, "rev-parse", "HEAD");
  const to = commitNew(origin);
  writeIn(root, {
    "node_modules/which": "old",
    "node_modules/.package-lock.json": '{"packages":{}}',
    ".talaria/local.json": "{}",
  });
  writeState(join(root, ".talaria/state"));
  return { root, origin, from, to };
}

export function commitNew(origin: string): string {
  for (const name of readdirSync(origin)) if (name !== ".git") rmSync(join(origin, name), { recursive: true });
  writeIn(origin, NEW);
  symlinkSync("changed.txt", join(origin, "link"));
  return commitAll(origin, "new");
}

export function commitAll(folder: string, message: string): string {
  git(folder, "add", "--all");
  git(folder, "commit", "--quiet", "-m", message);
  return git(folder, "rev-parse", "HEAD");
}

export function writeIn(folder: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** One session with two turns and an alarm that is due, as workerd leaves it; a blob; what a start makes again. */
function writeState(stateDir: string): void {
  const sessions = join(stateDir, "data/v3/do/talaria-api-Session");
  mkdirSync(sessions, { recursive: true });
  writeIn(stateDir, {
    "data/v3/r2/blob": "blob",
    "operator-token": "t".repeat(40),
    "built/api.js": "built",
    "stack.log": "log",
  });
  for (const [name, sql] of [
    ["one.sqlite", "CREATE TABLE turn(n INTEGER PRIMARY KEY); INSERT INTO turn VALUES(1),(2)"],
    [
      "metadata.sqlite",
      "CREATE TABLE _cf_ALARM(actor_id TEXT PRIMARY KEY, scheduled_time INTEGER); INSERT INTO _cf_ALARM VALUES('a', 1)",
    ],
  ] as const) {
    const database = new DatabaseSync(join(sessions, name));
    database.exec(sql);
    database.close();
  }
}

export function copyCheckout({ root, ...rest }: SmallCheckout, folder: string): SmallCheckout {
  cpSync(root, join(folder, "checkout"), { recursive: true, verbatimSymlinks: true });
  return { ...rest, root: join(folder, "checkout") };
}

/** The files that git knows or should know, with texts, links and modes. */
export function readTree(root: string, below = ""): Files {
  const files: Files = {};
  for (const entry of readdirSync(join(root, below), { withFileTypes: true })) {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if ([".git", ".talaria", "node_modules"].includes(path)) continue;
    if (entry.isDirectory()) Object.assign(files, readTree(root, path));
    else if (entry.isSymbolicLink()) files[path] = `→ ${readlinkSync(join(root, path))}`;
    else
      files[path] =
        ((lstatSync(join(root, path)).mode & 0o100) !== 0 ? "x " : "") + readFileSync(join(root, path), "utf8");
  }
  return files;
}

/** What a person finds: `old` or `new` only if everything is of that version, and nothing is left of an update. */
export function judge({ root, from, to }: SmallCheckout): string {
  const status = git(root, "status", "--porcelain=v2", "--branch", "-z").split("\0");
  const told = (name: string) => status.find((line) => line.startsWith(`# branch.${name} `))?.split(" ")[2] ?? "none";
  const head = told("oid");
  const which = head === from ? "old" : head === to ? "new" : head;
  const wanted =
    which === "old" ? { ...OLD, "changed.txt": "x old", link: "→ kept.txt" } : { ...NEW, link: "→ changed.txt" };
  const found = readTree(root);
  const differ = [...new Set([...Object.keys(wanted), ...Object.keys(found)])].filter(
    (path) => found[path] !== (wanted as Files)[path],
  );
  const faults = [
    ...differ.map((path) => `${path} differs`),
    ...(status.every((line) => line === "" || line.startsWith("# ")) ? [] : ["git status is not clean"]),
    ...(told("head") === "main" ? [] : ["not on main"]),
    ...(readFileSync(join(root, "node_modules/which"), "utf8") === which ? [] : ["other packages"]),
    ...(readFileSync(join(root, ".talaria/state/data/v3/r2/blob"), "utf8") === "blob" ? [] : ["the state was changed"]),
    ...(existsSync(join(root, ".talaria/state/data/v3/do/talaria-api-Session/one.sqlite"))
      ? []
      : ["a session is gone"]),
    ...["journal.json", "next", "trial", "index", "tmp", "child.json", "state-back", "discarded"]
      .filter((name) => existsSync(join(root, ".talaria/update", name)))
      .map((name) => `${name} is left`),
  ];
  return [which, ...faults].join(", ");
}
