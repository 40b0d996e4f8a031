// The chat page follows an answer: it streams, and goes on at the very character after a reload and after a lost connection. Messages reach
// the server once, whatever happens on the way.
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { log, openChat, say, shownWords, toWords } from "./support/chats.ts";
import { createOwner } from "./support/owner.ts";
import { openPage } from "./support/page.ts";
import { whole } from "./support/whole.ts";

/** Long enough to be cut in the middle: three seconds. */
const LONG = "Say 200 words";

const whenShown = (page: Page, word: string) =>
  log(page)
    .getByText(new RegExp(`\\b${word}\\b`))
    .first()
    .waitFor();
const whenEnded = (page: Page) => page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });

it("makes a session with the first message, and shows its answer and title", async () => {
  const owner = await createOwner();
  const { page } = await openPage({ key: owner.key, at: "#/chat" });
  const message = page.getByRole("textbox", { name: "Message" });
  await message.fill("Note: the blue kettle leaks");
  await message.press("Enter");
  await page.waitForURL(/#\/chat\/[0-9A-Z]{26}$/);
  await log(page).getByText("Noted. It stays in this conversation").waitFor();
  await log(page).getByText("Note: the blue kettle leaks").waitFor();
  expect(await message.inputValue()).toBe("");
  expect(await owner.client.recentSessions()).toHaveLength(1);
});

whole("streams, and after a reload in the middle goes on where the answer is", async () => {
  const { page, answer } = await openChat({ isPaced: true });
  await say(page, LONG);
  await whenShown(page, "word20");
  await page.reload();
  await whenShown(page, "word30");
  const partly = await shownWords(page);
  await whenShown(page, "word200");
  await whenEnded(page);
  const complete = toWords(await answer());
  expect([partly.length < complete.length, complete.startsWith(partly)]).toEqual([true, true]);
  expect(await shownWords(page)).toBe(complete);
});

it("says that the connection is lost, and shows every character when it is back", async () => {
  const { page, faults, answer, entries } = await openChat({ isPaced: true });
  faults.allow(/ERR_INTERNET_DISCONNECTED/);
  await say(page, LONG);
  await whenShown(page, "word10");
  await page.context().setOffline(true);
  await page.getByText("Reconnecting…").waitFor();
  const lost = await shownWords(page);
  // Written meanwhile: it waits here, and is sent once.
  await say(page, "And then this");
  await page.getByText("Not sent yet").waitFor();
  expect(await shownWords(page)).toBe(lost);
  await page.context().setOffline(false);
  await log(page).getByText("You said: And then this").waitFor();
  await whenEnded(page);
  expect(await shownWords(page)).toBe(toWords(`${await answer(1)} ${await answer(2)}`));
  const messages = (await entries()).filter(({ kind }) => kind === "user");
  expect(messages.map(({ parts }) => parts[0]!.text)).toEqual([LONG, "And then this"]);
});

whole("keeps a message over a reload that the server does not have yet, and sends it once", async () => {
  const { page, faults, entries } = await openChat();
  faults.allow(/ERR_FAILED/);
  await page.route("**/messages", (route) => route.abort());
  await say(page, "Note: it survives");
  await page.getByText("Not sent yet").waitFor();
  await page.unroute("**/messages");
  await page.reload();
  await log(page).getByText("Noted.").waitFor();
  expect((await entries()).filter(({ kind }) => kind === "user")).toHaveLength(1);
});

whole("stops an answer, and keeps what was said", async () => {
  const { page, owner, session } = await openChat({ isPaced: true });
  await say(page, LONG);
  await whenShown(page, "word10");
  await page.getByRole("button", { name: "Stop" }).click();
  await whenEnded(page);
  await log(page).getByText("Stopped", { exact: true }).waitFor();
  const { turns } = await owner.call<{ turns: { state: string }[] }>("GET", `/v1/sessions/${session}`);
  expect(turns.map(({ state }) => state)).toEqual(["stopped"]);
  expect(await shownWords(page)).toContain("word10");
});

whole("queues, steers and interrupts while a turn runs", async () => {
  const { page, owner, session, entries } = await openChat({ isPaced: true });
  const mode = page.getByLabel("While the agent works");
  await say(page, "Say 120 words");
  await whenShown(page, "word10");
  await say(page, "First in the queue");
  await log(page).getByText("Waits for the running turn").waitFor();
  await mode.selectOption("interrupt");
  await say(page, "Now this instead");
  await log(page).getByText("You said: Now this instead").waitFor();
  await whenEnded(page);
  await say(page, 'Say 90 words, then Call terminal {"command":"echo slept"}');
  await log(page).getByText("word5").last().waitFor();
  await mode.selectOption("steer");
  await say(page, "Mind the kettle");
  await log(page).getByText("Joined the running turn").waitFor();
  await whenEnded(page);
  const { turns } = await owner.call<{ turns: { state: string; n: number }[] }>("GET", `/v1/sessions/${session}`);
  expect(turns.map(({ state }) => state)).toEqual(["done", "done", "done", "done", "steered"]);
  expect(await log(page).getByText("Mind the kettle", { exact: true }).count()).toBe(1);
  expect((await entries()).filter(({ kind }) => kind === "user")).toHaveLength(5);
});

whole("follows the end of an answer only while the reader is there", async () => {
  const { page } = await openChat({ isPaced: true });
  await page.setViewportSize({ width: 1000, height: 500 });
  const place = () =>
    page.evaluate(`(({ scrollTop, scrollHeight, clientHeight }) => ({
      top: Math.round(scrollTop),
      left: Math.round(scrollHeight - scrollTop - clientHeight),
    }))(document.querySelector("[role=log]"))`) as Promise<{ top: number; left: number }>;
  await say(page, LONG);
  await whenShown(page, "word90");
  expect((await place()).left).toBeLessThan(30);
  await log(page).hover();
  await page.mouse.wheel(0, -150);
  await expect.poll(async () => (await place()).left, { timeout: 15_000 }).toBeGreaterThan(100);
  const { top } = await place();
  await whenShown(page, "word120");
  expect((await place()).top).toBe(top);
  await page.getByRole("button", { name: "Newest" }).click();
  await whenShown(page, "word200");
  await whenEnded(page);
  await expect.poll(async () => (await place()).left, { timeout: 15_000 }).toBeLessThan(30);
});

whole("says that a session was deleted, and that a sign-in has ended", async () => {
  const { page, faults, owner, session } = await openChat({ before: ["Note: one"] });
  faults.allow(/status of 40[14]/, /WebSocket connection .* Authentication failed/);
  await owner.call("DELETE", `/v1/sessions/${session}`);
  await log(page).getByText("There is no such conversation any more").waitFor();
  const other = await owner.call<{ session: string }>("POST", "/v1/sessions", {});
  await page.goto(`/#/chat/${other.session}`);
  await page.getByText("There is no such conversation any more").waitFor({ state: "detached" });
  const { signIns } = await owner.call<{ signIns: { id: string }[] }>("GET", "/v1/sign-ins");
  for (const { id } of signIns) await owner.call("DELETE", `/v1/sign-ins/${id}`);
  await owner.call("POST", `/v1/sessions/${other.session}/messages`, { text: "Note: two" });
  await page.getByText("Your sign-in has ended").waitFor();
});
