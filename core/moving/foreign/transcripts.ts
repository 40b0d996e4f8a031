// Brings conversations of other programs into the limits of a transcript, and cuts them into pages that a request takes. Pure.
import { byteLength } from "../../schemas/learning/digest.ts";
import type { JsonObject } from "../../schemas/entry.ts";
import {
  MAX_TRANSCRIPT_CALLS,
  MAX_TRANSCRIPT_CHARS,
  MAX_TRANSCRIPT_MESSAGES,
  type TranscriptMessage,
} from "../../schemas/sessions/transcript.ts";
import { isObject, type UnknownObject } from "../../unknown-object.ts";
import type { ForeignConversation, MoveNote } from "./foreign-home.ts";

/** [own] Characters of one call's arguments as JSON. */
const MAX_ARGS_CHARS = 20_000;
/** [own] Of all calls of one message. */
const MAX_CALLS_CHARS = 200_000;
/** Of a page; the limit of a request is `FIXED.requestBytes`, and the rest of the body is small. */
const MAX_PAGE_BYTES = 900_000;
/** [own] Of one conversation. */
const MAX_MESSAGES = 20_000;
const MAX_TITLE = 200;
const MAX_NAME = 200;

export type Call = NonNullable<TranscriptMessage["calls"]>[number];

/** A message before it is brought into the limits. */
export interface RawMessage extends Omit<TranscriptMessage, "at" | "calls"> {
  at: number | null;
  calls?: Call[];
}

interface RawConversation extends Omit<ForeignConversation, "messages" | "createdAt"> {
  createdAt: number | null;
  messages: RawMessage[];
}

/** A message without a time has the one of the message before. What was cut is noted. `null`: nobody said anything. */
export function toConversation(raw: RawConversation, note: (note: MoveNote) => void): ForeignConversation | null {
  const kept = raw.messages.slice(0, MAX_MESSAGES);
  const first = kept.find(({ role, text }) => role === "user" && text.trim() !== "");
  let at = raw.createdAt ?? kept.find((message) => message.at !== null)?.at ?? 0;
  const createdAt = at;
  let cut = 0;
  const messages = kept.flatMap((message) => {
    at = message.at ?? at;
    const fitted = fit(message, at);
    cut += Number(fitted.isCut);
    const isEmpty = fitted.message.role !== "tool" && message.text.trim() === "" && !fitted.message.calls;
    return isEmpty ? [] : [fitted.message];
  });
  if (messages.length === 0) return null;
  const what = `conversation ${raw.id.slice(0, 80)}`;
  if (cut > 0) note({ kind: "changed", what, why: `${cut} messages were too long and were cut` });
  const left = raw.messages.length - kept.length;
  if (left > 0)
    note({ kind: "changed", what, why: `it has more than ${MAX_MESSAGES} messages; the last ${left} were left out` });
  const title = (raw.title.trim() || toPreview(first?.text ?? "")).slice(0, MAX_TITLE).toWellFormed();
  return { id: raw.id.slice(0, MAX_NAME).toWellFormed(), title, createdAt, messages };
}

const PREVIEW_CHARS = 60;

/** How a conversation without a title is listed: by its first words. */
export function toPreview(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > PREVIEW_CHARS ? `${line.slice(0, PREVIEW_CHARS).toWellFormed()}…` : line;
}

function fit(message: RawMessage, at: number): { message: TranscriptMessage; isCut: boolean } {
  const { role, callId, name, failed, model } = message;
  let isCut = message.text.length > MAX_TRANSCRIPT_CHARS;
  const text = (isCut ? `${message.text.slice(0, MAX_TRANSCRIPT_CHARS - 1)}…` : message.text).toWellFormed();
  const calls: Call[] = [];
  let chars = 0;
  for (const call of message.calls ?? []) {
    const size = JSON.stringify(call.args).length;
    const args =
      size > MAX_ARGS_CHARS ? { cut: JSON.stringify(call.args).slice(0, MAX_ARGS_CHARS).toWellFormed() } : call.args;
    chars += Math.min(size, MAX_ARGS_CHARS);
    isCut ||= size > MAX_ARGS_CHARS;
    if (calls.length >= MAX_TRANSCRIPT_CALLS || chars > MAX_CALLS_CHARS) {
      isCut = true;
      break;
    }
    calls.push({ id: call.id, name: call.name, args });
  }
  const fitted: TranscriptMessage = {
    ...{ role, text, at },
    ...(calls.length > 0 && { calls }),
    ...(callId !== undefined && callId !== "" && { callId: callId.slice(0, MAX_NAME) }),
    ...(name !== undefined && name !== "" && { name: name.slice(0, MAX_NAME) }),
    ...(failed && { failed }),
    ...(model !== undefined && model !== "" && { model: model.slice(0, MAX_NAME) }),
  };
  return { message: fitted, isCut };
}

/** A call as a program names it. `args`: an object, or its JSON. `null`: it has no name. */
export function toCall(id: unknown, name: unknown, args: unknown): Call | null {
  if (typeof name !== "string" || name === "") return null;
  const given = typeof id === "string" && id !== "" ? id : `call_${name}`;
  return { id: given.slice(0, MAX_NAME), name: name.slice(0, MAX_NAME), args: toArgs(args) };
}

function toArgs(args: unknown): JsonObject {
  if (isObject(args)) return args;
  if (typeof args !== "string") return {};
  try {
    const parsed: unknown = JSON.parse(args);
    return isObject(parsed) ? parsed : { text: args };
  } catch {
    return { text: args };
  }
}

/** The text of content that is a text or a list of parts. Other parts than text are named. */
export function toPlainText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const parts = content.map((part: unknown) =>
    isObject(part) ? toPartText(part) : typeof part === "string" ? part : "",
  );
  return parts.filter((text) => text !== "").join("\n");
}

function toPartText({ type, text }: UnknownObject): string {
  if (typeof text === "string") return text;
  return /image/i.test(String(type)) ? "(an image, which is not here)" : "";
}

/** Pages of whole turns where they fit. */
export function toPages(messages: TranscriptMessage[]): TranscriptMessage[][] {
  const pages: TranscriptMessage[][] = [];
  let [page, bytes, turnAt]: [TranscriptMessage[], number, number] = [[], 0, 0];
  for (const message of messages) {
    const size = byteLength(JSON.stringify(message)) + 1;
    if (page.length > 0 && (bytes + size > MAX_PAGE_BYTES || page.length >= MAX_TRANSCRIPT_MESSAGES)) {
      // The turn that is cut off begins the next page, if it is not the whole page.
      const rest = message.role !== "user" && turnAt > 0 ? page.splice(turnAt) : [];
      pages.push(page);
      page = rest;
      bytes = rest.reduce((sum, one) => sum + byteLength(JSON.stringify(one)) + 1, 0);
      turnAt = 0;
    }
    if (message.role === "user") turnAt = page.length;
    page.push(message);
    bytes += size;
  }
  return page.length > 0 ? [...pages, page] : pages;
}
