// Inline shell snippets of a skill that a person loads: off by default, run once and in the session's shell when switched on.
import { expect, test } from "vitest";
import { noProfileSettings } from "../../../core/schemas/profile/settings.ts";
import { createLearningSession, must } from "../../support/session/scripted-session.ts";

const SKILL_MD = `---
name: listing-files
description: Use when the person wants to know which files there are.
---

# Listing files

Files: !\`echo ran >> log.txt; ls $1\`

Say which of them matters for $ARGUMENTS.
`;

const WITH_QUOTES = SKILL_MD.replace("\n---", "\nargument-hint: NAME\n---").replace(
  "ls $1",
  `printf '%s\\n' "$1" >> log.txt`,
);

async function setUp(inlineShell: boolean, skill = SKILL_MD) {
  const owner = noProfileSettings();
  owner.rev = 1;
  owner.sections.skills.all = { inlineShell };
  const session = await createLearningSession([{ text: "Done." }, { text: "Done." }], {
    readProfileSettings: async () => structuredClone(owner),
  });
  await session.learn("listing-files", skill);
  await session.engine.putFile("a.txt", new TextEncoder().encode("a"));
  const log = () => {
    const file = session.engine.getFile("log.txt");
    return file.ok ? new TextDecoder().decode(file.value) : null;
  };
  const say = async (text: string) => {
    await session.engine.post({ text, settingsRev: 1 });
    await session.life.settled();
  };
  const read = () =>
    session.model.requests
      .at(-1)!
      .messages.map(({ text }) => text)
      .join("\n");
  const parts = () => session.entries().flatMap((entry) => (entry.kind === "note" && entry.skills ? entry.parts : []));
  return { ...session, owner, log, say, read, parts };
}

test("a snippet is text while nobody has switched it on", async () => {
  const { say, log, read } = await setUp(false);
  await say("/listing-files . please");
  expect(log()).toBeNull();
  expect(read()).toContain("none of them was run");
});

test("a snippet that is switched on runs in the workspace, and what it printed is content", async () => {
  const { say, log, read, parts } = await setUp(true);
  await say("/listing-files . please");
  expect(log()).toBe("ran\n");
  expect(read()).toContain("Files: a.txt\nlog.txt");
  expect(parts().find(({ source }) => source === "content")!.text).toBe("a.txt\nlog.txt");
});

test("a snippet in the words of a message is text", async () => {
  const { say, log, read } = await setUp(true);
  const request = "!`echo mine >> log.txt`";
  await say(`/listing-files ${request}`);
  expect(log()).toBe("ran\n");
  expect(read()).toContain(request);
});

test.each(["x` !`touch made.txt", "$(touch made.txt)", "';touch made.txt;'", "\\"])(
  "an argument is never a part of a command, also between double quotes: %j",
  async (given) => {
    const { say, log, engine } = await setUp(true, WITH_QUOTES);
    await say(`/listing-files "${given}"`);
    expect(log()).toBe(`ran\n${given}\n`);
    expect(engine.getFile("made.txt").ok).toBe(false);
  },
);

test("a snippet is not run again by a turn that is resumed", async () => {
  for (let crashAt = 1; crashAt < 40; crashAt++) {
    const { boot, clock } = await setUp(true);
    const life = boot({ crashAt });
    await life.engine.post({ text: "/listing-files .", key: "k", settingsRev: 1 }).catch(() => {});
    await life.settled();
    const isOver = !life.isDead();
    const next = boot();
    await next.engine.post({ text: "/listing-files .", key: "k", settingsRev: 1 });
    clock.advance(10 * 60_000);
    await next.wake();
    await next.settled();
    const file = next.engine.getFile("log.txt");
    expect(file.ok ? new TextDecoder().decode(file.value) : "", `killed at write ${crashAt}`).toMatch(/^(?:ran\n)?$/);
    expect(must(next.engine.entries(0)).at(-1)!.kind).not.toBe("user");
    if (isOver) return;
  }
  throw new Error("it never ends");
}, 60_000);
