// A bucket with a million profiles. It generates their skills when they are read, lists the markers of due profiles, and keeps
// every write. It counts calls, and the profiles they concern. Used by scale.test.ts.
import type { Bucket, Clock, StoredBody, StoredObject } from "../../core/ports.ts";
import { hashFiles, shardOf, textOfFiles } from "../../core/schemas/learning/digest.ts";
import { toBytes } from "../../core/schemas/file-body.ts";
import { type Day, dayOf } from "../../core/schemas/ids.ts";
import { SkillHead, toHeadMirror, toIndexLine } from "../../core/schemas/skill.ts";

const BASE32 = "0123456789abcdefghjkmnpqrstvwxyz";
const SKILL = "reading-tables";
const FILES = { "SKILL.md": `---\nname: ${SKILL}\ndescription: How tables are read.\n---\n` };

/** The n-th profile of the population. */
export function profileAt(n: number): string {
  const digits = n
    .toString(32)
    .split("")
    .map((digit) => BASE32[Number.parseInt(digit, 32)]);
  return digits.join("").padStart(26, "0");
}

function numberOf(profile: string): number {
  return [...profile].reduce((sum, sign) => sum * 32 + BASE32.indexOf(sign), 0);
}

/** Depends on the body, like R2's ETag; a short hash is enough here. */
function etagOf(body: string): string {
  let hash = 0;
  for (let at = 0; at < body.length; at++) hash = (hash * 31 + body.charCodeAt(at)) | 0;
  return `${body.length}-${hash}`;
}

export interface InventedBucket extends Bucket {
  calls: Record<string, number>;
  /** Profiles that any call named. */
  touched: Set<string>;
  markers(): string[];
}

