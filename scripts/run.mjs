// The launcher of every npm script: `node scripts/run.mjs <file.ts | file.mjs | bin> [args]`. Needs Node 20, npm and no package.
// Runs `npm ci` when node_modules does not match the lockfile, then the command with the Node in node_modules, or with the host's
// Node where that is new enough.
import { spawn } from "node:child_process";
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  linkSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { constants as os } from "node:os";
import { delimiter, dirname, join, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const MIN_NODE = 24;
/** Runs where the person is, so that relative paths mean what they typed. Everything else runs in the project's folder. */
const CLIENT = "cli/talaria.ts";
/** Interval of progress lines: a silent install looks like one that hangs. */
const STILL_EVERY_MS = 5_000;
const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const modules = join(root, "node_modules");
const bin = join(modules, ".bin");
const lockFile = join(root, ".bootstrap.lock");

try {
  if (await recoverUpdate()) {
    const again = [fileURLToPath(import.meta.url), ...process.argv.slice(2)];
    finish(await run(process.execPath, again, { cwd: process.cwd(), env: process.env }));
  } else {
    const failed = await install();
    if (failed) finish(failed);
    else {
      await patchModules();
      await runCommand(process.argv.slice(2));
    }
  }
} catch (error) {
  say(error.message);
  process.exitCode = 1;
}

/**
 * Brings an interrupted update to an end, before anything else of this checkout is used: its files may be of two versions, each a whole one.
 * So this file imports nothing of them at its top, and the recovery is a copy that the update has made. True: start again with what is in
 * place now.
 */
async function recoverUpdate() {
  const folder = join(root, ".talaria", "update");
  if (!existsSync(join(folder, "journal.json"))) return false;
  const { recover } = await import(pathToFileURL(join(folder, "recover.mjs")).href);
  return (await recover(root, { say }))?.changed ?? false;
}

/** Changes some packages in node_modules; each is left alone when it has been changed already. */
async function patchModules() {
  const [{ patchJustBash }, { patchMiniflare }, { meterQuickJs }, { patchUnpdf }] = await Promise.all([
    import("./patch-just-bash.mjs"),
    import("./patch-miniflare.mjs"),
    import("./patch-quickjs.mjs"),
    import("./patch-unpdf.mjs"),
  ]);
  patchJustBash(modules);
  patchMiniflare(modules);
  meterQuickJs(modules);
  patchUnpdf(modules);
}

async function runCommand([what, ...args]) {
  if (!what) return;
  const node = nodeBinary();
  const withText = ["--import", pathToFileURL(join(root, "scripts", "text-modules.mjs")).href];
  const env = settled(childEnv());
  if (/\.[cm]?[jt]s$/.test(what)) {
    const takesRepeats = ["scripts/start.ts", "scripts/demo.ts"].includes(what);
    const cwd = what === CLIENT ? personFolder() : root;
    return finish(await run(node, [...withText, resolve(root, what), ...args], { cwd, env, takesRepeats }));
  }
  const file = realpathSync(join(bin, what));
  return finish(isNodeScript(file) ? await run(node, [file, ...args], { env }) : await run(file, args, { env }));
}

/**
 * The command's environment. Turns off telemetry: metrics, update checks, error reports, cf.json. Turns on Node's compile cache,
 * which halves the time until a command starts.
 */
function settled(env) {
  return {
    NODE_COMPILE_CACHE: join(modules, ".cache", "node"),
    ...env,
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
    WRANGLER_HIDE_BANNER: "true",
    WRANGLER_SEND_METRICS: "false",
    WRANGLER_SEND_ERROR_REPORTS: "false",
    DO_NOT_TRACK: "1",
  };
}

/** `npm run` changes to the project's folder and says where it was called. */
function personFolder() {
  const { INIT_CWD: called, npm_lifecycle_event: script } = process.env;
  return script === "chat" && called && existsSync(called) ? called : process.cwd();
}

/** Compares lockfiles, not mtimes, which git rewrites. npm writes node_modules/.package-lock.json last: absent means unfinished. */
function stale() {
  const want = readJson(join(root, "package-lock.json"))?.packages;
  const have = readJson(join(modules, ".package-lock.json"))?.packages;
  if (!want) throw new Error("package-lock.json is missing or broken");
  if (!have) return "node_modules is missing or incomplete";
  for (const [path, wanted] of Object.entries(want)) {
    if (path === "" || wanted.link) continue;
    const had = have[path];
    if (!had && (wanted.optional || wanted.devOptional || wanted.peer)) continue;
    if (!had) return `${path} is not installed`;
    if (had.version !== wanted.version || had.integrity !== wanted.integrity)
      return `${path} differs from the lockfile`;
  }
  const extra = Object.keys(have).find((path) => !want[path]);
  return extra && `${extra} is no longer in the lockfile`;
}

async function install() {
  if (!stale()) return undefined;
  return withLock(async (note) => {
    const why = stale();
    if (!why) return undefined;
    const node = hostNode();
    const [file, ...before] = npmCommand(node);
    const began = Date.now();
    say(`${why}: npm ci, once, for about a minute`);
    const flags = ["ci", "--include=dev", "--include=optional", "--no-audit", "--no-fund", "--loglevel=error"];
    const still = setInterval(() => say(`npm ci: ${seconds(began)} s so far`), STILL_EVERY_MS);
    const result = await run(file, [...before, ...flags], {
      cwd: root,
      env: childEnv({ forNpm: true }),
      stdio: ["ignore", 2, 2],
      started(child) {
        note(child.pid);
        // npm cleans up for ten seconds after Ctrl-C; an unfinished node_modules counts as missing anyway.
        for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
          process.once(signal, () => setTimeout(() => child.kill("SIGKILL"), 1000).unref());
        }
      },
    }).finally(() => clearInterval(still));
    if (result.code !== 0) return result.signal === "SIGKILL" ? { signal: "SIGINT" } : result;
    say(`installed in ${seconds(began)} s`);
    return undefined;
  });
}

