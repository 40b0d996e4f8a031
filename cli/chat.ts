// `npm run chat`: the terminal client of a running Talaria. Reads the flags, then sends one prompt or shows one page; a
// conversation is handled by converse.ts. Must use the HTTP API only.
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { Backend } from "../core/schemas/api.ts";
import type { WaitKind } from "../core/schemas/entry.ts";
import { findNearest } from "../core/commands/parse-command.ts";
import { type Client, ProblemError, UnreachableError, createClient } from "./connection/client.ts";
import { UsageError, readConnection } from "./connection/connection.ts";
import { InterruptedError, converse } from "./converse.ts";
import { COMMAND_HELP } from "./orders.ts";
import { renderLearning } from "./learning.ts";
import { historyFile as nameHistoryFile } from "./terminal/input/history.ts";
import { canShowTerminal } from "./terminal/can-show-terminal.ts";
import { type Display, createDisplay, toPlain, toPlainJson } from "./show.ts";

const HELP = `npm run chat -- [options] [learning [SKILL]]

  -p, --prompt TEXT   send one message, print the answer, exit
  --session ID        continue a session instead of a new one
  --backend host      a new session works on the exec host instead of in a workspace
  --json              print each event as one line of JSON
  learning [SKILL]    show what was learned, whether it helps and what it cost, exit
  --url URL           where the API is (else TALARIA_URL, else .talaria/local.json)
  --key KEY           the profile's key (else TALARIA_KEY, else .talaria/local.json)

${COMMAND_HELP}`;

/** The words that may follow the options; each shows a page. */
const PAGES = ["learning"];
const LEAVE_MS = 1_000;
const STATE = ".talaria";

interface Chat {
  client: Client;
  session: string;
  json: boolean;
  show: Display;
}

main()
  .catch((error: unknown) => {
    process.stderr.write(`${toSentence(error)}\n`);
    return 1;
  })
  .then((code) => {
    process.exitCode = code;
    // Do not wait for the close handshake of a broken connection.
    setTimeout(() => process.exit(), LEAVE_MS).unref();
  });

async function main(): Promise<number> {
  const flags = readFlags(process.argv.slice(2));
  if (flags.help) {
    process.stdout.write(`${HELP}\n`);
    return 0;
  }
  const connection = readConnection(flags, process.env, `${STATE}/local.json`);
  const client = createClient(connection);
  if (flags.page) {
    const ledger = await client.learning({ skill: flags.skill });
    process.stdout.write(flags.json ? `${toPlainJson(ledger)}\n` : renderLearning(ledger));
    return 0;
  }
  const { version, model } = await client.health();
  if (flags.prompt === undefined && !flags.json && canShowTerminal(process.stdin, process.stdout, process.env)) {
    const open = flags.session ? { session: await client.session(flags.session) } : { new: readBackend(flags.backend) };
    const historyFile = existsSync(STATE) ? nameHistoryFile(STATE, connection) : null;
    const { runTerminal } = await import("./terminal/run-terminal.ts");
    return runTerminal({ client, open, version, model, command: "npm run chat --", historyFile, toSentence });
  }
  const session = flags.session ?? (await client.createSession(readBackend(flags.backend))).session;
  const chat: Chat = { client, session, json: flags.json ?? false, show: createTerminalShow() };
  if (flags.prompt !== undefined) return (await runTurn(chat, flags.prompt)) ? 0 : 1;
  const detail = await client.session(session);
  if (!chat.json) chat.show.line(`Talaria ${version}, ${model}, session ${session} (/help)`);
  return (await converse({ ...chat, session: detail, toSentence })) ? 0 : 1;
}

function readFlags(args: string[]) {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        prompt: { type: "string", short: "p" },
        session: { type: "string" },
        backend: { type: "string" },
        json: { type: "boolean" },
        url: { type: "string" },
        key: { type: "string" },
        help: { type: "boolean", short: "h" },
      },
    });
    const [page, skill, ...rest] = positionals;
    const unexpected = page === undefined || PAGES.includes(page) ? rest[0] : page;
    if (unexpected !== undefined) throw new Error(describeUnexpected(unexpected));
    return { ...values, page, skill };
  } catch (error) {
    throw new UsageError(`${toSentence(error)}\n\`npm run chat -- --help\` shows the options.`);
  }
}

function readBackend(name: string | undefined): { backend?: Backend } {
  if (name === undefined) return {};
  const backend = Backend.safeParse(name);
  if (backend.success) return { backend: backend.data };
  throw new UsageError(`--backend takes ${Backend.options.join(" or ")}, not ${JSON.stringify(name)}.`);
}

function describeUnexpected(argument: string): string {
  const page = findNearest(argument, PAGES);
  const advice = page ? `Did you mean \`npm run chat -- ${page}\`?` : "A message is sent with -p TEXT.";
  return `Unexpected argument ${JSON.stringify(argument)}. ${advice}`;
}

function createTerminalShow(): Display {
  const { stdout, stderr } = process;
  const rich = Boolean(stderr.isTTY && stdout.isTTY && !process.env.NO_COLOR && process.env.TERM !== "dumb");
  return createDisplay({
    answer: (text) => void stdout.write(text),
    aside: (text) => void stderr.write(text),
    rich,
    columns: stderr.columns || 100,
  });
}

/** True when the turn ended in an answer. */
async function runTurn({ client, session, json, show }: Chat, text: string): Promise<boolean> {
  const leave = new AbortController();
  let hasAsked = false;
  const onInterrupt = () => {
    if (hasAsked) return leave.abort(new InterruptedError());
    hasAsked = true;
    show.line("(stopping; Ctrl-C again leaves without waiting)");
    client.stop(session).catch((error: unknown) => show.line(toSentence(error)));
  };
  const onReconnect = (reason: Error) => {
    if (!json) show.line(`(connection lost, trying again: ${reason.message})`);
  };
  process.on("SIGINT", onInterrupt);
  let state = "failed";
  try {
    for await (const { id, event } of client.streamMessage(session, text, { signal: leave.signal, onReconnect })) {
      if (json) process.stdout.write(`${toPlainJson({ id, ...event })}\n`);
      else show.event(event);
      const hint = event.type === "turn_park" ? describeAnswer(session, event.question.for) : null;
      if (hint !== null && !json) show.line(hint);
      if (event.type === "turn_end") state = event.state;
    }
  } catch (error) {
    // A refused message is an answer to the person. An unreachable server ends the program.
    if (!(error instanceof ProblemError)) throw error;
    show.line(toSentence(error));
  } finally {
    process.off("SIGINT", onInterrupt);
  }
  return state === "done";
}

const ANSWERS: Partial<Record<WaitKind, string>> = { approval: "/approve", clarify: "1" };

/** One message has no line to answer on. `null`: the turn does not wait for the person. */
function describeAnswer(session: string, waitsFor: WaitKind): string | null {
  const answer = ANSWERS[waitsFor];
  return answer ? `(waiting; answer from another terminal: npm run chat -- --session ${session} -p "${answer}")` : null;
}

function toSentence(error: unknown): string {
  if (error instanceof InterruptedError)
    return "Disconnected. The turn continues without a reader, or stops if you asked for it.";
  if (error instanceof UnreachableError) return `${toPlain(error.message)} Is it running? \`npm start\` starts it.`;
  if (error instanceof Error) return toPlain(error.message);
  return toPlain(String(error));
}
