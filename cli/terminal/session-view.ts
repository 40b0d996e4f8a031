// One session on the screen: follows its events, places the person's messages among them, sends what is typed, and keeps the
// status line. Used by run-terminal.ts and by the commands. A client of the HTTP API only.
import { parseSessionCommand } from "../../core/commands/parse-command.ts";
import type { SessionDetail } from "../../core/schemas/api.ts";
import { type AgentEvent, type AskedQuestion, type WaitKind, promptTokens } from "../../core/schemas/entry.ts";
import type { BusyMode } from "../../core/schemas/settings.ts";
import type { Client } from "../connection/client.ts";
import type { AttachedImage } from "../image-file.ts";
import { chooseStartEvent } from "../follow-start.ts";
import { followSession } from "../follow.ts";
import { toOneLine } from "../output/plain-text.ts";
import { createTurns } from "../turns.ts";
import { type OutgoingMessage, createOutgoing, describeWaiting } from "./outgoing.ts";
import { createReads } from "./reads.ts";
import { showPast } from "./past.ts";
import { createQuestionPanel } from "./question-panel.ts";
import type { Screen } from "./view/screen.ts";

export interface SessionViewOptions {
  client: Client;
  screen: Screen;
  /** Makes the session of a conversation that has none yet. */
  create(): Promise<SessionDetail>;
  toSentence(error: unknown): string;
  /** The server refused it: the person gets it back. */
  putBack(message: Pick<OutgoingMessage, "text" | "images" | "isPrivate">): void;
  /** What the person has chosen for the session may have changed. */
  onChoice(model: string | undefined): void;
  /** The session cannot be shown any more, such as when it was deleted. */
  onFatal(error: unknown): void;
}

export interface Sendable {
  text: string;
  images?: AttachedImage[];
  busy?: BusyMode;
  isPrivate?: boolean;
  prepare?: (session: string) => Promise<string>;
}

export type SessionView = ReturnType<typeof createSessionView>;

const KEYS = "Esc stops · Enter queues · Alt-Enter steers";

