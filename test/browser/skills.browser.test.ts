// Skills on the page: a person reads why a revision was made and undoes it, edits without overwriting, imports by drop, and is safe from what
// a hostile skill says.
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { pack } from "../../core/skills/exchange/archive.ts";
import { expectAccessible, expectNoSidewaysScroll } from "./support/accessible.ts";
import { type Owner, createOwner } from "./support/owner.ts";
import { PHONE, WIDE, openPage, screenshot, settle } from "./support/page.ts";
import { whole } from "./support/whole.ts";
import { order, say } from "./support/world/talk.ts";
import { toSkillMd } from "./support/world/lessons.ts";

let owner: Owner;

beforeAll(async () => void (owner = await createOwner()));

const textOf = async (name: string): Promise<string> => {
  const { files } = await owner.client.skill(name);
  return files["SKILL.md"] as string;
};
const notes = (name: string, ...steps: string[]) => ({ "SKILL.md": toSkillMd(name, "Keep the notes in order", steps) });

const fieldOf = (page: Page, path: string) => page.getByRole("textbox", { name: path, exact: true });

describe("the history of a skill", () => {
  it("undoes a change with one click on the skill's page, and the API has the text without it", async () => {
    const name = "undone-notes";
    await owner.client.putSkill(name, notes(name, "Sort them."));
    await owner.client.putSkill(name, notes(name, "Sort them.", "Burn them."));
    const { page } = await openPage({ key: owner.key, at: `#/skills/${name}` });
    await page.getByRole("article").getByText("What it changed").click();
    await page.getByRole("group", { name: "Changes of SKILL.md" }).getByText("Burn them.").waitFor();
    await page.getByRole("button", { name: "Undo this change" }).click();
    await page.getByText("The skill is at revision 3 now.").waitFor();
    await page.getByRole("article", { name: "Revision 3" }).waitFor();
    expect(await textOf(name)).not.toContain("Burn them.");
    await expectAccessible(page);
  });

  whole("restores an earlier revision, and purges one after it has said what is lost", async () => {
    const name = "restored-notes";
    for (const step of ["One.", "Two.", "Three."]) await owner.client.putSkill(name, notes(name, step));
    const { page } = await openPage({ key: owner.key, at: `#/skills/${name}/history` });
    const revision = (rev: number) => page.getByRole("article", { name: `Revision ${rev}`, exact: true });
    await revision(1).getByRole("button", { name: "Restore this revision" }).click();
    await revision(4).waitFor();
    expect(await textOf(name)).toContain("1. One.");
    await revision(2).getByRole("button", { name: "Purge" }).click();
    const dialog = page.getByRole("dialog", { name: "Purge revision 2?" });
    await dialog.getByText("This cannot be undone.").waitFor();
    await dialog.getByRole("button", { name: "Purge" }).click();
    await revision(2).getByText("Its files are erased.").waitFor();
    expect(await owner.call("GET", `/v1/skills/${name}/revisions`)).toMatchObject({
      revisions: [{ rev: 4 }, { rev: 3 }, { rev: 2, purgedAt: expect.any(Number) }, { rev: 1 }],
    });
  });

  whole("quotes the cited part of a conversation and leads to its turn", async () => {
    const name = "printer-notes";
    const content = toSkillMd(name, "Keep the printer awake", ["Press the button."]);
    const { session } = await owner.client.createSession();
    await say(owner, session, order("skill_manage", { action: "create", name, content }));
    const { page } = await openPage({ key: owner.key, at: `#/skills/${name}` });
    const learned = page.getByText(/^Begun on .* by the agent, during its work in turn 1 of a conversation/);
    await learned.waitFor();
    await learned.getByRole("link", { name: "turn 1 of a conversation" }).click();
    await page.waitForURL(`**/#/chat/${session}/1`);
  });
});

