// What Telegram checks of a text and how it writes what people send: entities of commands and mentions, tags of HTML. Used by
// fake-telegram.ts. Knows nothing of how Talaria reads or writes.
import type { MessageEntity } from "@grammyjs/types";

const TAGS: readonly string[] = [
  ...["b", "strong", "i", "em", "u", "ins", "s", "strike", "del", "a", "code", "pre", "blockquote", "tg-spoiler"],
  ...["span", "tg-emoji"],
];

export interface ParsedHtml {
  text: string;
  /** Telegram's words of what it does not take. */
  problem?: string;
}

/** The text without tags, as people see it. */
export function parseHtml(html: string): ParsedHtml {
  const open: string[] = [];
  let text = "";
  for (const [piece] of html.matchAll(/<[^<>]*>|&[^;\s]{1,8};|<|[^<&]+|&/g)) {
    if (!piece.startsWith("<")) {
      text += unescape(piece);
      continue;
    }
    const tag = /^<(\/?)([a-z-]+)(?:\s[^<>]*)?>$/.exec(piece);
    const name = tag?.[2] ?? "";
    if (!TAGS.includes(name)) return { text, problem: `Unsupported start tag "${name}" at byte offset ${text.length}` };
    if (tag?.[1] === "") open.push(name);
    else if (open.pop() !== name) return { text, problem: `Unexpected end tag at byte offset ${text.length}` };
  }
  return open.length > 0
    ? { text, problem: `Can't find end tag corresponding to start tag "${open.at(-1)}"` }
    : { text };
}

function unescape(piece: string): string {
  const known: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"' };
  return known[piece] ?? piece;
}

/** Offsets count UTF-16 units. */
export function findEntities(text: string): MessageEntity[] {
  return [...text.matchAll(/(?:^|(?<=\s))(\/[a-zA-Z0-9_]{1,32}(?:@\w+)?|@\w{5,32})/g)].map((found) => ({
    type: found[0].startsWith("/") ? ("bot_command" as const) : ("mention" as const),
    offset: found.index,
    length: found[0].length,
  }));
}

export function answerOk(result: unknown): Response {
  return Response.json({ ok: true, result });
}

export function answerError(code: number, description: string, parameters?: Record<string, number>): Response {
  return Response.json(
    { ok: false, error_code: code, description, ...(parameters && { parameters }) },
    { status: code },
  );
}

/** JSON, a form, or a form with files. Of JSON inside a form's fields the value. */
export async function readParameters(headers: Headers, body: Uint8Array, query: URLSearchParams) {
  const type = headers.get("content-type") ?? "";
  const parameters: Record<string, unknown> = Object.fromEntries(query);
  if (type.startsWith("application/json")) {
    return { ...parameters, ...(JSON.parse(new TextDecoder().decode(body)) as Record<string, unknown>) };
  }
  if (body.length === 0) return parameters;
  const form = await new Response(body.slice(), { headers: { "content-type": type } }).formData();
  for (const [name, value] of form) parameters[name] = typeof value === "string" ? fromField(value) : value;
  return parameters;
}

function fromField(value: string): unknown {
  if (/^-?\d+$/.test(value)) return Number(value);
  try {
    return JSON.parse(value);
  } catch {
    return value; // a text
  }
}
