// Parses a provider's error reply: bodies of many shapes, and how long to wait before a retry. Called by failures.ts, stream-guard.ts and
// the adapters. Pure. Does not decide what a reply means; failure-rules.ts does.
import { toWait } from "../../retry-after.ts";
import { isObject } from "../../unknown-object.ts";

/** The readable parts of one reply. `status` is absent for an error inside a stream. */
export interface ErrorReply {
  provider: string;
  status?: number;
  /** `error.type`, `error.code`, `error.status` and the like, in any order. */
  codes: string[];
  message: string;
  headers?: Headers;
  /** Milliseconds to wait, if the body states them. */
  bodyRetryMs?: number;
  /** llama.cpp: tokens of the window, and of the prompt that did not fit. */
  size?: { window?: number; promptTokens?: number };
}

type Body = Pick<ErrorReply, "status" | "codes" | "message" | "bodyRetryMs" | "size">;

/**
 * Reads an error body of any provider: `{error: {...}}` (OpenAI, Anthropic), the same in an array (Google), `{error: [{...}]}`
 * (AI Gateway), `{error: "text"}` (Ollama, xAI), `{object: "error", message}` (Mistral, vLLM), `{errors: [{code, message}]}`
 * (Workers AI), `{detail}` (FastAPI), or plain text from a proxy. From an HTML page it reads only the title. An upstream error inside
 * OpenRouter's reply is merged into the result.
 */
export function readErrorBody(body: unknown): Body {
  const whole = asRecord(Array.isArray(body) ? body[0] : body);
  if (!whole) return { codes: [], message: typeof body === "string" ? readPlainText(body, stripMarkup) : "" };
  const inner = asRecord(whole.error) ?? firstRecord(whole.error) ?? firstRecord(whole.errors) ?? whole;
  const raw = asRecord(inner.metadata)?.raw;
  const upstream = typeof raw === "string" ? readErrorBody(parseBody(raw)) : null;
  const codes = [inner.type, inner.code, inner.status, whole.type, whole.code]
    .filter((code) => typeof code === "string" || typeof code === "number")
    .map(String);
  const message = [inner.message, whole.error, whole.message, whole.detail].find((text) => typeof text === "string");
  // OpenRouter puts the upstream provider's status into `error.code` of an error chunk.
  const status = [inner.code, inner.status_code].find(isErrorStatus);
  return {
    ...(status === undefined ? {} : { status }),
    codes: [...codes, ...(upstream?.codes ?? [])],
    message: [readPlainText((message as string | undefined) ?? toText(inner)), upstream?.message]
      .filter(Boolean)
      .join(": "),
    bodyRetryMs: readRetryInfo(inner.details) ?? readSeconds(inner.resets_in_seconds),
    ...(typeof inner.n_ctx === "number" && { size: { window: inner.n_ctx, ...toPromptTokens(inner.n_prompt_tokens) } }),
  };
}

function toPromptTokens(promptTokens: unknown): { promptTokens?: number } {
  return typeof promptTokens === "number" ? { promptTokens } : {};
}

/**
 * The readable part of a text. If it holds an HTML page, that is the text before the page and the page's title. Otherwise `other`
 * converts it.
 */
export function readPlainText(text: string, other: (text: string) => string = (plain) => plain): string {
  const begin = /^\s*<(?!\?xml)[a-z!]/i.test(text) ? 0 : text.search(/<!doctype\s{1,9}html|<html[\s>]/i);
  if (begin < 0) return other(text);
  const title = /<title[^<>]{0,200}>([^<]{0,300})/i.exec(text.slice(begin))?.[1] ?? "";
  return `${text.slice(0, begin)} ${title}`.trim();
}

/** Parses text as JSON, or returns the text if it is not JSON. */
export function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // a proxy's page, or a plain sentence
  }
}

/** OpenAI: "Please try again in 1.2s"; Groq: "in 7m12.5s", "in 320ms"; Azure: "Please retry after 26 seconds". */
export function readWaitInWords(message: string): number | undefined {
  const said = message.match(
    /\b(?:try again in|retry after) (?:(\d{1,4})h)?(?:(\d{1,4})m(?!s))?(?:(\d{1,6}(?:\.\d{1,6})?) ?(ms|s)(?:econds?)?)?/i,
  );
  if (!said || said.slice(1, 4).every((part) => part === undefined)) return undefined;
  const [, hours = "0", minutes = "0", seconds = "0", unit = "s"] = said;
  const rest = Number(seconds) * (unit.toLowerCase() === "ms" ? 1 : 1_000);
  return toWait(Number(hours) * 3_600_000 + Number(minutes) * 60_000 + rest);
}

/** Google: `details: [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.07s"}]`. */
function readRetryInfo(details: unknown): number | undefined {
  if (!Array.isArray(details)) return undefined;
  const delay = details.map((detail) => asRecord(detail)?.retryDelay).find((value) => typeof value === "string");
  return readSeconds(Number((delay as string | undefined)?.match(/^(\d+(?:\.\d+)?)s$/)?.[1]));
}

function readSeconds(seconds: unknown): number | undefined {
  return typeof seconds === "number" && Number.isFinite(seconds) ? toWait(seconds * 1_000) : undefined;
}

function isErrorStatus(code: unknown): code is number {
  return typeof code === "number" && Number.isInteger(code) && code >= 400 && code < 600;
}

function asRecord(value: unknown): Record<string, unknown> | undefined {
  return isObject(value) ? value : undefined;
}

function firstRecord(value: unknown): Record<string, unknown> | undefined {
  return Array.isArray(value) ? asRecord(value[0]) : undefined;
}

function toText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    return ""; // nested deeper than the stack
  }
}

function stripMarkup(text: string): string {
  // An unclosed element extends to the end of the text, so the expression takes linear time on any input.
  return text.replace(/<(script|style)[\s\S]*?(?:<\/\1>|$)/gi, " ").replace(/<[^<>]*>/g, " ");
}
