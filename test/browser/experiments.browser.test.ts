// Experiments on the page: a person tries a skill under a grant of their own, and reads two runs side by side. The API's answers are given
// here: what makes them is tested elsewhere.
import type { Page } from "playwright-core";
import { beforeAll, describe, expect } from "vitest";
import { RECORDED_ENTRIES, REPEATED_ENTRIES, toExperiment } from "../support/experiment.ts";
import { expectAccessible, expectNoSidewaysScroll } from "./support/accessible.ts";
import { type Owner, createOwner } from "./support/owner.ts";
import { PHONE, WIDE, openPage, pressTabUntil, screenshot, settle } from "./support/page.ts";
import { whole } from "./support/whole.ts";
import { toSkillMd } from "./support/world/lessons.ts";

let owner: Owner;

beforeAll(async () => {
  owner = await createOwner();
  await owner.client.putSkill("rain-means", { "SKILL.md": toSkillMd("rain-means", "Mean of rain", ["Skip line 1."]) });
});

/** Answers for one experiment, which has ended once it was asked for a second time. Returns what was asked for. */
async function answer(page: Page): Promise<unknown[]> {
  const done = toExperiment();
  const running = toExperiment({
    state: "running",
    outcome: null,
    why: "",
    runs: [],
    arms: {},
    endedAt: null,
    runsUntil: null,
  });
  const asked: unknown[] = [];
  let reads = 0;
  await page.route(/\/v1\/(?:experiments|skills\/rain-means\/replay|sessions\/01ARZ\w+\/entries)/, (route) => {
    const request = route.request();
    const { pathname } = new URL(request.url());
    if (request.method() === "POST") {
      asked.push(request.postDataJSON());
      return route.fulfill({ status: 202, json: running });
    }
    if (pathname.endsWith("/entries")) return route.fulfill({ json: { entries: RECORDED_ENTRIES } });
    if (pathname.includes("/runs/")) {
      return route.fulfill({ json: { experiment: done.id, run: done.runs[0], entries: REPEATED_ENTRIES } });
    }
    if (pathname.endsWith(done.id)) return route.fulfill({ json: reads++ === 0 && asked.length > 0 ? running : done });
    const others = toExperiment({ id: `${done.id.slice(0, -1)}W`, outcome: "no_difference", why: "No arm was ahead." });
    return route.fulfill({ json: { experiments: [done, others] } });
  });
  return asked;
}

/** A ledger of learning with a turn and what was tried. */
async function fillLedger(page: Page): Promise<void> {
  const none = { open: 0, noDifference: 1, harms: 0, notReplayable: 0, noOutcome: 0, withdrawnBeforeOffer: 0 };
  await page.route(/\/v1\/learning\?/, async (route) => {
    const ledger = (await (await route.fetch()).json()) as { turns: object };
    const experiments = { ...none, count: 2, helps: 1, replays: 2, tokens: 2_800 };
    await route.fulfill({ json: { ...ledger, turns: { ...ledger.turns, seen: 1 }, experiments } });
  });
}

describe("the experiments of a skill", () => {
  whole("are begun with tokens of one's own where none are granted, and lead to the runs side by side", async () => {
    const { page } = await openPage({ key: owner.key });
    const asked = await answer(page);
    await page.goto("/#/skills/rain-means/experiments");
    await page.getByRole("list", { name: "Experiments, newest first" }).waitFor();
    await pressTabUntil(page, { role: "button", name: "Try it now" });
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Try rain-means on past work?" });
    await dialog.getByText("No tokens are granted for a day").waitFor();
    expect(await dialog.getByRole("button", { name: "Try it", exact: true }).isDisabled()).toBe(true);
    await dialog.getByLabel("Tokens that it may use").fill("200000");
    await screenshot(page, "experiments-try");
    await page.keyboard.press("Enter");
    await page.getByText("67 % fewer calls").waitFor();
    expect(asked).toEqual([{ tokens: 200_000 }]);
    await page.getByText("It sent a message with `send_message`.").waitFor();
    await page.getByText("Compare two runs side by side").click();
    await page.getByRole("region", { name: "Without it, as it was" }).getByText("3.33 mm").waitFor();
    await page.getByRole("region", { name: "With it" }).getByText("5 mm").waitFor();
    await page.getByRole("group", { name: "Changes of the steps" }).getByText("head -3 rain.csv").waitFor();
    await expectAccessible(page);
  });

  whole("are whole on a phone and on a wide screen, by day and by night", async () => {
    for (const [width, theme] of [
      [PHONE, "light"],
      [PHONE, "dark"],
      [WIDE, "light"],
      [WIDE, "dark"],
    ] as const) {
      const { page } = await openPage({ key: owner.key, width: width === WIDE ? 1_280 : width, theme });
      await answer(page);
      await page.goto("/#/skills/rain-means/experiments");
      await page.getByText("No arm was ahead.").waitFor();
      await expectNoSidewaysScroll(page);
      await screenshot(page, `experiments-list-${width}-${theme}`);
      await page.getByRole("link", { name: "Revision 2" }).first().click();
      await page.getByText("Compare two runs side by side").click();
      await page.getByRole("region", { name: "With it" }).getByText("5 mm").waitFor();
      await settle(page);
      await expectNoSidewaysScroll(page);
      await expectAccessible(page);
      await screenshot(page, `experiments-runs-${width}-${theme}`);
      await page.getByRole("region", { name: "With it", exact: true }).scrollIntoViewIfNeeded();
      await screenshot(page, `experiments-beside-${width}-${theme}`);
      await fillLedger(page);
      await page.goto("/#/learning");
      await page.getByText("2 texts were tried: 1 helps, 1 makes no difference. 2 runs, 2.8k tokens.").waitFor();
      const newest = page.getByRole("list", { name: "Newest experiments" });
      await newest.getByRole("link", { name: "rain-means: revision 2" }).first().scrollIntoViewIfNeeded();
      await expectNoSidewaysScroll(page);
      await screenshot(page, `experiments-learning-${width}-${theme}`);
    }
  });
});
