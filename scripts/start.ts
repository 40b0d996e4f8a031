// `npm start [-- --port N]`: runs all of Talaria on this machine until Ctrl-C, with its state in .talaria/state. Also fires the
// cron triggers, because nothing else fires them locally.
import { statSync } from "node:fs";
import { relative, resolve } from "node:path";
import { checkLocal } from "../cli/doctor/local-checks.ts";
import { Health } from "../core/schemas/api.ts";
import { checkVars, readPublicUrl } from "./check/vars.ts";
import { UsageError, parseFlags, runCommand } from "./command-line.ts";
import { makeSignInCode, writeGreeting } from "./stack/greeting.ts";
import { openLocalAccess, readOperatorToken } from "./stack/local-state.ts";
import { onStopSignal } from "./stack/processes.ts";
import { chooseShellFolder } from "./stack/shell-folder.ts";
import { checkState, toEndSentence } from "./stack/state-check.ts";
import { type Stack, StackError, startStack } from "./stack/stack.ts";
import { selectWorkerVars } from "./stack/worker-vars.ts";
import { readLast } from "./update/recover.mjs";

const USAGE = `Usage: npm start [-- --port N] [--shell FOLDER]

Runs all of Talaria on this machine until Ctrl-C. State is kept in .talaria/.

  --port N        port on 127.0.0.1 (default 8787)
  --shell FOLDER  also starts an exec host: sessions created with "backend":"host" run commands as you, starting in
                  FOLDER, and each command asks first (docs/EXEC-HOST.md)
  -h, --help      this text`;

const AFTER_UPDATE =
  "This is the first start since the last update. `npm run update -- --back` puts the previous version back, with the state of that time.";
const DEFAULT_PORT = 8787;
const FIRST_CRON_MS = 15_000;
const CRON_EVERY_MS = 60 * 60_000;
const PROGRESS_EVERY_MS = 5_000;
const home = resolve(import.meta.dirname, "../.talaria");
const accessFile = resolve(home, "local.json");

await runCommand(USAGE, () => {
  const flags = parseFlags({ port: { type: "string" }, shell: { type: "string" } });
  return serve(parsePort(flags.port), flags.shell);
});

async function serve(port: number, shell: string | undefined): Promise<number> {
  const folder = shell === undefined ? undefined : chooseFolder(shell);
  const abort = new AbortController();
  const stopped = new Promise<"stopped">((done) => {
    onStopSignal(() => {
      abort.abort();
      done("stopped");
    });
  });
  checkVars(process.env);
  const stateDir = resolve(home, "state");
  checkState(stateDir, accessFile);
  warnOfLocal();
  const token = readOperatorToken(stateDir);
  const publicUrl = readPublicUrl(process.env);
  const progress = createProgress();
  progress.say(`Starting Talaria on port ${port}.`);
  try {
    const stack = await startStack({
      port,
      ...(folder !== undefined && { shell: folder }),
      stateDir,
      // A bot at home: without a public address, platforms that can be polled are.
      vars: { TALARIA_POLL_CHANNELS: "1", ...selectWorkerVars(process.env, token) },
      publicUrl,
      say: progress.say,
      signal: abort.signal,
    }).finally(progress.end);
    const why = await waitUntilEnded(stack, { token, folder, publicUrl, stopped }).finally(stack.stop);
    if (why === "ended") {
      console.error(toEndSentence(stateDir, stack.log));
      return 1;
    }
  } catch (error) {
    if (abort.signal.aborted) return sayStopped(); // an error caused by stopping is not a failure
    const isElsewhere = error instanceof StackError && ["already_running", "port_in_use"].includes(error.code);
    if (!isElsewhere && isFirstAfterUpdate()) console.error(AFTER_UPDATE);
    throw error;
  }
  return sayStopped();
}

function sayStopped(): number {
  console.log("Stopped.");
  return 0;
}

/** Each start that comes to serve writes the access file again. */
function isFirstAfterUpdate(): boolean {
  const last = readLast(resolve(home, ".."));
  return last?.outcome === "done" && (statSync(accessFile, { throwIfNoEntry: false })?.mtimeMs ?? 0) < last.endedAt;
}

/** The cheap part of `talaria doctor`. What makes a start impossible was refused before. */
function warnOfLocal(): void {
  for (const { check, state, found, fix = "" } of checkLocal({ home, accessFile, nodeVersion: process.version })) {
    const isFirstStart = check === "key file" && found.endsWith("is missing");
    if (state !== "ok" && !isFirstStart) console.error(`Warning: ${check}: ${found}. ${fix}`);
  }
}

interface Served {
  /** The operator's. */
  token: string;
  folder: string | undefined;
  publicUrl: string | undefined;
  stopped: Promise<"stopped">;
}

async function waitUntilEnded(
  stack: Stack,
  { token, folder, publicUrl, stopped }: Served,
): Promise<"stopped" | "ended"> {
  const stateDir = resolve(home, "state");
  const ended = stack.ended.then(() => "ended" as const);
  const ready = openLocalAccess({ file: accessFile, stateDir, url: stack.url, token, say: console.error }).then(
    async (access) => {
      const { model } = Health.parse(await (await fetch(`${stack.url}/health`)).json());
      const code = await makeSignInCode(stack.url, access.key);
      const files = {
        access: relative(process.cwd(), accessFile) || accessFile,
        log: relative(process.cwd(), stack.log),
      };
      const { url } = stack;
      console.log(writeGreeting({ url, publicUrl, code, profile: access.profile, model, ...files, folder }));
    },
  );
  await Promise.race([stopped, ready]);
  const timers = driveCron(stack);
  return Promise.race([stopped, ended]).finally(() => timers.forEach(clearTimeout));
}

/** Fires the trigger once soon after the start, for work that fell due while nothing ran, then every hour. */
function driveCron(stack: Stack): NodeJS.Timeout[] {
  const fire = () => {
    stack.cron("talaria-curator").catch((error: Error) => console.error(`Cron: ${error.message}`));
  };
  return [setTimeout(fire, FIRST_CRON_MS), setInterval(fire, CRON_EVERY_MS)];
}

/** Progress lines on standard error, repeated while a step takes long. */
function createProgress(): { say(line: string): void; end(): void } {
  const began = performance.now();
  let last = "";
  const print = (line: string) => console.error(`[${((performance.now() - began) / 1000).toFixed(1)} s] ${line}`);
  const timer = setInterval(() => print(`Still working: ${last}`), PROGRESS_EVERY_MS);
  return {
    say(line) {
      last = line;
      timer.refresh();
      print(line);
    },
    end: () => clearInterval(timer),
  };
}

/** A relative folder is meant from where the person typed the command: npm starts scripts in the checkout. */
function chooseFolder(given: string): string {
  if (process.env.TALARIA_EXEC_URL?.trim()) {
    throw new UsageError("--shell starts an exec host, and TALARIA_EXEC_URL names another one. Leave one of them out.");
  }
  return chooseShellFolder(given, process.env.INIT_CWD ?? process.cwd(), home);
}

function parsePort(text: string | undefined): number {
  if (text === undefined) return DEFAULT_PORT;
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > 65_535) {
    throw new UsageError(`--port takes a number from 1 to 65535, not ${JSON.stringify(text)}.`);
  }
  return number;
}
