// How often a kill left an index behind its heads, and whether it was brought up. Called by reviews.ts with what stands
// on disk after each kill, before anyone can repair it. Pure.
import { SkillHead, SkillIndex } from "../../core/schemas/skill.ts";

export interface IndexLag {
  /** What is behind now, and what was and no longer is. */
  look(objects: ReadonlyMap<string, string>): void;
  /** Heads that a kill left ahead of their line, and whose line came up. */
  repairs(): number;
  /** Heads that are still ahead of their line. */
  open(): string[];
}

export function createIndexLag(): IndexLag {
  /** The `seq` that a line has to reach, by key of the head. */
  const behind = new Map<string, number>();
  let repaired = 0;
  return {
    look(objects) {
      for (const [key, wanted] of behind) {
        if (lineOf(objects, key) < wanted) continue;
        behind.delete(key);
        repaired += 1;
      }
      for (const [key, body] of objects) {
        if (!key.includes("/heads/") || behind.has(key)) continue;
        const { seq } = SkillHead.parse(JSON.parse(body));
        if (lineOf(objects, key) < seq) behind.set(key, seq);
      }
    },
    repairs: () => repaired,
    open: () => [...behind].map(([key, seq]) => `${key} at ${seq}`),
  };
}

/** The `seq` of the line in the profile's index, 0 for none. */
function lineOf(objects: ReadonlyMap<string, string>, headKey: string): number {
  const [profile, name] = headKey.split("/heads/") as [string, string];
  const body = objects.get(`${profile}/index`);
  return body ? (SkillIndex.parse(JSON.parse(body)).skills[name]?.seq ?? 0) : 0;
}
