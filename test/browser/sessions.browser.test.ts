// Sessions on the page: found by their words, renamed, exported and deleted; and a list of hundreds of which only the visible rows exist.
import { text } from "node:stream/consumers";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { type Owner, createOwner } from "./support/owner.ts";
import { openPage } from "./support/page.ts";
import { IS_THOROUGH } from "../support/thorough.ts";
import { whole } from "./support/whole.ts";

const ANSWERED = "What is 3 + 4? Remember the word zanzibar.";
const LONG = "<img src=x onerror=alert(1)> “quoted”";

/** As a person does, with the keyboard. */
async function scrollToEnd(page: Page): Promise<void> {
  await page.locator("main").focus();
  await page.keyboard.press("End");
}

let owner: Owner;
let answered: string;

beforeAll(async () => {
  owner = await createOwner();
  const { session } = await owner.client.createSession({ title: LONG });
  answered = session;
  await owner.call("POST", `/v1/sessions/${session}/messages`, { text: ANSWERED });
  // The long list is read in the whole form only.
  const titles = Array.from({ length: IS_THOROUGH ? 150 : 3 }, (_, i) => `Session ${i}`);
  for (const title of titles) await owner.client.createSession({ title });
}, 120_000);

describe("the list", () => {
  whole("holds rows in sight only, and reads the next page at the end", async () => {
    const { page } = await openPage({ key: owner.key, at: "#/sessions" });
    const list = page.getByRole("list", { name: "Chats" });
    await list.getByRole("link", { name: "Session 149", exact: true }).waitFor();
    expect(await list.getByRole("listitem").count()).toBeLessThan(60);
    await scrollToEnd(page);
    await expect.poll(() => list.getByRole("listitem").first().getAttribute("aria-setsize")).toBe("151");
    await scrollToEnd(page);
    await list.getByRole("link", { name: LONG }).waitFor();
    expect(await list.getByRole("listitem").count()).toBeLessThan(60);
  });

  it("renames and deletes, and says first what will be lost", async () => {
    const { session } = await owner.client.createSession({ title: "To be changed" });
    const { page } = await openPage({ key: owner.key, at: "#/sessions" });
    await page.getByRole("button", { name: "Rename To be changed" }).click();
    await page.getByRole("textbox", { name: "Title" }).fill("Changed");
    await page.getByRole("button", { name: "Rename", exact: true }).click();
    await page.getByRole("link", { name: "Changed", exact: true }).waitFor();
    expect(await owner.call("GET", `/v1/sessions/${session}`)).toMatchObject({ title: "Changed" });

    await page.getByRole("button", { name: "Delete Changed" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete this session?" });
    expect(await dialog.innerText()).toContain("erased");
    await page.keyboard.press("Escape");
    expect(await owner.call("GET", `/v1/sessions/${session}`)).toMatchObject({ title: "Changed" });
    await page.getByRole("button", { name: "Delete Changed" }).click();
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("link", { name: "Changed", exact: true }).waitFor({ state: "detached" });
    await expect(owner.call("GET", `/v1/sessions/${session}`)).rejects.toThrow(/session_not_found/);
  });
});

it("finds a message by its words, marks them, and leads to the turn", async () => {
  await expect
    .poll(async () => (await owner.call<{ results: [] }>("GET", "/v1/search?q=zanzibar")).results.length, {
      timeout: 60_000,
    })
    .toBeGreaterThan(0);
  const { page } = await openPage({ key: owner.key, at: "#/sessions" });
  await page.getByRole("searchbox", { name: "Search in all messages" }).fill("zanzibar");
  const found = page.getByRole("list", { name: "Messages found" }).getByRole("link").first();
  await found.waitFor();
  expect(await found.locator("mark").first().innerText()).toBe("zanzibar");
  expect(await found.innerText()).toContain(LONG);
  await found.click();
  await expect.poll(() => page.url()).toContain(`#/chat/${answered}/1`);
});

whole("exports a session for people and for programs", async () => {
  const { page } = await openPage({ key: owner.key, at: "#/sessions" });
  await scrollToEnd(page);
  await expect.poll(() => page.getByRole("listitem").last().getAttribute("aria-setsize")).not.toBe("100");
  await scrollToEnd(page);
  const saved: Record<string, string> = {};
  for (const form of ["As Markdown", "As JSON"]) {
    await page.getByRole("button", { name: `Export ${LONG}` }).click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: form }).click(),
    ]);
    saved[download.suggestedFilename()] = await text(await download.createReadStream());
  }
  const [markdown, json] = Object.keys(saved).sort().toReversed();
  expect(saved[markdown!]).toContain(ANSWERED);
  const { entries } = JSON.parse(saved[json!]!) as { entries: unknown[] };
  expect(entries).toEqual(
    (await owner.call<{ entries: unknown[] }>("GET", `/v1/sessions/${answered}/entries`)).entries,
  );
});
