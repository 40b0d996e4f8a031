// A conversation in a terminal or over a pipe: shows the events of a session and sends the typed lines. A terminal sends a
// line at once, even while a turn runs. A pipe sends each line after the answer to the line before. Called by chat.ts.
import { createInterface } from "node:readline";
import { completeCommand, parseTypedLine, type TypedLine } from "../core/commands/parse-command.ts";
import type { ClientCommandName } from "../core/commands/commands.ts";
import { renderCommandHelp } from "../core/commands/help.ts";
import type { SessionDetail } from "../core/schemas/api.ts";
import type { BusyMode } from "../core/schemas/settings.ts";
import { createBackoff } from "./backoff.ts";
import { renderLearning } from "./learning.ts";
import { type Client, ProblemError, UnreachableError } from "./client.ts";
import { followSession } from "./follow.ts";
import { gatherPasted } from "./pasted-lines.ts";
import { type Display, count, toPlainJson } from "./show.ts";
import { createTurns } from "./turns.ts";

export const COMMAND_HELP = `A line sent while a turn runs waits for its end, unless the setting turn.busy says otherwise. Commands:
${renderCommandHelp("terminal", "owner")}

/NAME [x=1] TEXT loads the skill NAME for TEXT; up to five names may stand in front. Tab completes a command.
Pasted lines are one message. Ctrl-C stops the turn; a second Ctrl-C leaves, and so does Ctrl-D.`;

export interface Conversation {
  client: Client;
  session: SessionDetail;
  json: boolean;
  show: Display;
  toSentence(error: unknown): string;
}

/** A second Ctrl-C. */
export class InterruptedError extends Error {
  override name = "Interrupted";
}

/** Commands of the session and of the model are messages: the server carries them out. */
type Order = TypedLine | { kind: "nothing" };

export function parseOrder(line: string): Order {
  return line.trim() === "" ? { kind: "nothing" } : parseTypedLine(line);
}

/** Several pasted lines are one message, even where one of them reads like a command. */
export function parseLines(lines: string[]): Order {
  const text = lines.join("\n").trim();
  return lines.length === 1 || text === "" ? parseOrder(text) : { kind: "message", text };
}

/** Without a command before the cursor, Tab is a tab: pasted tables keep theirs. */
export function completeLine(typed: string): [completions: string[], completed: string] {
  return [typed.startsWith("/") ? completeCommand(typed, "terminal", "owner") : [`${typed}\t`], typed];
}

/** The event id to begin after: a running turn is shown whole, of an idle session only what follows its last turn. */
export function chooseStartEvent({ turns }: Pick<SessionDetail, "turns">): string {
  const running = turns.find(({ state }) => state === "running");
  if (running) return `${running.input}.0`;
  const ended = turns.findLast(({ final }) => final !== null);
  return ended ? `${ended.final}.999999999999999` : "0.0";
}

