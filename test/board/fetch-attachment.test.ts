import { expect, it } from "vitest";
import { fetchAttachment } from "../../core/board/fetch-attachment.ts";
import { createOutbound } from "../../core/outbound/outbound.ts";
import { createTestClock } from "../support/clock.ts";

const open = (reply: () => Response) => {
  const sent: string[] = [];
  const outbound = createOutbound({
    ...{ clock: createTestClock(), policy: { ports: [], allow: [], configured: [] } },
    fetch: async (request) => {
      sent.push(String(request instanceof Request ? request.url : request));
      return reply();
    },
  });
  const { signal } = new AbortController();
  return { sent, get: (url: string) => fetchAttachment(outbound, url, signal) };
};

it("takes the file with its type", async () => {
  const { get } = open(() => new Response("a,b", { headers: { "content-type": "text/csv" } }));
  const bytes = new TextEncoder().encode("a,b");
  expect(await get("https://files.example/a.csv")).toEqual({ ok: true, value: { mediaType: "text/csv", bytes } });
});

it.each([
  ["http://127.0.0.1/x", 200, "url_refused"],
  ["http://169.254.169.254/latest", 200, "url_refused"],
  ["file:///etc/passwd", 200, "url_refused"],
  ["https://files.example/none?key=secret", 404, "attachment_unreachable"],
])("refuses %s (%i) as %s, without naming the address", async (url, status, code) => {
  const { get, sent } = open(() => new Response("no", { status }));
  const answer = await get(url);
  expect(answer).toMatchObject({ ok: false, failure: { code } });
  expect(JSON.stringify(answer)).not.toContain("secret");
  if (code === "url_refused") expect(sent).toEqual([]);
});

it("refuses a file that is larger than an attachment, and follows no redirect to a private address", async () => {
  const large = open(() => new Response("x", { headers: { "content-length": String(26 << 20) } }));
  expect(await large.get("https://files.example/")).toMatchObject({ failure: { code: "attachment_too_large" } });
  const moved = open(() => new Response(null, { status: 302, headers: { location: "http://10.0.0.1/" } }));
  expect(await moved.get("https://files.example/")).toMatchObject({ failure: { code: "url_refused" } });
  expect(moved.sent.length).toBe(1);
});
