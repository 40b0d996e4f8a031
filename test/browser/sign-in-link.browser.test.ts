// The link that `npm start` prints, opened in a browser: it signs in once, leaves no code in the address, and asks before it replaces
// another profile's sign-in.
import { expect, it } from "vitest";
import { expectAccessible } from "./support/accessible.ts";
import { type Owner, createOwner } from "./support/owner.ts";
import { openPage, screenshot } from "./support/page.ts";
import { whole } from "./support/whole.ts";

async function makeLink({ call }: Owner): Promise<string> {
  const { code } = await call<{ code: string }>("POST", "/v1/sign-in-links", {});
  return `#/sign-in/${code}`;
}
const whoIs = (page: Awaited<ReturnType<typeof openPage>>["page"]) =>
  page.evaluate(`fetch("/v1/sign-in").then((answer) => answer.json()).then(({ profile }) => profile)`);

it("signs in once, and the code is gone from the address and the history", async () => {
  const owner = await createOwner();
  const at = await makeLink(owner);
  const { page } = await openPage({ at });
  await page.getByRole("navigation").getByRole("link", { name: "Chat", exact: true }).waitFor();
  expect([new URL(page.url()).hash, await whoIs(page)]).toEqual(["#/chat", owner.profile]);
  await page.reload();
  await page.getByRole("navigation").getByRole("link", { name: "Chat", exact: true }).waitFor();
  await page.goBack();
  expect(page.url()).not.toContain("tlink_");

  const late = await openPage({ at });
  late.faults.allow(/status of 401/);
  await late.page.getByText("This sign-in link was used already").waitFor();
  expect(await late.page.getByLabel("Key", { exact: true }).isVisible()).toBe(true);
  expect(late.page.url()).not.toContain("tlink_");
});

whole("of one's own profile leaves a browser signed in, used or not", async () => {
  const owner = await createOwner();
  const at = await makeLink(owner);
  for (const _ of ["unused", "used"]) {
    const { page, faults } = await openPage({ key: owner.key });
    faults.allow(/status of 401/);
    await page.goto(`/${at}`);
    await page.waitForURL(/#\/chat$/);
    await page.getByRole("navigation").getByRole("link", { name: "Chat", exact: true }).waitFor();
    expect(await whoIs(page)).toBe(owner.profile);
  }
});

it("of another profile asks first", async () => {
  const [own, other] = [await createOwner(), await createOwner()];
  const at = await makeLink(other);
  const { page } = await openPage({ key: own.key });
  await page.goto(`/${at}`);
  await page.getByText("This link signs you in to another profile").waitFor();
  await expectAccessible(page);
  await screenshot(page, "sign-in-link-other");
  await page.getByRole("button", { name: "Stay signed in" }).click();
  await page.getByRole("navigation").getByRole("link", { name: "Chat", exact: true }).waitFor();
  expect([await whoIs(page), page.url().includes("tlink_")]).toEqual([own.profile, false]);
  await page.goto(`/${at}`);
  const exchanges: number[] = [];
  page.on("response", (answer) => {
    if (answer.request().method() === "POST" && answer.url().endsWith("/v1/sign-in")) exchanges.push(answer.status());
  });
  await page.getByRole("button", { name: "Sign in to the other profile" }).click();
  await page.waitForURL("/");
  expect([await whoIs(page), exchanges]).toEqual([other.profile, [201]]);
});
