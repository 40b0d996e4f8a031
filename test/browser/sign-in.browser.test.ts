// Signing in on the page itself, as a person does.
import { describe, expect, it } from "vitest";
import { createOwner } from "./support/owner.ts";
import { openPage } from "./support/page.ts";

describe("signing in", () => {
  it("opens the chat to who types a key, and keeps the key out of every storage and address", async () => {
    const { key } = await createOwner();
    const { page } = await openPage({ key, by: "form" });
    await page.getByRole("textbox", { name: "Message" }).waitFor();
    const stored = await page.evaluate(
      `JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href, document.cookie])`,
    );
    expect(stored).not.toContain(key);
    expect(stored).not.toContain("tal_");
  });
});
