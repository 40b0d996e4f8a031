// Channels, webhooks and MCP servers on the page: secrets are written and shown once, never read back.
import { describe, expect, it } from "vitest";
import { createOwner } from "./support/owner.ts";
import { openPage } from "./support/page.ts";
import { whole } from "./support/whole.ts";

describe("a channel", () => {
  it("is saved by the platform's own form, says that saved is not connected, and shows no secret again", async () => {
    const owner = await createOwner();
    const { page } = await openPage({ key: owner.key, at: "#/channels/mattermost" });
    const shown = await owner.call<{ channels: Listed[] }>("GET", "/v1/channels");
    const { form } = shown.channels.find(({ platform }) => platform === "mattermost")!;
    for (const { name, required } of form) {
      if (!required) continue;
      const field = page.getByLabel(
        new RegExp(
          `^${name}$`.replace(/[A-Z]/g, (letter) => ` ${letter}`),
          "i",
        ),
      );
      await field.fill(/url|server|host/i.test(name) ? "https://chat.example" : "secret-of-the-test");
    }
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("heading", { name: "People" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "People" }).waitFor();
    expect(await page.content()).not.toContain("secret-of-the-test");
    await page.getByLabel("In groups").selectOption("all");
    await expect
      .poll(async () => (await owner.call<{ options: object }>("GET", "/v1/channels/mattermost")).options)
      .toMatchObject({ listen: "all" });
    await page.getByLabel("In groups").selectOption("");
    await expect
      .poll(async () => (await owner.call<{ options: object }>("GET", "/v1/channels/mattermost")).options)
      .not.toHaveProperty("listen");
  });
});

interface Listed {
  platform: string;
  form: { name: string; required: boolean }[];
}

describe("a webhook", () => {
  it("is made, its secret is shown once, and it is changed and removed", async () => {
    const owner = await createOwner();
    const { page } = await openPage({ key: owner.key, at: "#/webhooks" });
    await page.getByRole("button", { name: "Add a webhook" }).click();
    await page.getByLabel("Name").fill("tickets");
    await page.getByLabel("What the agent is to do").fill("Answer {issue.title}");
    await page.getByRole("button", { name: "Save" }).click();
    const secret = page.getByRole("dialog", { name: "The secret of this webhook" });
    await secret.getByRole("button", { name: "I have copied it" }).waitFor();
    await page.keyboard.press("Escape");
    const value = await secret.locator("code").innerText();
    expect(value.length).toBeGreaterThan(20);
    await secret.getByRole("button", { name: "I have copied it" }).click();
    expect(await page.content()).not.toContain(value);

    await page.getByRole("button", { name: "Change" }).click();
    await page.getByLabel("The answer").selectOption("hooks");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("goes to your outbound webhooks").waitFor();
    expect(await owner.call("GET", "/v1/webhooks/tickets")).toMatchObject({
      prompt: "Answer {issue.title}",
      deliver: { to: "hooks" },
    });
    await page.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await page.getByText("No webhooks yet").waitFor();
  });

  whole("that is refused keeps what was typed, and says why", async () => {
    const owner = await createOwner();
    const { page, faults } = await openPage({ key: owner.key, at: "#/webhooks/out" });
    faults.allow(/status of 4\d\d/);
    await page.getByRole("button", { name: "Add an address" }).click();
    await page.getByRole("textbox", { name: "Address" }).fill("http://169.254.169.254/latest");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("dialog").getByRole("alert").waitFor();
    expect(await page.getByRole("textbox", { name: "Address" }).inputValue()).toBe("http://169.254.169.254/latest");
  });
});

describe("an MCP server", () => {
  whole("is added with a sealed header, and a line that is no header is not dropped in silence", async () => {
    const owner = await createOwner();
    const { page } = await openPage({ key: owner.key, at: "#/mcp-servers" });
    await page.getByRole("button", { name: "Add a server" }).click();
    await page.getByLabel("Name").fill("notes");
    await page.getByLabel("Address").fill("https://mcp.example/mcp");
    await page.getByLabel("Headers").fill("just a token");
    await page.getByText("has no name before a colon").waitFor();
    expect(await page.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await page.getByLabel("Headers").fill("X-Token: secret-of-the-test");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText(/x-token \(sealed\)/i).waitFor();
    expect(await page.content()).not.toContain("secret-of-the-test");
  });
});
