// `npm start [-- --port N]`: the whole of Talaria on this machine until Ctrl-C. State is kept in .talaria/state. Fires the
// cron triggers, which nothing else does locally.
import { mkdirSync } from "node:fs";
import { relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { Health } from "../core/schemas/api.ts";
import { localAccess, operatorToken } from "./local-state.ts";
import { type Stack, StackError, startStack } from "./stack.ts";
import { workerVars } from "./worker-vars.ts";

const DEFAULT_PORT = 8787;
const FIRST_CRON_MS = 15_000;
const CRON_EVERY_MS = 60 * 60_000;
const home = resolve(import.meta.dirname, "../.talaria");
const accessFile = resolve(home, "local.json");

/** A wrong command line. Defined before its use: a class is not hoisted. */
class UsageError extends Error {}

try {
  process.exitCode = await serve(portFrom(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof StackError || error instanceof UsageError)) throw error;
  console.error(error.message);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}

async function serve(port: number): Promise<number> {
  const stateDir = resolve(home, "state");
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  const token = operatorToken(stateDir);
  const stopped = untilStopped();
  const stack = await startStack({ port, stateDir, vars: workerVars(process.env, token) });
  try {
    const access = await localAccess(accessFile, stack.url, token);
    const health = Health.parse(await (await fetch(`${stack.url}/health`)).json());
    console.log(greeting(stack, access.profile, health.model));
    const timers = driveCron(stack);
    const why = await Promise.race([stopped, stack.ended.then(() => "ended" as const)]);
    for (const timer of timers) clearTimeout(timer);
    if (why === "ended") {
      console.error(`The Workers have ended. Their last words are in ${stack.log}`);
      return 1;
    }
    console.log("\nStopping.");
    return 0;
  } finally {
    await stack.stop();
  }
}

function greeting(stack: Stack, profile: string, model: string): string {
  const access = relative(process.cwd(), accessFile) || accessFile;
  return `Talaria is listening on ${stack.url}
Model: ${model}${model.startsWith("rehearsal") ? " (no model key is set; README.md, “Configuration”)" : ""}
Profile: ${profile} (its key is in ${access})
Log: ${relative(process.cwd(), stack.log)}

Try it from another terminal: npm run chat, or

  KEY=$(sed -n 's/.*"key": "\\(.*\\)".*/\\1/p' ${access})
  SESSION=$(curl -s ${stack.url}/v1/sessions -H "authorization: Bearer $KEY" \\
    -H "content-type: application/json" -d '{}' | sed 's/.*"session":"\\([^"]*\\)".*/\\1/')
  curl -N ${stack.url}/v1/sessions/$SESSION/messages -H "authorization: Bearer $KEY" \\
    -H "accept: text/event-stream" -H "content-type: application/json" -d '{"text":"What can you do?"}'

Ctrl-C stops it.`;
}

/** Once soon after the start, for what fell due while nothing ran, then by the hour. */
function driveCron(stack: Stack): NodeJS.Timeout[] {
  const fire = () => {
    stack.cron("talaria-curator").catch((error: Error) => console.error(`Cron: ${error.message}`));
  };
  return [setTimeout(fire, FIRST_CRON_MS), setInterval(fire, CRON_EVERY_MS)];
}

function untilStopped(): Promise<"stopped"> {
  return new Promise((done) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => done("stopped"));
  });
}

function portFrom(args: string[]): number {
  let port: string | undefined;
  try {
    port = parseArgs({ args, options: { port: { type: "string" } } }).values.port;
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\nUsage: npm start [-- --port N]`);
  }
  if (port === undefined) return DEFAULT_PORT;
  const number = Number(port);
  if (!Number.isInteger(number) || number < 1 || number > 65_535) {
    throw new UsageError(`--port takes a number from 1 to 65535, not ${JSON.stringify(port)}.`);
  }
  return number;
}
