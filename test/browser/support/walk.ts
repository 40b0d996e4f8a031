// Goes to every page that the navigation names and checks what holds for all of them. Used by walk.browser.test.ts and hostile.browser.test.ts.
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { IS_THOROUGH } from "../../support/thorough.ts";
import { type AxeScope, expectAccessible, expectNoSidewaysScroll } from "./accessible.ts";
import { PHONE, WIDE, type Theme, goTo, navigation, screenshot } from "./page.ts";

/** What depends on the colours. */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

export interface Look {
  theme: Theme;
  width: number;
  /** `null`: axe is not asked. */
  axe: AxeScope | null;
}

/** All rules at both widths, and the colours in both themes. */
const ALL_LOOKS: Look[] = [
  { theme: "light", width: WIDE, axe: {} },
  { theme: "dark", width: WIDE, axe: { only: COLOUR_RULES } },
  { theme: "dark", width: PHONE, axe: { without: COLOUR_RULES } },
];
/** The short form takes one of them for each page, in turn. */
const ONE_EACH: Look[] = [
  { theme: "light", width: WIDE, axe: {} },
  { theme: "dark", width: PHONE, axe: { without: COLOUR_RULES } },
  { theme: "dark", width: WIDE, axe: {} },
  { theme: "light", width: PHONE, axe: { without: COLOUR_RULES } },
];
/** What depends on the texts, where the same page has been seen with others. */
const LOOKS_AT_TEXTS: Look[] = [
  { theme: "light", width: WIDE, axe: null },
  { theme: "dark", width: PHONE, axe: { without: COLOUR_RULES } },
];

/** How page number `n` of a walk is looked at. */
export function looksOf(n: number, what: "page" | "texts" = "page"): Look[] {
  const [all, oneEach] = what === "page" ? [ALL_LOOKS, ONE_EACH] : [LOOKS_AT_TEXTS, LOOKS_AT_TEXTS];
  return IS_THOROUGH ? all : [oneEach[n % oneEach.length]!];
}

interface WalkOptions {
  /** Part of the names of pictures. */
  world: string;
  /** `texts`: the same pages have been seen with others. */
  what?: "page" | "texts";
  /** Called on each page. */
  onPage?(): Promise<void>;
}

/** Returns the names of the pages. */
export async function walk(page: Page, { world, what, onPage }: WalkOptions): Promise<string[]> {
  const names = await navigation(page).allInnerTexts();
  for (const [n, name] of names.entries()) {
    await goTo(page, name);
    expect(await page.getByRole("heading", { level: 1 }).count(), `headings of ${name}`).toBe(1);
    expect(await page.getByRole("heading", { level: 1 }).innerText()).not.toBe("");
    await lookAt(page, `${world}-${name.toLowerCase().replaceAll(" ", "-")}`, looksOf(n, what));
    await onPage?.();
  }
  return names;
}

/** Where the page leads to within Talaria, one of each kind: `#/chat/…`, `#/board/…`, `#/board/…/…`. */
export async function linksOf(page: Page): Promise<string[]> {
  const found = await page
    .locator('main a[href^="#/"]:visible')
    .evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? ""));
  const byKind = new Map<string, string>();
  for (const link of found) {
    const [slug, ...rest] = link.slice(2).split("/");
    const kind = `${slug} ${rest.length}`;
    if (!byKind.has(kind)) byKind.set(kind, link);
  }
  return [...byKind.values()];
}

/** The parts of the page, each with an address of its own. */
export function tabsOf(page: Page): Promise<string[]> {
  return page
    .locator('main nav a[href^="#/"]:visible')
    .evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? ""));
}

/** Checks what is shown as each look says, and at the narrowest. Leaves the page light and wide. */
export async function lookAt(page: Page, name: string, looks = looksOf(0)): Promise<void> {
  for (const { theme, width, axe } of looks) {
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize({ width, height: width === PHONE ? 844 : 900 });
    await screenshot(page, `${name}-${theme}-${width}`);
    await expectNoSidewaysScroll(page);
    if (axe) await expectAccessible(page, axe);
  }
  await page.setViewportSize({ width: 320, height: 640 });
  await expectNoSidewaysScroll(page);
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: WIDE, height: 900 });
}
