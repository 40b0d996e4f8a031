// Sample skill changes for tests of the stores, and the invariants of any bucket with skills.
import { expect } from "vitest";
import { type Result, err, ok } from "../../../core/errors.ts";
import type { Bucket, SkillChange, SkillNext, SkillSnapshot, SkillStore } from "../../../core/ports.ts";
import { sha256Hex, textOfFiles } from "../../../core/schemas/learning/digest.ts";
import type { ProfileId, SkillName } from "../../../core/schemas/ids.ts";
import { type SkillRevision, SkillHead, SkillIndex, isPurged, toIndexLine } from "../../../core/schemas/skill.ts";
import { textOrEmpty } from "../../../core/schemas/file-body.ts";
import { keyOf, prefixOf } from "../../../stores/keys.ts";

/** Creates a skill as a person, so that its text is not checked. */
export function creation(name: SkillName, body: string, op: string, more: Partial<SkillNext> = {}): SkillChange {
  return {
    name,
    op,
    since: 0,
    decide: (current) =>
      current && current.head.state !== "archived" ? err("exists", "It exists.") : first(body, more),
  };
}

/** Creates a skill unless another living one has the same description. */
export function uniqueCreation(name: SkillName, description: string, op: string): SkillChange {
  return {
    name,
    op,
    since: 0,
    decide(current, index) {
      if (current && current.head.state !== "archived") return err("exists", "It exists.");
      const neighbour = findNeighbour(name, description, index);
      return neighbour ? err("duplicate", `It is too near to ${neighbour}.`) : first(description, { description });
    },
  };
}

/** Appends a line to SKILL.md. */
export function extension(name: SkillName, line: string, op: string, since = 0): SkillChange {
  return { name, op, since, decide: (current) => editFiles(current, (body) => `${body}\n${line}`) };
}

/** Restores the text of an older revision. */
export function restoration(store: SkillStore, name: SkillName, rev: number, op: string): SkillChange {
  return {
    name,
    op,
    since: 0,
    async decide(current) {
      if (!current) return err("unknown_skill", "There is none.");
      const target = (await store.revisions(name)).find((revision) => revision.rev === rev);
      if (!target?.files) return err("unknown_revision", "There is none.");
      const files = Object.entries(target.files).map(async ([path, { sha256 }]) => [path, await store.blob(sha256)]);
      return ok({ files: Object.fromEntries(await Promise.all(files)) as Record<string, string> });
    },
  };
}

/** Changes fields of the head, but no file. */
export function adjustment(name: SkillName, next: SkillNext, op = "adjust"): SkillChange {
  return { name, op, since: 0, decide: (current) => (current ? ok(next) : err("unknown_skill", "There is none.")) };
}

export function findNeighbour(name: SkillName, description: string, index: SkillIndex): string | undefined {
  return Object.keys(index.skills).find((other) => {
    const line = index.skills[other]!;
    return other !== name && line.description === description && line.state !== "archived";
  });
}

/** Expects that every revision can be restored, each operation appears once, and the index matches the heads. */
export async function expectSound(bucket: Bucket, profile: ProfileId, store: SkillStore): Promise<void> {
  const heads: SkillHead[] = [];
  for (const key of await listKeys(bucket, prefixOf("head", { profile }))) {
    heads.push(SkillHead.parse(JSON.parse((await (await bucket.get(key))?.text()) ?? "")));
  }
  const lines = Object.fromEntries(heads.map((head) => [head.name, toIndexLine(head)]));
  const index = await bucket.get(keyOf("index", { profile }));
  const indexLines = Object.entries(index ? SkillIndex.parse(JSON.parse(await index.text())).skills : {});
  // Usage numbers are not part of a head.
  expect(Object.fromEntries(indexLines.map(([name, { use: _use, ...line }]) => [name, line]))).toEqual(lines);
  for (const head of heads) {
    const revisions = await store.revisions(head.name);
    expect(revisions.map(({ rev }) => rev)).toEqual(Array.from({ length: head.rev }, (_, n) => head.rev - n));
    const storedRevisions = revisions.filter((revision): revision is SkillRevision => !isPurged(revision));
    expect(new Set(storedRevisions.map(({ op }) => op)).size).toBe(storedRevisions.length);
    for (const { text, files } of storedRevisions) {
      expect(textOfFiles(files)).toBe(text);
      for (const { sha256 } of Object.values(files)) expect(sha256Hex((await store.blob(sha256))!)).toBe(sha256);
    }
  }
}

/** Writes an object directly, without the store. On a double that loses responses, a put that throws has still written. */
export async function plant(bucket: Bucket, key: string, body: string): Promise<void> {
  await bucket.put(key, body).catch(() => null);
  expect(await (await bucket.get(key))?.text()).toBe(body);
}

export async function listKeys(bucket: Bucket, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await bucket.list({ prefix, cursor });
    keys.push(...page.objects.map((object) => object.key));
    cursor = page.truncated ? page.cursor : undefined;
  } while (cursor !== undefined);
  return keys;
}

function first(body: string, more: Partial<SkillNext>): Result<SkillNext> {
  return ok({ files: { "SKILL.md": body }, description: "What it is for.", state: "trial", origin: "review", ...more });
}

function editFiles(current: SkillSnapshot | null, edit: (body: string) => string): Result<SkillNext> {
  if (!current) return err("unknown_skill", "There is none.");
  return ok({ files: { ...current.files, "SKILL.md": edit(textOrEmpty(current.files["SKILL.md"])) } });
}
