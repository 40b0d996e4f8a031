// Local servers around a chaos run's sessions: a model with scripted answers, and a server that records each request of the tools
// under test. They outlive every kill. Called by turns.ts.
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { COMPLETE, SLOW_CALL, answerWorker } from "./worker-script.ts";

export type CallEffect = "read" | "keyed" | "unkeyed";

/** The tool calls of each answer, in order. `c5` is the fifth call of the turn. */
const STEPS: readonly (readonly CallEffect[])[] = [
  ["read", "read", "read"],
  ["keyed"],
  ["unkeyed", "keyed"],
  ["unkeyed", "read"],
  ["keyed", "unkeyed"],
];

export interface ScriptedCall {
  call: string;
  effect: CallEffect;
  step: number;
}
export const CALLS: readonly ScriptedCall[] = STEPS.flatMap((effects, step) =>
  effects.map((effect) => ({ effect, step })),
).map(({ effect, step }, i) => ({ call: `c${i + 1}`, effect, step }));

/** A request from a tool, with its time of arrival. */
export interface Arrival {
  effect: CallEffect;
  session: string;
  task: number;
  call: string;
  key?: string;
  at: number;
}

/** A tool result that the model received. */
export interface ShownResult {
  task: number;
  call: string;
  text: string;
}

export interface World {
  url: string;
  arrivals: Arrival[];
  shown: ShownResult[];
  /** Reported points, by session. */
  passed: Map<string, string[]>;
  /** The point at which a session was killed since the last start. */
  reached: Map<string, string>;
  close(): void;
}

/** Prefix of a task's text, by which the model recognises it. */
export function writeTaskText(task: number): string {
  return `Task ${task}: do the ten things, then say that they are done.`;
}

/** Parts that a delegation is split into. */
export const PARTS = 3;

/** The text of a message whose turn delegates its parts. */
export function writeDelegationText(n: number): string {
  return `Delegate ${n}: have its parts done, then say so.`;
}

/** The number of a part of delegation `n`, from 1. */
export function toPart(n: number, at: number): number {
  return n * 10 + at;
}

export function writePartAnswer(part: number): string {
  return `Part ${part} is done.`;
}

/** What the model says in a delegation, as a parent or as a child that does one keyed thing; `null` for any other turn. */
function answerDelegation(messages: ChatMessage[]): { text: string; calls: object[] } | null {
  const input = messages.find(({ role }) => role === "user");
  const text = joinTextParts(input?.content);
  const isNew = !messages.some(({ role }) => role === "tool");
  const call = (name: string, args: object) => [
    { id: "d1", type: "function", function: { name, arguments: JSON.stringify(args) } },
  ];
  const part = /^Task:\nDo part (\d+)/.exec(text)?.[1];
  if (part) {
    if (isNew) return { text: "", calls: call("do_keyed", { task: Number(part), call: "part" }) };
    return { text: writePartAnswer(Number(part)), calls: [] };
  }
  const whole = /^Delegate (\d+):/.exec(text)?.[1];
  if (!whole) return null;
  if (!isNew) return { text: "All parts are done.", calls: [] };
  const tasks = Array.from({ length: PARTS }, (_, i) => ({ goal: `Do part ${toPart(Number(whole), i + 1)}.` }));
  return { text: "", calls: call("delegate_task", { tasks }) };
}

const FINAL_CHARS = 5_000;
const PIECE_CHARS = 250;
/** Long enough for some kills to happen during an answer or a call. */
const PIECE_MS = 4;
const TOOL_MS = 5;
const SLOW_TOOL_MS = 1_500;

export async function startWorld(): Promise<World> {
  const requestCounts = new Map<string, number>();
  const world = {
    arrivals: [] as Arrival[],
    shown: [] as ShownResult[],
    passed: new Map<string, string[]>(),
    reached: new Map<string, string>(),
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse((await readBody(request)) || "null");
    switch (request.url) {
      case "/tool":
        world.arrivals.push({ ...body, at: Date.now() });
        await pause(body.call === SLOW_CALL ? SLOW_TOOL_MS : TOOL_MS);
        return void response.end();
      case "/passed":
        world.passed.set(body.session, [...(world.passed.get(body.session) ?? []), body.point]);
        return void response.end();
      case "/reached":
        world.reached.set(body.session, body.point);
        return; // no answer: the session waits until it is killed
      case "/v1/chat/completions":
        return answer(body, response);
      default:
        response.writeHead(404).end();
    }
  }

  async function answer({ messages }: ChatRequest, response: ServerResponse): Promise<void> {
    const delegated = answerDelegation(messages);
    if (delegated) return stream(response, delegated.text, delegated.calls);
    const worker = answerWorker(messages.map((message) => ({ ...message, text: joinTextParts(message.content) })));
    if (worker) {
      note(
        worker.thing,
        messages.filter(({ tool_call_id: call }) => call?.startsWith(COMPLETE)),
      );
      return stream(response, worker.text, worker.calls);
    }
    const at = messages.findLastIndex(({ role, content }) => role === "user" && TASK.test(joinTextParts(content)));
    const task = at < 0 ? null : Number(TASK.exec(joinTextParts(messages[at]!.content))![1]);
    const since = messages.slice(at + 1);
    if (task !== null) note(task, since);
    const step = since.filter(({ role }) => role === "assistant").length;
    const place = `${task} ${step}`;
    const times = (requestCounts.get(place) ?? 0) + 1;
    requestCounts.set(place, times);
    const calls = task === null ? [] : CALLS.filter((call) => call.step === step);
    // A repeated request gets another text, as from real models. A reader that kept half of the first text would show a mixture.
    const opening = `Task ${task}, step ${step + 1}, asked for the ${times}. time. `;
    const text = calls.length > 0 || task === null ? opening : `${opening}${FINAL}`;
    await stream(response, text, task === null ? [] : calls.map((call) => toToolCall(task, call)));
  }

  function note(task: number, messages: ChatMessage[]): void {
    for (const { role, tool_call_id: call, content } of messages) {
      if (role === "tool" && call) world.shown.push({ task, call, text: joinTextParts(content) });
    }
  }

  const server = createServer((request, response) => {
    // The caller may be killed at any moment.
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    ...world,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

interface ChatMessage {
  role: string;
  content?: string | { text?: string }[] | null;
  tool_call_id?: string;
}
interface ChatRequest {
  messages: ChatMessage[];
}

const TASK = /^Task (\d+):/;
const FINAL = "All ten things are done. ".repeat(FINAL_CHARS / 25);

function joinTextParts(content: ChatMessage["content"]): string {
  if (typeof content === "string") return content;
  return (content ?? []).map((part) => part.text ?? "").join("");
}

function toToolCall(task: number, { call, effect }: ScriptedCall) {
  return { id: call, type: "function", function: { name: `do_${effect}`, arguments: JSON.stringify({ task, call }) } };
}

async function stream(response: ServerResponse, text: string, calls: object[]): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = (delta: object, finish: string | null = null) => {
    const choices = [{ index: 0, delta, finish_reason: finish }];
    response.write(`data: ${JSON.stringify({ object: "chat.completion.chunk", choices })}\n\n`);
  };
  for (let at = 0; at < text.length && !response.destroyed; at += PIECE_CHARS) {
    send({ content: text.slice(at, at + PIECE_CHARS) });
    await pause(PIECE_MS);
  }
  if (calls.length > 0) send({ tool_calls: calls.map((call, index) => ({ index, ...call })) });
  send({}, calls.length > 0 ? "tool_calls" : "stop");
  const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };
  response.end(`data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString("utf8");
}
