// What the page weighs until Chat can be used: the short form of bench:page, which also measures the time.
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { type Browser, chromium } from "playwright-core";
import { type PageLoad, SLOW, measureLoad } from "../../bench/page/measure.ts";
import { toLine, toReport } from "../../bench/page/report.ts";
import { createOwner } from "./support/owner.ts";

/** The log of a conversation and what shows texts come later (dashboard/pages/chat.tsx). */
const MAX_KIB = 80;

let browser: Browser;
let load: PageLoad;

beforeAll(async () => {
  const stack = inject("browserStack");
  browser = await chromium.connect(stack.chromium);
  const { url, key } = await createOwner();
  load = await measureLoad(browser, { url, key, conditions: SLOW });
});
afterAll(() => browser?.close());

describe("the first load of the page", () => {
  it(`is at most ${MAX_KIB} KiB over the wire until the composer takes a key`, () => {
    expect(toReport([load])).toContain("/assets/");
    expect(load.bytes / 1_024).toBeGreaterThan(10);
    expect(load.bytes / 1_024, toReport([load])).toBeLessThan(MAX_KIB);
  });

  it("counts each request with its bytes and its time", () => {
    const [first] = load.requests;
    expect(first).toMatchObject({ path: "/", startMs: 0, bytes: expect.any(Number) });
    expect(load.requests.map(({ path }) => path)).toContain("/v1/sign-in");
    expect(load.requests.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(load.bytes);
    // Two round trips, of the document and of its script, and a script to run.
    expect(load.interactiveMs).toBeGreaterThan(2 * SLOW.latencyMs);
    expect(toLine([load])).toEqual({ firstLoadKiB: expect.any(Number), interactiveMs: expect.any(Number) });
  });
});
