// What a conversation on the chat page lets a person do: answer the agent's questions, look into its calls, give it files and images, go back,
// branch, complete commands.
import { expect, it } from "vitest";
import { IS_THOROUGH } from "../support/thorough.ts";
import { expectAccessible, expectNoSidewaysScroll } from "./support/accessible.ts";
import { giveFiles, log, openChat, say } from "./support/chats.ts";
import { createOwner } from "./support/owner.ts";
import { PHONE, type Theme, openPage, screenshot, settle } from "./support/page.ts";
import { whole } from "./support/whole.ts";
import { learnFromTable } from "./support/world/lessons.ts";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

it("asks before a command runs on a real machine: allowed until it is revoked, or refused with a reason", async () => {
  const { page, entries } = await openChat({ backend: "host" });
  await say(page, "Run: `echo out-of-the-machine`");
  const card = page.getByRole("region", { name: "The agent asks to run something" });
  await card.getByText("echo out-of-the-machine", { exact: true }).waitFor();
  await expectAccessible(page);
  await screenshot(page, "chat-approval");
  await page.reload();
  await card.getByRole("button", { name: "Allow for this session" }).click();
  await log(page).getByText("out-of-the-machine", { exact: true }).waitFor();
  await card.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Details", exact: true }).click();
  const allowed = page.getByRole("region", { name: "Allowed without a question" });
  await allowed.getByText("echo out-of-the-machine").waitFor();
  await allowed.getByRole("button", { name: "Revoke" }).click();
  await allowed.waitFor({ state: "detached" });
  await say(page, "Run: `echo never`");
  await card.getByRole("textbox").fill("Not today");
  await card.getByRole("button", { name: "Refuse" }).click();
  await card.waitFor({ state: "detached" });
  await log(page).getByText("Not today").first().waitFor();
  expect(JSON.stringify(await entries())).toContain("Not today");
});

whole("asks before the agent changes a file that it follows later", async () => {
  const { page, owner, session } = await openChat({ isPaced: true });
  await say(page, 'Call write_file {"path":"AGENTS.md","content":"Always brew tea.\\n"}');
  const card = page.getByRole("region", { name: "The agent asks to change AGENTS.md" });
  await card.getByText("Always brew tea.").waitFor();
  await expectAccessible(page);
  await card.getByRole("button", { name: "Approve" }).click();
  await card.waitFor({ state: "detached" });
  expect(new TextDecoder().decode(await owner.client.getFile(session, "AGENTS.md"))).toBe("Always brew tea.\n");
});

whole("shows under a turn what was learned from it, and leads to why", async () => {
  const owner = await createOwner();
  const { session, learned, review } = await learnFromTable(owner);
  const { page } = await openPage({ key: owner.key, at: `#/chat/${session}` });
  const block = page.getByRole("region", { name: "Learned from this turn" }).first();
  await block.getByRole("link", { name: learned }).waitFor();
  await expectAccessible(page);
  await screenshot(page, "chat-learned");
  const why = await block.getByRole("link", { name: /^Why/ }).first().getAttribute("href");
  expect(why).toBe(`#/learning/reviews/${review}`);
  expect(await block.getByRole("link", { name: learned }).getAttribute("href")).toBe(`#/skills/${learned}`);
});

whole("asks the agent's own questions as a form", async () => {
  const { page } = await openChat();
  await say(page, "Ask me: Which colour? red, blue");
  const form = page.getByRole("form", { name: "The agent asks" });
  await form.getByLabel("blue").check();
  await expectAccessible(page);
  await form.getByRole("button", { name: "Answer" }).click();
  await form.waitFor({ state: "detached" });
  await log(page).getByText("Asked: Which colour?").waitFor();
  await log(page).getByText(/blue/).first().waitFor();
});