export function createInventedBucket(options: {
  clock: Pick<Clock, "now">;
  profiles: number;
  due: { day: Day; profiles: number[] };
}): InventedBucket {
  const { clock, profiles, due } = options;
  const written = new Map<string, StoredObject & { body: string }>();
  const calls: Record<string, number> = { get: 0, put: 0, list: 0, delete: 0 };
  const touched = new Set<string>();
  const head = SkillHead.parse({
    ...{ v: 1, name: SKILL, seq: 1, rev: 1, text: textOfFiles(hashFiles(FILES)), description: "How tables are read." },
    ...{ category: "data", state: "active", pinned: false, origin: "review", files: hashFiles(FILES), citations: [] },
    ...{ op: "made", createdAt: 1, revisedAt: 1, updatedAt: 1 },
  });
  const index = JSON.stringify({ v: 1, seq: 1, skills: { [SKILL]: toIndexLine(head) } });
  const mirror = toHeadMirror(head) as unknown as Record<string, string>;
  for (const n of due.profiles) {
    const profile = profileAt(n);
    store(`due/${due.day}/${shardOf(profile)}/${profile}`, "");
    // The profile was curated a while ago, and has been active on many days since.
    const notes = { v: 1, seq: 1, skills: { [SKILL]: { seen: "2025-01-01" } }, owed: [], last: null };
    store(`p/${profile}/curator`, JSON.stringify(notes));
    for (let ago = 40; ago > 0; ago--) store(`p/${profile}/active/${dayOf(clock.now() - ago * 24 * 60 * 60_000)}`, "");
  }

  function store(key: string, body: string, customMetadata: Record<string, string> = {}): StoredObject {
    const stored = { key, etag: etagOf(body), uploaded: new Date(clock.now()), customMetadata, body };
    written.set(key, stored);
    return stored;
  }

  /** The generated object at a key that was never written. */
  function invent(key: string): (StoredObject & { body: string }) | null {
    const [, profile = "", ...rest] = /^p\/([^/]+)\/(.*)$/.exec(key) ?? [];
    if (!profile || numberOf(profile) >= profiles) return null;
    const bodies: Record<string, string> = {
      index,
      [`heads/${SKILL}`]: JSON.stringify(head),
      [`blobs/${Object.values(head.files)[0]!.sha256}`]: FILES["SKILL.md"],
    };
    const body = bodies[rest.join("/")];
    if (body === undefined) return null;
    return { key, etag: etagOf(body), uploaded: new Date(0), customMetadata: mirror, body };
  }

  function find(key: string) {
    return written.get(key) ?? invent(key);
  }

  function count(call: keyof typeof calls, key: string): void {
    calls[call]! += 1;
    const profile = /^p\/([^/]+)\//.exec(key)?.[1];
    if (profile) touched.add(profile);
  }

  function toBody(stored: StoredObject & { body: string }): StoredBody {
    const { body, ...object } = stored;
    return { ...object, text: async () => body, arrayBuffer: async () => new Uint8Array(toBytes(body)).buffer };
  }

  /** Sorted once after each change of the markers, because a thousand folders are listed. */
  function keysUnder(prefix: string): string[] {
    const keys = [...byPrefix(prefix)];
    const profile = /^p\/([^/]+)\//.exec(prefix)?.[1];
    const own = profile === undefined ? [] : [`p/${profile}/heads/${SKILL}`, `p/${profile}/index`];
    return [...new Set([...keys, ...own.filter((key) => key.startsWith(prefix) && find(key))])].sort();
  }

  const folders = new Map<string, Set<string>>();
  /** For a profile's key its first part; for a marker the day and the shard. */
  function folderOf(key: string): string {
    return key.split("/").slice(0, 3).join("/");
  }
  function* byPrefix(prefix: string): Generator<string> {
    const near = prefix.split("/").length > 3 ? [folderOf(prefix)] : [...folders.keys()].filter(isUnder(prefix));
    for (const folder of near) for (const key of folders.get(folder) ?? []) if (key.startsWith(prefix)) yield key;
  }
  const isUnder = (prefix: string) => (folder: string) => folder.startsWith(prefix.split("/", 2).join("/"));
  function remember(key: string): void {
    const folder = folderOf(key);
    if (!folders.has(folder)) folders.set(folder, new Set());
    folders.get(folder)!.add(key);
  }
  for (const key of written.keys()) remember(key);

  return {
    calls,
    touched,
    markers: () => keysUnder("due/"),
    async get(key) {
      count("get", key);
      const stored = find(key);
      return stored ? toBody(stored) : null;
    },
    async getUnless(key, unless) {
      count("get", key);
      const stored = find(key);
      return stored && stored.etag !== unless ? toBody(stored) : stored;
    },
    async put(key, body, { ifMatch, ifAbsent, customMetadata } = {}) {
      count("put", key);
      const there = find(key);
      if ((ifAbsent && there) || (ifMatch !== undefined && there?.etag !== ifMatch)) return null;
      remember(key);
      return store(key, typeof body === "string" ? body : new TextDecoder().decode(body), customMetadata);
    },
    async list({ prefix, cursor, startAfter, delimiter, limit = 1_000 }) {
      count("list", prefix);
      const after = cursor ?? startAfter ?? "";
      const objects: StoredObject[] = [];
      const delimitedPrefixes: string[] = [];
      let last = "";
      for (const key of keysUnder(prefix)) {
        const end = delimiter === undefined ? -1 : key.indexOf(delimiter, prefix.length);
        const folder = end < 0 ? null : key.slice(0, end + 1);
        if (key <= after || (folder !== null && after.startsWith(folder))) continue;
        if (folder !== null && delimitedPrefixes.at(-1) === folder) {
          last = key;
          continue;
        }
        if (objects.length + delimitedPrefixes.length === limit) {
          return { objects, delimitedPrefixes, truncated: true, cursor: last };
        }
        if (folder === null) objects.push(find(key)!);
        else delimitedPrefixes.push(folder);
        last = key;
      }
      return { objects, delimitedPrefixes, truncated: false };
    },
    async delete(keys) {
      for (const key of [keys].flat()) {
        count("delete", key);
        written.delete(key);
        folders.get(folderOf(key))?.delete(key);
      }
    },
  };
}
