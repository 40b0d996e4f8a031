// The command `talaria`, also `npm run chat`: reads the command line, then holds a chat or carries out a verb. Must use the HTTP API only;
// `talaria doctor` also looks at this machine's state.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import * as z from "zod";
import { runChat } from "./command-line/chat.ts";
import { EXIT, type ExitCode } from "./command-line/exit-codes.ts";
import { renderHelp, renderVerbHelp } from "./command-line/help.ts";
import { createOutput, endWithReader } from "./command-line/output.ts";
import { parseCommandLine } from "./command-line/parse-words.ts";
import { readChatFlags } from "./command-line/read-chat-flags.ts";
import { type FlagValues, textFlag } from "./command-line/verb.ts";
import { type Client, ProblemError, UnreachableError, createClient } from "./connection/client.ts";
import { UsageError, readConnection } from "./connection/connection.ts";
import { InterruptedError } from "./converse.ts";
import { COMMAND_HELP } from "./orders.ts";
import { toPlain } from "./show.ts";
import { VERBS } from "./verbs/index.ts";

const LEAVE_MS = 1_000;
const HOME = resolve(import.meta.dirname, "../.talaria");

endWithReader(process.stdout, process.stderr);
main(process.argv.slice(2))
  .catch((error: unknown) => {
    process.stderr.write(`${toSentence(error)}\n`);
    return toExitCode(error);
  })
  .then((code) => {
    process.exitCode = code;
    // Do not wait for the close handshake of a broken connection.
    setTimeout(() => process.exit(), LEAVE_MS).unref();
  });

/** Resolves with the exit code: see exit-codes.ts; of the terminal also 128 and the signal's number. */
async function main(args: string[]): Promise<number> {
  const output = createOutput(process);
  const line = parseCommandLine(args, VERBS);
  if (line.kind === "help") {
    output.text(line.verb ? renderVerbHelp(line.verb) : renderHelp(VERBS, COMMAND_HELP));
    return EXIT.answered;
  }
  if (line.kind === "version") {
    output.text(readVersion());
    return EXIT.answered;
  }
  const connection = () => readConnection(readTexts(line.flags), process.env, findLocalFile(line.flags));
  const client = (): Client => createClient(connection());
  if (line.kind === "chat") {
    const flags = await readChatFlags(line.flags, line.session, process.stdin);
    return runChat({ client: client(), connection: connection(), home: HOME, flags, output, toSentence });
  }
  const { words, flags } = line;
  const json = flags.json === true;
  return (await line.action.run({ words, flags, json, output, verbs: VERBS, connection, client })) ?? EXIT.answered;
}

function readVersion(): string {
  const text = readFileSync(resolve(import.meta.dirname, "../package.json"), "utf8");
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
}

function readTexts(flags: FlagValues): { url?: string; key?: string } {
  const [url, key] = [textFlag(flags, "url"), textFlag(flags, "key")];
  return { ...(url !== undefined && { url }), ...(key !== undefined && { key }) };
}

/** Never a file of the folder that the person is in: somebody else may have put it there. */
function findLocalFile(flags: FlagValues): string {
  const name = textFlag(flags, "profile") ?? (process.env.TALARIA_PROFILE || "local");
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
