// The guards of these tests find what they are for: each has a page that must fail.
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { findSideways, findViolations } from "./support/accessible.ts";
import { openPage } from "./support/page.ts";

/** A page of the stack's own origin, with no policy of its own. */
async function show(page: Page, body: string, headers: Record<string, string> = {}): Promise<void> {
  await page.route("**/fixture", (route) =>
    route.fulfill({
      headers: { "content-type": "text/html", ...headers },
      body: `<!doctype html><html lang="en"><title>Fixture</title><main>${body}</main></html>`,
    }),
  );
  await page.goto("/fixture");
}

const FAULTS: [body: string, fault: RegExp][] = [
  [`<script>console.error("broken")</script>`, /^console: broken/],
  [`<script>null.x</script>`, /^uncaught: .*null/],
  [`<script>Promise.reject(new Error("late"))</script>`, /^uncaught: .*late/],
  [`<script>alert("ran")</script>`, /^dialog: alert ran/],
  [`<img alt="" src="https://evil.example/x.png">`, /^request to another origin: https/],
  [`<script>new WebSocket("wss://evil.example/")</script>`, /^socket to another origin/],
  [`<img alt="" src="/v1/nothing-here">`, /^console: Failed to load resource/],
];

describe("the faults of a page", () => {
  it("are errors, dialogs, failed requests, and requests and sockets to other origins", async () => {
    const { page, faults } = await openPage();
    for (const [body, fault] of FAULTS) {
      await show(page, body);
      await expect.poll(() => faults.list(), { message: body }).toContainEqual(expect.stringMatching(fault));
    }
    faults.allow(/./);
  });

  it("are a breach of the Content-Security-Policy", async () => {
    const { page, faults } = await openPage();
    await show(page, `<p onclick="x()" id="p">text</p><script>alert("ran")</script>`, {
      "content-security-policy": "default-src 'self'",
    });
    await expect.poll(() => faults.list().length).toBeGreaterThanOrEqual(1);
    expect(faults.list()).toEqual(faults.list().filter((fault) => /Content Security Policy/.test(fault)));
    faults.allow(/./);
  });
});

describe("the checks of a page", () => {
  it("find what axe calls serious, with its element, and nothing in a page that is well", async () => {
    const { page } = await openPage();
    await show(page, `<h1>Fixture</h1><button></button><p style="color:#999;background:#aaa">faint</p>`);
    const found = await findViolations(page);
    expect(found.map((line) => line.split(":")[0])).toEqual(["critical button-name", "serious color-contrast"]);
    expect(found[0]).toContain("<button></button>");
    expect(await findViolations(page, { only: ["color-contrast"] })).toHaveLength(1);
    expect(await findViolations(page, { without: ["color-contrast"] })).toEqual([found[0]]);
    await show(page, `<h1>Fixture</h1><button>Go</button>`);
    expect(await findViolations(page)).toEqual([]);
  });

  it("find what is wider than the document or its main part, and not what scrolls by itself", async () => {
    const { page } = await openPage();
    const wide = `<div id="wide" style="width:3000px">wide</div>`;
    await show(page, wide);
    expect(await findSideways(page)).toContainEqual(expect.stringMatching(/id="wide".* reaches 3/));
    await show(page, `<style>main{overflow:auto;height:300px}</style>${wide}`);
    expect(await findSideways(page)).toContainEqual(expect.stringMatching(/id="wide".* reaches 3/));
    await show(page, `<div style="overflow-x:auto">${wide}</div>`);
    expect(await findSideways(page)).toEqual([]);
  });
});
