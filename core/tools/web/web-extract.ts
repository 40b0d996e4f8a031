// The tool web_extract: reads up to five addresses as Markdown or text, a piece at a time. The texts are content.
import * as z from "zod";
import type { Tool } from "../../agent/contract.ts";
import { fail, succeed } from "../../agent/tool-result.ts";
import { clip } from "../../clip.ts";
import type { Result } from "../../errors.ts";
import type { JsonObject } from "../../schemas/entry.ts";
import type { Settings } from "../../schemas/settings.ts";
import { jsonChars, takeStart } from "../clip.ts";
import { toRefusal } from "../refusal.ts";
import type { PageReader, WebPage } from "./page/page-reader.ts";

const MAX_URLS = 5;
/** Of all texts of one call. */
const MAX_CALL_CHARS = 20_000;
/** For the address, the title and the facts of a page. */
const ENVELOPE_CHARS = 600;
const MAX_TITLE_CHARS = 200;
const MAX_URL_CHARS = 2_000;

const Args = z.strictObject({
  urls: z
    .array(z.string().min(1).max(MAX_URL_CHARS))
    .min(1)
    .max(MAX_URLS)
    .describe(`Addresses to read, ${MAX_URLS} at most. Several share the room of one: read a long page alone.`),
  offset: z
    .int()
    .min(0)
    .optional()
    .describe("Reads one long page on from here: the next_offset of the call before. Default: 0."),
});
type Args = z.infer<typeof Args>;

export function createWebExtract(reader: PageReader, settings: Settings): Tool<Args> {
  return {
    name: "web_extract",
    description:
      "Reads web pages and documents as text: HTML as Markdown with its links, PDF, plain text, Markdown, JSON, XML, feeds. No login, " +
      `no scripts. Up to ${MAX_CALL_CHARS} characters a call; next_offset says where a longer page goes on.`,
    parameters: Args,
    effect: "read",
    keepsResults: true,
    failsOften: true,
    async run({ urls, offset = 0 }, { signal }) {
      if (offset > 0 && urls.length > 1) {
        return fail("bad_arguments", "offset reads one page on. Call it with that page's address alone.");
      }
      const addresses = [...new Set(urls)];
      const room = Math.min(MAX_CALL_CHARS, settings.turn.maxResultChars) / addresses.length - ENVELOPE_CHARS;
      const read = await Promise.all(addresses.map((url) => reader.read(url, signal)));
      const only = read[0]!;
      if (read.length === 1 && !only.ok) return toRefusal(only.failure);
      const shown = read.map((page) => showPage(page, offset, Math.max(MIN_PAGE_CHARS, Math.floor(room))));
      const pages = shown.flatMap(({ content }, at) => (content ? [{ page: at + 1, ...content }] : []));
      const facts = { pages_read: shown.map(({ facts }, at) => ({ page: at + 1, ...facts })) };
      return { ...succeed(facts, pages.length > 0 ? { content: { pages } } : {}), failed: pages.length === 0 };
    },
  };
}

const MIN_PAGE_CHARS = 200;

/** `facts` are the harness's; `content` is what the page says, its address after redirects included. */
function showPage(
  read: Result<WebPage>,
  offset: number,
  room: number,
): { facts: JsonObject; content: JsonObject | null } {
  if (!read.ok) return { facts: { code: read.failure.code, error: read.failure.message }, content: null };
  const { kind, text, title, url, isCut } = read.value;
  const facts = { kind, chars: text.length, ...(isCut && { cut: true }) };
  if (offset >= text.length) {
    return { facts: { ...facts, code: "past_end", error: `The page ends at ${text.length}.` }, content: null };
  }
  const piece = takeStart(text.slice(offset, offset + room), room);
  const next = offset + piece.length;
  const address = clip(url, Math.max(100, room - jsonChars(piece)));
  return {
    facts: { ...facts, ...(next < text.length && { next_offset: next }) },
    content: { url: address, ...(title && { title: clip(title, MAX_TITLE_CHARS) }), text: piece },
  };
}
