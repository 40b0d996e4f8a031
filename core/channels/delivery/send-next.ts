// One attempt at a delivery: the next of its messages or files. What is about to be sent is written down before, and what became of it after,
// so a crash between the two is known as "may have arrived". Called by deliver.ts, one at a time for each chat.
import { type Failure, type Result, err } from "../../errors.ts";
import type { OutMessage } from "../platform.ts";
import type { Piece } from "./delivery-row.ts";
import { type Desk, LEASE_MS, type OpenRow, attempt, end, isOpen, postpone } from "./desk.ts";
import { mediaTypeOf, nameOf } from "./file-type.ts";
import { FRESH_MS, MAX_ATTEMPTS, judgeFailure } from "./judge-failure.ts";
import { MAY_BE_DUPLICATE, makeBody, writeTexts } from "./make-pieces.ts";
import type { DeliveryChat, DeliveryPorts, OpenedClient } from "./ports.ts";
import { takeButtonsAway } from "./settle.ts";

/** [own] Longer pauses between two messages are waited for by the alarm. */
const MAX_PAUSE_MS = 3_000;

/** True: the chat's next message may be tried. False: the chat waits. */
export async function sendNext(desk: Desk, row: OpenRow): Promise<boolean> {
  const { ports } = desk;
  const now = ports.clock.now();
  if (now - row.fresh > FRESH_MS) return end(desk, row, "failed", row.error ?? TOO_OLD);
  const chat = ports.findChat(row.chat);
  if (!chat) return end(desk, row, "failed", CHAT_GONE);
  const opened = await ports.openClient(chat.platform);
  if (!opened.ok) {
    const { code, message } = opened.failure;
    return code === "channel_not_found"
      ? end(desk, row, "failed", { code, message })
      : postpone(desk, row, opened.failure);
  }
  if (row.kind === "settled") return takeButtonsAway(desk, row, chat, opened.value);
  const ready = row.body.pieces ? row : await prepare(desk, row, opened.value);
  if (!ready) return true;
  return sendPiece(desk, ready, { chat, opened: opened.value });
}

const TOO_OLD = { code: "too_old", message: "It could not be sent within a day." };
const CUT_OFF = { code: "cut_off", message: "The object ended three times while it was sending this." };
const CHAT_GONE = { code: "chat_gone", message: "The chat is not known any more." };

/** `null`: the delivery ended meanwhile. */
async function prepare({ ports, rows }: Desk, row: OpenRow, opened: OpenedClient): Promise<OpenRow | null> {
  const { body, buttons } = await makeBody(ports, row, opened);
  return ports.sql.transaction(() => {
    const current = rows.find(row.n);
    if (!isOpen(current)) return null;
    for (const { token, means } of buttons) rows.putButton(token, row.n, means);
    const ready = { ...current, body };
    rows.write(ready);
    return ready;
  });
}

interface Way {
  chat: DeliveryChat;
  opened: OpenedClient;
}

async function sendPiece(desk: Desk, row: OpenRow, way: Way): Promise<boolean> {
  const { ports, rows, lastAt } = desk;
  const piece = row.body.pieces![row.sent];
  if (piece === undefined) return end(desk, row, "sent", null);
  const file = "file" in piece ? await readFile(desk, row, piece.file, way.opened) : null;
  if (file?.note !== undefined) return replacePiece(desk, row, [{ text: file.note }]);
  if (file && (row.flying || row.body.unsure)) {
    const note = await writeNote(ports, `${MAY_BE_DUPLICATE}: ${file.name}`, way.opened.platform);
    return replacePiece(desk, row, [{ text: note }, piece]);
  }
  const pause = (lastAt.get(row.chat) ?? -Infinity) + way.opened.platform.limits.editEveryMs - ports.clock.now();
  if (pause > MAX_PAUSE_MS) return wait(desk, row, pause);
  if (pause > 0) await ports.clock.sleep(pause);
  const current = rows.find(row.n);
  if (!isOpen(current)) return true;
  const { unsure: _, ...known } = current.body;
  const isRepeated = (current.flying || current.body.unsure === true) && !known.edits;
  // An object that ended while it was sending has made an attempt.
  const attempts = current.attempts + (current.flying ? 1 : 0);
  if (attempts >= MAX_ATTEMPTS) return end(desk, { ...current, attempts }, "failed", CUT_OFF);
  const flying: OpenRow = {
    ...{ ...current, attempts, flying: true, due: ports.clock.now() + LEASE_MS },
    duplicate: current.duplicate || isRepeated,
    body: { ...known, ...(isRepeated && { unsure: true }) },
  };
  rows.write(flying);
  const text = "text" in piece ? piece.text : "";
  const sent = await (file?.bytes
    ? sendFile(way, { name: file.name, mediaType: mediaTypeOf(file.name), bytes: file.bytes })
    : sendText(way, flying, isRepeated ? `${MAY_BE_DUPLICATE}\n${text}` : text));
  lastAt.set(row.chat, ports.clock.now());
  if (file && !sent.ok && sent.failure.code === "channel_refused") {
    const { platform } = way.opened;
    ports.onAttempt(platform.name, sent.failure);
    const note = await writeNote(ports, `(${platform.title} did not take the file: ${file.name})`, platform);
    return replacePiece(desk, flying, [{ text: note }]);
  }
  return record(desk, flying, way, sent);
}

