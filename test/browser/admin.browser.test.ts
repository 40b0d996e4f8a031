// Keys, settings, usage, models and health on the page.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { createClient } from "../../cli/connection/client.ts";
import { type Owner, createOwner } from "./support/owner.ts";
import { openPage } from "./support/page.ts";
import { whole } from "./support/whole.ts";

const dialog = (page: Page) => page.getByRole("dialog");
const settingOf = async (owner: Owner, name: string) => {
  const { settings } = await owner.call<{ settings: Record<string, { own: unknown }> }>("GET", "/v1/settings");
  return settings[name]!.own;
};

describe("a key", () => {
  it("is made, its secret is shown once and kept nowhere, and it is rotated and revoked", async () => {
    const owner = await createOwner();
    const { page, faults } = await openPage({ key: owner.key, at: "#/keys" });
    await page.getByRole("button", { name: "Make a key" }).click();
    await page.locator("dialog input:focus").waitFor();
    await dialog(page).getByLabel("Name").fill("nightly report");
    await dialog(page).getByLabel("Daily work").check();
    await dialog(page).getByRole("button", { name: "Make key" }).click();
    const secret = page.getByRole("dialog", { name: "The secret of “nightly report”" });
    const first = await secret.locator(".secret code").innerText();
    expect(await statusOf(owner, first)).toBe(200);
    await secret.getByRole("button", { name: "I have copied it" }).click();
    const row = page.getByRole("listitem").filter({ hasText: "nightly report" });
    await row.getByText("write").waitFor();
    expect(await page.content()).not.toContain(first);
    expect(
      await page.evaluate("JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href])"),
    ).not.toContain("tal_");

    await row.getByRole("button", { name: "Rotate" }).click();
    await dialog(page).getByLabel("The old secret ends").selectOption("At once");
    await dialog(page).getByRole("button", { name: "Rotate key" }).click();
    const second = await secret.locator(".secret code").innerText();
    expect(second).not.toBe(first);
    await secret.getByRole("button", { name: "I have copied it" }).click();
    expect(await statusOf(owner, second)).toBe(200);

    await row.getByRole("button", { name: "Revoke" }).click();
    await dialog(page).getByText("cannot be restored").waitFor();
    await dialog(page).getByRole("button", { name: "Revoke" }).click();
    await row.waitFor({ state: "detached" });
    const { keys } = await owner.call<{ keys: unknown[] }>("GET", "/v1/keys");
    expect(keys).toHaveLength(1);

    await page.getByRole("link", { name: "Audit log" }).click();
    await page.getByText("Key revoke").waitFor();
    await page.getByRole("link", { name: "Browsers" }).click();
    await page.getByText("This browser", { exact: true }).waitFor();
    await page.getByRole("button", { name: "End sign-in" }).click();
    faults.allow(/status of 401/);
    await dialog(page).getByRole("button", { name: "End sign-in" }).click();
    await page.getByRole("button", { name: "Sign in" }).waitFor();
  });
});

async function statusOf({ url }: Owner, key: string): Promise<number> {
  return (await createClient({ url, key }).http.send("GET", "/v1/sign-in", {})).status;
}

describe("a setting", () => {
  it("is changed, is there after a reload, and goes back to its default", async () => {
    const owner = await createOwner();
    const { page } = await openPage({ key: owner.key, at: "#/settings" });
    const field = page.getByLabel("Model calls", { exact: true });
    await field.fill("40");
    await page.getByLabel("Titles by a model").uncheck();
    await page.getByText("2 unsaved changes").waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The settings were saved").waitFor();
    await page.reload();
    await field.waitFor();
    expect([await field.inputValue(), await page.getByLabel("Titles by a model").isChecked()]).toEqual(["40", false]);
    expect(await settingOf(owner, "turn.maxSteps")).toBe(40);

    await page.getByRole("button", { name: "Reset Model calls" }).click();
    expect(await field.inputValue()).toBe("500");
    await page.getByRole("button", { name: "Save" }).click();
    await expect.poll(() => settingOf(owner, "turn.maxSteps")).toBeNull();
    expect(await settingOf(owner, "turn.titles")).toBe(false);
  });

  whole("that is wrong is told at its field, and unsaved changes are not lost by a click", async () => {
    const owner = await createOwner();
    const { page, faults } = await openPage({ key: owner.key, at: "#/settings" });
    const field = page.getByLabel("Model calls", { exact: true });
    await field.fill("900");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Enter 1 to 500.").waitFor();
    // What only the server knows: it takes whole numbers.
    faults.allow(/status of 400/);
    await field.fill("1.5");
    await page.getByRole("button", { name: "Save" }).click();
    await expect.poll(() => field.getAttribute("aria-invalid")).toBe("true");

    await page.getByRole("link", { name: "Usage", exact: true }).click();
    await page.getByRole("dialog", { name: "Leave without saving?" }).getByRole("button", { name: "Cancel" }).click();
    expect([new URL(page.url()).hash, await field.inputValue()]).toEqual(["#/settings", "1.5"]);
    await page.getByRole("link", { name: "Usage", exact: true }).click();
    await dialog(page).getByRole("button", { name: "Leave" }).click();
    await page.getByRole("heading", { level: 1, name: "Usage" }).waitFor();
  });

  whole("of tools, approvals, policies and personalities is saved at once", async () => {
    const owner = await createOwner();
    const { page } = await openPage({ key: owner.key, at: "#/settings/tools" });
    await page.getByLabel("Shell", { exact: true }).uncheck();
    await expect.poll(() => owner.call("GET", "/v1/tools")).toMatchObject({ settings: { disabled: ["shell"] } });

    await page.getByRole("link", { name: "Approvals" }).click();
    await page.getByLabel("Ask about dangerous calls").check();
    await expect.poll(() => owner.call("GET", "/v1/approvals")).toMatchObject({ profile: "rules" });
    await page.getByRole("button", { name: "Add a policy" }).click();
    await dialog(page).getByLabel("Name").fill("no-deploy");
    await dialog(page).getByLabel("Tool", { exact: true }).fill("write_file");
    await dialog(page).getByLabel("Arguments").fill("path = deploy/*");
    await dialog(page).getByRole("button", { name: "Save" }).click();
    await page.getByText("write_file with path = deploy/*, before the call").waitFor();

    await page.getByRole("link", { name: "Personalities" }).click();
    await page.getByRole("button", { name: "Write a personality" }).click();
    await dialog(page).getByLabel("Name").fill("pirate");
    await dialog(page).getByLabel("Instructions").fill("Speak like a pirate.");
    await dialog(page).getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "pirate" }).waitFor();
  });
});

