// Finds skills of a profile by meaning: compares a vector of each one's name and description with that of a query. Used by
// skill-archive.ts next to its words, if a Similarity is bound. Stores each vector with the key of its text, so that a text is paid
// for once. Run by the Archive object, over any Sql.
import type { Clock, Similarity, Sql } from "../ports.ts";
import type { SkillLine } from "../schemas/api.ts";
import type { SkillName } from "../schemas/ids.ts";
import { withTimeout } from "../timeout.ts";

export interface SkillVectors {
  /** Removes rows of skills that are no longer offered, without a model call. Returns how many have no vector yet. */
  sync(offered: SkillLine[]): number;
  /** Has vectors made for at most `most` skills. Returns how many were made; rejects when the Similarity does. */
  fill(offered: SkillLine[], most: number): Promise<number>;
  /** The nearest, best first; none when the query's vector is not there in time. */
  find(query: string): Promise<SkillName[]>;
  /** Drops the cache after a failed transaction. */
  forget(): void;
}

/** [own] A vector takes a kilobyte, and all of them are in memory. */
const MAX_VECTORS = 10_000;
const TEXTS_AT_ONCE = 32;
const MAX_TEXT_CHARS = 1_200;
/** Time limit for the query's vector. A whole search may take a second. */
const QUERY_MS = 600;
const MAX_FOUND = 10;
const MAX_KNOWN_QUERIES = 100;
/** The largest signed byte. */
const SCALE = 127;

interface VectorRow {
  /** The model and the skill's text. */
  key: string;
  vector: Int8Array;
}

export function createSkillVectors({
  sql,
  similarity,
  clock,
}: {
  sql: Sql;
  similarity: Similarity;
  clock: Clock;
}): SkillVectors {
  let opened: Map<SkillName, VectorRow> | null = null;
  const queries = new Map<string, Int8Array>();

  function cached(): Map<SkillName, VectorRow> {
    if (opened) return opened;
    const rows = sql.run<{ name: SkillName; key: string; vector: ArrayBuffer | Uint8Array }>(
      "SELECT name, key, vector FROM skill_vector",
    );
    const toBytes = (vector: ArrayBuffer | Uint8Array) => Int8Array.from(new Uint8Array(vector));
    opened = new Map(rows.map(({ name, key, vector }) => [name, { key, vector: toBytes(vector) }]));
    return opened;
  }

  const prefix = `${similarity.model} `;
  const keyOf = ({ text }: SkillLine) => prefix + text;

  /** Skills without a vector of their present text. */
  function missingOf(offered: SkillLine[]): SkillLine[] {
    return offered.slice(0, MAX_VECTORS).filter((line) => cached().get(line.name)?.key !== keyOf(line));
  }

  async function vectorOf(query: string): Promise<Int8Array> {
    const text = query.slice(0, MAX_TEXT_CHARS).toWellFormed();
    const known = queries.get(text);
    if (known) return known;
    const [made] = await withTimeout(similarity.embed([text]), QUERY_MS, clock);
    const vector = toVector(made ?? []);
    const [oldest] = queries.keys();
    if (queries.size >= MAX_KNOWN_QUERIES && oldest !== undefined) queries.delete(oldest);
    queries.set(text, vector);
    return vector;
  }

  return {
    sync(offered) {
      const names = new Set(offered.map(({ name }) => name));
      for (const name of [...cached().keys()].filter((name) => !names.has(name))) {
        sql.run("DELETE FROM skill_vector WHERE name = ?", name);
        cached().delete(name);
      }
      return missingOf(offered).length;
    },

    async fill(offered, most) {
      const missing = missingOf(offered).slice(0, most);
      let made = 0;
      for (let at = 0; at < missing.length; at += TEXTS_AT_ONCE) {
        const batch = missing.slice(at, at + TEXTS_AT_ONCE);
        const vectors = await similarity.embed(batch.map(textOf));
        batch.forEach((line, i) => {
          const vector = toVector(vectors[i] ?? []);
          const key = keyOf(line);
          const bytes = new Uint8Array(vector.buffer);
          sql.run(
            "INSERT INTO skill_vector VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET key = excluded.key, vector = excluded.vector",
            line.name,
            key,
            bytes,
          );
          cached().set(line.name, { key, vector });
        });
        made += batch.length;
      }
      return made;
    },

    async find(query) {
      if (query.trim() === "" || cached().size === 0) return [];
      let asked: Int8Array;
      try {
        asked = await vectorOf(query);
      } catch {
        return []; // no answer, or no vector: the search uses words alone
      }
      return [...cached()]
        .filter(([, { key }]) => key.startsWith(prefix))
        .map(([name, { vector }]) => ({ name, near: cosineOf(asked, vector) }))
        .filter(({ near }) => near >= similarity.least)
        .toSorted((a, b) => b.near - a.near || (a.name < b.name ? -1 : 1))
        .slice(0, MAX_FOUND)
        .map(({ name }) => name);
    },

    forget() {
      opened = null;
    },
  };
}

/** The skill as a listing shows it. */
function textOf({ name, description }: SkillLine): string {
  return `${name.replaceAll("-", " ")}: ${description}`.slice(0, MAX_TEXT_CHARS).toWellFormed();
}

/** Scaled to bytes: only the direction counts. Throws for a vector without a direction. */
function toVector(numbers: number[]): Int8Array {
  const most = numbers.reduce((max, number) => Math.max(max, Math.abs(number)), 0);
  if (!(most > 0 && Number.isFinite(most))) throw new Error("the vector of a text has no direction");
  return Int8Array.from(numbers, (number) => Math.round((number / most) * SCALE));
}

/** 0 for vectors of different lengths, which come from different models. */
function cosineOf(a: Int8Array, b: Int8Array): number {
  if (a.length !== b.length) return 0;
  let product = 0;
  let ofA = 0;
  let ofB = 0;
  for (let i = 0; i < a.length; i++) {
    product += a[i]! * b[i]!;
    ofA += a[i]! * a[i]!;
    ofB += b[i]! * b[i]!;
  }
  return product / Math.sqrt(ofA * ofB);
}
