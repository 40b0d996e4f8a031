// The page Learning over a profile that has learned: a person reads what was learned and why, decides what waits, and takes back a curation.
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { type Owner, createOwner } from "./support/owner.ts";
import { openPage, pressTabUntil, settle } from "./support/page.ts";
import { lookAt } from "./support/walk.ts";
import { whole } from "./support/whole.ts";
import { type Lessons, seedLessons, toSkillMd } from "./support/world/lessons.ts";
import { converse, order, until } from "./support/world/talk.ts";
import { runCurator } from "./support/world/work.ts";

const SCANNER = "resetting-the-scanner";
const WAITING = "checking-invoices";

let owner: Owner;
let lessons: Lessons;
let curation: string;

beforeAll(async () => {
  owner = await createOwner();
  [lessons] = await Promise.all([seedLessons(owner), refuteWhilePinned(owner)]);
  curation = await runCurator(owner);
});

/** Evidence moves no pinned skill. Once it is unpinned, the next curation withdraws it. */
async function refuteWhilePinned(of: Owner): Promise<void> {
  const content = toSkillMd(SCANNER, "Reset the scanner in the hall", ["Pull the plug.", "Wait."]);
  await converse(of, [order("skill_manage", { action: "create", name: SCANNER, content })], { title: "The scanner" });
  await of.client.pinSkill(SCANNER, true);
  for (let use = 1; use <= 3; use++) {
    const session = await converse(of, [order("skill_view", { name: SCANNER })], { title: `Scanner, time ${use}` });
    await until("the observation", () => of.client.observation(session, 1));
    await of.client.rate(session, 1, { rating: "down", correction: "The scanner still hums." });
  }
  await until("the evidence", async () => {
    const { skills } = await of.call<{ skills: { failures: number }[] }>("GET", `/v1/learning?skill=${SCANNER}`);
    return skills[0]!.failures === 3 ? skills : null;
  });
  await of.client.pinSkill(SCANNER, false);
}

const stateOf = async (name: string) => (await owner.client.skill(name)).head?.state;

/** The tab of the page, by its link. */
async function openTab(page: Page, name: string): Promise<void> {
  await page.getByRole("navigation", { name: "Parts of Learning" }).getByRole("link", { name }).click();
  await settle(page);
}

describe("what waits", () => {
  it("is reached by two clicks from anywhere, and a lesson that is approved becomes a skill", async () => {
    const { page } = await openPage({ key: owner.key, at: "#/sessions" });
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Learning", exact: true }).click();
    await openTab(page, "Waiting");
    const lesson = page.getByRole("article").filter({ hasText: WAITING });
    await lesson.getByText("Writes wait for approval.").waitFor();
    await lesson
      .getByRole("group", { name: /Changes of/ })
      .getByText("1. Compare the totals.")
      .waitFor();
    await lookAt(page, "learning-waiting");
    expect(await owner.client.skill(WAITING).catch(() => null)).toBe(null);
    await lesson.getByRole("button", { name: "Approve" }).click();
    await lesson.waitFor({ state: "detached" });
    await page.getByText("Approved. The change was made.").waitFor();
    expect(await stateOf(WAITING)).toBe("trial");
    // The focus stays on the page, and the next one is rejected.
    expect(await page.evaluate(`document.activeElement.textContent`)).toBe("1 waiting");
    await page.getByRole("button", { name: "Reject" }).click();
    await page.getByText("Nothing waits for you").waitFor();
    const decided = page.getByRole("list", { name: "Decided changes" });
    expect(await decided.getByRole("listitem").allInnerTexts()).toEqual([
      expect.stringContaining("Rejected"),
      expect.stringContaining("Approved"),
    ]);
    const { entries } = await owner.call<{ entries: { text: string }[] }>("GET", "/v1/memory");
    expect(entries.some(({ text }) => /invoices are paid/i.test(text))).toBe(false);
  });
});

describe("the curator", () => {
  whole("says what a run changed and why, and takes it back after a question", async () => {
    expect(await stateOf(SCANNER)).toBe("archived");
    const { page } = await openPage({ key: owner.key, at: "#/learning/curator" });
    const run = page.getByRole("list", { name: "Runs" }).getByRole("listitem").filter({ hasText: SCANNER });
    await run.getByRole("link").click();
    const changes = page.getByRole("list", { name: "Changes" });
    expect(await changes.innerText()).toContain("trial → archived");
    await lookAt(page, "learning-curation");
    await page.getByRole("button", { name: "Roll back" }).click();
    const question = page.getByRole("dialog");
    expect(await question.innerText()).toContain(`${SCANNER}: archived → trial`);
    await question.getByRole("button", { name: "Roll back" }).click();
    await page.getByRole("link", { name: "Takes back an earlier run" }).waitFor();
    expect(await changes.innerText()).toContain("archived → trial");
    expect(await stateOf(SCANNER)).toBe("trial");
    await page.getByRole("link", { name: "All runs" }).click();
    await page.getByText("It took back an earlier run.").waitFor();
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("button", { name: "Resume" }).waitFor();
    expect(await owner.call("GET", "/v1/curator")).toMatchObject({ paused: true });
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByRole("button", { name: "Pause" }).waitFor();
    expect(curation).not.toBe("");
  });
});

