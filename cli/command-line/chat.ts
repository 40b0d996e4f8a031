// The chat of `talaria`: finds or begins the session, then sends one message, opens the terminal, or holds a plain conversation. Called by talaria.ts.
import { existsSync } from "node:fs";
import type { SessionInfo } from "../../core/schemas/api.ts";
import type { Client } from "../connection/client.ts";
import { type Connection, UsageError } from "../connection/connection.ts";
import { converse } from "../converse.ts";
import { createDisplay } from "../show.ts";
import { canShowTerminal } from "../terminal/can-show-terminal.ts";
import { historyFile } from "../terminal/input/history.ts";
import type { TerminalOptions } from "../terminal/run-terminal.ts";
import { EXIT } from "./exit-codes.ts";
import { runOneShot } from "./one-shot.ts";
import type { Output } from "../output/output.ts";
import { PROGRAM } from "./program-name.ts";
import type { ChatFlags } from "./read-chat-flags.ts";
import { formatTime } from "../output/times.ts";

export interface Chat {
  client: Client;
  connection: Connection;
  /** The folder for the history of what was typed. It may be absent. */
  home: string;
  flags: ChatFlags;
  output: Output;
  toSentence(error: unknown): string;
}

/** Sessions that the list of `-r` shows. */
const MAX_CHOICES = 20;

export async function runChat(chat: Chat): Promise<number> {
  const { client, flags, output, toSentence } = chat;
  const { version, model } = await client.health();
  const isPlain = flags.prompt !== undefined || flags.format !== "text";
  const isScreen = !isPlain && canShowTerminal(process.stdin, process.stdout, process.env);
  if (isScreen && flags.from === "choose") return openTerminal(chat, { version, model, open: "pick" });
  const chosen = await chooseSession(client, flags, output);
  if (chosen === null) return EXIT.answered;
  const { model: choice, effort } = flags;
  if (isScreen && chosen === undefined && choice === undefined && effort === undefined)
    return openTerminal(chat, { version, model, open: { new: toNewSession(flags) } });
  const session = chosen ?? (await client.createSession(toNewSession(flags))).session;
  if (choice !== undefined || effort !== undefined)
    await client.changeSession(session, {
      ...(choice !== undefined && { model: choice }),
      ...(effort !== undefined && { effort }),
    });
  const show = createTerminalShow();
  if (flags.prompt !== undefined) return runOneShot({ client, session, flags, output, show, toSentence });
  const json = flags.format === "stream-json";
  const detail = await client.session(session);
  if (isScreen) return openTerminal(chat, { version, model, open: { session: detail } });
  if (!json) show.line(`Talaria ${version}, ${model}, session ${session} (/help)`);
  const isDone = await converse({ client, session: detail, json, show, toSentence });
  return isDone ? EXIT.answered : EXIT.failed;
}

function toNewSession({ learning, backend }: ChatFlags) {
  return { ...(learning && { learning }), ...(backend && { backend }) };
}

/** Loaded when it is needed: it takes longer to load than a one-shot to begin. */
async function openTerminal(
  { client, connection, home, toSentence }: Chat,
  opened: Pick<TerminalOptions, "version" | "model" | "open">,
): Promise<number> {
  const history = existsSync(home) ? historyFile(home, connection) : null;
  const { runTerminal } = await import("../terminal/run-terminal.ts");
  return runTerminal({ client, ...opened, command: PROGRAM, historyFile: history, toSentence });
}

/** `undefined`: a new one. `null`: the person chose none. */
async function chooseSession(client: Client, { from }: ChatFlags, output: Output): Promise<string | undefined | null> {
  if (from === null) return undefined;
  if (from !== "newest" && from !== "choose") return from.session;
  if (from === "choose" && !output.isTerminal)
    throw new UsageError("Name the session: talaria -r ID. `talaria sessions` lists them.");
  const chats = (await client.recentSessions()).filter(({ kind = "chat" }) => kind === "chat");
  if (chats.length === 0) throw new UsageError("There is no session to continue yet. `talaria` begins one.");
  return from === "newest" ? chats[0]!.session : pickSession(chats.slice(0, MAX_CHOICES), output);
}

async function pickSession(chats: SessionInfo[], output: Output): Promise<string | null> {
  const lines = chats.map(
    ({ title, createdAt }, i) => `${String(i + 1).padStart(3)}  ${formatTime(createdAt)}  ${title || "(no title)"}`,
  );
  output.note(lines.join("\n"));
  const answer = (await output.ask("Continue which one? ")).trim();
  if (answer === "") return null;
  const chosen = /^\d{1,3}$/.test(answer) ? chats[Number(answer) - 1] : undefined;
  if (!chosen)
    throw new UsageError(`${JSON.stringify(answer)} is not a number of the list, from 1 to ${chats.length}.`);
  return chosen.session;
}

function createTerminalShow() {
  const { stdout, stderr } = process;
  const rich = Boolean(stderr.isTTY && stdout.isTTY && !process.env.NO_COLOR && process.env.TERM !== "dumb");
  return createDisplay({
    answer: (text) => void stdout.write(text),
    aside: (text) => void stderr.write(text),
    rich,
    columns: stderr.columns || 100,
  });
}
