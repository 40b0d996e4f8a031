// A merge for the curator of a chaos run: two near-identical skills in each profile, the merge that the run's model proposes, and
// how to see its result in the stores. Used by reviews.ts and by the run's model.
import type { Client } from "../../cli/connection/client.ts";
import type { CurationMessage } from "../../core/schemas/learning/curation.ts";
import type { JsonObject } from "../../core/schemas/entry.ts";
import type { CurationId, ProfileId } from "../../core/schemas/ids.ts";

const NAME = "greeting-visitors";
const AGAIN = `${NAME}-again`;
const STEPS = ["Say good day.", "Ask whom they have come to see."] as const;

/** Both texts name their profile, so a request for a merge shows which profile it is about. */
function writeSkillMd(name: string, profile: string, steps: readonly string[]): string {
  const list = steps.map((step, at) => `${at + 1}. ${step}`).join("\n");
  return `---
name: ${name}
description: Greeting visitors at the door.
---

# Greeting visitors

${writeOwnerLine(profile)}

## When to use

Somebody is at the door.

## Steps

${list}

## Pitfalls

- Do not leave them standing, because they have come a long way.

## Verify

They have been greeted.
`;
}

function writeOwnerLine(profile: string): string {
  return `As it is done in ${profile}.`;
}

/** The profile named in a request for a merge. */
export function findOwner(request: string): string | null {
  return /^As it is done in ([0-9a-z]{26})\.$/m.exec(request)?.[1] ?? null;
}

/** Two skills written by a person that the agent may change. */
export async function addOverlappingSkills(client: Client, profile: ProfileId): Promise<void> {
  for (const [at, name] of [NAME, AGAIN].entries()) {
    await client.putSkill(name, { "SKILL.md": writeSkillMd(name, profile, [STEPS[at]!]) });
    await client.adoptSkill(name);
  }
}

/** Arguments of `skill_merge`. */
export function proposeMerge(profile: ProfileId): JsonObject {
  const items = [1, 2, 3].map((n) => ({ id: `${AGAIN}/${n}`, fate: "kept" }));
  return { umbrella: NAME, content: writeSkillMd(NAME, profile, STEPS), absorbs: [AGAIN], items };
}

/** Both were added, and neither has been merged. */
export function isUnmerged(skills: { name: string; state: string }[]): boolean {
  return skills.some(({ name, state }) => name === AGAIN && state !== "archived");
}

/** Ids of the curation runs whose plan leaves a merge to a model. */
export function findMerges(objects: ReadonlyMap<string, string>): { profile: ProfileId; run: CurationId }[] {
  return [...objects].flatMap(([key, body]) => {
    const [, profile, run] = /^p\/([^/]+)\/curation\/([^/]+)\/plan$/.exec(key) ?? [];
    return profile && run && body.includes('"work":"consolidate"') ? [{ profile, run }] : [];
  });
}

export function toMergeMessage({ profile, run }: { profile: ProfileId; run: CurationId }): CurationMessage {
  return { v: 1, kind: "consolidate", profile, run };
}
