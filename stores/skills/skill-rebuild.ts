// Makes the index of a profile equal to its heads after any crash. Used by the skill store, run by the curator, and by tests
// after every simulated crash.
import type { Clock, SkillStore } from "../../core/ports.ts";
import type { SkillName } from "../../core/schemas/ids.ts";
import {
  type HeadMirror,
  type IndexLine,
  type SkillHead,
  type SkillIndex,
  toIndexLine,
  lineOf,
} from "../../core/schemas/skill.ts";
import type { Backoff } from "../backoff.ts";
import { toArchivedHead } from "./skill-head.ts";
import type { SkillHeads } from "./skill-heads.ts";
import type { SkillIndexObject } from "./skill-index.ts";

interface RebuildOptions {
  index: SkillIndexObject;
  heads: SkillHeads;
  check: Parameters<SkillStore["rebuildIndex"]>[0];
  clock: Clock;
  backoff: Backoff;
  pause?: Parameters<SkillStore["rebuildIndex"]>[1];
}

/** [own] Heads read in one round. A library that lost its index takes several rounds, each of which is stored. */
const HEADS_PER_ROUND = 500;

export async function rebuildIndex(options: RebuildOptions): Promise<SkillIndex> {
  const { index, heads, backoff, pause = () => {} } = options;
  for (;;) {
    // Read before the heads are listed. So a line without a listed head has lost its head; it was not created in between.
    const seen = await index.read();
    const found = await compare(heads, seen.index);
    const skills = { ...found.skills };
    let isStable = true;
    for (const head of found.unlisted) {
      const admitted = await readmitSkill(options, head, { ...seen.index, skills });
      if (admitted) skills[head.name] = toIndexLine(admitted);
      else isStable = false;
    }
    if (isStable && !found.differs) return seen.index;
    const isStored = isStable && (await index.swap(seen, skills)).outcome === "won";
    if (isStored && !found.more) return (await index.read()).index;
    if (isStored) pause();
    else if (!(await backoff.wait())) {
      throw new Error("Other writers changed the skill index on every attempt. Rebuild it later.");
    }
  }
}

/**
 * Compares the index with the heads, for as many differing heads as a round reads. `skills`: the lines that have a head, updated.
 * `unlisted`: heads without a line, oldest first. `more`: further heads differ, and their lines are unchanged.
 */
async function compare(heads: SkillHeads, index: SkillIndex) {
  const skills: Record<SkillName, SkillIndex["skills"][SkillName]> = {};
  const unlisted: SkillHead[] = [];
  const differing: { name: SkillName; mirror: HeadMirror; line: IndexLine | undefined }[] = [];
  for await (const { name, mirror } of heads.scan()) {
    const line = lineOf(index, name);
    if (line?.seq === Number(mirror.seq)) {
      skills[name] = line;
      continue;
    }
    if (line) skills[name] = line;
    differing.push({ name, mirror, line });
  }
  differing.sort(
    (a, b) =>
      Number(a.line === undefined) - Number(b.line === undefined) ||
      Number(a.mirror.createdAt) - Number(b.mirror.createdAt) ||
      (a.name < b.name ? -1 : 1),
  );
  for (const { name, line } of differing.slice(0, HEADS_PER_ROUND)) {
    const head = await heads.current(name);
    if (head && line) skills[name] = toIndexLine(head);
    else if (head) unlisted.push(head);
    else delete skills[name];
  }
  const differs = differing.length > 0 || Object.keys(skills).length < Object.keys(index.skills).length;
  return { skills, unlisted, differs, more: differing.length > HEADS_PER_ROUND };
}

/** A head that the index never had is checked, and archived when it fails. Null when another writer changed the head meanwhile. */
async function readmitSkill(
  { heads, check, clock }: RebuildOptions,
  head: SkillHead,
  index: SkillIndex,
): Promise<SkillHead | null> {
  if (head.state === "archived") return head;
  const reason = check({ name: head.name, ...toIndexLine(head) }, index);
  if (reason === null) return head;
  const current = await heads.read(head.name);
  if (current?.value.seq !== head.seq) return null;
  const archived = toArchivedHead(head, reason, clock.now());
  return (await heads.swap(archived, current.etag)).outcome === "won" ? archived : null;
}
