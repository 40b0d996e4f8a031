// A follower's copies of a publisher's skills: what becomes of them when the publisher's word reaches this profile, and how they did here. Reads the
// publisher's heads; writes this profile's skills and lock only. Called by account-library.ts. Every step is idempotent.
import {
  type CopyDecision,
  PUBLISHER_GONE,
  SHARING_ENDED,
  decideCopy,
  parseLibraryId,
} from "../../core/library/offer.ts";
import { type Result, err, ok } from "../../core/errors.ts";
import { MAX_CONNECTIONS, mapLimit } from "../../core/map-limit.ts";
import type { Bucket, Clock, EvidenceStore, HubLockStore, SkillNext, SkillStore } from "../../core/ports.ts";
import type { LockedSkill } from "../../core/schemas/hub/lock.ts";
import type { ProfileId, Sha256, SkillName } from "../../core/schemas/ids.ts";
import { type SkillHead, SkillStats } from "../../core/schemas/skill.ts";
import type { TextCount } from "../../core/schemas/library/library.ts";
import { isGone } from "../../stores/deleted.ts";
import { keyOf } from "../../stores/keys.ts";
import { readRecord } from "../../stores/objects.ts";

export interface CopiesDeps {
  bucket: Bucket;
  clock: Clock;
  profile: ProfileId;
  lock: HubLockStore;
  skills: SkillStore;
  evidence: Pick<EvidenceStore, "lastCounts">;
  /** To read only. */
  skillsOf(publisher: ProfileId): Pick<SkillStore, "head">;
}

interface Copy {
  own: SkillHead;
  /** Its name at the publisher. */
  published: SkillName;
  /** The text that was installed last: a package of the library has its text as its version. */
  installed: Sha256;
  /** Absent after a crash in the install; the hub adds it with its next request. */
  locked?: LockedSkill | undefined;
}

type Seen = NonNullable<LockedSkill["seen"]>;

export function createLibraryCopies({ bucket, clock, profile, lock, skills, evidence, skillsOf }: CopiesDeps) {
  /** Those of `among`, or all. The heads say what they are copies of: they are written together with their texts. */
  async function copiesOf(publisher: ProfileId, among?: ReadonlyMap<SkillName, unknown>): Promise<Copy[]> {
    const [{ skills: locked }, index] = await Promise.all([lock.read(), skills.index()]);
    const isOf = (name: SkillName) => {
      const line = Object.hasOwn(locked, name) ? locked[name] : undefined;
      if (among && !among.has(name)) return false;
      if (!line) return index.skills[name]?.origin === "hub" && index.skills[name].state !== "archived";
      return line.source === "library" && parseLibraryId(line.identifier)?.publisher === publisher;
    };
    const names = [...new Set([...Object.keys(locked), ...Object.keys(index.skills)])].filter(isOf);
    const copies = await mapLimit(names, MAX_CONNECTIONS, async (name): Promise<Copy[]> => {
      const own = await skills.head(name);
      const from = own?.from;
      const id = from?.source === "library" ? parseLibraryId(from.identifier) : null;
      if (!own || id?.publisher !== publisher || from?.version === undefined) return [];
      return [{ own, published: id.name, installed: from.version, locked: locked[name] }];
    });
    return copies.flat();
  }

  /** One swap. A copy that was installed again meanwhile is left alone. */
  async function noteSeen(seen: { copy: Copy; state: CopyDecision["seen"]; withdrawn: boolean }[]): Promise<void> {
    const isNew = ({ copy: { locked }, state, withdrawn }: (typeof seen)[number]) =>
      locked && (!isSame(locked.seen, state) || (locked.withdrawn ?? false) !== withdrawn);
    const changed = seen.filter(isNew);
    if (changed.length === 0) return;
    const at = clock.now();
    await lock.change((now) => {
      const next = { ...now.skills };
      for (const { copy, state, withdrawn } of changed) {
        const { name } = copy.own;
        const present = next[name];
        if (present?.hash !== copy.locked?.hash) continue;
        const { withdrawn: _, ...line } = present!;
        next[name] = { ...line, seen: { ...state, at }, ...(withdrawn && { withdrawn }) };
      }
      return { ...now, skills: next };
    });
  }

  /** Once for each word: a person who restores the copy has decided. Throws when a store does: the publisher's message is then sent again. */
  async function archive({ own: { name, rev }, installed }: Copy, word: string, reason: string): Promise<void> {
    const op = `library:${installed}:${word}`;
    const changed = await skills.change({
      name,
      op,
      since: rev,
      decide(current): Result<SkillNext> {
        const { text, state, pinned, settled } = current?.head ?? {};
        const isMeant =
          text === installed && state !== undefined && state !== "archived" && !pinned && settled?.op !== op;
        if (!isMeant) return err("skill_moved", "The copy was changed meanwhile.");
        return ok({ state: "archived", reason, settled: { op, from: state, to: "archived", rev: current!.head.rev } });
      },
    });
    if (changed.ok || changed.failure.code === "skill_moved" || changed.failure.code === "skill_deleted") return;
    throw new Error(`The copy ${name} could not be archived: ${changed.failure.message}`);
  }

  return {
    async followCopies(publisher: ProfileId): Promise<void> {
      const copies = await copiesOf(publisher);
      if (copies.length === 0) return;
      const store = skillsOf(publisher);
      const seen = await mapLimit(copies, MAX_CONNECTIONS, async (copy) => {
        const published = await store.head(copy.published);
        return {
          copy,
          word: String(published?.seq ?? "deleted"),
          state: decideCopy(copy.installed, published, copy.own),
        };
      });
      // While a profile is erased its heads are missing, which is not its word about them. Asked last: the mark comes before the erasure.
      if (await isGone(bucket, publisher)) return;
      for (const { copy, word, state } of seen) {
        // Of a text that is withdrawn already, it is the same word: a person who restored or unpinned the copy since has decided.
        if (state.archive !== null && !copy.locked?.withdrawn) await archive(copy, word, state.archive);
      }
      await noteSeen(
        seen.map(({ copy, state }) => ({ copy, state: state.seen, withdrawn: state.seen.state === "gone" })),
      );
    },

    async leaveCopies(publisher: ProfileId, why: "deleted" | "ended"): Promise<void> {
      const detail = why === "deleted" ? PUBLISHER_GONE : SHARING_ENDED;
      // What was withdrawn before says more.
      const open = (await copiesOf(publisher)).filter(({ locked }) => locked?.seen?.state !== "gone");
      const state = { state: "gone", detail } as const;
      await noteSeen(open.map((copy) => ({ copy, state, withdrawn: copy.locked?.withdrawn ?? false })));
    },

    /** Of the texts that were installed last, since only those are the publisher's. */
    async countCopies(publisher: ProfileId): Promise<TextCount[]> {
      const copies = await copiesOf(publisher, await evidence.lastCounts());
      const counts = await mapLimit(copies, MAX_CONNECTIONS, async ({ own: { name }, published, installed }) => {
        const stats = await readRecord(bucket, SkillStats, keyOf("stats", { profile, name }));
        const text = stats?.value.texts[installed];
        if (!text) return [];
        const { uses, successes, failures } = text;
        return [{ skill: published, text: installed, uses, successes, failures }];
      });
      return counts.flat();
    },
  };
}

function isSame(known: Seen | undefined, state: CopyDecision["seen"]): boolean {
  return known?.state === state.state && known.detail === state.detail && known.version === state.version;
}
