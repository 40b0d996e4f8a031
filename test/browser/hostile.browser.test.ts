// Walks every page over a profile whose every text is hostile: nothing runs, nothing leaves for another origin, no layout breaks. What ran
// would be a fault of the page (support/faults.ts): a dialog, a breach of the Content-Security-Policy, a request to another origin.
import { beforeAll, describe, expect, it } from "vitest";
import { isTried } from "../support/thorough.ts";
import { whole } from "./support/whole.ts";
import { type HostileWorld, TITLE, seedHostileWorld } from "./support/hostile-world.ts";
import { type Owner, createOwner } from "./support/owner.ts";
import { openPage, settle } from "./support/page.ts";
import { linksOf, lookAt, looksOf, tabsOf, walk } from "./support/walk.ts";

let owner: Owner;
let world: HostileWorld;

beforeAll(async () => {
  owner = await createOwner();
  world = await seedHostileWorld(owner);
});

describe("hostile texts", () => {
  whole("are shown as text on every page, and on the pages of each thing", async () => {
    const { page } = await openPage({ key: owner.key });
    const links = new Set<string>();
    await walk(page, {
      world: "hostile",
      what: "texts",
      onPage: async () => {
        for (const link of [...(await linksOf(page)), ...(await tabsOf(page))]) links.add(link);
      },
    });
    const named = [world.session, world.answered].map((session) => `#/chat/${session}`);
    named.push(`#/board/${world.board}/${world.card}`, ...world.skills.map((skill) => `#/skills/${skill}`));
    const tried = [...links].filter((_, n) => isTried(n));
    for (const [n, link] of [...new Set([...named, ...tried])].entries()) {
      await page.goto(`/${link}`);
      await settle(page);
      await lookAt(page, `hostile-${link.replace(/\W+/g, "-").slice(0, 60)}`, looksOf(n, "texts"));
    }
  });

  it("are the person's own words in the conversation, and no link runs them", async () => {
    const { page } = await openPage({ key: owner.key, at: `#/chat/${world.session}` });
    const log = page.getByRole("log");
    await expect.poll(() => log.innerText()).toContain("<script>alert('ran')</script>");
    expect(await page.locator('[href^="javascript:" i], [src^="javascript:" i]').count()).toBe(0);
    expect(await page.locator("main :is(script, iframe, form[action], style, link)").count()).toBe(0);
  });

  it("do not hide where a link leads, and leave the page whole however deep they are nested", async () => {
    const { page } = await openPage({ key: owner.key, at: `#/chat/${world.answered}` });
    const links = page.locator(".answer-text p").first().getByRole("link");
    await expect.poll(() => links.count()).toBe(4);
    const places = links.evaluateAll((found) => found.map((link) => link.getAttribute("data-place")));
    expect(await places).toEqual(["evil.example", "evil.example", "evil.example", null]);
    expect(await links.first().getAttribute("title")).toBe("https://evil.example/x");
    await expect.poll(() => page.locator(".answer-text").last().innerText()).toContain(">>>>");
  });

  it("are a name within quotation marks where the page asks about them", async () => {
    const { page } = await openPage({ key: owner.key, at: "#/sessions" });
    await page.getByRole("button", { name: `Delete ${TITLE}` }).click();
    const question = await page.getByRole("dialog").innerText();
    expect(question).toContain("“x'? Nothing is lost. 'y ⟨U+202E⟩gpj.exe”, its messages and its files are erased.");
  });
});
