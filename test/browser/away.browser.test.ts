// A page that is opened while the server is away: nobody is signed out, and it goes on by itself.
import { expect, it } from "vitest";
import { createOwner } from "./support/owner.ts";
import { openPage } from "./support/page.ts";

it("says that the server does not answer, asks again, and opens the chat when it does", async () => {
  const { key } = await createOwner();
  const { page, faults } = await openPage({ key });
  faults.allow(/status of 502/, /net::ERR/);
  let isAway = true;
  await page.route("**/v1/sign-in", (route) =>
    isAway ? route.fulfill({ status: 502, contentType: "text/html", body: "<h1>Bad gateway</h1>" }) : route.continue(),
  );
  await page.reload();
  await page.getByRole("alert").waitFor();
  expect(await page.getByLabel("Key", { exact: true }).count()).toBe(0);
  isAway = false;
  await page.getByRole("textbox", { name: "Message" }).waitFor();
});
