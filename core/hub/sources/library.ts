// The hub's source `library`: skills that profiles of this deployment share with this one. Makes no request. A skill's version is its text, so two
// versions differ exactly when what a model reads differs.
import { parseLibraryId, toLibraryId } from "../../library/offer.ts";
import { type Result, err, ok } from "../../errors.ts";
import type { FileBodies } from "../../schemas/file-body.ts";
import type { HubRef } from "../../schemas/hub/lock.ts";
import type { ProfileId, Sha256, SkillName } from "../../schemas/ids.ts";
import { overlapOf, wordsOf } from "../../skills/search/words.ts";
import type { HubSource } from "../source.ts";

export interface SharedSkill {
  name: SkillName;
  description: string;
  text: Sha256;
}

/** What this profile may read of others. Every answer is asked of the publisher's Account: `null` for a profile that this one does not follow. */
export interface LibraryPort {
  /** The profiles that this one follows. */
  publishers(): Promise<ProfileId[]>;
  /** By name. */
  list(publisher: ProfileId): Promise<SharedSkill[] | null>;
  /** The files of the present text, without the file of requests. The publisher's Account notes that they were given. `null`: it is not shared. */
  take(publisher: ProfileId, name: SkillName): Promise<{ text: Sha256; files: FileBodies } | null>;
}

export function createLibrarySource(port: LibraryPort): HubSource {
  async function find(ref: HubRef): Promise<Result<{ publisher: ProfileId; skill: SharedSkill }>> {
    const id = parseLibraryId(ref.identifier);
    if (!id) return err("bad_hub_ref", "A skill of a library is named `<profile>/<name>`.");
    const skill = (await port.list(id.publisher))?.find(({ name }) => name === id.name);
    if (!skill) return notShared(ref);
    if (ref.version !== undefined && ref.version !== skill.text) {
      return err("hub_not_found", "Its publisher shares the newest text of a skill only, and this is another one.");
    }
    return ok({ publisher: id.publisher, skill });
  }

  return {
    name: "library",

    async search(query, { limit }) {
      const hits = [];
      for (const publisher of await port.publishers()) {
        for (const skill of (await port.list(publisher)) ?? []) hits.push({ publisher, skill });
      }
      const found = hits
        .map(({ publisher, skill }) => ({ publisher, skill, score: query === "" ? 1 : match(query, skill) }))
        .filter(({ score }) => score > 0)
        .toSorted((a, b) => b.score - a.score || (a.skill.name < b.skill.name ? -1 : 1));
      return ok(
        found.slice(0, limit).map(({ publisher, skill: { name, description } }) => ({
          ref: { source: "library" as const, identifier: toLibraryId(publisher, name) },
          ...{ name, description },
        })),
      );
    },

    async look(ref) {
      const found = await find(ref);
      if (!found.ok) return found;
      const { text } = found.value.skill;
      return ok({ version: text, commit: text, content: text, moves: true });
    },

    async fetch(ref) {
      const found = await find(ref);
      if (!found.ok) return found;
      const { publisher, skill } = found.value;
      const taken = await port.take(publisher, skill.name);
      if (!taken || (ref.version !== undefined && ref.version !== taken.text)) return notShared(ref);
      const { text, files } = taken;
      return ok({
        ...{ ref: { source: "library", identifier: ref.identifier }, version: text, commit: text, content: text },
        ...{ moves: true, folder: skill.name, files, notes: [] },
      });
    },
  };
}

function notShared({ identifier }: HubRef): Result<never> {
  return err("hub_not_found", `Nobody shares \`${identifier}\` with this profile.`);
}

/** Any word of the query in the name or the description. */
function match(query: string, { name, description }: SharedSkill): number {
  return overlapOf(wordsOf(query), wordsOf(`${name.replaceAll("-", " ")} ${description}`));
}
