// A lesson for a protected skill, through a whole review: refused with advice, kept in the companion, and shown to the next
// session together with its base.
import { expect, it } from "vitest";
import { DEFAULTS } from "../../../core/limits.ts";
import { renderSkillIndex } from "../../../core/skills/index-block.ts";
import { createLibrary } from "../../../core/skills/library.ts";
import { seeds } from "../../../skills-seed/index.ts";
import { CITED, SKILL_MD } from "../script.ts";
import { createWorld } from "../world.ts";

const BASE = "using-the-workspace";
const COMPANION = `${BASE}-local`;
const text = SKILL_MD.replace("name: adding-up-columns", `name: ${COMPANION}`);
const manage = (args: Record<string, string>) => ({ name: "skill_manage", args: { ...args, citations: CITED } });

it("a lesson for a bundled skill goes to its companion, which is listed and loaded with it", async () => {
  const patch = manage({ action: "patch", name: BASE, old_string: "the", new_string: "a" });
  const world = await createWorld(
    [
      { calls: [{ name: "skill_view", args: { name: BASE } }] },
      { calls: [patch] },
      { calls: [manage({ action: "create", name: COMPANION, content: text })] },
      { text: "Kept beside the bundled one." },
    ],
    { seeds },
  );
  expect(await world.start().deliver()).toEqual({ act: "ack" });
  expect(await world.reviews.outcome(world.job.review)).toMatchObject({
    summary: `Learned: created skill ${COMPANION}.`,
    refused: [{ tool: "skill_manage", code: "skill_protected", message: expect.stringContaining(`'${COMPANION}'`) }],
  });
  expect(await world.skills.head(BASE)).toBeNull();
  expect(await world.skills.head(COMPANION)).toMatchObject({
    ...{ extends: BASE, origin: "review", state: "trial", rev: 1, citations: CITED },
  });

  const library = createLibrary({ store: world.skills, seeds });
  const lines = renderSkillIndex(await library.lines(), DEFAULTS.skills.indexTokens).split("\n");
  const place = lines.findIndex((line) => line.trim().startsWith(`- ${BASE}:`));
  expect(lines[place + 1]).toContain(COMPANION);
  const viewed = await library.view(BASE);
  expect(viewed).toMatchObject({ ok: true, value: { companion: { name: COMPANION } } });
  expect(JSON.stringify(viewed)).toContain("Name the separator that you see there.");
});
