// Lists of thousands of sessions and skills: only what is seen is in the document, and the end can be reached.
import { beforeAll, describe, expect } from "vitest";
import { growLists } from "./support/grow-lists.ts";
import { type Owner, createOwner } from "./support/owner.ts";
import { goTo, navigation, openPage } from "./support/page.ts";
import { whole } from "./support/whole.ts";

/** Of the whole document, with room for the page around the list. */
const MAX_ELEMENTS = 4_000;

let owner: Owner;

beforeAll(async () => {
  owner = await createOwner();
});

describe("a long list", () => {
  whole.each([
    { name: "Sessions", first: "Conversation 0 of many", last: "Conversation 1999 of many" },
    { name: "Skills", first: "skill-00000", last: "skill-00999" },
  ])("of $name holds in the document what is seen, down to its end", async ({ name, first, last }) => {
    const { page } = await openPage({ key: owner.key });
    await growLists(page, { sessions: 2_000, skills: 1_000 });
    await goTo(page, name);
    const main = page.getByRole("main");
    await main.getByText(first, { exact: true }).first().waitFor();
    const end = main.getByText(last, { exact: true }).first();
    await expect
      .poll(
        async () => {
          await page.evaluate(SCROLL_DOWN);
          return end.isVisible();
        },
        { timeout: 30_000, interval: 100 },
      )
      .toBe(true);
    expect(await page.locator("*").count()).toBeLessThan(MAX_ELEMENTS);
    expect(await navigation(page).first().isVisible()).toBe(true);
  });
});

/** The whole page, or the box of the list itself. */
const SCROLL_DOWN = `for (const box of document.querySelectorAll("main, main *"))
  if (box.scrollHeight > box.clientHeight + 1) box.scrollTop = box.scrollHeight;`;
