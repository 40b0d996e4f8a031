// The duplicate check for a head that a crash kept out of the index. Given to a curation, which rebuilds the index. Never rejects
// what a person wrote. Pure.
import type { SkillName } from "../../schemas/ids.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { SkillIndex } from "../../schemas/skill.ts";
import { type Seeds, mergeLines } from "../../skills/library.ts";
import { type Neighbourhood, createNeighbourhood } from "../../skills/search/similarity.ts";
import type { CurationOptions } from "./run-options.ts";

/** Archived heads do not count as duplicates. */
export function toHeadCheck(seeds: Seeds, limits: Settings["skills"]): CurationOptions["checkHead"] {
  let known: { skills: SkillIndex["skills"]; hood: Neighbourhood } | null = null;
  let asked: SkillName | null = null;

  /** A rebuild checks one head after another and adds the line of each that passes, so only that line is new. */
  function neighboursIn(index: SkillIndex): Neighbourhood {
    const added = asked !== null && Object.hasOwn(index.skills, asked) ? asked : null;
    // A skill that replaces a bundled one removes that line, so everything is built again.
    if (known?.skills !== index.skills || (added !== null && Object.hasOwn(seeds, added))) {
      const lines = mergeLines(index, seeds).filter((line) => line.state !== "archived");
      known = { skills: index.skills, hood: createNeighbourhood(lines) };
    } else if (added !== null && index.skills[added]!.state !== "archived") {
      known.hood.add({ ...index.skills[added]!, name: added });
    }
    return known.hood;
  }

  return (head, index) => {
    const hood = neighboursIn(index);
    asked = head.name;
    if (head.origin === "user") return null;
    const [nearest] = hood.nearest(head, 1);
    if (!nearest || nearest.similarity < limits.duplicateSimilarity) return null;
    return `nearly the same as ${nearest.name}`;
  };
}