describe("whether learning helps", () => {
  whole("is drawn by day, with a table for each curve and a choice of the time", async () => {
    const { page } = await openPage({ key: owner.key, at: "#/learning" });
    const figures = page.locator("figure").filter({ hasText: "Success: share of judged turns" });
    await figures.locator("canvas").waitFor();
    await figures.getByText("Show as table").click();
    await figures.getByRole("columnheader", { name: "Success" }).waitFor();
    expect(await figures.getByRole("row").count()).toBe(2);
    await page.getByRole("navigation", { name: "Time shown" }).getByRole("link", { name: "7 days" }).click();
    await page.waitForURL(/#\/learning\/overview\/7$/);
    const refused = page.getByRole("group", { name: "Refused writes" });
    await refused.getByText("skill_protected").waitFor();
    await lookAt(page, "learning-overview");
    await refused.getByRole("link", { name: "Open the review" }).click();
    await page.getByRole("list", { name: "Refused writes" }).getByText("is pinned by a person").waitFor();
  });
});

describe("a review", () => {
  whole("says what it kept with the parts it cites, what was refused, what it cost and what it read", async () => {
    const { page } = await openPage({ key: owner.key, at: "#/learning/reviews" });
    const reviews = page.getByRole("list", { name: "Reviews" });
    await reviews.getByText("1 write refused").waitFor();
    await page.goto(`/#/learning/reviews/${lessons.reviews[0]}`);
    const kept = page.getByRole("list", { name: "Lessons" });
    await kept.getByRole("link", { name: lessons.learned }).waitFor();
    await kept.getByText("what is the mean of").first().waitFor();
    const turn = kept.getByRole("link", { name: "Turn 1" }).first();
    expect(await turn.getAttribute("href")).toBe(`#/chat/${lessons.session}/1`);
    await page.getByRole("group", { name: "Cost of the review" }).getByText("rehearsal:1").waitFor();
    await page.getByText(/entries of the conversation/).click();
    await page.getByRole("list", { name: "Entries" }).getByText("Tool terminal").first().waitFor();
    await lookAt(page, "learning-review");
  });
});

describe("the journey", () => {
  whole("tells by day what was learned, withdrawn and remembered, each with its reason", async () => {
    const { page } = await openPage({ key: owner.key, at: "#/learning/journey" });
    const learned = page.getByRole("listitem").filter({ hasText: "Learned" }).filter({ hasText: lessons.companion });
    await learned.getByText(/^The \d parts it cites/).click();
    await learned.getByText("what is the mean of").waitFor();
    await lookAt(page, "learning-journey");
    await page.getByRole("navigation", { name: "Kinds of events" }).getByRole("link", { name: "Skills" }).click();
    const withdrawn = page
      .getByRole("listitem")
      .filter({ hasText: "Withdrawn" })
      .filter({ hasText: lessons.withdrawn });
    await withdrawn.getByText("No earlier text is left.").waitFor();
    expect(await page.getByText("Remembered").count()).toBe(0);
    await page.getByRole("link", { name: "Facts", exact: true }).click();
    await page.getByText("Works from Oslo, and reads mail until 16:00.").waitFor();
    await page.getByRole("link", { name: "Curation", exact: true }).click();
    await page.getByRole("link", { name: SCANNER }).first().waitFor();
  });

  whole("is also a graph of links that the keyboard reaches, and a list of the same", async () => {
    const { page } = await openPage({ key: owner.key, at: "#/learning/journey/graph" });
    const graph = page.getByRole("group", { name: /^Graph of skills/ });
    const skill = graph.locator(`a[href="#/skills/${lessons.learned}"]`);
    await skill.waitFor();
    expect(await graph.locator(`a[href="#/chat/${lessons.session}"]`).count()).toBe(1);
    await lookAt(page, "learning-graph");
    await skill.focus();
    expect(await graph.locator("path.graph-edge.lit").count()).toBe(2);
    await page.getByText(/^\d+ skills$/).click();
    const row = page.getByRole("list", { name: /^Skills, their work/ }).getByRole("listitem");
    const same = row.filter({ has: page.getByRole("link", { name: lessons.learned, exact: true }) }).first();
    expect(await same.innerText()).toContain("Came from");
    await pressTabUntil(page, { role: "link", name: /In rain.csv/ });
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(`#/chat/${lessons.session}$`));
  });
});

describe("a profile that has learned nothing", () => {
  whole("is told on each part what to do", async () => {
    const { key } = await createOwner();
    const { page } = await openPage({ key, at: "#/learning" });
    for (const [tab, says] of [
      ["Overview", "Nothing to learn from yet"],
      ["Reviews", "No review yet"],
      ["Waiting", "Nothing waits for you"],
      ["Curator", "No run yet"],
      ["Journey", "Nothing yet"],
    ] as const) {
      await openTab(page, tab);
      await page.getByText(says).first().waitFor();
    }
    await page.getByRole("link", { name: "Graph" }).click();
    await page.getByText("No skill yet").waitFor();
  });
});
