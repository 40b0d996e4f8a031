// Boards, jobs and goals on the page, as a person uses them: with the keyboard, by drag, and while somebody else changes the same board.
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { growBoard } from "./support/grow-lists.ts";
import { expectAccessible, expectNoSidewaysScroll } from "./support/accessible.ts";
import { MARKUP } from "./support/hostile-world.ts";
import { type Owner, createOwner } from "./support/owner.ts";
import { PHONE, openPage } from "./support/page.ts";
import { whole } from "./support/whole.ts";

/** A person's, so that no session begins to work on it. */
const ADA = { assignee: { person: "Ada" } };

const column = (page: Page, name: string): Locator => page.getByRole("region", { name, exact: true });
const said = (page: Page): Locator => page.locator('main [role="status"][aria-live="polite"]');

async function createCard({ call }: Owner, title: string, fields: object = {}): Promise<string> {
  return (await call<{ id: string }>("POST", "/v1/boards/main/cards", { title, ...ADA, ...fields })).id;
}

async function readCard({ call }: Owner, id: string) {
  return (
    await call<{ card: { status: string; block: { reason: string } | null } }>("GET", `/v1/boards/main/cards/${id}`)
  ).card;
}

describe("a board", () => {
  it("is made with its first card, which is moved by keyboard and blocked with a reason", async () => {
    const owner = await createOwner();
    const { page } = await openPage({ key: owner.key, at: "#/board" });
    await page.getByText("No boards yet").waitFor();
    await page.getByRole("button", { name: "Make a board" }).click();
    await page.getByLabel("Name").fill("main");
    await page.getByRole("dialog").getByRole("button", { name: "Make board" }).click();

    await page.getByRole("button", { name: "New card in Triage" }).click();
    const form = page.getByRole("dialog", { name: "New card in Triage" });
    await form.getByLabel("Title").fill("Sweep the yard");
    await form.getByLabel("Assignee").selectOption({ label: "A person…" });
    await form.getByLabel("Name of the person").fill("Ada");
    await form.getByRole("button", { name: "Make card" }).click();
    const card = page.getByRole("link", { name: "Sweep the yard" });
    await column(page, "Triage").getByRole("link", { name: "Sweep the yard" }).waitFor();

    await card.focus();
    await page.keyboard.press("m");
    await page
      .getByRole("dialog", { name: "Move to…" })
      .getByRole("button", { name: /^Ready/ })
      .press("Enter");
    await column(page, "Ready").getByRole("link", { name: "Sweep the yard" }).waitFor();
    await expect.poll(() => said(page).innerText()).toBe("“Sweep the yard” is in Ready now.");

    await page.getByRole("button", { name: "Move “Sweep the yard” to…" }).click();
    await page
      .getByRole("dialog", { name: "Move to…" })
      .getByRole("button", { name: /^Blocked/ })
      .click();
    await page.getByLabel("Reason").fill("There is no broom.");
    await page.getByRole("dialog").getByRole("button", { name: "Move", exact: true }).click();
    await column(page, "Blocked").getByText("Needs an answer").waitFor();
    const [found] = (await owner.call<{ cards: { id: string }[] }>("GET", "/v1/boards/main/cards")).cards;
    expect(await readCard(owner, found!.id)).toMatchObject({
      status: "blocked",
      block: { reason: "There is no broom." },
    });
  });

  whole("lets a card be dragged where it may go, and shows what others change at once", async () => {
    const owner = await createOwner();
    const id = await createCard(owner, "Paint the door");
    const { page } = await openPage({ key: owner.key, at: "#/board" });
    await column(page, "Ready").getByText("Paint the door").dragTo(column(page, "Running"));
    await column(page, "Running").getByText("Paint the door").waitFor();
    expect((await readCard(owner, id)).status).toBe("running");
    // Nothing leads from running to scheduled.
    await column(page, "Running").getByText("Paint the door").dragTo(column(page, "Scheduled"));
    expect(await column(page, "Running").getByText("Paint the door").count()).toBe(1);

    await page.getByText("Live", { exact: true }).waitFor();
    await createCard(owner, "Oil the hinges");
    await column(page, "Ready").getByText("Oil the hinges").waitFor();
    await owner.call("POST", `/v1/boards/main/cards/${id}/complete`, { summary: "Two coats of blue." });
    await column(page, "Done").getByText("Paint the door").waitFor();
    // By keyboard from column to column.
    await column(page, "Ready").getByRole("link", { name: "Oil the hinges" }).focus();
    await page.keyboard.press("ArrowRight");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Paint the door");
  });

  whole("opens a card beside it: edits, links without a circle, comments, a file; Escape goes back", async () => {
    const owner = await createOwner();
    const [first, second] = [await createCard(owner, "Dig the hole"), await createCard(owner, "Plant the tree")];
    const { page } = await openPage({ key: owner.key, at: `#/board/main/${second}` });
    const open = page.getByRole("dialog", { name: "Plant the tree" });
    await open.getByLabel("Another card that comes before it").fill(first);
    await open.getByRole("button", { name: "Add link" }).click();
    await open.getByRole("button", { name: "Remove the link to “Dig the hole”" }).waitFor();
    await column(page, "To do").getByText("Plant the tree").waitFor();
    await open.getByLabel("Comment", { exact: true }).fill("An **oak**, if there is one.");
    await open.getByRole("button", { name: "Add comment" }).click();
    await open.locator("strong", { hasText: "oak" }).waitFor();
    await column(page, "To do").getByTitle("0/1 cards before it are done").waitFor();
    await column(page, "To do").getByTitle("1 comment", { exact: true }).waitFor();
    await open.getByLabel("Files for the card").setInputFiles({
      ...{ name: "plan.txt", mimeType: "text/plain", buffer: Buffer.from("Two metres from the wall.") },
    });
    await open.getByRole("link", { name: "plan.txt" }).waitFor();
    await open.getByRole("button", { name: "Edit the card" }).click();
    await page.getByLabel("Title").fill("Plant two trees");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Plant two trees" }).waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Plant two trees");

    const { page: other, faults } = await openPage({ key: owner.key, at: `#/board/main/${first}` });
    faults.allow(/409/);
    await other.getByLabel("Another card that comes before it").fill(second);
    await other.getByRole("button", { name: "Add link" }).click();
    await other.getByText(/would close a circle/).waitFor();
    await expectAccessible(other);
  });

  whole("changes several cards at once, and says which of them were refused", async () => {
    const owner = await createOwner();
    const parent = await createCard(owner, "Ask the neighbour");
    await createCard(owner, "Cut the hedge", { parents: [parent] });
    const { page, faults } = await openPage({ key: owner.key, at: "#/board" });
    faults.allow(/409/);
    await page.getByLabel("Select “Ask the neighbour”").check();
    await page.getByLabel("Select “Cut the hedge”").check();
    const bar = page.getByRole("region", { name: "Selected cards" });
    await bar.getByRole("button", { name: "Move to…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: /^Done/ }).click();
    await bar.getByText("One card was refused:").waitFor();
    await bar.getByText("“Cut the hedge”").waitFor();
    await column(page, "Done").getByText("Ask the neighbour").waitFor();
    await bar.getByText("1 card selected").waitFor();
  });

  whole("with a thousand cards in one column holds in the document what is seen, down to its end", async () => {
    const owner = await createOwner();
    await owner.call("PUT", "/v1/boards/main");
    const { page } = await openPage({ key: owner.key });
    await growBoard(page, 1_000);
    await page.goto("/#/board/main");
    const ready = column(page, "Ready");
    await ready.getByText("1,000", { exact: true }).waitFor();
    await ready.getByText("Card 0 of many", { exact: true }).waitFor();
    await ready.locator(".column-body").evaluate((box) => box.scrollTo(0, box.scrollHeight));
    await ready.getByText("Card 999 of many", { exact: true }).waitFor();
    expect(await page.locator("*").count()).toBeLessThan(2_000);
    await page.getByLabel("Search cards").fill("card 512");
    await ready.getByText("Card 512 of many", { exact: true }).waitFor();
  });

  whole("shows hostile titles and comments as text, at the width of a phone", async () => {
    const owner = await createOwner();
    const title = `${MARKUP.slice(0, 120)} ${"W".repeat(150)}`;
    const id = await createCard(owner, title, {
      label: MARKUP.slice(0, 90),
      assignee: { person: MARKUP.slice(0, 90) },
    });
    await owner.call("POST", `/v1/boards/main/cards/${id}/comments`, { text: `${MARKUP}\n\n${"w".repeat(5_000)}` });
    const { page } = await openPage({ key: owner.key, at: `#/board/main/${id}`, width: PHONE });
    await page.getByRole("heading", { name: title }).waitFor();
    await page.getByRole("region", { name: "Comments" }).getByText("onload=alert").first().waitFor();
    expect(await page.locator("main :is(script, iframe, form[action], style, link)").count()).toBe(0);
    await expectNoSidewaysScroll(page);
    await page.setViewportSize({ width: 320, height: 640 });
    await expectNoSidewaysScroll(page);
    await page.getByRole("button", { name: "Close the card" }).click();
    await column(page, "Ready").getByRole("link", { name: title }).waitFor();
    await expectNoSidewaysScroll(page);
  });

  it("can be looked at with a key that may only read, which sees no button that it may not use", async () => {
    const owner = await createOwner();
    const id = await createCard(owner, "Look at me");
    const { key } = await owner.call<{ key: string }>("POST", "/v1/keys", { scopes: ["read"] });
    const { page } = await openPage({ key, at: `#/board/main/${id}` });
    await page.getByRole("heading", { name: "Look at me" }).waitFor();
    await page.getByText("sign in with a key that has the scope").waitFor();
    const names = await page.getByRole("main").getByRole("button").allInnerTexts();
    expect(names.filter((name) => name !== "")).toEqual([]);
    expect(await page.getByRole("main").getByRole("checkbox").count()).toBe(1);
  });
});

describe("a job", () => {
  whole("is made from a blueprint, runs by hand, and shows its run", async () => {
    const owner = await createOwner();
    const { page } = await openPage({ key: owner.key, at: "#/jobs" });
    await page.getByRole("link", { name: "Start from a blueprint" }).click();
    await page.getByRole("button", { name: "Use “A reminder”" }).click();
    const form = page.getByRole("dialog", { name: "A reminder" });
    await form.getByLabel("What to remind you of").fill("Water the plants");
    expect(await form.getByLabel("The time zone of that time").inputValue()).toBe("Europe/Berlin");
    await form.getByRole("button", { name: "Make job" }).click();
    await page.getByRole("heading", { level: 1, name: "reminder" }).waitFor();
    expect(await owner.call("GET", "/v1/jobs/reminder")).toMatchObject({ job: { timeZone: "Europe/Berlin" } });
    await page.getByRole("button", { name: "Run now" }).click();
    await page.getByRole("region", { name: "Runs" }).getByText("by hand").waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("button", { name: "Resume" }).waitFor();
    await expectAccessible(page);
  });

  whole("shows its next five runs before it is made, and says what is wrong with a schedule", async () => {
    const owner = await createOwner();
    const { page, faults } = await openPage({ key: owner.key, at: "#/jobs" });
    faults.allow(/422/);
    await page.getByRole("button", { name: "New job" }).click();
    const form = page.getByRole("dialog", { name: "New job" });
    const preview = form.getByRole("status", { name: "Next runs" });
    await form.getByLabel("Schedule").fill("sometimes");
    await preview.getByText(/sometimes/).waitFor();
    await form.getByLabel("Schedule").fill("every weekday at 8 Asia/Tokyo");
    await preview.getByText("every weekday at 08:00").waitFor();
    await expect.poll(() => preview.getByRole("listitem").count()).toBe(5);
    expect(await preview.getByRole("listitem").first().innerText()).toMatch(/Europe\/Berlin.*08:00 Asia\/Tokyo/s);
    await form.getByLabel("Name").fill("tokyo");
    await form.getByLabel("Prompt").fill("Say hi.");
    await form.getByRole("button", { name: "Make job" }).click();
    await page.getByRole("heading", { level: 1, name: "tokyo" }).waitFor();
  });
});

describe("a goal", () => {
  whole("is set for a new session, and shows what the judge said of each turn", async () => {
    const owner = await createOwner();
    const { page } = await openPage({ key: owner.key, at: "#/goals" });
    await page.getByRole("button", { name: "New goal" }).click();
    const form = page.getByRole("dialog", { name: "New goal" });
    await form.getByLabel("Goal", { exact: true }).fill("Have a tidy yard.");
    await form.getByLabel("Turns").fill("2");
    await form.getByRole("button", { name: "Set goal" }).click();
    await page.getByText("2 of 2 turns used").waitFor();
    await page.getByRole("button", { name: "Resume" }).waitFor();
    const verdicts = page.getByRole("region", { name: "What the judge said" });
    await verdicts.getByRole("link", { name: "Turn 2" }).waitFor();
    await page.getByRole("button", { name: "Clear" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Clear goal" }).click();
    await page.getByText("Cleared", { exact: true }).waitFor();
  });
});
