// Opens the page in a fresh browser context, signed in, and goes to its pages as a person does. The context is closed when the test ends,
// and every fault that the page had (faults.ts) fails the test. Used by all tests in test/browser.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Browser, type Locator, type Page, chromium } from "playwright-core";
import { inject, onTestFinished } from "vitest";
import { type Faults, collectFaults } from "./faults.ts";

export type Theme = "light" | "dark";

export interface PageOptions {
  /** Signs in with it. Without it the page shows its form. */
  key?: string;
  /** `cookie`: before the page is loaded, which is faster. `form`: as a person does. */
  by?: "cookie" | "form";
  theme?: Theme;
  /** In CSS pixels. Below 600 the page is a phone's, 844 high. */
  width?: number;
  /** What comes after the address, such as `#/skills/NAME`. */
  at?: string;
  reducedMotion?: boolean;
}

export interface OpenedPage {
  page: Page;
  faults: Faults;
}

export const WIDE = 1440;
export const PHONE = 390;
/** Of each action and wait. Generous: other tests may use the same cores. */
const ACTION_MS = 15_000;

let connection: Promise<Browser> | undefined;

/** One connection for all files of a worker. The browser itself is stopped by the global set-up. */
function connect(): Promise<Browser> {
  return (connection ??= chromium.connect(inject("browserStack").chromium));
}

export async function openPage(options: PageOptions = {}): Promise<OpenedPage> {
  const { key, by = "cookie", theme = "light", width = WIDE, at = "", reducedMotion = false } = options;
  const { url } = inject("browserStack");
  const context = await (
    await connect()
  ).newContext({
    baseURL: url,
    viewport: { width, height: width < 600 ? 844 : 900 },
    hasTouch: width < 600,
    colorScheme: theme,
    reducedMotion: reducedMotion ? "reduce" : "no-preference",
    locale: "en-GB",
    timezoneId: "Europe/Berlin",
  });
  context.setDefaultTimeout(ACTION_MS);
  const page = await context.newPage();
  const faults = collectFaults(page, new URL(url).origin);
  onTestFinished(async () => {
    const list = faults.list();
    await context.close();
    if (list.length > 0) throw new Error(`The page had faults:\n${list.join("\n")}`);
  });
  if (key !== undefined && by === "cookie") {
    const reply = await context.request.post("/v1/sign-in", { headers: { authorization: `Bearer ${key}` } });
    if (!reply.ok()) throw new Error(`Signing in was refused: ${reply.status()} ${await reply.text()}`);
  }
  await page.goto(`/${at}`);
  if (key !== undefined && by === "form") {
    await page.getByLabel("Key", { exact: true }).fill(key);
    await page.getByRole("button", { name: "Sign in" }).click();
  }
  if (key !== undefined) await settle(page);
  return { page, faults };
}

/** The links to the pages. */
export function navigation(page: Page): Locator {
  return page.getByRole("navigation", { name: "Pages" }).getByRole("link");
}

/** Goes to a page by its link in the navigation. */
export async function goTo(page: Page, name: string): Promise<void> {
  const link = navigation(page).and(page.getByRole("link", { name, exact: true }));
  await link.click();
  await link.and(page.locator("[aria-current]")).waitFor();
  await settle(page);
}

/** Waits until a page is there: its heading, and nothing that is still loading. */
export async function settle(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await page.locator('[aria-busy="true"], .loading').first().waitFor({ state: "detached" });
}

/** Presses Tab, or another key, until this control has the focus. Fails after `most`, as many as a person would press at most. */
export async function pressTabUntil(
  page: Page,
  { role, name }: { role: Parameters<Page["getByRole"]>[0]; name: string | RegExp },
  { key = "Tab", most = 80 }: { key?: "Tab" | "Shift+Tab"; most?: number } = {},
): Promise<void> {
  const control = page.getByRole(role, { name, exact: true }).and(page.locator(":focus"));
  for (let presses = 0; presses < most; presses++) {
    await page.keyboard.press(key);
    if ((await control.count()) > 0) return;
  }
  throw new Error(`${most} presses of ${key} did not reach the ${role} "${String(name)}".`);
}

/** Saves a picture into the folder TALARIA_SCREENSHOTS. Without it nothing happens. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.TALARIA_SCREENSHOTS;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), animations: "disabled" });
}
