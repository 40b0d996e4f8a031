// Carries out a command line of `talaria`: reads it, then holds a chat or carries out a verb. Called by talaria.ts. Must use the HTTP API
// only; `talaria doctor` also looks at this machine's state, and `talaria update` starts the update of this checkout.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import * as z from "zod";
import { type Client, ProblemError, UnreachableError, createClient } from "../connection/client.ts";
import { UsageError, readConnection } from "../connection/connection.ts";
import { InterruptedError } from "../converse.ts";
import { COMMAND_HELP } from "../orders.ts";
import { toPlain } from "../output/plain-text.ts";
import { VERBS } from "../verbs/index.ts";
import { runChat } from "./chat.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { renderHelp, renderVerbHelp } from "./help.ts";
import { type Streams, createOutput } from "../output/output.ts";
import { parseCommandLine } from "./parse-words.ts";
import { readChatFlags } from "./read-chat-flags.ts";
import { type FlagValues, textFlag } from "./verb.ts";

const PROJECT = resolve(import.meta.dirname, "../..");
const HOME = join(PROJECT, ".talaria");

/** Resolves with the exit code, also after an error, which it has told. */
export async function runCommandLine(args: string[], streams: Streams, env: NodeJS.ProcessEnv): Promise<number> {
  try {
    return await carryOut(args, streams, env);
  } catch (error) {
    streams.stderr.write(`${toSentence(error)}\n`);
    return toExitCode(error);
  }
}

/** Resolves with the exit code: see exit-codes.ts; of the terminal also 128 and the signal's number. */
async function carryOut(args: string[], streams: Streams, env: NodeJS.ProcessEnv): Promise<number> {
  const output = createOutput(streams);
  const line = parseCommandLine(args, VERBS);
  if (line.kind === "help") {
    output.text(line.verb ? renderVerbHelp(line.verb) : renderHelp(VERBS, COMMAND_HELP));
    return EXIT.answered;
  }
  if (line.kind === "version") {
    output.text(readVersion());
    return EXIT.answered;
  }
  const accessFile = () => findLocalFile(line.flags, env);
  const places = () => ({ home: HOME, accessFile: accessFile(), version: readVersion() });
  const connection = () => readConnection(readTexts(line.flags), env, accessFile());
  const client = (): Client => createClient(connection());
  if (line.kind === "chat") {
    const flags = await readChatFlags(line.flags, line.session, streams.stdin);
    return runChat({ client: client(), connection: connection(), home: HOME, flags, output, toSentence });
  }
  const { words, flags } = line;
  const json = flags.json === true;
  return (
    (await line.action.run({ words, flags, json, output, env, ...places(), verbs: VERBS, connection, client })) ??
    EXIT.answered
  );
}

function readVersion(): string {
  const text = readFileSync(join(PROJECT, "package.json"), "utf8");
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
}

function readTexts(flags: FlagValues): { url?: string; key?: string } {
  const [url, key] = [textFlag(flags, "url"), textFlag(flags, "key")];
  return { ...(url !== undefined && { url }), ...(key !== undefined && { key }) };
}

/** Never a file of the folder that the person is in: somebody else may have put it there. */
function findLocalFile(flags: FlagValues, env: NodeJS.ProcessEnv): string {
  const name = textFlag(flags, "profile") ?? (env.TALARIA_PROFILE || "local");
  if (/[/\\]|\.json$/.test(name)) return resolve(name);
  if (/^[\w-]{1,64}$/.test(name)) return join(HOME, `${name}.json`);
  throw new UsageError(`${JSON.stringify(name)} is not a name for --profile: letters, digits, - and _, or a path.`);
}

function toExitCode(error: unknown): ExitCode {
  if (error instanceof InterruptedError) return EXIT.interrupted;
  if (error instanceof UsageError) return EXIT.usage;
  if (error instanceof ProblemError) return error.problem.status >= 500 ? EXIT.failed : EXIT.refused;
  if (error instanceof UnreachableError) return EXIT.unreachable;
  return EXIT.failed;
}

function toSentence(error: unknown): string {
  if (error instanceof InterruptedError)
    return "Disconnected. The turn continues without a reader, or stops if you asked for it.";
  if (error instanceof UnreachableError) return `${toPlain(error.message)} Is it running? \`npm start\` starts it.`;
  if (error instanceof z.ZodError)
    return `The server's answer has an unknown form (${error.issues[0]?.path.join(".") || "body"}). Is this program as new as the server?`;
  if (error instanceof Error) return toPlain(error.message);
  return toPlain(String(error));
}
