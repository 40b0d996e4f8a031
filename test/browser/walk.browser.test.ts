// Walks every page that the navigation names, in both themes, at a desk's and at a phone's width, over a profile as it is after weeks. What
// is checked on each page is the same, so that a new page needs no change here.
import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { type Owner, createOwner } from "./support/owner.ts";
import { navigation, openPage, pressTabUntil, settle } from "./support/page.ts";
import { walk } from "./support/walk.ts";
import { whole } from "./support/whole.ts";
import { seedWorld } from "./support/world.ts";

/** Names that others rely on. */
const PAGES = ["Chat", "Sessions", "Skills", "Learning", "Memory", "Usage", "Settings"];

let owner: Owner;

beforeAll(async () => {
  owner = await createOwner();
  await seedWorld(owner);
});

describe("every page", () => {
  it("has one heading, nothing serious for axe and no sideways scrolling, in both themes and widths", async () => {
    const { page } = await openPage({ key: owner.key });
    const walked = await walk(page, { world: "seeded" });
    expect(walked).toEqual(expect.arrayContaining(PAGES));
  });

  whole("is reached by the keyboard alone, and so is each of its main actions", async () => {
    const { page } = await openPage({ key: owner.key });
    const [first, ...others] = await navigation(page).allInnerTexts();
    for (const name of [...others, first!]) {
      // Backwards: a page may have many controls, and the navigation is before them.
      await pressTabUntil(page, { role: "link", name }, { key: "Shift+Tab" });
      await page.keyboard.press("Enter");
      await navigation(page)
        .and(page.getByText(name, { exact: true }))
        .and(page.locator("[aria-current]"))
        .waitFor();
      await settle(page);
      // At its beginning, or in the field that the page is for.
      expect(await page.locator("main:focus, main :focus").count(), `focus in ${name}`).toBe(1);
      for (const action of await page.locator("main header :is(button, a[href]):visible:enabled").all()) {
        for (let presses = 0; presses < 20 && !(await hasFocus(action)); presses++) await page.keyboard.press("Tab");
        expect(await hasFocus(action), `focus on ${await action.innerText()} of ${name}`).toBe(true);
      }
    }
  });

  it("is skipped to by the first key", async () => {
    const { page } = await openPage({ key: owner.key, at: "#/sessions" });
    await page.keyboard.press("Tab");
    expect(await focused(page)).toMatch(/^Skip to/);
    await page.keyboard.press("Enter");
    expect(await focused(page)).toBe("main");
  });
});

async function hasFocus(control: Locator): Promise<boolean> {
  return (await control.and(control.page().locator(":focus")).count()) > 0;
}

/** The id of the element with the focus, or its text. */
function focused(page: Page): Promise<string> {
  return page.evaluate(`document.activeElement.id || document.activeElement.innerText`) as Promise<string>;
}