/** `detail`: an existing session; `null`: it is made with the first message. */
export function createSessionView(options: SessionViewOptions, detail: SessionDetail | null) {
  const { client, screen, toSentence } = options;
  const { transcript } = screen;
  const reads = createReads(options);
  const turns = createTurns();
  const left = new AbortController();
  /** Accepted messages whose turn has not begun, by turn. */
  const queued = new Map<number, OutgoingMessage>();
  /** Turns whose message is on the screen. */
  const placed = new Set<number>();
  /** The messages that are: a goal goes on by turns of its own, maybe before the answer to the request that set it. */
  const shown = new Set<OutgoingMessage>();
  let session = detail?.session ?? null;
  let created: Promise<SessionDetail> | null = null;
  let lost: { reason: string; since: number } | null = null;
  let work = "waiting for the model";
  let begunAt = Date.now();
  /** Turns of commands. */
  const commands = new Set<number>();
  let question: AskedQuestion | null = null;
  let hasTurns = (detail?.turns.length ?? 0) > 0;

  const outgoing = createOutgoing({
    client,
    session: ensure,
    onChange: refresh,
    onAccepted(message, turn) {
      onFound();
      hasTurns = true;
      turns.add(turn);
      if (!placed.has(turn)) queued.set(turn, message);
      refresh();
    },
    onRefused(message, error) {
      screen.note(`Not sent: ${toSentence(error)}`, screen.theme.bad);
      options.putBack(message);
      refresh();
    },
    onLost,
  });

  async function ensure(): Promise<string> {
    if (session !== null) return session;
    created ??= options.create();
    try {
      const made = await created;
      if (session === null) begin(made);
      return made.session;
    } finally {
      created = null;
    }
  }

  function begin(made: SessionDetail): void {
    session = made.session;
    screen.setStatus({ session, tokens: made.usage.tokens, usd: made.usage.usd });
    options.onChoice(made.model);
    for (const { n, state } of made.turns) if (["running", "parked", "queued"].includes(state)) turns.add(n);
    follow(made).catch(options.onFatal);
  }

  async function follow(from: SessionDetail): Promise<void> {
    const events = followSession({
      client,
      session: from.session,
      after: chooseStartEvent(from),
      signal: left.signal,
      reconnectMs: Infinity,
      turn: turns.waitForOpen,
      onReconnect: onLost,
      onOpen: onFound,
      onFallback: () => screen.note("(no WebSocket available: events between turns are shown with the next turn)"),
    });
    try {
      for await (const { event } of events) apply(event);
    } catch (error) {
      if (!left.signal.aborted) throw error;
    }
  }

  function onLost(reason: Error): void {
    lost ??= { reason: toOneLine(reason.message), since: Date.now() };
    refresh();
  }

  function onFound(): void {
    if (lost !== null) screen.note("(connected again)");
    lost = null;
    refresh();
  }

  function apply(event: AgentEvent): void {
    const isAnswer = turns.waitsFor() !== null;
    turns.apply(event);
    placeMessage(event, isAnswer);
    transcript.apply(event);
    if (event.type === "turn_start") begunAt = Date.now();
    if (event.type === "turn_start" || event.type === "tool_end") work = "waiting for the model";
    if (event.type === "tool_start") work = `running ${toOneLine(event.name)}`;
    if (event.type === "reasoning_delta") work = "thinking";
    if (event.type === "text_delta") work = "answering";
    if (event.type === "turn_park") ask(event.question);
    // A command beside the question was answered, and the question still waits.
    else if (turns.waitsFor() !== null && screen.panel() === null && question) ask(question);
    else if (turns.waitsFor() === null && isAnswer) screen.setPanel(null);
    if (event.type === "turn_end") endTurn(event);
    refresh();
  }

  /** A message stands where its turn begins, or where it joined a running one. */
  function placeMessage(event: AgentEvent, isAnswer: boolean): void {
    if (event.type === "steer_add") {
      queued.delete(event.turn);
      // What a panel sends is not the person's words; the notice after it says what was decided.
      const isChoice = /^\/(?:approve|deny) [0-9a-f]{20}(?: \w+)?$/.test(event.text);
      if (!placed.has(event.turn) && !isChoice)
        transcript.addPerson(event.text, isAnswer ? "" : "joined the running turn");
      placed.add(event.turn);
    }
    if (event.type !== "turn_start" || placed.has(event.turn)) return;
    placed.add(event.turn);
    // The event may be here before the answer to the request: then the first message on its way is meant.
    const message = queued.get(event.turn) ?? outgoing.messages().find((one) => !shown.has(one));
    queued.delete(event.turn);
    if (message) shown.add(message);
    if (message && parseSessionCommand(message.text) !== null) commands.add(event.turn);
    const setText = transcript.addPerson(message?.text ?? "…");
    if (!message) void reads.input(session!, event.entry, setText);
  }

  function ask(asked: AskedQuestion): void {
    question = asked;
    const { theme, draw } = screen;
    screen.setPanel(createQuestionPanel(asked, { theme, answer: (text) => send({ text }), onChange: draw }));
  }

  function endTurn(event: Extract<AgentEvent, { type: "turn_end" }>): void {
    const { usage, usdMicros = 0 } = event.stats;
    const { tokens, usd, ms } = screen.status();
    const unbegun = queued.get(event.turn);
    if (unbegun) {
      queued.delete(event.turn);
      screen.note(`(not begun: ${toOneLine(unbegun.text)})`);
      return;
    }
    screen.setStatus({
      tokens: tokens + promptTokens(usage) + usage.output,
      usd: usd + usdMicros / 1e6,
      ms: ms + Date.now() - begunAt,
    });
    if (event.stats.modelCalls > 0) void reads.context(session!, event.entry);
    if (commands.delete(event.turn)) void reads.choice(session!);
  }

  function refresh(): void {
    screen.setWaiting(describeWaiting([...queued.values()], outgoing.messages()));
    if (lost !== null) return screen.setActivity({ kind: "lost", ...lost });
    if (!turns.isQuiet()) return screen.setActivity({ kind: "busy", what: work, since: begunAt, keys: KEYS });
    const isSending = outgoing.messages().length > 0;
    if (!isSending) begunAt = Date.now();
    screen.setActivity(isSending ? { kind: "busy", what: "sending", since: begunAt, keys: "" } : { kind: "idle" });
  }

  function send({ text, images = [], busy, isPrivate = false, prepare }: Sendable): void {
    outgoing.add({ text, images, busy, isPrivate, prepare });
  }

  return {
    send,
    ensure,
    id: () => session,
    hasTurns: () => hasTurns,
    isBusy: () => !turns.isQuiet(),
    waitsFor: (): WaitKind | null => turns.waitsFor(),
    /** What the server does not have yet. */
    unsent: (): string[] => outgoing.messages().map(({ text }) => text),
    async stop(): Promise<void> {
      if (session !== null) await client.stop(session);
    },
    /** Shows an existing session: its last turns, then what happens. */
    async start(): Promise<void> {
      if (detail === null) return;
      const shown = await showPast(client, detail, transcript);
      for (const n of shown) placed.add(n);
      begin(detail);
      const ended = detail.turns.findLast(({ final, stats }) => final !== null && stats.modelCalls > 0);
      if (ended?.final) void reads.context(detail.session, ended.final);
    },
    close(): void {
      left.abort(new Error("The session was left."));
      outgoing.close();
      screen.setPanel(null);
      screen.setWaiting([]);
      screen.setActivity({ kind: "idle" });
    },
  };
}
