// Goes to every page that the navigation names and checks what holds for all of them. Used by walk.browser.test.ts and hostile.browser.test.ts.
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { expectAccessible, expectNoSidewaysScroll } from "./accessible.ts";
import { PHONE, WIDE, type Theme, goTo, navigation, screenshot } from "./page.ts";

/** What depends on the colours, for the second look at a page: the rest was judged at the first. */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

export interface Look {
  theme: Theme;
  width: number;
  rules?: string[];
}

/** Each theme at one width with all rules, then with the other width. */
const ALL_LOOKS: Look[] = [
  { theme: "light", width: WIDE },
  { theme: "dark", width: WIDE, rules: COLOUR_RULES },
  { theme: "dark", width: PHONE },
  { theme: "light", width: PHONE, rules: COLOUR_RULES },
];
/** Enough where the same page has been seen with other texts. */
export const TWO_LOOKS: Look[] = [
  { theme: "light", width: WIDE },
  { theme: "dark", width: PHONE },
];

interface WalkOptions {
  /** Part of the names of pictures. */
  world: string;
  looks?: Look[];
  /** Called on each page. */
  onPage?(): Promise<void>;
}

/** Returns the names of the pages. */
export async function walk(page: Page, { world, looks = ALL_LOOKS, onPage }: WalkOptions): Promise<string[]> {
  const names = await navigation(page).allInnerTexts();
  for (const name of names) {
    await goTo(page, name);
    expect(await page.getByRole("heading", { level: 1 }).count(), `headings of ${name}`).toBe(1);
    expect(await page.getByRole("heading", { level: 1 }).innerText()).not.toBe("");
    await lookAt(page, `${world}-${name.toLowerCase().replaceAll(" ", "-")}`, looks);
    await onPage?.();
  }
  return names;
}

/** Where the page itself leads to within Talaria, the first `most` of each kind: `#/chat/…`, `#/skills/…`. */
export async function linksOf(page: Page, most = 2): Promise<string[]> {
  const found = await page
    .locator('main a[href^="#/"]:visible')
    .evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? ""));
  const counts = new Map<string, number>();
  return [...new Set(found)].filter((link) => {
    const kind = link.split("/").slice(0, 2).join("/");
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    return counts.get(kind)! <= most;
  });
}

/** Checks what is shown in both themes and widths, and at the narrowest. Leaves the page light and wide. */
export async function lookAt(page: Page, name: string, looks = ALL_LOOKS): Promise<void> {
  for (const { theme, width, rules } of looks) {
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize({ width, height: width === PHONE ? 844 : 900 });
    await screenshot(page, `${name}-${theme}-${width}`);
    await expectNoSidewaysScroll(page);
    await expectAccessible(page, { rules });
  }
  await page.setViewportSize({ width: 320, height: 640 });
  await expectNoSidewaysScroll(page);
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: WIDE, height: 900 });
}
