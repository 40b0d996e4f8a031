// The tool web_extract against a local site, through the product's own Outbound: kinds of documents, paging, refusals.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readOutcome } from "../../../core/agent/tool-result.ts";
import { DEFAULTS } from "../../../core/limits.ts";
import { createPageReader } from "../../../core/tools/web/page/page-reader.ts";
import { createWebExtract } from "../../../core/tools/web/web-extract.ts";
import { type Answer, type LocalSite, startLocalSite } from "../../support/web/local-site.ts";
import { makeTextPdf } from "../../support/web/make-pdf.ts";

const LONG = Array.from({ length: 5_000 }, (_, i) => `Line ${i} "quoted".`).join("\n");

const FEED = `<?xml version="1.0"?><rss><channel><title>News &amp; more</title><link>https://n.example</link>
<item><title>One</title><link>/1</link><pubDate>Mon, 1 Jan 2024</pubDate><description><![CDATA[<p>First <b>item</b></p>]]></description></item>
<item><title><![CDATA[Two]]></title><description>&lt;script&gt;evil()&lt;/script&gt;Second</description></item></channel></rss>`;

const PAGES: Record<string, Answer> = {
  "/page": { headers: { "content-type": "text/html" }, body: '<title>T</title><h1>A</h1><a href="b">b</a>' },
  "/latin": {
    headers: { "content-type": "text/html; charset=iso-8859-1" },
    body: Uint8Array.from([0x63, 0x61, 0x66, 0xe9]),
  },
  "/moved": { status: 301, headers: { location: "/page" } },
  "/inside": { status: 302, headers: { location: "http://169.254.169.254/latest/meta-data" } },
  "/long": { headers: { "content-type": "text/plain" }, body: LONG },
  "/readme": { headers: { "content-type": "text/markdown" }, body: "# Read me" },
  "/data": { headers: { "content-type": "application/json" }, body: '{"a":1}' },
  "/feed": { headers: { "content-type": "application/rss+xml" }, body: FEED },
  "/entities": {
    headers: { "content-type": "application/xml" },
    body: '<!DOCTYPE x [<!ENTITY a "&#98;"><!ENTITY b "&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]><x>&b;&f;</x>',
  },
  "/pdf": { headers: { "content-type": "application/octet-stream" }, body: makeTextPdf([["From a PDF"]]) },
  "/video": { headers: { "content-type": "video/mp4" }, body: "x" },
  "/zip": { headers: { "content-type": "application/zip" }, body: "PK\x03\x04" },
  "/binary": { body: Uint8Array.from([0, 1, 2, 3]) },
  "/untyped": { body: "just text" },
  "/gone": { status: 404, headers: { "content-type": "text/html" }, body: "<h1>No such page</h1>" },
  "/busy": { status: 429, headers: { "retry-after": "30" } },
  "/busy-until": {
    status: 429,
    headers: { "retry-after": "Wed, 21 Oct 2026 07:28:40 GMT", date: "Wed, 21 Oct 2026 07:28:00 GMT" },
  },
  "/empty": { headers: { "content-type": "text/html" }, body: '<div id="app"></div><script>render()</script>' },
  "/huge": { headers: { "content-type": "text/html", "content-length": String(9 << 20) }, body: "x".repeat(9 << 20) },
};

let site: LocalSite;
beforeAll(async () => {
  site = await startLocalSite((path) => PAGES[path] ?? { status: 500 });
});
afterAll(() => site.close());

function open(settings = DEFAULTS) {
  const tool = createWebExtract(createPageReader(site.outbound), settings);
  return async (urls: string[], offset?: number) => {
    const args = { urls: urls.map((url) => (url.startsWith("/") ? `${site.origin}${url}` : url)), offset };
    const result = await tool.run(args, { op: "o", prepared: {}, signal: new AbortController().signal });
    const content = result.parts.find(({ source }) => source === "content");
    const { pages = [] } = JSON.parse(content?.text ?? "{}") as {
      pages?: { text: string; url: string; title?: string }[];
    };
    return {
      failed: result.failed,
      outcome: readOutcome(result),
      pages,
      chars: result.parts.reduce((sum, part) => sum + part.text.length, 0),
    };
  };
}

