// Reads all texts of a skill, present and past, and those of its neighbours, as the basis for finding copies of purged text.
// Used by the API and the Account. Reads only.
import type { SkillStore } from "../../core/ports.ts";
import type { Sha256, SkillName } from "../../core/schemas/ids.ts";
import { type PastRevision, type SkillHead, isPurged } from "../../core/schemas/skill.ts";

/** Lines that other skills also have are not specific to this one. */
const MAX_OTHERS = 100;
/** [own] Each is a call, of an invocation's 10,000. Copies of unread `gone` texts expire by themselves. */
const MAX_FILES = 1_000;
const MAX_OTHER_FILES = 400;

/** `gone`: texts of the given revision, or of all revisions; `kept`: texts of the other revisions and of other skills. */
export async function readSkillTexts(
  store: SkillStore,
  name: SkillName,
  rev?: number,
): Promise<{ gone: string[]; kept: string[] }> {
  const [gone, kept]: [string[], string[]] = [[], []];
  const meant = rev === undefined ? [] : [await store.revision(name, rev)];
  const others = (await store.revisions(name)).filter((revision) => revision.rev !== rev);
  const read = createReader(store, MAX_FILES);
  for (const revision of [...meant, ...others]) {
    if (!revision || isPurged(revision)) continue;
    const into = rev === undefined || revision.rev === rev ? gone : kept;
    if (revision.description !== undefined) into.push(revision.description);
    into.push(...(await read(revision)));
  }
  const neighbours = Object.keys((await store.index()).skills).filter((other) => other !== name);
  const readOther = createReader(store, MAX_OTHER_FILES);
  for (const other of neighbours.slice(0, MAX_OTHERS)) kept.push(...(await readOther(await store.head(other))));
  return { gone, kept };
}

/** Files that revisions share are read once. */
function createReader(store: SkillStore, maxFiles: number) {
  const seen = new Set<Sha256>();
  return async (revision: PastRevision | SkillHead | null): Promise<string[]> => {
    const texts: string[] = [];
    for (const { sha256 } of Object.values(revision?.files ?? {})) {
      if (seen.has(sha256) || seen.size === maxFiles) continue;
      seen.add(sha256);
      const body = await store.blob(sha256);
      if (typeof body === "string") texts.push(body);
    }
    return texts;
  };
}
