// A conversation in a terminal or over a pipe: shows all that happens in a session, and sends what is typed. In a terminal a
// line goes out at once, also while a turn runs; the lines of a pipe go out one after the other, each when the last is
// answered.
import { createInterface } from "node:readline";
import type { SessionDetail } from "../core/schemas/api.ts";
import type { BusyMode } from "../core/schemas/settings.ts";
import { createBackoff } from "./backoff.ts";
import { renderLearning } from "./learning.ts";
import { type Client, ProblemError, UnreachableError } from "./client.ts";
import { followSession } from "./follow.ts";
import { gatherPasted } from "./pasted-lines.ts";
import { type Show, count, toPlainJson } from "./show.ts";
import { createTurns } from "./turns.ts";

export const COMMANDS = `While a turn runs, a line goes the way that the server is set to; or say which:
  /steer TEXT         put it into the running turn
  /interrupt TEXT     end the running turn at the next tool call, then this
  /queue TEXT         after it
  /stop               stop it, and all that waits
/usage shows what was spent; /learning [SKILL] what was learned; /compress [FOCUS] makes the conversation shorter.
/learn TEXT has the agent save a skill about TEXT, in your name; /refine [FOCUS] has the work so far reviewed now,
and what the focus concerned before.
/refresh builds a new prompt; /pending lists what waits for you, /approve ID and /reject ID decide it.
/NAME [x=1] TEXT loads the skill NAME for TEXT, up to five in front; /skill NAME where a command has that name.
Several lines that are pasted are one message. Ctrl-C stops the turn, a second one leaves; Ctrl-D, /exit or /quit leaves.`;

export interface Conversation {
  client: Client;
  session: SessionDetail;
  json: boolean;
  show: Show;
  toSentence(error: unknown): string;
}

/** A second Ctrl-C. */
export class Interrupted extends Error {
  override name = "Interrupted";
}

/** What a line orders; anything else that is typed is said to the agent as it is, `/compress` and `/learn` too. */
type Order =
  | { kind: "say"; text: string; busy?: BusyMode }
  | { kind: "stop" | "usage" | "help" | "exit" | "nothing" }
  | { kind: "learning"; skill?: string }
  | { kind: "wrong"; hint: string };

export function parseOrder(line: string): Order {
  const text = line.trim();
  if (text === "") return { kind: "nothing" };
  const match = /^\/(steer|interrupt|queue|stop|usage|learning|help|exit|quit)(?:\s+([\s\S]*))?$/.exec(text);
  if (!match) return { kind: "say", text };
  const [, name, rest = ""] = match as unknown as [string, string, string?];
  if (name === "stop" || name === "usage" || name === "help" || name === "exit" || name === "quit") {
    if (rest !== "") return { kind: "wrong", hint: `/${name} stands alone.` };
    return { kind: name === "quit" ? "exit" : name };
  }
  if (name === "learning") {
    if (/\s/.test(rest)) return { kind: "wrong", hint: "Name one skill: /learning SKILL." };
    return { kind: name, ...(rest !== "" && { skill: rest }) };
  }
  if (rest === "") return { kind: "wrong", hint: `Write what to say: /${name} TEXT.` };
  return { kind: "say", text: rest, busy: name as BusyMode };
}

/** Pasted lines are one message, and none of them is an order. */
export function parseLines(lines: string[]): Order {
  const text = lines.join("\n").trim();
  return lines.length === 1 || text === "" ? parseOrder(text) : { kind: "say", text };
}

/** Where to begin: a turn that runs is shown whole, of a session that rests only what came after its last turn. */
export function placeToFollow({ turns }: Pick<SessionDetail, "turns">): string {
  const running = turns.find(({ state }) => state === "running");
  if (running) return `${running.input}.0`;
  const ended = turns.findLast(({ final }) => final !== null);
  return ended ? `${ended.final}.999999999999999` : "0.0";
}

