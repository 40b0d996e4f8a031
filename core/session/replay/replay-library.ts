// The library that a replay reads: the profile's, with the text of the order's arm under the skill's name, or without that name. Nothing can be
// written. Made by replay-host.ts.
import { err } from "../../errors.ts";
import type { SkillSnapshot, SkillStore } from "../../ports.ts";
import { hashFiles, textOfFiles } from "../../schemas/learning/digest.ts";
import { type FileBodies, textOrEmpty } from "../../schemas/file-body.ts";
import type { SkillName } from "../../schemas/ids.ts";
import { type SkillHead, type SkillIndex, toIndexLine } from "../../schemas/skill.ts";
import { readConditions } from "../../skills/format/conditions.ts";
import { SKILL_MD, parseSkill } from "../../skills/format/format.ts";

/** `files`: what the name stands for; `null`: nothing. Rejects if the text cannot be had. */
export interface OverlaidText {
  name: SkillName;
  files(): Promise<FileBodies | null>;
}

const READ_ONLY = err("not_in_replay", "Nothing is written in a repetition of earlier work.");

/**
 * `text`: `null`: the library as it is. `shiftMs`: the replay's clock minus the real one. Holds move with that clock, so that a skill is held in
 * an arm exactly if it is held now.
 */
export function toReplayLibrary(store: SkillStore, text: OverlaidText | null, shiftMs: () => number): SkillStore {
  /** An unchanged index stays the same object, as callers expect. */
  const overlaid = new WeakMap<SkillIndex, SkillIndex>();

  const onClock = <Held extends Pick<SkillHead, "heldUntil">>(held: Held): Held =>
    held.heldUntil === undefined ? held : { ...held, heldUntil: held.heldUntil + shiftMs() };

  async function open(name: SkillName): Promise<SkillSnapshot | null> {
    if (!text) return store.open(name);
    if (name !== text.name) {
      const found = await store.open(name);
      return found && { ...found, head: onClock(found.head) };
    }
    const files = await text.files();
    return files && { head: toHead(name, files, await store.head(name)), files };
  }

  return {
    async index() {
      const index = await store.index();
      if (!text) return index;
      const known = overlaid.get(index);
      if (known) return known;
      const { [text.name]: _, ...present } = index.skills;
      const others = Object.fromEntries(Object.entries(present).map(([name, line]) => [name, onClock(line)]));
      const stands = await open(text.name);
      const skills = stands ? { ...others, [text.name]: toIndexLine(stands.head) } : others;
      const made = { ...index, skills };
      overlaid.set(index, made);
      return made;
    },
    head: async (name) => (text ? ((await open(name))?.head ?? null) : store.head(name)),
    open,
    blob: (sha256) => store.blob(sha256),
    revisions: async (name, page) => (text && name === text.name ? [] : store.revisions(name, page)),
    revision: async (name, rev) => (text && name === text.name ? null : store.revision(name, rev)),
    change: async () => READ_ONLY,
    purge: async () => READ_ONLY,
    markDeleted: async () => READ_ONLY,
    erase: async () => READ_ONLY,
    rebuildIndex: () => store.index(),
    noteUse: async () => {},
    pastRevisions: () => nothing(),
    scan: () => nothing(),
  };
}

async function* nothing(): AsyncIterable<never> {}

/** What the model sees of the text does not say how it fared so far: all arms look alike. */
function toHead(name: SkillName, files: FileBodies, present: SkillHead | null): SkillHead {
  const parsed = parseSkill(textOrEmpty(files[SKILL_MD]), { fallbackName: name });
  const { description, category, meta } = parsed.ok ? parsed.value : { description: name, category: "", meta: {} };
  const conditions = readConditions(meta);
  const hashes = hashFiles(files);
  return {
    ...{ v: 1, name, seq: present?.seq ?? 1, rev: present?.rev ?? 1, op: present?.op ?? "replay" },
    ...{ text: textOfFiles(hashes), description, category, state: "active", pinned: false, origin: "foreground" },
    ...{ files: hashes, citations: [], createdAt: present?.createdAt ?? 0, revisedAt: 0, updatedAt: 0 },
    ...(present?.extends && { extends: present.extends }),
    ...(conditions && { conditions }),
  };
}
