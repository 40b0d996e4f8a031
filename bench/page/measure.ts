// Loads the page as somebody does who opens it for the first time on a slow line and a slow computer, signed in by its cookie, until the
// composer takes a key. Used by bench/page.ts and by its test. Changes nothing of the profile: the message is not sent.
import type { Browser, BrowserContext, CDPSession, Page } from "playwright-core";

export interface Conditions {
  downKbit: number;
  upKbit: number;
  /** Added to each request, by the browser itself. */
  latencyMs: number;
  cpuSlowdown: number;
}

/** A mobile connection, and a computer that takes four times as long as this one. */
export const SLOW: Conditions = { downKbit: 9_000, upKbit: 9_000, latencyMs: 60, cpuSlowdown: 4 };

export interface LoadedRequest {
  path: string;
  /** Over the wire, headers included. Of a response that had not ended: what had arrived. */
  bytes: number;
  /** From the navigation's start. `endMs` is `null` for one that had not ended. */
  startMs: number;
  endMs: number | null;
}

export interface PageLoad {
  interactiveMs: number;
  bytes: number;
  requests: LoadedRequest[];
}

export interface MeasuredPage {
  url: string;
  /** Of a profile. */
  key: string;
  conditions: Conditions;
}

const TIMEOUT_MS = 60_000;
const LETTER = "x";

/** One load with an empty cache: each has a browser context of its own. */
export async function measureLoad(browser: Browser, { url, key, conditions }: MeasuredPage): Promise<PageLoad> {
  const context = await browser.newContext({ baseURL: url });
  try {
    const signedIn = await context.request.post("/v1/sign-in", { headers: { authorization: `Bearer ${key}` } });
    if (!signedIn.ok()) throw new Error(`The page cannot be signed in: ${signedIn.status()}`);
    const page = await context.newPage();
    page.setDefaultTimeout(TIMEOUT_MS);
    await page.addInitScript(NOTE_FIRST_INPUT);
    const devtools = await slowDown(context, page, conditions);
    const traffic = watchTraffic(devtools);
    await page.goto("/", { waitUntil: "commit" });
    const interactiveMs = await typeLetter(page);
    return { interactiveMs, ...traffic.until(interactiveMs) };
  } finally {
    await context.close();
  }
}

async function slowDown(context: BrowserContext, page: Page, conditions: Conditions): Promise<CDPSession> {
  const devtools = await context.newCDPSession(page);
  await devtools.send("Network.enable");
  await devtools.send("Network.emulateNetworkConditions", {
    offline: false,
    latency: conditions.latencyMs,
    downloadThroughput: (conditions.downKbit * 1_000) / 8,
    uploadThroughput: (conditions.upKbit * 1_000) / 8,
  });
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: conditions.cpuSlowdown });
  return devtools;
}

/** The page itself notes when the letter arrived, in milliseconds since the navigation began: our own round trips are no part of it. */
const NOTE_FIRST_INPUT = `addEventListener("input", ({ target }) => {
  if (target.value.includes("${LETTER}")) globalThis.firstInputMs ??= performance.now();
}, true)`;

/** Presses a key as soon as the composer is there, and again until it appears. */
async function typeLetter(page: Page): Promise<number> {
  const composer = page.getByRole("textbox", { name: "Message" });
  await composer.waitFor();
  for (const end = Date.now() + TIMEOUT_MS; Date.now() < end;) {
    await composer.press(LETTER);
    const ms: unknown = await page.evaluate("globalThis.firstInputMs");
    if (typeof ms === "number" && (await composer.inputValue()).includes(LETTER)) return ms;
  }
  throw new Error("The composer took no key.");
}

/** Times of the browser's network are in seconds since its own start. The first request begins with the navigation. */
function watchTraffic(devtools: CDPSession) {
  const requests = new Map<string, { path: string; began: number; ended: number | null; bytes: number }>();
  devtools.on("Network.requestWillBeSent", ({ requestId, request, timestamp }) => {
    const { pathname, search, protocol } = new URL(request.url);
    if (/^https?:$/.test(protocol))
      requests.set(requestId, { path: pathname + search, began: timestamp, ended: null, bytes: 0 });
  });
  const update = (id: string, change: (request: { ended: number | null; bytes: number }) => void) => {
    const request = requests.get(id);
    if (request) change(request);
  };
  devtools.on("Network.responseReceived", ({ requestId, response }) =>
    update(requestId, (request) => (request.bytes = response.encodedDataLength)),
  );
  devtools.on("Network.dataReceived", ({ requestId, encodedDataLength }) =>
    update(requestId, (request) => (request.bytes += encodedDataLength)),
  );
  devtools.on("Network.loadingFinished", ({ requestId, encodedDataLength, timestamp }) =>
    update(requestId, (request) => Object.assign(request, { bytes: encodedDataLength, ended: timestamp })),
  );
  return {
    /** Those that had begun by then. */
    until(ms: number): Pick<PageLoad, "bytes" | "requests"> {
      const all = [...requests.values()];
      const zero = Math.min(...all.map(({ began }) => began));
      const toMs = (at: number) => Math.round((at - zero) * 1_000);
      const listed = all
        .map(({ path, began, ended, bytes }) => ({
          ...{ path, bytes, startMs: toMs(began), endMs: ended === null ? null : toMs(ended) },
        }))
        .filter(({ startMs }) => startMs <= ms);
      return { bytes: listed.reduce((sum, { bytes }) => sum + bytes, 0), requests: listed };
    },
  };
}