/** True when the last turn of one's own ended in an answer. */
export async function converse(conversation: Conversation): Promise<boolean> {
  const { client, json, show, toSentence } = conversation;
  const { session } = conversation.session;
  const terminal = Boolean(process.stdin.isTTY && process.stdout.isTTY) && !json;
  const over = Promise.withResolvers<void>();
  const left = new AbortController();
  const turns = createTurns();
  for (const { n, state } of conversation.session.turns) if (state === "running" || state === "queued") turns.began(n);
  const lines = createInterface({ input: process.stdin, output: terminal ? process.stdout : undefined, prompt: "> " });
  let isPrompting = false;
  /** Lines of a pipe that wait for the answer to the one before. */
  const waiting: Order[] = [];
  let isAnswering = false;
  let sent: Promise<unknown> = Promise.resolve();
  let mine: number[] = [];
  let isDone = true;
  let isStopping = false;
  let isLeaving = false;

  const typed = gatherPasted((pasted) => take(parseLines(pasted)));
  lines.on("line", terminal ? typed.add : (line) => take(parseOrder(line)));
  lines.on("close", () => {
    typed.flush();
    take({ kind: "exit" });
  });
  // In raw mode the terminal hands Ctrl-C to readline instead of making a signal of it.
  lines.on("SIGINT", onInterrupt);
  process.on("SIGINT", onInterrupt);
  follow().catch(over.reject);
  prompt();
  try {
    await over.promise;
  } finally {
    process.off("SIGINT", onInterrupt);
    left.abort(new Interrupted());
    isPrompting = false;
    lines.removeAllListeners();
    lines.close();
    if (terminal) process.stdout.write("\n");
  }
  return isDone;

  // ---- what comes ----

  async function follow(): Promise<void> {
    const tell = (text: string) => json || aside(() => show.line(text));
    const events = followSession({
      client,
      session,
      after: placeToFollow(conversation.session),
      signal: left.signal,
      turn: turns.open,
      onReconnect: (reason) => tell(`(connection lost, trying again: ${reason.message})`),
      onFallback: () => tell("(no standing connection here: what comes between turns is shown with the next)"),
    });
    for await (const { id, event } of events) {
      turns.take(event);
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

  /** Writes over the prompt and brings it back with what was typed. */
  function aside(write: () => void): void {
    if (isPrompting) process.stdout.write("\r\x1b[2K");
    write();
    if (isPrompting) lines.prompt(true);
  }

  // ---- what is typed ----

  function take(order: Order): void {
    const isAside =
      order.kind === "stop" ||
      order.kind === "usage" ||
      order.kind === "help" ||
      order.kind === "learning" ||
      (order.kind === "say" && order.busy);
    if (terminal || isAside) return void send(order);
    waiting.push(order);
    advance();
  }

  function advance(): void {
    const next = isAnswering || isLeaving ? undefined : waiting.shift();
    if (!next) return;
    isAnswering = true;
    void send(next).then(async (turn) => {
      if (turn !== null) await turns.end(turn);
      isAnswering = false;
      advance();
    });
  }

  /** One after the other, in the order of the lines. Resolves with the turn that it became, if any. */
  function send(order: Order): Promise<number | null> {
    const done = sent.then(() => obey(order)).catch(fail);
    sent = done;
    return done;
  }

  /** One message that is refused must not end the conversation; a server that is gone does. */
  function fail(error: unknown): null {
    if (!(error instanceof ProblemError)) over.reject(error);
    else aside(() => show.line(toSentence(error)));
    isDone = false;
    return null;
  }

  async function obey(order: Order): Promise<number | null> {
    switch (order.kind) {
      case "say":
        isPrompting = false;
        return say(order.text, order.busy);
      case "stop":
        await client.stop(session);
        return null;
      case "usage": {
        const usage = await readUsage(client, session);
        aside(() => show.line(usage));
        return null;
      }
      case "learning": {
        const page = renderLearning(await client.learning({ skill: order.skill }));
        aside(() => show.line(page.trimEnd()));
        return null;
      }
      case "help":
        aside(() => show.line(COMMANDS));
        return null;
      case "wrong":
        aside(() => show.line(order.hint));
        return null;
      case "nothing":
        prompt();
        return null;
      case "exit":
        isLeaving = true;
        // A pipe ends before its answers do; a person who leaves does not wait.
        if (!terminal) for (const turn of mine) isDone = (await turns.end(turn)) === "done";
        over.resolve();
        return null;
    }
  }

  /** Under one key however often it is sent, so that it is said once. */
  async function say(text: string, busy?: BusyMode): Promise<number> {
    const key = crypto.randomUUID();
    const backoff = createBackoff({});
    for (;;) {
      try {
        const { turn } = await client.postMessage(session, text, key, busy);
        const n = Number(turn.split("-")[1]);
        mine = [...mine, n];
        turns.began(n);
        return n;
      } catch (error) {
        if (!(error instanceof UnreachableError)) throw error;
        await backoff.next(error);
      }
    }
  }

  function onInterrupt(): void {
    if (turns.isQuiet()) return over.resolve();
    if (isStopping) return over.reject(new Interrupted());
    isStopping = true;
    show.line("(stopping; Ctrl-C again leaves without waiting)");
    void send({ kind: "stop" });
  }
}

async function readUsage(client: Client, session: string): Promise<string> {
  const [{ usage }, { totals }] = await Promise.all([client.session(session), client.usage()]);
  const inWords = ({ calls, tokens, usd }: typeof usage) =>
    `${count(calls, "model call")}, ${count(tokens, "token")}, $${usd.toFixed(4)}`;
  return `this session: ${inWords(usage)}\nthis profile, 30 days: ${inWords(totals)}`;
}