/** True when the last turn that this client began is `done`. */
export async function converse(conversation: Conversation): Promise<boolean> {
  const { client, json, show, toSentence } = conversation;
  const { session } = conversation.session;
  const terminal = Boolean(process.stdin.isTTY && process.stdout.isTTY) && !json;
  const over = Promise.withResolvers<void>();
  const left = new AbortController();
  const turns = createTurns();
  for (const { n, state } of conversation.session.turns) if (state === "running" || state === "queued") turns.add(n);
  const lines = createInterface({
    input: process.stdin,
    output: terminal ? process.stdout : undefined,
    prompt: "> ",
    completer: completeLine,
  });
  let isPrompting = false;
  /** Lines of a pipe that wait for the answer to an earlier line. */
  const waiting: Order[] = [];
  let isAnswering = false;
  let sent: Promise<unknown> = Promise.resolve();
  let mine: number[] = [];
  let isDone = true;
  let isStopping = false;
  let isLeaving = false;

  /** One function for each command of the client. Resolves with the turn of a message, else with `null`. */
  const run: Record<ClientCommandName, (argument: string) => Promise<number | null>> = {
    steer: (text) => say(text, "steer"),
    interrupt: (text) => say(text, "interrupt"),
    queue: (text) => say(text, "queue"),
    stop,
    usage: showUsage,
    learning: showLearning,
    exit: leave,
    help: showHelp,
  };

  const typed = gatherPasted((pasted) => take(parseLines(pasted)));
  lines.on("line", terminal ? typed.add : (line) => take(parseOrder(line)));
  lines.on("close", () => {
    typed.flush();
    take({ kind: "command", name: "exit", argument: "" });
  });
  // In raw mode, readline receives Ctrl-C instead of the process receiving a signal.
  lines.on("SIGINT", onInterrupt);
  process.on("SIGINT", onInterrupt);
  follow().catch(over.reject);
  prompt();
  try {
    await over.promise;
  } finally {
    process.off("SIGINT", onInterrupt);
    left.abort(new InterruptedError());
    isPrompting = false;
    lines.removeAllListeners();
    lines.close();
    if (terminal) process.stdout.write("\n");
  }
  return isDone;

  // ---- incoming events ----

  async function follow(): Promise<void> {
    const tell = (text: string) => json || aside(() => show.line(text));
    const events = followSession({
      client,
      session,
      after: chooseStartEvent(conversation.session),
      signal: left.signal,
      turn: turns.waitForOpen,
      onReconnect: (reason) => tell(`(connection lost, trying again: ${reason.message})`),
      onFallback: () => tell("(no WebSocket available: events between turns are shown with the next turn)"),
    });
    for await (const { id, event } of events) {
      turns.apply(event);
      if (event.type === "turn_start") unprompt();
      if (json) process.stdout.write(`${toPlainJson({ id, ...event })}\n`);
      else aside(() => show.event(event));
      if (event.type === "turn_end") prompt();
    }
  }

  function prompt(): void {
    if (!turns.isQuiet()) return;
    isStopping = false;
    isPrompting = terminal;
    if (isPrompting) lines.prompt();
  }

  function unprompt(): void {
    if (isPrompting) process.stdout.write("\r\x1b[2K");
    isPrompting = false;
  }

  /** Clears the prompt, writes, and restores the prompt with the typed text. */
  function aside(write: () => void): void {
    if (isPrompting) process.stdout.write("\r\x1b[2K");
    write();
    if (isPrompting) lines.prompt(true);
  }

  // ---- typed lines ----

  function take(order: Order): void {
    // Commands act at once, as in a terminal. Leaving waits for the answers to the lines before.
    const isAside = order.kind === "command" && order.name !== "exit";
    if (terminal || isAside) return void send(order);
    waiting.push(order);
    advance();
  }

  function advance(): void {
    const next = isAnswering || isLeaving ? undefined : waiting.shift();
    if (!next) return;
    isAnswering = true;
    void send(next).then(async (turn) => {
      if (turn !== null) await turns.waitForEnd(turn);
      isAnswering = false;
      advance();
    });
  }

  /** Carries out orders one at a time, in order. Resolves with the turn of a message, else with `null`. */
  function send(order: Order): Promise<number | null> {
    const done = sent.then(() => obey(order)).catch(fail);
    sent = done;
    return done;
  }

  /** A refused message does not end the conversation; an unreachable server does. */
  function fail(error: unknown): null {
    if (!(error instanceof ProblemError)) over.reject(error);
    else aside(() => show.line(toSentence(error)));
    isDone = false;
    return null;
  }

  async function obey(order: Order): Promise<number | null> {
    switch (order.kind) {
      case "message":
        return say(order.text);
      case "command":
        return run[order.name](order.argument);
      case "misused":
        aside(() => show.line(order.hint));
        return null;
      case "nothing":
        prompt();
        return null;
    }
  }

  async function stop(): Promise<null> {
    await client.stop(session);
    return null;
  }

  async function showUsage(): Promise<null> {
    const usage = await readUsage(client, session);
    aside(() => show.line(usage));
    return null;
  }

  async function showLearning(skill: string): Promise<null> {
    const page = renderLearning(await client.learning(skill === "" ? {} : { skill }));
    aside(() => show.line(page.trimEnd()));
    return null;
  }

  async function showHelp(): Promise<null> {
    aside(() => show.line(COMMAND_HELP));
    return null;
  }

  async function leave(): Promise<null> {
    isLeaving = true;
    // A pipe ends before its answers do; a person who leaves does not wait.
    if (!terminal) for (const turn of mine) isDone = (await turns.waitForEnd(turn)) === "done";
    over.resolve();
    return null;
  }

  /** Every attempt has the same idempotency key, so that the message is accepted once. */
  async function say(text: string, busy?: BusyMode): Promise<number> {
    isPrompting = false;
    const key = crypto.randomUUID();
    const backoff = createBackoff({});
    for (;;) {
      try {
        const { turn } = await client.postMessage(session, text, key, busy);
        const n = Number(turn.split("-")[1]);
        mine = [...mine, n];
        turns.add(n);
        return n;
      } catch (error) {
        if (!(error instanceof UnreachableError)) throw error;
        await backoff.next(error);
      }
    }
  }

  function onInterrupt(): void {
    if (turns.isQuiet()) return over.resolve();
    if (isStopping) return over.reject(new InterruptedError());
    isStopping = true;
    show.line("(stopping; Ctrl-C again leaves without waiting)");
    void send({ kind: "command", name: "stop", argument: "" });
  }
}

async function readUsage(client: Client, session: string): Promise<string> {
  const [{ usage }, { totals }] = await Promise.all([client.session(session), client.usage()]);
  const inWords = ({ calls, tokens, usd }: typeof usage) =>
    `${count(calls, "model call")}, ${count(tokens, "token")}, $${usd.toFixed(4)}`;
  return `this session: ${inWords(usage)}\nthis profile, 30 days: ${inWords(totals)}`;
}
