// Preference pairs of skills: the text that evidence kept against one that it withdrew. Only of skills that this profile's people and its agent
// wrote. Reads a bounded number of skills a page.
import { REQUESTS_FILE } from "../../../core/schemas/skill-requests.ts";
import type { SkillStore } from "../../../core/ports.ts";
import type { ProfileId, SkillName } from "../../../core/schemas/ids.ts";
import { type SkillHead, type SkillRevision, isPurged } from "../../../core/schemas/skill.ts";
import type { PreferenceLine, TrajectoryAsked, TrajectoryPlace } from "../../../core/schemas/trajectories.ts";
import { pairOfTexts } from "../../../core/trajectories/preferences.ts";
import type { Redactor } from "../../../core/trajectories/redact.ts";
import type { Env } from "../env.ts";
import { openSkills } from "../stores.ts";

/** [own] Skills whose heads one page reads, and those of them with a withdrawn text, whose revisions it reads. */
const SKILLS_A_PAGE = 50;
const OPENED_A_PAGE = 15;
/** [own] Revisions that are searched for the withdrawn text. Each is a read of R2. */
const MAX_REVISIONS = 30;
const SKILL_MD = "SKILL.md";
/** Texts of others are not this profile's to give away. */
const FOREIGN = ["bundled", "hub"];

export async function readSkillPairs(
  { env, profile, redactor }: { env: Env; profile: ProfileId; redactor: Redactor },
  { filter }: TrajectoryAsked,
  after: SkillName | undefined,
): Promise<{ pairs: PreferenceLine[]; next: TrajectoryPlace | null }> {
  const { rated, successful, tool, since, skill } = filter;
  // These filters are about turns.
  if ([rated, successful, tool, since].some((one) => one !== undefined)) return { pairs: [], next: null };
  const store = openSkills(env, profile);
  const all = Object.keys((await store.index()).skills).toSorted();
  const names = all.filter((name) => (skill === undefined || name === skill) && (after === undefined || name > after));
  const pairs: PreferenceLine[] = [];
  let opened = 0;
  let read = 0;
  for (; read < Math.min(names.length, SKILLS_A_PAGE) && opened < OPENED_A_PAGE; read++) {
    const head = await store.head(names[read]!);
    if (!head || !isParted(head)) continue;
    opened += 1;
    pairs.push(...(await pairSkill(store, head, redactor)));
  }
  return { pairs, next: read < names.length ? { in: "skills", after: names[read - 1]! } : null };
}

/** Evidence has kept the present text, and withdrawn an earlier one. */
function isParted({ text, state, withdrawn = [], origin }: SkillHead): boolean {
  return state === "active" && withdrawn.length > 0 && !withdrawn.includes(text) && !FOREIGN.includes(origin);
}

async function pairSkill(store: SkillStore, head: SkillHead, redactor: Redactor): Promise<PreferenceLine[]> {
  const { name, description, withdrawn = [], files } = head;
  const past = await store.revisions(name, { limit: MAX_REVISIONS });
  const worse = past.find((one): one is SkillRevision => !isPurged(one) && withdrawn.includes(one.text));
  if (!worse) return [];
  const [kept, gone, requests] = await Promise.all([
    readFile(store, files, SKILL_MD),
    readFile(store, worse.files, SKILL_MD),
    readFile(store, files, REQUESTS_FILE),
  ]);
  if (kept === null || gone === null) return [];
  const clean = (given: string) => redactor.text(given);
  return pairOfTexts({
    ...{ name, description: clean(description), requests: clean(requests ?? "") },
    ...{ kept: clean(kept), withdrawn: clean(gone) },
  });
}

async function readFile(store: SkillStore, files: SkillHead["files"], path: string): Promise<string | null> {
  const file = files[path];
  const body = file ? await store.blob(file.sha256) : null;
  return typeof body === "string" ? body : null;
}