describe("the editor", () => {
  it("never overwrites a newer revision, and keeps what was typed", async () => {
    const name = "edited-notes";
    await owner.client.putSkill(name, notes(name, "First."));
    const { page, faults } = await openPage({ key: owner.key, at: `#/skills/${name}/edit` });
    const mine = notes(name, "Mine.")["SKILL.md"];
    await fieldOf(page, "SKILL.md").fill(mine);
    await owner.client.putSkill(name, notes(name, "Theirs."));
    faults.allow(/status of 409/);
    await page.getByRole("button", { name: "Save" }).click();
    const conflict = page.getByRole("region", { name: "The skill has changed" });
    await conflict.getByText("you edit revision 1").waitFor();
    await conflict.getByText("Theirs.").waitFor();
    expect(await fieldOf(page, "SKILL.md").inputValue()).toBe(mine);
    expect(await textOf(name)).toContain("Theirs.");
    await expectAccessible(page);
    // Going elsewhere and coming back loses nothing either.
    await page.getByRole("link", { name: "Back to the skill" }).click();
    await page.getByRole("link", { name: "Edit" }).click();
    expect(await fieldOf(page, "SKILL.md").inputValue()).toBe(mine);
    await page.getByRole("button", { name: "Go on with my text" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved as revision 3.").waitFor();
    expect(await textOf(name)).toBe(mine);
  });

  whole("shows what is wrong at the field, and makes a new skill", async () => {
    const { page, faults } = await openPage({ key: owner.key, at: "#/skills/+new" });
    faults.allow(/status of 4\d\d/);
    await page.getByLabel("Name").fill("New Skill");
    await fieldOf(page, "SKILL.md").fill("# No header\n");
    await page.getByRole("button", { name: "Save" }).click();
    await expect.poll(() => page.getByLabel("Name").getAttribute("aria-invalid")).toBe("true");
    await page.getByLabel("Name").fill("new-notes");
    await page.getByRole("button", { name: "Save" }).click();
    await expect.poll(() => fieldOf(page, "SKILL.md").getAttribute("aria-invalid")).toBe("true");
    await fieldOf(page, "SKILL.md").fill(notes("new-notes", "Begin.")["SKILL.md"]);
    await page.getByLabel("Path").fill("references/more.md");
    await page.getByRole("button", { name: "Add file" }).click();
    await fieldOf(page, "references/more.md").fill("More.");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved as revision 1.").waitFor();
    expect((await owner.client.skill("new-notes")).files).toMatchObject({ "references/more.md": "More." });
  });
});

describe("an import by drop", () => {
  whole("says what the skill holds before it is stored, and what can be imported instead of a picture", async () => {
    const name = "dropped-notes";
    const files = { ...notes(name, "Drop them."), "scripts/run.sh": "#!/bin/sh\nls\n" };
    const { page } = await openPage({ key: owner.key, at: "#/skills" });
    await page.getByRole("heading", { name: "Skills", level: 1 }).waitFor();
    await drop(page, `${name}.zip`, pack("zip", files, name));
    const dialog = page.getByRole("dialog", { name: `Import ${name}?` });
    await dialog.getByText("scripts/run.sh").waitFor();
    await dialog.getByText("Can run").waitFor();
    const { skills } = await owner.call<{ skills: { name: string }[] }>("GET", "/v1/skills");
    expect(skills.map((skill) => skill.name)).not.toContain(name);
    await dialog.getByRole("button", { name: "Import" }).click();
    await page.getByRole("link", { name, exact: true }).waitFor();
    expect((await owner.client.skill(name)).files).toMatchObject(files);
    await drop(page, "picture.png", new Uint8Array([137, 80, 78, 71]));
    await page.getByText("picture.png is not a skill. Choose a SKILL.md").waitFor();
  });
});

it("a hostile skill is shown as text, wraps, and runs nothing", async () => {
  const name = "hostile-notes";
  const markup =
    "<script>alert(1)</script><img src=x onerror=alert(2)> [x](javascript:alert(3)) ![y](https://evil.example/z.png)";
  const text = `---\nname: ${name}\ndescription: ${JSON.stringify(`${markup} \u202Egnp ${"W".repeat(300)}`)}\n---\n\n${markup}\n\n${"long".repeat(1_250)}\n`;
  await owner.client.putSkill(name, { "SKILL.md": text, "scripts/a.sh": `echo '${markup}'` });
  await owner.client.putSkill(name, {
    "SKILL.md": `${text}\n<style>*{display:none}</style>\n`,
    "scripts/a.sh": markup,
  });
  const { page } = await openPage({ key: owner.key, at: `#/skills/${name}` });
  await page.getByText("<script>alert(1)</script>").first().waitFor();
  for (const part of ["", `/${name}`, `/${name}/history`, `/${name}/evidence`, `/${name}/edit`]) {
    await page.goto(`/#/skills${part}`);
    await settle(page);
    for (const width of [WIDE, PHONE]) {
      await page.setViewportSize({ width, height: 900 });
      await expectNoSidewaysScroll(page);
      await screenshot(page, `hostile-skills${part.replaceAll("/", "-")}-${width}`);
    }
  }
});

/** Drops a file on the page, as a person does from a folder. */
async function drop(page: Page, name: string, bytes: Uint8Array): Promise<void> {
  const data = await page.evaluateHandle(`(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([new Uint8Array(${JSON.stringify([...bytes])})], ${JSON.stringify(name)}));
    return transfer;
  })()`);
  await page.getByRole("heading", { level: 1 }).dispatchEvent("drop", { dataTransfer: data });
}
