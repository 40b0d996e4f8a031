// Builds the events that a platform hands over, and reads what they are built from. Called by channels/<platform>.ts. Pure. Never throws:
// what does not make a valid event makes none.
import { clip } from "../../core/clip.ts";
import type { Clock } from "../../core/ports.ts";
import {
  InboundEvent,
  type InboundMessage,
  type InboundPress,
  type Sender,
} from "../../core/schemas/channels/inbound.ts";

type DraftSender = Omit<Sender, "name" | "isBot"> & Partial<Sender>;
type Common = "from" | "addressed" | "files" | "kind";
export type DraftMessage = Omit<InboundMessage, Common> & {
  /** Default name: the id. Default: not a bot. */
  from: DraftSender;
  /** Default: in direct chats. */
  addressed?: boolean;
  files?: InboundMessage["files"];
};
export type DraftPress = Omit<InboundPress, "from" | "kind"> & { from: DraftSender };

/** The message as a list of one event; an empty list where the platform sent nonsense, or nothing that a person wrote. */
export function toMessage(draft: DraftMessage): InboundEvent[] {
  const files = draft.files ?? [];
  if (draft.text.trim() === "" && files.length === 0) return [];
  const { replyTo } = draft;
  return toEvent({
    ...draft,
    kind: "message",
    from: toSender(draft.from),
    chat: toChat(draft.chat),
    text: draft.text.toWellFormed(),
    addressed: draft.addressed ?? draft.chat.kind === "direct",
    replyTo: replyTo && { ...replyTo, text: clip(replyTo.text, 20_000) },
    files: files.slice(0, 50).map((file) => ({
      ...file,
      name: file.name === undefined ? undefined : clip(file.name, 300),
      mediaType: file.mediaType?.slice(0, 200),
    })),
  });
}

/** As `toMessage`, for a pressed button. */
export function toPress(draft: DraftPress): InboundEvent[] {
  return toEvent({ ...draft, kind: "press", from: toSender(draft.from), chat: toChat(draft.chat) });
}

/** The JSON value; `undefined` for text that is not JSON. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not JSON
  }
}

/** Whether a signed time lies within the window, in the past or the future. `atMs`: NaN is never fresh. */
export function isFresh(clock: Clock, atMs: number, windowMs: number): boolean {
  return Math.abs(clock.now() - atMs) <= windowMs;
}

/** [own] Where a platform documents no window for the time that it signs. */
export const FRESH_MS = 300_000;

/** A time in seconds or ms as text, as headers carry it: digits only, NaN for everything else. */
export function readTime(text: string | undefined | null): number {
  return text !== undefined && text !== null && /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
}

/** A platform's time as an integer of ms; ours where it sends none, or nonsense. */
export function toTime(atMs: number, clock: Clock): number {
  const isSensible = Number.isFinite(atMs) && atMs > 0 && atMs < 8.64e15;
  return Math.trunc(isSensible ? atMs : clock.now());
}

function toEvent(draft: unknown): InboundEvent[] {
  const event = InboundEvent.safeParse(draft).data;
  return event && [event.id, event.chat.id, event.from.id].every(isId) ? [event] : [];
}

/** Not blank, and not what a program writes that has lost an id. */
function isId(id: string): boolean {
  return id.trim() !== "" && !["undefined", "null", "NaN", "[object Object]"].includes(id);
}

function toSender({ id, name, handle, isBot }: DraftSender): Sender {
  const shown = name?.trim() ? name.trim() : id;
  return { id, name: clip(shown, 200), handle: handle?.slice(0, 200), isBot: isBot ?? false };
}

function toChat(chat: InboundMessage["chat"]): InboundMessage["chat"] {
  return { ...chat, title: chat.title === undefined ? undefined : clip(chat.title, 500) };
}