whole("unfolds a call: its arguments, its result, and what it changed", async () => {
  const { page } = await openChat({ isPaced: true });
  await say(page, 'Call write_file {"path":"notes/tea.txt","content":"green\\nblack\\n"}');
  const row = log(page).getByRole("button", { name: /write_file/ });
  await row.click();
  const changes = log(page).getByRole("group", { name: "Changes of notes/tea.txt" });
  await changes.getByText("black").waitFor();
  await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
  await say(page, 'Call read_file {"path":"notes/none.txt"}');
  await log(page)
    .getByRole("button", { name: /read_file.*failed/ })
    .click();
  await log(page).getByRole("group", { name: "Arguments of read_file" }).getByText("notes/none.txt").waitFor();
  await expectAccessible(page);
  await screenshot(page, "chat-tools");
});

whole("takes images by drop and paste into the message, and other files into the session", async () => {
  const { page, entries } = await openChat();
  await giveFiles(page, "paste", [{ name: "pixel.png", type: "image/png", base64: PIXEL }]);
  await page.getByRole("list", { name: "Images to send" }).getByAltText("pixel.png").waitFor();
  await giveFiles(page, "drop", [
    { name: "other.png", type: "image/png", base64: PIXEL },
    { name: "rain.csv", type: "text/csv", base64: btoa("day,mm\n1,4\n") },
  ]);
  const files = page.getByRole("list", { name: "Files" });
  await files.getByRole("button", { name: "rain.csv", exact: true }).waitFor();
  await say(page, "What are these?");
  await log(page).getByAltText("pixel.png").waitFor();
  await page.getByRole("list", { name: "Images to send" }).waitFor({ state: "detached" });
  await expect
    .poll(async () => (await entries()).find(({ kind }) => kind === "user")?.images, { timeout: 15_000 })
    .toHaveLength(2);
  await files.getByRole("button", { name: "rain.csv", exact: true }).click();
  await page.getByRole("dialog").getByText("day,mm").waitFor();
  await expectAccessible(page);
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  await files.getByRole("button", { name: "Delete rain.csv" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No files yet").waitFor();
});

whole("shows what has changed since a checkpoint, and goes back to it", async () => {
  const { page, owner, session } = await openChat({ isPaced: true });
  await owner.client.putFile(session, "plan.txt", "first\n");
  await say(page, 'Call write_file {"path":"plan.txt","content":"second\\n"}');
  await log(page)
    .getByRole("button", { name: /write_file/ })
    .waitFor();
  await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Checkpoints" }).click();
  await page.getByRole("button", { name: "Changes", exact: true }).first().click();
  await page.getByRole("button", { name: "plan.txt", exact: true }).click();
  await page.getByRole("group", { name: "Changes of plan.txt" }).getByText("second").waitFor();
  await expectAccessible(page);
  await page.getByRole("button", { name: "Restore" }).first().click();
  await page.getByRole("dialog").getByRole("button", { name: "Set back" }).click();
  await page.getByText("1 file was set back.").waitFor();
  expect(new TextDecoder().decode(await owner.client.getFile(session, "plan.txt"))).toBe("first\n");
});

whole("sends a message with other words in a branch, and leaves the conversation as it is", async () => {
  const { page, session, entries } = await openChat({ before: ["Note: one", "Note: two"] });
  const turn = page.getByRole("region", { name: "Turn 2" });
  const edited = turn.getByRole("textbox", { name: "Edited text" });
  await page.getByRole("textbox", { name: "Message" }).press("ArrowUp");
  await expect.poll(() => edited.and(page.locator(":focus")).count()).toBe(1);
  await edited.press("Escape");
  await turn.getByText("Note: two").hover();
  await turn.getByRole("button", { name: "Edit in a branch" }).click();
  await edited.fill("Note: three");
  await turn.getByRole("button", { name: "Branch with this text" }).click();
  await page.waitForURL((url) => /#\/chat\/[0-9A-Z]{26}$/.test(url.hash) && !url.hash.includes(session));
  await log(page).getByText("Note: three").waitFor();
  await log(page).getByText("Note: one").waitFor();
  expect(await log(page).getByText("Note: two").count()).toBe(0);
  expect(JSON.stringify(await entries())).not.toContain("Note: three");
  await page.getByRole("link", { name: "Branch" }).click();
  await log(page).getByText("Note: two").waitFor();
});

whole("completes commands of the shared table, carries out its own, and shows what the session's answer", async () => {
  const { page } = await openChat({ before: ["Note: one"] });
  const message = page.getByRole("textbox", { name: "Message" });
  await message.fill("/mod");
  const option = page.getByRole("option", { name: /\/model \[NAME\]/ });
  await option.waitFor();
  expect(await message.getAttribute("aria-activedescendant")).toBe(await option.getAttribute("id"));
  await expectAccessible(page);
  await screenshot(page, "chat-completion");
  await message.press("Enter");
  expect(await message.inputValue()).toBe("/model ");
  await message.press("Enter");
  await log(page)
    .getByText(/rehearsal/)
    .first()
    .waitFor();
  await say(page, "/branch nowhere");
  await page.getByText("Write it as /branch [TURN]").waitFor();
  expect(await message.inputValue()).toBe("/branch nowhere");
  await message.fill("/undo");
  await message.press("Escape");
  await message.press("Enter");
  await log(page).getByText("You took this turn back.").first().waitFor();
});

whole("chooses model and reasoning for the session, and renames it", async () => {
  const { page, owner, session } = await openChat({ before: ["Note: one"] });
  await page.getByRole("button", { name: "Details", exact: true }).click();
  await page.getByLabel("Model", { exact: true }).selectOption("ollama:paced");
  await page.getByLabel("Reasoning").selectOption("low");
  await page.getByLabel("Title").fill("Kettles");
  await page.getByRole("button", { name: "Rename" }).click();
  await page.getByRole("heading", { level: 1, name: "Kettles" }).waitFor();
  const { model, effort, title } = await owner.call<Record<string, string>>("GET", `/v1/sessions/${session}`);
  expect({ model, effort, title }).toEqual({ model: "ollama:paced", effort: "low", title: "Kettles" });
  await expectAccessible(page);
  await screenshot(page, "chat-details");
});

const THEMES: Theme[] = IS_THOROUGH ? ["light", "dark"] : ["dark"];
const HOSTILE = [
  `Note: <img src=x onerror=alert(1)> <script>alert(2)</script> [x](javascript:alert(3)) ${"W".repeat(3_000)}`,
  "Note: \u202eright to left\u202c and \u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd",
].join("\n");

it.each(THEMES)("shows hostile texts as text, on a phone and wide, in %s", async (theme) => {
  const { page, owner, session } = await openChat({
    theme,
    width: PHONE,
    before: [HOSTILE, "Run: `echo '<b>bold</b>'; echo " + "x".repeat(2_000) + "`"],
  });
  await owner.client.putFile(session, `<img src=x onerror=alert(4)> ${"n".repeat(150)}.md`, HOSTILE);
  await page.reload();
  await settle(page);
  await log(page).getByText("<script>alert(2)</script>").first().waitFor();
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
  await screenshot(page, `chat-hostile-phone-${theme}`);
  await page.getByRole("button", { name: "Files and details" }).click();
  await page.getByRole("list", { name: "Files" }).getByText("onerror=alert(4)").waitFor();
  await expectNoSidewaysScroll(page);
  await expectAccessible(page);
  await screenshot(page, `chat-files-phone-${theme}`);
  await page.setViewportSize({ width: 1440, height: 900 });
  await expectNoSidewaysScroll(page);
  await screenshot(page, `chat-hostile-${theme}`);
});

whole("opens a turn by its address, marks it, and reads what is above when the reader goes there", async () => {
  const { page, session } = await openChat({ before: Array.from({ length: 30 }, (_, i) => `Note: number ${i + 1}`) });
  await log(page).getByText("Note: number 30").waitFor();
  await page.goto(`/#/chat/${session}/3`);
  const turn = page.getByRole("region", { name: "Turn 3", exact: true });
  await turn.getByText("Note: number 3", { exact: true }).waitFor();
  const focused = `(({ activeElement: turn }) => [turn.id, turn.getBoundingClientRect().top < innerHeight])(document)`;
  await expect.poll(() => page.evaluate(focused), { timeout: 15_000 }).toEqual(["turn-3", true]);
});
