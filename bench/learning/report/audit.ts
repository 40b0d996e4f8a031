// Checks what must hold for a profile whatever failed during the run: every queued review ended, no operation took effect twice,
// and no review wrote a fact twice. Reads everything that is stored.
import type { ProfileId } from "../../../core/schemas/ids.ts";
import type { Platform, ProfileStores } from "../platform/platform.ts";

/** One sentence per violation. */
export async function auditEffects(
  platform: Pick<Platform, "sent" | "kv">,
  { skills, reviews }: Pick<ProfileStores, "skills" | "reviews">,
  profile: ProfileId,
): Promise<string[]> {
  const found: string[] = [];
  const owed = new Set(platform.sent.filter((message) => message.profile === profile).map(({ review }) => review));
  for (const review of owed) {
    const outcome = await reviews.outcome(review);
    if (!outcome) found.push(`review ${review} never ended`);
    else if (!("lessons" in outcome)) found.push(`review ${review} was given up: ${outcome.code} ${outcome.message}`);
  }
  for await (const { name } of skills.scan()) {
    const ops = (await skills.revisions(name)).map((revision) => revision.op);
    for (const op of new Set(ops)) {
      if (op !== undefined && ops.filter((other) => other === op).length > 1)
        found.push(`${op} made two revisions of ${name}`);
    }
  }
  const facts = new Map<string, string>();
  for (const key of await listMemoryKeys(platform.kv, `p/${profile}/`)) {
    const [place = "", op = ""] = key.split("/+");
    const review = /^([0-9A-Z]{26}\.\d+-\d+)/.exec(op)?.[1];
    if (!review) continue;
    const once = `${place} ${review}`;
    if (facts.has(once)) found.push(`${review} wrote one fact twice: ${facts.get(once)!} and ${key}`);
    facts.set(once, key);
  }
  return found;
}

async function listMemoryKeys(kv: Platform["kv"], prefix: string): Promise<string[]> {
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await kv.list({ prefix, ...(cursor !== undefined && { cursor }) });
    names.push(...page.keys.map(({ name }) => name));
    cursor = page.list_complete ? undefined : page.cursor;
  } while (cursor !== undefined);
  return names;
}
