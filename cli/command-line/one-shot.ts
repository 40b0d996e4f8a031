// `talaria -p TEXT`: sends one message and shows its turn, as text, as one JSON object, or as one line for each event. Called by chat.ts.
// The answer goes to stdout, everything else to stderr.
import type { AgentEvent } from "../../core/schemas/entry.ts";
import { type Client, ProblemError } from "../connection/client.ts";
import { InterruptedError } from "../converse.ts";
import { toPlainJson } from "../output/plain-text.ts";
import { type Display } from "../show.ts";
import { FOR_PERSON } from "../turns.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import type { Output } from "../output/output.ts";
import { PROGRAM } from "./program-name.ts";
import type { ChatFlags } from "./read-chat-flags.ts";

export interface OneShot {
  client: Client;
  session: string;
  flags: ChatFlags;
  output: Output;
  show: Display;
  toSentence(error: unknown): string;
}

/** `--max-wait` is over. */
class WaitOverError extends Error {
  override name = "WaitOver";
}

export async function runOneShot({ client, session, flags, output, show, toSentence }: OneShot): Promise<ExitCode> {
  const { format, maxWaitMs, images } = flags;
  const note = (text: string) => (format === "text" ? show.line(text) : output.note(text));
  const leave = new AbortController();
  const collected = createResult(session);
  let hasAsked = false;
  const onInterrupt = () => {
    if (hasAsked) return leave.abort(new InterruptedError());
    hasAsked = true;
    note("(stopping; Ctrl-C again leaves without waiting)");
    client.stop(session).catch((error: unknown) => note(toSentence(error)));
  };
  const timer = maxWaitMs === undefined ? undefined : setTimeout(() => leave.abort(new WaitOverError()), maxWaitMs);
  process.on("SIGINT", onInterrupt);
  try {
    const text = await attachFiles(client, session, flags);
    const stream = client.streamMessage(session, text, {
      signal: leave.signal,
      images,
      onReconnect: (reason) => note(`(connection lost, trying again: ${reason.message})`),
    });
    for await (const { id, event } of stream) {
      collected.add(event);
      if (format === "stream-json") process.stdout.write(`${toPlainJson({ id, ...event })}\n`);
      else if (format === "text") show.event(event);
      if (collected.waitsForPerson() && maxWaitMs === undefined) break;
    }
  } catch (error) {
    if (error instanceof ProblemError) {
      note(toSentence(error));
      return EXIT.refused;
    }
    if (!(error instanceof WaitOverError)) throw error;
    if (!collected.waitsForPerson()) note(`(The turn has not ended, and goes on: ${PROGRAM} --session ${session})`);
  } finally {
    clearTimeout(timer);
    process.off("SIGINT", onInterrupt);
  }
  if (collected.waitsForPerson()) note(`(The turn waits for your answer: ${PROGRAM} --session ${session})`);
  if (format === "json") output.json(collected.result());
  if (hasAsked) return EXIT.interrupted;
  if (collected.waitsForPerson()) return EXIT.waits;
  return collected.result().state === "done" ? EXIT.answered : EXIT.failed;
}

/** Files lie in the session's files before the message that names them. */
async function attachFiles(client: Client, session: string, { prompt = "", files }: ChatFlags): Promise<string> {
  for (const { path, bytes } of files) await client.putFile(session, path, bytes);
  if (files.length === 0) return prompt;
  return `${prompt}\n\nAttached files: ${files.map(({ path }) => `\`${path}\``).join(", ")}`.trimStart();
}

/** Gathers what the one JSON object says: the answer of the last turn, and what the harness noted. */
function createResult(session: string) {
  const texts = new Map<number, string>();
  const notices: { code: string; text: string }[] = [];
  let park: Extract<AgentEvent, { type: "turn_park" }> | null = null;
  let end: Extract<AgentEvent, { type: "turn_end" }> | null = null;
  let turn: number | null = null;
  return {
    add(event: AgentEvent): void {
      if (event.type === "turn_start") turn ??= event.turn;
      if (event.type === "text_delta")
        texts.set(event.entry, (texts.get(event.entry) ?? "").slice(0, event.offset) + event.text);
      if (event.type === "entry_restart") texts.delete(event.entry);
      if (event.type === "notice_add") notices.push({ code: event.code, text: event.text });
      if (event.type === "turn_end") end = event;
      // Whatever the turn does next, it no longer waits.
      park = event.type === "turn_park" ? event : null;
    },
    waitsForPerson: (): boolean => park !== null && FOR_PERSON.has(park.question.for),
    result: () => ({
      session,
      turn: end?.turn ?? turn,
      state: end?.state ?? (park ? "parked" : "running"),
      reason: end?.reason ?? null,
      answer: (end === null ? undefined : texts.get(end.entry)) ?? "",
      notices,
      ...(park !== null && { question: park.question }),
      ...(end !== null && { stats: end.stats }),
    }),
  };
}
