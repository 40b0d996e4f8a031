// Two people at one browser: what one has read, written and sent reaches neither the other's page nor the other's profile.
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { type Owner, createOwner } from "./support/owner.ts";
import { openPage, settle } from "./support/page.ts";

const composer = (page: Page) => page.getByRole("textbox", { name: "Message" });
const keyField = (page: Page) => page.getByLabel("Key", { exact: true });

/** As another tab does it, without the tab. */
async function signInElsewhere(page: Page, { key, url }: Owner): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  expect((await page.context().request.post(`${url}/v1/sign-in`, { headers })).status()).toBe(201);
}

async function signIn(page: Page, { key }: Owner): Promise<void> {
  await keyField(page).fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await settle(page);
}

async function listSessions({ call }: Owner): Promise<string[]> {
  const { sessions } = await call<{ sessions: { session: string }[] }>("GET", "/v1/sessions");
  return sessions.map(({ session }) => session);
}

it("sends nothing in the name of the profile that another tab has signed in to", async () => {
  const [first, second] = [await createOwner(), await createOwner()];
  const { page, faults } = await openPage({ key: first.key });
  faults.allow(/status of 403/);
  await composer(page).fill("For my own agent only");
  await signInElsewhere(page, second);
  const answer = page.waitForResponse((response) => response.status() === 403);
  await page.getByRole("button", { name: "Send" }).click();
  await answer;
  await page.waitForURL("/");
  await settle(page);
  expect(await composer(page).inputValue()).toBe("");
  expect([await listSessions(first), await listSessions(second)]).toEqual([[], []]);
});

it("keeps a draft for the same person when the sign-in has ended, and shows it to nobody else", async () => {
  const [first, second] = [await createOwner(), await createOwner()];
  const { page, faults } = await openPage({ key: first.key });
  faults.allow(/status of 401/);
  await composer(page).fill("Half a secret");
  const { signIns } = await first.call<{ signIns: { id: string }[] }>("GET", "/v1/sign-ins");
  for (const { id } of signIns) await first.call("DELETE", `/v1/sign-ins/${id}`);
  await page.getByRole("link", { name: "Sessions", exact: true }).click();
  await page.getByText("Sign in again").waitFor();
  await signIn(page, first);
  await page.goto("/#/chat");
  expect(await composer(page).inputValue(), "the same person goes on writing").toBe("Half a secret");
  await page.getByRole("button", { name: "Sign out" }).click();
  await signIn(page, second);
  expect(await composer(page).inputValue()).toBe("");
});

it("empties every tab at a sign-out, and gives each to who signs in next", async () => {
  const [first, second] = [await createOwner(), await createOwner()];
  const { session } = await first.call<{ session: string }>("POST", "/v1/sessions", {});
  await first.call("PATCH", `/v1/sessions/${session}`, { title: "A title of the first" });
  const { page } = await openPage({ key: first.key, at: "#/sessions" });
  await page.getByText("A title of the first").waitFor();
  const other = await page.context().newPage();
  await other.goto("/#/chat");
  await other.getByRole("button", { name: "Sign out" }).click();
  await keyField(page).waitFor();
  expect([await page.getByText("A title of the first").count(), new URL(page.url()).hash]).toEqual([0, ""]);
  await signIn(other, second);
  await settle(page);
  const whoIs = await page.evaluate(
    `fetch("/v1/sign-in").then((answer) => answer.json()).then(({ profile }) => profile)`,
  );
  expect(whoIs).toBe(second.profile);
});

it("shows nothing of the first when the browser brings a kept page back", async () => {
  const [first, second] = [await createOwner(), await createOwner()];
  const { session } = await first.call<{ session: string }>("POST", "/v1/sessions", {});
  await first.call("PATCH", `/v1/sessions/${session}`, { title: "A title of the first" });
  const { page } = await openPage({ key: first.key, at: "#/sessions" });
  await page.getByText("A title of the first").waitFor();
  const turn = (type: string) =>
    page.evaluate(`dispatchEvent(new PageTransitionEvent("${type}", { persisted: true }))`);
  await turn("pagehide");
  expect(await page.getByText("A title of the first").count()).toBe(0);
  await signInElsewhere(page, second);
  await turn("pageshow");
  await page.getByText("No chats yet").waitFor();
});