/** Takes the install lock by link(), which is atomic. The file names this process and its npm; a lock of dead processes expires. */
async function withLock(work) {
  const mine = `${lockFile}.${process.pid}`;
  const write = (file, npm) => writeFileSync(file, JSON.stringify({ pid: process.pid, npm }));
  let hasReportedWait = false;
  write(mine);
  try {
    for (;;) {
      try {
        linkSync(mine, lockFile);
        break;
      } catch (error) {
        if (error.code !== "EEXIST") throw error;
      }
      const held = readJson(lockFile);
      if (held && !alive(held.pid) && !alive(held.npm)) {
        if (readJson(lockFile)?.pid === held.pid) rmSync(lockFile, { force: true });
        continue;
      }
      if (!hasReportedWait) say(`waiting for another install (process ${held?.pid})`);
      hasReportedWait = true;
      await new Promise((done) => setTimeout(done, 200));
    }
  } finally {
    rmSync(mine, { force: true });
  }
  const release = () => rmSync(lockFile, { force: true });
  process.once("exit", release);
  try {
    return await work((npm) => write(lockFile, npm));
  } finally {
    process.off("exit", release);
    release();
  }
}

/** Reads /proc if it exists, because an unreaped zombie still answers kill(0). */
function alive(pid) {
  if (!pid) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error.code === "EPERM";
  }
  try {
    return !/^\d+ \(.*\) [ZX]/s.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return !existsSync("/proc/self"); // without /proc, rely on kill(0)
  }
}

function outside(path) {
  return path && !resolve(path).startsWith(modules + sep) && existsSync(path);
}

/** A Node that `npm ci` does not delete while it runs: never the one inside node_modules. */
function hostNode() {
  if (outside(process.execPath)) return process.execPath;
  if (outside(process.env.npm_node_execpath)) return process.env.npm_node_execpath;
  const folder = (process.env.PATH ?? "")
    .split(delimiter)
    .find((path) => path && !path.includes("node_modules") && existsSync(join(path, "node")));
  if (!folder) throw new Error("no node outside node_modules on PATH");
  return join(folder, "node");
}

function npmCommand(node) {
  const cli = process.env.npm_execpath;
  return cli && /npm-cli\.js$/.test(cli) && outside(cli) ? [node, cli] : ["npm"];
}

/** Removes variables that `npm run` exports about itself, which would steer a nested npm. Keeps registry, cache and user config. */
function childEnv({ forNpm = false } = {}) {
  const env = { ...process.env };
  const own =
    /^npm_(lifecycle|package|command|node_execpath|execpath|config_(local_prefix|global_prefix|prefix|node_gyp|npm_version|user_agent|init_module|omit|include|dry_run|package_lock_only|workspaces?)$)/i;
  if (forNpm) for (const key of Object.keys(env)) if (own.test(key) || key === "INIT_CWD") delete env[key];
  const path = (env.PATH ?? "").split(delimiter).filter((d) => d && !d.includes(`${sep}node_modules${sep}.bin`));
  env.PATH = (forNpm ? [dirname(hostNode()), ...path] : [bin, ...path]).join(delimiter);
  return env;
}

/**
 * Runs a child in our own process group. The kernel already delivers a terminal's Ctrl-C to the child, so SIGINT is forwarded only to
 * a child that treats a second SIGINT like the first; it may have been sent to this process alone. Other signals are forwarded.
 */
function run(file, args, { cwd = root, env, stdio = "inherit", started, takesRepeats = false }) {
  return new Promise((done, fail) => {
    const child = spawn(file, args, { cwd, env, stdio });
    started?.(child);
    const terminal = [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY);
    const handlers = {
      SIGINT: () => (terminal && !takesRepeats) || child.kill("SIGINT"),
      SIGTERM: () => child.kill("SIGTERM"),
      SIGHUP: () => child.kill("SIGHUP"),
    };
    for (const [signal, handler] of Object.entries(handlers)) process.on(signal, handler);
    const off = () => {
      for (const [signal, handler] of Object.entries(handlers)) process.off(signal, handler);
    };
    child.once("error", (error) => (off(), fail(error)));
    child.once("close", (code, signal) => (off(), done({ code, signal })));
  });
}

/** Ends with the child's signal or exit code, so that shells and npm see it. */
function finish({ code, signal }) {
  if (!signal) {
    process.exitCode = code ?? 1;
    return;
  }
  process.kill(process.pid, signal);
  setTimeout(() => process.exit(128 + (os.signals[signal] ?? 0)), 200);
}

function nodeBinary() {
  const node = join(bin, "node");
  try {
    accessSync(node, constants.X_OK);
    return node;
  } catch {
    // not Linux x64: the optional package was skipped
  }
  if (Number(process.versions.node.split(".")[0]) >= MIN_NODE) return process.execPath;
  const here = `${process.platform}-${process.arch}`;
  throw new Error(`On ${here} install Node ${MIN_NODE} or newer and run this again; this is ${process.version}.`);
}

function isNodeScript(path) {
  const head = Buffer.alloc(64);
  const file = openSync(path);
  readSync(file, head, 0, 64, 0);
  closeSync(file);
  return /^#!.*\bnode\b/.test(head.toString("latin1"));
}

function seconds(began) {
  return ((Date.now() - began) / 1000).toFixed(1);
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined; // absent, or being written by another process
  }
}

function say(line) {
  process.stderr.write(`[setup] ${line}\n`);
}