describe("usage", () => {
  whole("says that no model was called, and shows what a turn used as figures, bars and a table", async () => {
    const owner = await createOwner();
    const { page } = await openPage({ key: owner.key, at: "#/usage" });
    await page.getByText("No model was called in the last 30 days").waitFor();
    const session = await owner.client.createSession();
    await owner.call("POST", `/v1/sessions/${session.session}/messages`, { text: "Hello." });
    await expect
      .poll(async () => (await owner.call<{ totals: { calls: number } }>("GET", "/v1/usage")).totals.calls, {
        timeout: 15_000,
      })
      .toBeGreaterThan(0);
    await page.reload();
    const byKind = page.getByRole("region", { name: "By kind" });
    await byKind.getByRole("group", { name: "Table: By kind" }).getByText("Conversations").waitFor();
    await byKind.locator("canvas").waitFor();
    await byKind.getByText("Show as table").click();
    await byKind.getByRole("columnheader", { name: "Conversations" }).waitFor();
    await page.getByRole("link", { name: "7 days" }).click();
    await expect.poll(() => new URL(page.url()).hash).toBe("#/usage/7");
  });
});

describe("models and health", () => {
  whole("say what a check found and what to do", async () => {
    const owner = await createOwner();
    const { page } = await openPage({ key: owner.key, at: "#/models" });
    await page.getByRole("row", { name: /^Conversations/ }).waitFor();
    await page.getByRole("button", { name: "Test rehearsal" }).click();
    await page.getByRole("list", { name: "Test of rehearsal" }).getByText("To do:").waitFor();
    // One test or check-up at a time.
    await page.waitForTimeout(1_200);
    await page.getByRole("link", { name: "Health" }).click();
    await page.getByRole("button", { name: "Run the check-up" }).click();
    await page.getByRole("list", { name: "Check-up" }).getByText("KV", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Run again" }).waitFor();
  });

  whole("export a profile into a file that another one imports, and delete one whose id was typed", async () => {
    const owner = await createOwner();
    await owner.call("POST", "/v1/memory", { store: "user", content: "Works in Berlin." });
    const { page } = await openPage({ key: owner.key, at: "#/health" });
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export the profile" }).click();
    const archive = join(mkdtempSync(join(tmpdir(), "talaria-export-")), "profile.tar");
    onTestFinished(() => rmSync(dirname(archive), { recursive: true }));
    await (await saved).saveAs(archive);

    const other = await createOwner();
    const second = await openPage({ key: other.key, at: "#/health" });
    await second.page.getByLabel("File of an exported profile").setInputFiles(archive);
    await second.page.getByText("Imported 0 sessions, 0 skills and 1 facts").waitFor();
    expect(await other.call("GET", "/v1/memory")).toMatchObject({ entries: [{ text: "Works in Berlin." }] });

    second.faults.allow(/status of 40[14]/);
    await second.page.getByRole("button", { name: "Delete the profile" }).click();
    await dialog(second.page).getByLabel("Id of the profile").fill("another");
    await dialog(second.page).getByRole("button", { name: "Delete everything" }).click();
    await dialog(second.page).getByText("Nothing was deleted").waitFor();
    await dialog(second.page).getByLabel("Id of the profile").fill(other.profile);
    await dialog(second.page).getByRole("button", { name: "Delete everything" }).click();
    await second.page.getByRole("button", { name: "Sign in" }).waitFor();
  });
});
