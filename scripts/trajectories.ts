// `npm run trajectories -- --prompts FILE --run NAME`: prompts in, data to train on out. Each prompt is a session; what is done is kept in
// the run's folder, so the command goes on where it was killed. Last line: {"run","prompts","completed","failed","discarded","folder"}.
import { join } from "node:path";
import * as z from "zod";
import { type Client, ProblemError, UnreachableError, createClient } from "../cli/connection/client.ts";
import { ToolList } from "../core/schemas/tool-list.ts";
import { TrajectoryConsent } from "../core/schemas/trajectories.ts";
import { PlainError, runCommand } from "./command-line.ts";
import { openLocalAccess, readOperatorToken } from "./stack/local-state.ts";
import { onStopSignal } from "./stack/processes.ts";
import { startStack } from "./stack/stack.ts";
import { selectWorkerVars } from "./stack/worker-vars.ts";
import { type BatchOptions, USAGE, parseOptions } from "./trajectories/options.ts";
import { type RunFolder, openRunFolder } from "./trajectories/run-folder.ts";
import { runPrompt } from "./trajectories/run-prompt.ts";
import { toStatistics } from "./trajectories/statistics.ts";

const TurnSettings = z.looseObject({ turn: z.looseObject({}).optional() });

await runCommand(USAGE, () => runBatch(parseOptions(process.argv.slice(2))));

async function runBatch(options: BatchOptions): Promise<number> {
  const folder = openRunFolder(options.folder);
  try {
    if (options.server) await runAll(createClient(options.server), folder, options);
    else await withRunStack(folder, options, (client) => runAll(client, folder, options));
    return 0;
  } finally {
    folder.close();
  }
}

async function runAll(client: Client, folder: RunFolder, options: BatchOptions): Promise<void> {
  await assertConsent(client);
  const { tools } = await client.call(ToolList, "GET /v1/tools");
  const names = tools.map(({ name }) => name).toSorted();
  const known = new Set(tools.map(({ toolset }) => toolset));
  const strange = Object.keys(options.toolsets ?? {}).find((name) => !known.has(name));
  if (strange !== undefined)
    throw new PlainError(
      `There is no toolset ${JSON.stringify(strange)}. There are: ${[...known].toSorted().join(", ")}.`,
    );
  const open = options.prompts.filter(({ hash }) => !folder.done.has(hash));
  console.log(`${options.prompts.length} prompts, ${open.length} to run, ${options.workers} at a time.`);
  const queue = open.values();
  const work = async () => {
    // The workers share the queue, so each prompt has one of them.
    for (const prompt of queue) {
      const { mark, line } = await runPrompt(client, prompt, { ...options, tools: names }).catch(sayPlainly);
      folder.put(mark, line);
      console.log(`${prompt.id}: ${mark.outcome}${mark.why === undefined ? "" : ` (${mark.why})`}`);
    }
  };
  await Promise.all(Array.from({ length: options.workers }, work));
  const statistics = toStatistics(options, folder, names);
  folder.writeStatistics(statistics);
  const { run, prompts, completed, failed, discarded } = statistics;
  console.log(JSON.stringify({ run, prompts, completed, failed, discarded, folder: options.folder }));
}

/** What the server says, without a stack trace. The run goes on from there. */
function sayPlainly(error: unknown): never {
  if (!(error instanceof ProblemError || error instanceof UnreachableError)) throw error;
  throw new PlainError(`${error.message} Run the same command again to go on.`);
}

/** The sessions are the profile's, and its owner has to agree like to any other export. */
async function assertConsent(client: Client): Promise<void> {
  const { allowed } = await client.call(TrajectoryConsent, "GET /v1/trajectories/consent");
  if (!allowed) {
    throw new PlainError(
      "This profile has not agreed that its conversations are used to train models. Run: talaria trajectories consent on",
    );
  }
}

/** A stack whose state stays in the run's folder, with the models of the environment. */
async function withRunStack(
  folder: RunFolder,
  options: BatchOptions,
  work: (client: Client) => Promise<void>,
): Promise<void> {
  const abort = new AbortController();
  onStopSignal(() => abort.abort());
  const { stateDir } = folder;
  const given = TurnSettings.parse(JSON.parse(process.env.TALARIA_SETTINGS?.trim() || "{}"));
  const settings = JSON.stringify({ ...given, turn: { ...given.turn, maxSteps: options.turns } });
  const token = readOperatorToken(stateDir);
  const vars = selectWorkerVars({ ...process.env, TALARIA_SETTINGS: settings }, token);
  const say = (line: string) => console.log(line);
  const stack = await startStack({ stateDir, vars, signal: abort.signal, say });
  const leave = () => void stack.kill().finally(() => process.exit(130));
  abort.signal.addEventListener("abort", leave);
  try {
    const access = await openLocalAccess({ file: join(stateDir, "local.json"), stateDir, url: stack.url, token, say });
    const client = createClient(access);
    await client.call(TrajectoryConsent, "PUT /v1/trajectories/consent", { body: { allowed: true } });
    await work(client);
  } finally {
    abort.signal.removeEventListener("abort", leave);
    await stack.stop();
  }
}
