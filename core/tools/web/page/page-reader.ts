// Fetches an address and turns what comes into text. Called by web_extract. For one turn: keeps what it read, so that reading on in a long
// page asks no server again.
import { type Result, err, ok } from "../../../errors.ts";
import type { Outbound, OutboundReply } from "../../../outbound/outbound.ts";
import { readRetryAfter } from "../../../retry-after.ts";
import { decodeText } from "./charset.ts";
import { feedToMarkdown } from "./feed.ts";
import { htmlToMarkdown } from "./html/html-to-markdown.ts";
import { type PageKind, findKind } from "./media-type.ts";
import { readPdf } from "./pdf.ts";

export interface WebPage {
  /** After redirects. */
  url: string;
  kind: PageKind;
  title: string;
  text: string;
  /** The page has more text than was kept. */
  isCut: boolean;
}

export interface PageReader {
  /** Failures: those of Outbound, `page_refused`, `page_type_refused`, `page_empty`, those of readPdf. */
  read(url: string, signal: AbortSignal): Promise<Result<WebPage>>;
}

const TIMEOUT_MS = 30_000;
/** Measured: pages of this size, whatever they consist of, are read with a heap of 96 MB, and leave 50 MB in use. */
const MAX_PAGE_BYTES = 8 << 20;
/** Of one page's text; fifty calls to read. */
const MAX_TEXT_CHARS = 1_000_000;
/** Of all pages that a turn keeps. */
const MAX_KEPT_CHARS = 3_000_000;

/** "" is a reply without a type. */
const FETCHED_TYPES = ["text/*", "application/*", ""];
const ACCEPT = "text/markdown, text/html;q=0.9, application/pdf;q=0.8, text/plain;q=0.8, */*;q=0.5";

export function createPageReader(outbound: Outbound): PageReader {
  const kept = new Map<string, WebPage>();

  function keep(url: string, page: WebPage): void {
    kept.set(url, page);
    let chars = [...kept.values()].reduce((sum, { text }) => sum + text.length, 0);
    for (const [oldest, { text }] of kept) {
      if (chars <= MAX_KEPT_CHARS) return;
      kept.delete(oldest);
      chars -= text.length;
    }
  }

  return {
    async read(url, signal) {
      const known = kept.get(url);
      if (known) return ok(known);
      const reply = await outbound.request(url, {
        headers: { accept: ACCEPT, "user-agent": "Mozilla/5.0 (compatible; Talaria)" },
        ...{ signal, timeoutMs: TIMEOUT_MS, maxBytes: MAX_PAGE_BYTES, contentTypes: FETCHED_TYPES },
      });
      if (!reply.ok) {
        const { code, facts } = reply.failure;
        return code === "content_type_refused" ? refuseType(String(facts?.type ?? "")) : reply;
      }
      const page = await toPage(reply.value, signal);
      if (page.ok) keep(url, page.value);
      return page;
    },
  };
}

async function toPage({ url, status, headers, bytes }: OutboundReply, signal: AbortSignal): Promise<Result<WebPage>> {
  if (status < 200 || status > 299) return refuseStatus(status, headers);
  const type = headers.get("content-type") ?? "";
  const kind = findKind(type, bytes);
  if (kind === null) return refuseType(type);
  const text = await toText(kind, { url, type, bytes, signal });
  if (!text.ok) return text;
  if (text.value.text.trim() === "") {
    return err(
      "page_empty",
      kind === "html"
        ? "The page has no text: scripts make it in a browser, or it wants a login. Use browser_navigate if you have it, or another page."
        : "The document has no text.",
    );
  }
  return ok({ url, kind, ...text.value });
}

async function toText(
  kind: PageKind,
  { url, type, bytes, signal }: { url: string; type: string; bytes: Uint8Array; signal: AbortSignal },
): Promise<Result<Pick<WebPage, "title" | "text" | "isCut">>> {
  if (kind === "pdf") return readPdf(bytes, MAX_TEXT_CHARS, signal);
  const decoded = decodeText(bytes, type);
  if (kind === "html") {
    const { title, markdown, isCut } = htmlToMarkdown(decoded, url, MAX_TEXT_CHARS);
    return ok({ title, text: markdown, isCut });
  }
  const feed = kind === "xml" ? feedToMarkdown(decoded, url) : null;
  const text = feed?.markdown ?? decoded;
  const isCut = text.length > MAX_TEXT_CHARS;
  return ok({ title: feed?.title ?? "", text: text.slice(0, MAX_TEXT_CHARS).toWellFormed(), isCut });
}

function refuseType(type: string): Result<never> {
  const name = type.split(";", 1)[0]!.trim().slice(0, 100) || "unknown";
  return err(
    "page_type_refused",
    `It is of the type ${name}, which has no text to read. HTML, PDF, plain text, Markdown, JSON, XML and feeds can be read.`,
  );
}

function refuseStatus(status: number, headers: Headers): Result<never> {
  const waitMs = status === 429 ? readRetryAfter(headers) : undefined;
  const wait = waitMs === undefined ? "" : ` It asks to wait ${Math.ceil(waitMs / 1_000)} seconds.`;
  return err("page_refused", `The server answered ${status}${MEANINGS[status] ?? ""}.${wait} Try another page.`, {
    status,
  });
}

const MEANINGS: Record<number, string> = {
  401: " (it wants a login)",
  403: " (it does not let programs in, or wants a login)",
  404: " (there is no such page)",
  410: " (the page was removed)",
  429: " (too many requests)",
};
