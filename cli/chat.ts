// `npm run chat`: talk to a running Talaria from a terminal. HTTP only. What it knows of a turn it knows from its events.
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Client, ProblemError, UnreachableError, createClient } from "./client.ts";
import { UsageError, readConnection } from "./connection.ts";
import { createReviewWatch } from "./review-watch.ts";
import { type Show, createShow, toOneLine, toPlain, toPlainJson } from "./show.ts";

const HELP = `npm run chat -- [options]

  -p, --prompt TEXT   send one message, print the answer, exit
  --session ID        go on with a session instead of a new one
  --json              print each event as one line of JSON
  --url URL           where the API is (else TALARIA_URL, else .talaria/local.json)
  --key KEY           the profile's key (else TALARIA_KEY, else .talaria/local.json)

Ctrl-C stops the turn, a second one leaves; Ctrl-D or /exit leaves.`;

interface Chat {
  client: Client;
  session: string;
  json: boolean;
  show: Show;
}

/** A second Ctrl-C. */
class Interrupted extends Error {
  override name = "Interrupted";
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`${toSentence(error)}\n`);
    process.exitCode = 1;
  },
);

async function main(): Promise<number> {
  const flags = readFlags(process.argv.slice(2));
  if (flags.help) {
    process.stdout.write(`${HELP}\n`);
    return 0;
  }
  const client = createClient(readConnection(flags, process.env, ".talaria/local.json"));
  const { version, model } = await client.health();
  const { session } = flags.session ? await client.session(flags.session) : await client.createSession();
  const chat: Chat = { client, session, json: flags.json ?? false, show: createTerminalShow() };
  if (flags.prompt !== undefined) return (await runTurn(chat, flags.prompt)) ? 0 : 1;
  if (!chat.json) chat.show.line(`Talaria ${version}, ${model}, session ${session}`);
  return converse(chat);
}

function readFlags(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        prompt: { type: "string", short: "p" },
        session: { type: "string" },
        json: { type: "boolean" },
        url: { type: "string" },
        key: { type: "string" },
        help: { type: "boolean", short: "h" },
      },
    }).values;
  } catch (error) {
    throw new UsageError(`${toSentence(error)}\n\n${HELP}`);
  }
}

function createTerminalShow(): Show {
  const { stdout, stderr } = process;
  const rich = Boolean(stderr.isTTY && stdout.isTTY && !process.env.NO_COLOR && process.env.TERM !== "dumb");
  return createShow({
    answer: (text) => void stdout.write(text),
    aside: (text) => void stderr.write(text),
    rich,
    columns: stderr.columns || 100,
  });
}

/** Line after line, each answered before the next is sent. */
async function converse(chat: Chat): Promise<number> {
  const interactive = Boolean(process.stdin.isTTY) && !chat.json;
  const terminal = interactive && Boolean(process.stdout.isTTY);
  let waiting = false;
  const prompt = () => {
    waiting = true;
    if (terminal) lines.prompt();
  };
  const watch = createReviewWatch({
    client: chat.client,
    session: chat.session,
    wait: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => {}), // Aborted: the caller looks at the signal.
    onLearned(review, summary) {
      if (terminal && waiting) process.stdout.write("\r\x1b[2K");
      tellLearned(chat, review, summary);
      if (terminal && waiting) lines.prompt(true);
    },
  });
  await watch.skipPast();
  // Made no earlier: a line that comes before the loop below listens would be lost.
  const lines = createInterface({ input: process.stdin, output: terminal ? process.stdout : undefined, prompt: "> " });
  // In raw mode the terminal hands Ctrl-C to readline instead of making a signal of it.
  lines.on("SIGINT", () => (waiting ? lines.close() : process.emit("SIGINT")));
  prompt();
  let allDone = true;
  for await (const line of lines) {
    const text = line.trim();
    if (text === "/exit") break;
    if (text !== "") {
      waiting = false;
      watch.stop();
      allDone = await runTurn(chat, text);
      watch.start();
    }
    prompt();
  }
  watch.stop();
  lines.close();
  if (terminal) process.stdout.write("\n");
  return allDone ? 0 : 1;
}

/** True when the turn ended in an answer. */
async function runTurn({ client, session, json, show }: Chat, text: string): Promise<boolean> {
  const leave = new AbortController();
  let asked = false;
  const onInterrupt = () => {
    if (asked) return leave.abort(new Interrupted());
    asked = true;
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
      if (event.type === "turn_end") state = event.state;
    }
  } catch (error) {
    // One message that is refused must not end the conversation; a server that is gone does.
    if (!(error instanceof ProblemError)) throw error;
    show.line(toSentence(error));
  } finally {
    process.off("SIGINT", onInterrupt);
  }
  return state === "done";
}

function tellLearned({ json, show }: Chat, review: string, summary: string): void {
  if (json) process.stdout.write(`${toPlainJson({ type: "review_end", review, summary })}\n`);
  else show.line(`★ ${toOneLine(summary)}`);
}

function toSentence(error: unknown): string {
  if (error instanceof Interrupted) return "Left; the turn goes on without a listener, or stops as asked.";
  if (error instanceof UnreachableError) return `${toPlain(error.message)} Is it running? \`npm start\` starts it.`;
  if (error instanceof Error) return toPlain(error.message);
  return toPlain(String(error));
}
