// The plain conversation, over a pipe or in a terminal that can only print (`TERM=dumb`): shows the events of a session and sends the
// typed lines. A terminal sends a line at once, even while a turn runs; a pipe sends each line after the answer to the line before.
// Called by command-line/chat.ts. The interactive terminal is in terminal/.
import { createInterface } from "node:readline";
import { parseTypedLine } from "../core/commands/parse-command.ts";
import { PROGRAM } from "./command-line/program-name.ts";
import type { SessionDetail } from "../core/schemas/api.ts";
import type { TurnState } from "../core/schemas/entry.ts";
import { type Client, ProblemError } from "./connection/client.ts";
import { describeWait } from "./describe-wait.ts";
import { chooseStartEvent } from "./follow-start.ts";
import { followSession } from "./follow.ts";
import { type Order, createOrders } from "./orders.ts";
import { gatherPasted } from "./pasted-lines.ts";
import { createPipedOrders } from "./piped-orders.ts";
import { toPlainJson } from "./output/plain-text.ts";
import { type Display } from "./show.ts";
import { createTurns } from "./turns.ts";

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

export function parseOrder(line: string): Order {
  return line.trim() === "" ? { kind: "nothing" } : parseTypedLine(line);
}

/** Several pasted lines are one message, even where one of them reads like a command. */
export function parseLines(lines: string[]): Order {
  const text = lines.join("\n").trim();
  return lines.length === 1 || text === "" ? parseOrder(text) : { kind: "message", text };
}

/** True when the last turn that this client began is `done`. */
export async function converse(conversation: Conversation): Promise<boolean> {
  const { client, json, show, toSentence } = conversation;
  const { session } = conversation.session;
  const isPerson = Boolean(process.stdin.isTTY && process.stdout.isTTY) && !json;
  const over = Promise.withResolvers<void>();
  const left = new AbortController();
  const turns = createTurns();
  const isOpen = (state: TurnState) => state === "running" || state === "parked" || state === "queued";
  for (const { n, state } of conversation.session.turns) if (isOpen(state)) turns.add(n);
  const lines = createInterface({ input: process.stdin });
  const showLine = show.line;
  const obey = createOrders({
    client,
    session,
    showLine,
    leave,
    takesPaths: isPerson,
    onTurn(n) {
      mine.push(n);
      turns.add(n);
    },
  });
  const piped = createPipedOrders(send, turns.waitForEnd);
  let sent: Promise<unknown> = Promise.resolve();
  /** Turns that this client began. */
  const mine: number[] = [];
  let isDone = true;
  let isStopping = false;

  const typed = gatherPasted((pasted) => take(parseLines(pasted)));
  lines.on("line", isPerson ? typed.add : (line) => take(parseOrder(line)));
  lines.on("close", () => {
    typed.flush();
    take({ kind: "command", name: "exit", argument: "" });
  });
  process.on("SIGINT", onInterrupt);
  follow().catch(over.reject);
  try {
    await over.promise;
  } finally {
    process.off("SIGINT", onInterrupt);
    left.abort(new InterruptedError());
    lines.removeAllListeners();
    lines.close();
    const hasTurns = mine.length > 0 || conversation.session.turns.length > 0;
    if (isPerson && hasTurns) show.line(`To continue: ${PROGRAM} --session ${session}`);
  }
  return isDone;

  async function follow(): Promise<void> {
    const tell = (text: string) => json || showLine(text);
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
      if (event.type === "turn_end" && event.reason === "retried" && mine.includes(event.turn)) {
        // The message that is sent again is the next turn.
        mine.push(event.turn + 1);
        turns.add(event.turn + 1);
      }
      if (json) process.stdout.write(`${toPlainJson({ id, ...event })}\n`);
      else show.event(event);
      if ((event.type === "turn_end" || event.type === "turn_park") && turns.isQuiet()) isStopping = false;
    }
  }

  function take(order: Order): void {
    // Commands act at once, as in a terminal. Leaving waits for the answers to the lines before.
    const isAside = order.kind === "command" && order.name !== "exit";
    const waitsFor = turns.waitsFor();
    const waits = isPerson && waitsFor && order.kind === "message" ? describeWait(order.text, waitsFor) : null;
    if (waits) showLine(waits.hint);
    if (waits && !waits.isSent) return;
    if (isPerson || isAside) void send(order);
    else piped.add(order);
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
    else showLine(toSentence(error));
    isDone = false;
    return null;
  }

  async function leave(): Promise<void> {
    piped.close();
    // A pipe ends before its answers do; a person who leaves does not wait.
    if (!isPerson) for (const turn of mine) isDone = (await turns.waitForEnd(turn)) === "done";
    over.resolve();
  }

  /** The first Ctrl-C stops a turn, also one that waits for an answer. The next one leaves. */
  function onInterrupt(): void {
    if (turns.isQuiet() && (isStopping || turns.waitsFor() === null)) return over.resolve();
    if (isStopping) return over.reject(new InterruptedError());
    isStopping = true;
    showLine("(stopping; Ctrl-C again leaves without waiting)");
    void send({ kind: "command", name: "stop", argument: "" });
  }
}