describe("web_extract reads", () => {
  it.each<[string, string, string]>([
    ["/page", "html", "# A\n\n[b](ORIGIN/b)"],
    ["/latin", "html", "café"],
    ["/readme", "markdown", "# Read me"],
    ["/data", "json", '{"a":1}'],
    ["/pdf", "pdf", "From a PDF"],
    ["/untyped", "text", "just text"],
    ["/feed", "xml", "# News & more\n- [One](ORIGIN/1) (Mon, 1 Jan 2024)\n  First **item**\n- Two\n  Second"],
  ])("%s as %s", async (path, kind, text) => {
    const read = await open()([path]);
    expect(read.failed).toBe(false);
    expect(read.pages[0]!.text).toBe(text.replaceAll("ORIGIN", site.origin));
    expect(read.outcome).toEqual({ pages_read: [{ page: 1, kind, chars: read.pages[0]!.text.length }] });
  });

  it("the address after a redirect, and the title", async () => {
    const { pages } = await open()(["/moved"]);
    expect(pages).toEqual([expect.objectContaining({ url: `${site.origin}/page`, title: "T" })]);
  });

  it("no entity that a document declares", async () => {
    const { pages } = await open()(["/entities"]);
    expect(pages[0]!.text).toContain("<x>&b;&f;</x>");
  });

  it("several pages in one call, in their order, and says which failed", async () => {
    const read = await open()(["/page", "/gone", "/data", "/page"]);
    expect(read.outcome.pages_read).toEqual([
      expect.objectContaining({ page: 1, kind: "html" }),
      { page: 2, code: "page_refused", error: expect.stringContaining("404 (there is no such page)") },
      expect.objectContaining({ page: 3, kind: "json" }),
    ]);
    expect(read.failed).toBe(false);
    expect(read.pages.length).toBe(2);
  });
});

describe("a long page", () => {
  it("is read piece by piece, whole, and fetched once", async () => {
    const read = open();
    let [text, offset] = ["", 0 as number | undefined];
    const before = site.requests.length;
    while (offset !== undefined) {
      const { pages, outcome, chars } = await read(["/long"], offset);
      expect(chars).toBeLessThan(20_000);
      text += pages[0]!.text;
      offset = (outcome.pages_read as { next_offset?: number }[])[0]!.next_offset;
    }
    expect(text).toBe(LONG);
    expect(site.requests.length).toBe(before + 1);
    expect((await read(["/long"], LONG.length)).outcome.pages_read).toEqual([
      expect.objectContaining({ code: "past_end" }),
    ]);
  });

  it("shares the room of a call with other pages, and keeps within that of a small model", async () => {
    const settings = { ...DEFAULTS, turn: { ...DEFAULTS.turn, maxResultChars: 2_500 } };
    expect((await open(settings)(["/long"])).chars).toBeLessThan(2_500);
    const { pages } = await open()(["/long", "/readme", "/data"]);
    expect(pages[0]!.text.length).toBeLessThan(7_000);
  });

  it("cannot be read on together with others", async () => {
    expect((await open()(["/long", "/page"], 10)).outcome.code).toBe("bad_arguments");
  });
});

describe("web_extract refuses", () => {
  it.each<[string, string, RegExp]>([
    ["/inside", "url_refused", /./],
    ["http://127.0.0.1:1/", "url_refused", /./],
    ["file:///etc/passwd", "url_refused", /./],
    ["not a url", "url_refused", /./],
    ["/video", "page_type_refused", /video\/mp4.*can be read/],
    ["/zip", "page_type_refused", /application\/zip/],
    ["/binary", "page_type_refused", /unknown/],
    ["/gone", "page_refused", /404/],
    ["/busy", "page_refused", /wait 30 seconds/],
    ["/busy-until", "page_refused", /wait 40 seconds/],
    ["/empty", "page_empty", /browser_navigate/],
    ["/huge", "reply_too_large", /larger/],
  ])("%s: %s", async (path, code, error) => {
    const read = await open()([path]);
    expect(read).toMatchObject({ failed: true, pages: [], outcome: { code, error: expect.stringMatching(error) } });
  });
});
