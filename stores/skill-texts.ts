// All texts of a skill that are still there, present and past, and those of its neighbours: what a purge compares copies with.
// Used by the API and the Account. Reads only.
import type { SkillStore } from "../core/ports.ts";
import type { SkillName } from "../core/schemas/ids.ts";
import { isPurged } from "../core/schemas/skill.ts";

/** Lines that other skills have as well are nobody's secret. */
const MAX_OTHERS = 100;

/** `gone`: of the revisions that `isMeant` names; `kept`: of the others, and of other skills. */
export async function readSkillTexts(
  store: SkillStore,
  name: SkillName,
  isMeant: (rev: number) => boolean,
): Promise<{ gone: string[]; kept: string[] }> {
  const [gone, kept]: [string[], string[]] = [[], []];
  for (const revision of await store.revisions(name)) {
    if (isPurged(revision)) continue;
    const into = isMeant(revision.rev) ? gone : kept;
    into.push(revision.description);
    for (const { sha256 } of Object.values(revision.files)) {
      const body = await store.blob(sha256);
      if (typeof body === "string") into.push(body);
    }
  }
  const others = Object.keys((await store.index()).skills).filter((other) => other !== name);
  for (const other of others.slice(0, MAX_OTHERS)) {
    const snapshot = await store.open(other);
    for (const body of Object.values(snapshot?.files ?? {})) if (typeof body === "string") kept.push(body);
  }
  return { gone, kept };
}
