// Goes to every page that the navigation names and checks what holds for all of them. Used by walk.browser.test.ts and hostile.browser.test.ts.
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { expectAccessible, expectNoSidewaysScroll } from "./accessible.ts";
import { PHONE, WIDE, type Theme, goTo, navigation, screenshot } from "./page.ts";

/** What depends on the colours, for the second look at a page: the rest was judged at the first. */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

/** Each theme at one width with all rules, then the other width. Narrower than any phone is left to `expectNoSidewaysScroll`. */
const LOOKS: { theme: Theme; width: number; rules?: string[] }[] = [
  { theme: "light", width: WIDE },
  { theme: "dark", width: WIDE, rules: COLOUR_RULES },
  { theme: "dark", width: PHONE },
  { theme: "light", width: PHONE, rules: COLOUR_RULES },
];

/** `world` is a part of the names of pictures. Returns the names of the pages. */
export async function walk(page: Page, world: string): Promise<string[]> {
  const names = await navigation(page).allInnerTexts();
  for (const name of names) {
    await goTo(page, name);
    expect(await page.getByRole("heading", { level: 1 }).count(), `headings of ${name}`).toBe(1);
    expect(await page.getByRole("heading", { level: 1 }).innerText()).not.toBe("");
    await lookAt(page, `${world}-${name.toLowerCase().replaceAll(" ", "-")}`);
  }
  return names;
}

/** Both themes and widths of what is shown. Leaves the page as it was: light and wide. */
export async function lookAt(page: Page, name: string): Promise<void> {
  for (const { theme, width, rules } of LOOKS) {
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
