// What skill_view returns with a skill's text: whether it can be used, the members of a bundle, and that a text is shown once.
import { describe, expect, it } from "vitest";
import { createResultBudget } from "../../../core/agent/result-budget.ts";
import { createStepCalls } from "../../../core/agent/step-calls.ts";
import type { Message } from "../../../core/agent/contract.ts";
import { readRendered } from "../../../core/agent/tool-result.ts";
import { pruneMessages } from "../../../core/agent/compaction/compaction-prune.ts";
import { DEFAULTS } from "../../../core/limits.ts";
import { NO_STATS } from "../../../core/schemas/entry.ts";
import type { Scene } from "../../../core/skills/format/conditions.ts";
import { createLibrary } from "../../../core/skills/library.ts";
import { createSkillView } from "../../../core/tools/skills/skill-view.ts";
import { createTestClock } from "../../support/clock.ts";
import { createMemoryJournal } from "../../support/session/memory-journal.ts";

const LONG = "A sentence of the procedure. ".repeat(40);
const md = (name: string, fields: string) =>
  `---\nname: ${name}\ndescription: About ${name}.\n${fields}\n---\n\n${LONG}\n`;
const SEEDS = {
  plain: { "SKILL.md": md("plain", ""), "references/more.md": LONG },
  needy: {
    "SKILL.md": md("needy", "required_environment_variables: [API_KEY]\nrequired_credential_files: [token.json]"),
  },
  mac: { "SKILL.md": md("mac", "platforms: [macos]") },
  both: { "SKILL.md": md("both", "metadata:\n  bundle: plain, needy") },
};

function createDesk(scene: Scene = {}, seeds = SEEDS) {
  const tool = createSkillView({ library: createLibrary({ store: null, seeds, scene }), settings: DEFAULTS });
  const messages: Message[] = [];
  let step = 0;
  /** One turn per call, over one conversation. */
  async function view(args: Record<string, unknown>) {
    const steps = createStepCalls({
      journal: createMemoryJournal({}),
      tools: [tool],
      limits: DEFAULTS.turn,
      clock: createTestClock(),
      signal: new AbortController().signal,
      budget: createResultBudget({ limits: DEFAULTS.turn, contextWindow: () => 200_000 }),
      isInterrupted: () => false,
    });
    const call = { id: `c${++step}`, name: "skill_view", args };
    messages.push({ role: "assistant", text: "", calls: [call] });
    await steps.run({ step: 0, calls: [call], cutAfter: null, messages, stats: { ...NO_STATS } });
    const last = messages.at(-1)!;
    return readRendered(last.text)!;
  }
  return { view, messages };
}

describe("readiness", () => {
  it.each([
    ["plain", {}, { readiness: "available" }],
    ["needy", {}, { readiness: "setup_needed", missing: { variables: ["API_KEY"], files: ["token.json"] } }],
    [
      "needy",
      { isSet: (name: string) => name === "API_KEY" },
      { readiness: "setup_needed", missing: { variables: [], files: ["token.json"] } },
    ],
    ["needy", { isSet: () => true }, { readiness: "available" }],
    ["mac", {}, { code: "skill_unsupported", readiness: "unsupported", platforms: ["macos"] }],
    ["plain", { disabled: ["plain"] }, { code: "skill_disabled" }],
    ["both", {}, { readiness: "available", bundle: ["plain", "needy"] }],
  ])("of the skill %s in the scene %j is %j", async (name, scene, expected) => {
    const seen = await createDesk(scene as Scene).view({ name });
    expect(seen).toMatchObject(expected);
    if ("missing" in expected) expect(seen.setup_note).toContain("Never ask for their values");
  });

  it("is returned with the skill, not again with each of its files", async () => {
    const seen = await createDesk().view({ name: "plain", path: "references/more.md" });
    expect(seen).toEqual(expect.objectContaining({ content: LONG }));
    expect(seen).not.toHaveProperty("readiness");
  });
});

describe("a text that is already in the conversation", () => {
  it("is replaced in a later turn by a reference with its fingerprint", async () => {
    const { view } = createDesk();
    const first = await view({ name: "plain" });
    const again = await view({ name: "plain" });
    expect(again).not.toHaveProperty("content");
    expect(again).toMatchObject({
      name: "plain",
      text: first.text,
      repeated: expect.stringContaining("read it above"),
    });
    expect(await view({ name: "plain", path: "references/more.md" })).toMatchObject({ content: LONG });
    expect(await view({ name: "plain" })).toHaveProperty("repeated");
  });

  it("is shown again if it has changed, or was pruned from the conversation", async () => {
    const seeds = { ...SEEDS };
    const { view, messages } = createDesk({}, seeds);
    await view({ name: "plain" });
    seeds.plain = { ...SEEDS.plain, "SKILL.md": md("plain", "license: MIT") };
    expect(await view({ name: "plain" })).toHaveProperty("content");
    messages.splice(0, messages.length, ...pruneMessages(messages));
    expect(await view({ name: "plain" })).toHaveProperty("content");
    messages.length = 0;
    expect(await view({ name: "plain" })).toHaveProperty("content");
  });
});
