// What a job's wake gate sees of a page, read through the product's own way out.
import { afterAll, beforeAll, expect, it } from "vitest";
import { createPageReader } from "../../../core/tools/web/page/page-reader.ts";
import { lookAtGate } from "../../../durable-objects/agenda/look-at-gate.ts";
import { type LocalSite, startLocalSite } from "../../support/web/local-site.ts";

let site: LocalSite;
let page = "";
beforeAll(async () => {
  site = await startLocalSite((path) =>
    path === "/news" ? { headers: { "content-type": "text/html" }, body: page } : { status: 500 },
  );
});
afterAll(() => site.close());

const look = (gate: { url?: string; command?: string }) => lookAtGate(gate, () => createPageReader(site.outbound));
async function see(gate: { url?: string; command?: string }): Promise<string> {
  const seen = await look(gate);
  if (!seen.ok) throw new Error(seen.failure.message);
  return seen.value;
}

it("sees the text of a page: what is no text of it is no change", async () => {
  const gate = { url: `${site.origin}/news` };
  page = "<h1>News</h1><p>One</p><script>let seen = 1</script>";
  const first = await see(gate);
  expect(first).toMatch(/^[0-9a-f]{64}$/);
  page = '<h1 class="new">News</h1>\n<p>One</p><script>let seen = 2</script>';
  expect(await see(gate)).toBe(first);
  page = "<h1>News</h1><p>Two</p>";
  expect(await see(gate)).not.toBe(first);
});

it("compares what a command finds in the page, and in nothing else of it", async () => {
  const gate = { url: `${site.origin}/news`, command: "grep Two page" };
  page = "<p>Two</p><p>A</p>";
  const first = await see(gate);
  page = "<p>Two</p><p>B</p>";
  expect(await see(gate)).toBe(first);
  page = "<p>One</p>";
  expect(await look(gate)).toMatchObject({ failure: { code: "gate_failed" } });
});

it("fails where the page cannot be read, and reaches no private address", async () => {
  expect(await look({ url: `${site.origin}/broken` })).toMatchObject({ ok: false });
  const before = site.requests.length;
  for (const url of ["http://127.0.0.1/", "http://169.254.169.254/latest/meta-data", "http://[::1]/"]) {
    expect(await look({ url })).toMatchObject({ failure: { code: "url_refused" } });
  }
  expect(site.requests.length).toBe(before);
});