/** `note`: what the person reads in place of the file. Rejects if the session cannot be reached. */
async function readFile(
  { ports }: Desk,
  { session }: OpenRow,
  path: string,
  { platform, client }: OpenedClient,
): Promise<{ name: string; bytes?: Uint8Array; note?: string }> {
  const name = nameOf(path);
  const say = async (why: string) => ({ name, note: await writeNote(ports, why, platform) });
  if (!platform.capabilities.filesOut || !client.sendFile)
    return say(`(${platform.title} takes no files from me: ${name})`);
  const read = session === null ? err("file_not_found", "") : await ports.readFile(session, path);
  if (!read.ok) return say(`(The file is not there any more: ${name})`);
  const most = platform.limits.fileBytes;
  if (read.value.length === 0) return say(`(The file is empty: ${name})`);
  if (read.value.length > most)
    return say(`(The file is too large for ${platform.title}, which takes ${toMegabytes(most)}: ${name})`);
  return { name, bytes: read.value };
}

async function writeNote(ports: DeliveryPorts, why: string, platform: OpenedClient["platform"]): Promise<string> {
  return (await writeTexts(ports, why, platform))[0] ?? why;
}

function toMegabytes(bytes: number): string {
  return `${Math.floor(bytes / 100_000) / 10} MB`;
}

/** In place of the next one. What is put there was never sent. */
function replacePiece({ ports, rows }: Desk, row: OpenRow, by: Piece[]): boolean {
  const current = rows.find(row.n);
  if (!isOpen(current)) return true;
  const { unsure: _, ...body } = current.body;
  const pieces = current.body.pieces!.toSpliced(row.sent, 1, ...by);
  const duplicate = current.duplicate || by.length > 1;
  const due = ports.clock.now();
  rows.write({ ...current, flying: false, due, duplicate, body: { ...body, pieces } });
  return true;
}

type Sent = Result<{ id: string | null }>;

async function sendText({ chat, opened: { platform, client } }: Way, row: OpenRow, text: string): Promise<Sent> {
  const { body, sent } = row;
  const isLastText = !body.pieces!.slice(sent + 1).some((piece) => "text" in piece);
  const buttons = isLastText ? body.shown : undefined;
  const replies = sent === 0 && body.replyTo !== undefined && platform.capabilities.replies;
  const message: OutMessage = { text, ...(replies && { replyTo: body.replyTo! }), ...(buttons && { buttons }) };
  const { edits } = body;
  if (sent === 0 && edits !== undefined && client.edit) {
    const edited = await attempt(() => client.edit!(chat.address, edits, message));
    return edited.ok ? { ok: true, value: { id: edits } } : edited;
  }
  const first = await attempt(() => client.send(chat.address, message));
  if (first.ok || first.failure.code !== "channel_window_closed" || !chat.address.context) return first;
  // What the platform gave to answer by has expired: a message of its own may still be allowed.
  const { context: _, ...address } = chat.address;
  return attempt(() => client.send(address, message));
}

function sendFile({ chat, opened }: Way, file: { name: string; mediaType: string; bytes: Uint8Array }): Promise<Sent> {
  return attempt(() => opened.client.sendFile!(chat.address, file));
}

function record(desk: Desk, flying: OpenRow, { opened: { platform } }: Way, result: Sent): boolean {
  const { ports, rows, misses } = desk;
  ports.onAttempt(platform.name, result.ok ? null : result.failure);
  const row = rows.find(flying.n);
  if (!isOpen(row)) return true;
  if (!result.ok) return recordFailure(desk, row, result.failure);
  misses.delete(row.chat);
  const { edits: _, unsure: __, ...body } = row.body;
  const piece = row.body.pieces![row.sent]!;
  const { id } = result.value;
  if ("text" in piece && row.body.shown && id !== null) body.asked = { id, text: piece.text };
  const next = { ...row, body, sent: row.sent + 1, flying: false, error: null, due: ports.clock.now() };
  if (next.sent === body.pieces!.length) return end(desk, next, "sent", null);
  rows.write({ ...next, attempts: 0 });
  return true;
}

function recordFailure(desk: Desk, row: OpenRow, failure: Failure): boolean {
  const { ports, rows, misses } = desk;
  const { code, message } = failure;
  const error = { code, message };
  const { edits, replyTo, ...body } = row.body;
  const judged = judgeFailure(failure, { attempts: row.attempts, misses: misses.get(row.chat) ?? 0 });
  // What can be left out is, before the words are given up.
  if (judged.next === "fail" && code === "channel_refused" && (edits !== undefined || replyTo !== undefined)) {
    const lighter = edits !== undefined && replyTo !== undefined ? { ...body, replyTo } : body;
    rows.write({ ...row, body: lighter, flying: false, due: ports.clock.now(), error });
    return true;
  }
  if (judged.next === "fail") return end(desk, { ...row, attempts: row.attempts + 1 }, "failed", error);
  if (judged.next === "hold") {
    rows.write({ ...row, state: "held", flying: false, due: null, error });
    return false;
  }
  misses.set(row.chat, judged.counts ? 0 : (misses.get(row.chat) ?? 0) + 1);
  const jitter = Math.round(ports.random() * judged.ms * 0.1);
  rows.write({
    ...row,
    flying: false,
    // An edit that is repeated changes nothing twice.
    body: { ...row.body, ...(judged.maybeSent && edits === undefined && { unsure: true }) },
    due: ports.clock.now() + judged.ms + jitter,
    attempts: row.attempts + (judged.counts ? 1 : 0),
    error,
  });
  return false;
}

function wait({ ports, rows }: Desk, row: OpenRow, ms: number): boolean {
  rows.write({ ...row, due: ports.clock.now() + ms });
  return false;
}
