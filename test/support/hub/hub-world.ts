// The hub over stores in memory, and a source whose packages a test changes: tags that move, versions with other bytes, sources that vanish.
import type { HubDesk } from "../../../core/hub/desk.ts";
import { hashPackage } from "../../../core/hub/package/package-hash.ts";
import type { HubPackage, HubSource } from "../../../core/hub/source.ts";
import { type Failure, type Result, err, ok } from "../../../core/errors.ts";
import type { SkillNext } from "../../../core/ports.ts";
import type { FileBodies } from "../../../core/schemas/file-body.ts";
import type { HubRef, HubSourceName } from "../../../core/schemas/hub/lock.ts";
import { conditionsOf } from "../../../core/skills/format/conditions.ts";
import { createHubLockStore } from "../../../stores/hub/lock-store.ts";
import { createHubQuarantine } from "../../../stores/hub/quarantine-store.ts";
import { createSkillStore } from "../../../stores/skills/skill-store.ts";
import { type MemoryBucket, createMemoryBucket } from "../bindings/memory-bucket.ts";
import { type TestClock, createTestClock } from "../clock.ts";
import { newProfileId } from "../skills/profile-ids.ts";

export const skillMd = (name: string, body: string, more = "") =>
  `---\nname: ${name}\ndescription: Use when ${name} is asked for.\n${more}---\n\n# ${name}\n\n${body}\n`;

interface Published {
  files: FileBodies;
  commit?: string;
  moves?: true;
}

export interface SourceDouble extends HubSource {
  /** By identifier and version; "" is the newest. */
  publish(identifier: string, version: string, published: Published): void;
  vanish(identifier: string, version?: string): void;
  /** Every call fails with it until it is null. */
  fail: Failure | null;
  calls: string[];
}

/** Versions as tags of a repository: the newest is whatever was published last, unless it says otherwise. */
export function createSourceDouble(name: HubSourceName = "github", hasContent = false): SourceDouble {
  const published = new Map<string, Published & { version: string }>();
  const keyOf = ({ identifier, version = "" }: Pick<HubRef, "identifier" | "version">) => `${identifier}@${version}`;
  const find = (call: string, ref: HubRef): Result<Published & { version: string }> => {
    double.calls.push(`${call} ${keyOf(ref)}`);
    if (double.fail) return { ok: false, failure: double.fail };
    const found = published.get(keyOf(ref));
    return found ? ok(found) : err("hub_not_found", `${keyOf(ref)} is not there.`);
  };
  const toVersion = ({ version, commit, moves, files }: Published & { version: string }) => ({
    version,
    ...(commit !== undefined && { commit }),
    ...(hasContent && { content: hashPackage(files).hash.slice(0, 40) }),
    ...(moves && { moves }),
  });
  const double: SourceDouble = {
    name,
    fail: null,
    calls: [],
    publish(identifier, version, one) {
      const entry = { ...one, version };
      published.set(keyOf({ identifier, version }), entry);
      if (!one.moves) published.set(keyOf({ identifier }), { ...entry, moves: true });
    },
    vanish(identifier, version) {
      for (const key of published.keys()) if (key.startsWith(`${identifier}@${version ?? ""}`)) published.delete(key);
    },
    search: async () => ok([]),
    async look(ref) {
      const found = find("look", ref);
      return found.ok ? ok(toVersion(found.value)) : found;
    },
    async fetch(ref) {
      const found = find("fetch", ref);
      if (!found.ok) return found;
      const { source, identifier } = ref;
      const fetched: HubPackage = {
        ...toVersion(found.value),
        ...{ ref: { source, identifier }, folder: identifier.split("/").at(-1)!, files: found.value.files, notes: [] },
      };
      return ok(fetched);
    },
  };
  return double;
}

export interface HubWorld {
  desk: HubDesk;
  bucket: MemoryBucket;
  clock: TestClock;
  profile: string;
  /** Replaces the skill's files, as a person does. */
  edit(name: string, files: FileBodies): Promise<void>;
}

/** Two worlds over one bucket are two profiles of one deployment. */
export function createHubWorld(
  sources: HubSource[],
  shared: Partial<Pick<HubWorld, "bucket" | "clock">> = {},
): HubWorld {
  const clock = shared.clock ?? createTestClock();
  const bucket = shared.bucket ?? createMemoryBucket({ clock });
  const profile = newProfileId();
  const place = { bucket, profile, clock, random: () => 0.5 };
  const skills = createSkillStore({ ...place, swapMs: 60_000, readConditions: conditionsOf });
  const desk: HubDesk = {
    skills,
    lock: createHubLockStore(place),
    quarantine: createHubQuarantine(place),
    sources: Object.fromEntries(sources.map((source) => [source.name, source])),
    trusted: ["trusted/skills"],
    seeds: { bundled: { "SKILL.md": skillMd("bundled", "Comes along.") } },
    clock,
    run: Object.assign(async () => [], {
      parse: async (_path: string, text: string) => (text.includes("syntax error") ? "does not parse" : null),
    }),
    signal: new AbortController().signal,
  };
  return {
    ...{ desk, bucket, clock, profile },
    async edit(name, files) {
      const head = (await skills.head(name))!;
      const { description } = head;
      const next: SkillNext = { files, description, state: "active", origin: "user", citations: [] };
      const changed = await skills.change({ name, op: `edit ${head.rev}`, since: head.rev, decide: () => ok(next) });
      if (!changed.ok) throw new Error(changed.failure.message);
    },
  };
}
