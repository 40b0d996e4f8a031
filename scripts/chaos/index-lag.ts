// Counts how often a kill left the skill index older than a head, and whether it was repaired. Called by reviews.ts with the
// stores' contents after each kill, before any repair. Pure.
import { SkillHead, SkillIndex } from "../../core/schemas/skill.ts";

export interface IndexLag {
  /** Takes the contents after a kill: counts new lags and completed repairs. */
  look(objects: ReadonlyMap<string, string>): void;
  /** Number of index lines that lagged after a kill and were repaired since. */
  repairs(): number;
  /** Heads whose index line still lags. */
  open(): string[];
}

export function createIndexLag(): IndexLag {
  /** The `seq` that the index line must reach, by key of the head. */
  const behind = new Map<string, number>();
  let repaired = 0;
  return {
    look(objects) {
      for (const [key, wanted] of behind) {
        if (readIndexedSeq(objects, key) < wanted) continue;
        behind.delete(key);
        repaired += 1;
      }
      for (const [key, body] of objects) {
        if (!key.includes("/heads/") || behind.has(key)) continue;
        const { seq } = SkillHead.parse(JSON.parse(body));
        if (readIndexedSeq(objects, key) < seq) behind.set(key, seq);
      }
    },
    repairs: () => repaired,
    open: () => [...behind].map(([key, seq]) => `${key} at ${seq}`),
  };
}

/** The `seq` of the skill's line in the profile's index; 0 when there is no line. */
function readIndexedSeq(objects: ReadonlyMap<string, string>, headKey: string): number {
  const [profile, name] = headKey.split("/heads/") as [string, string];
  const body = objects.get(`${profile}/index`);
  return body ? (SkillIndex.parse(JSON.parse(body)).skills[name]?.seq ?? 0) : 0;
}
