// Memory on the page: a fact is added, corrected, forgotten and purged, and a hostile one is only a text.
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { type Owner, createOwner } from "./support/owner.ts";
import { expectNoSidewaysScroll } from "./support/accessible.ts";
import { PHONE, openPage } from "./support/page.ts";
import { whole } from "./support/whole.ts";

const textsOf = async (owner: Owner, store: string) => {
  const { entries } = await owner.call<{ entries: { text: string }[] }>("GET", `/v1/memory?store=${store}`);
  return entries.map(({ text }) => text).toSorted();
};
const add = (owner: Owner, store: string, content: string) => owner.call("POST", "/v1/memory", { store, content });
const store = (page: Page, name: string): Locator => page.getByRole("region", { name });
const factOf = (page: Page, text: string): Locator => page.getByRole("listitem").filter({ hasText: text });

describe("a fact", () => {
  it("is added, corrected, found, forgotten and purged", async () => {
    const owner = await createOwner();
    const { page } = await openPage({ key: owner.key, at: "#/memory" });
    const notes = store(page, "The agent's notes");
    await notes.getByText("0 of 2,200 characters").waitFor();
    await notes.getByLabel("New fact").fill("The staging server is called birch.");
    await notes.getByRole("button", { name: "Add" }).click();
    await factOf(page, "birch").getByText("In the prompt").waitFor();
    await factOf(page, "birch").getByText("Written by a person").waitFor();
    const you = store(page, "Who you are");
    await you.getByLabel("New fact").fill("Prefers short answers.");
    await you.getByRole("button", { name: "Add" }).click();
    await factOf(page, "short answers").waitFor();

    await factOf(page, "birch").getByRole("button", { name: "Correct" }).click();
    await page.getByLabel("Corrected fact").fill("The staging server is called alder.");
    await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
    await factOf(page, "alder").waitFor();
    await expect.poll(() => textsOf(owner, "memory")).toEqual(["The staging server is called alder."]);

    await page.getByLabel("Search in memory").fill("SHORT");
    await notes.getByText("No fact here has these words").waitFor();
    await factOf(page, "short answers").getByRole("button", { name: "Forget" }).click();
    await page.getByRole("dialog").getByText("It may be learned again").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Forget" }).click();
    await you.getByText("Nothing yet").waitFor();
    // The focus goes to what is left, not to the top of the document.
    await expect.poll(() => page.locator("main :focus").count()).toBe(1);
    await page.getByLabel("Search in memory").fill("");

    await factOf(page, "alder").getByRole("button", { name: "Purge" }).click();
    await page.getByRole("dialog").getByText("Every copy of the text is deleted").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Purge" }).click();
    await notes.getByText("Nothing yet").waitFor();
    expect([await textsOf(owner, "memory"), await textsOf(owner, "user")]).toEqual([[], []]);
  });

  whole("that is refused keeps what was typed, and says why at the field", async () => {
    const owner = await createOwner();
    const { page, faults } = await openPage({ key: owner.key, at: "#/memory" });
    faults.allow(/status of 4\d\d/);
    const notes = store(page, "The agent's notes");
    await notes.getByLabel("New fact").fill("x".repeat(1_001));
    await notes.getByRole("button", { name: "Add" }).click();
    await notes.getByText("1001 characters of 1000").waitFor();
    expect(await notes.getByLabel("New fact").inputValue()).toHaveLength(1_001);
  });

  whole("that does not fit says so, and one that is markup is a text", async () => {
    const owner = await createOwner();
    const markup = "<img src=x onerror=alert(1)><script>alert(2)</script> \u202Etxet";
    await add(owner, "memory", markup);
    await add(owner, "memory", "W".repeat(990));
    await add(owner, "memory", "M".repeat(990));
    await add(owner, "memory", "N".repeat(990));
    const { page } = await openPage({ key: owner.key, at: "#/memory", width: PHONE });
    await factOf(page, "<script>alert(2)</script>").waitFor();
    await factOf(page, "WWW").getByText("Does not fit").waitFor();
    await expectNoSidewaysScroll(page);
  });

  it("is only seen with a key that may read, with the reason", async () => {
    const owner = await createOwner();
    await add(owner, "user", "Works in Berlin.");
    const { key } = await owner.call<{ key: string }>("POST", "/v1/keys", { scopes: ["read"] });
    const { page } = await openPage({ key, at: "#/memory" });
    await factOf(page, "Works in Berlin.").waitFor();
    await page.getByText("To change memory, sign in with a key that has the scope write.").waitFor();
    expect(await page.getByRole("main").getByRole("button").count()).toBe(0);
  });
});
