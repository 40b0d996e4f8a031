// The skills of a profile by what they mean: a vector of each one's name and description, compared with that of a query. Beside the
// words of skill-archive.ts, and only where a Similarity is bound. Vectors are kept by the text they were made of, so each text is
// paid for once. Run by the Archive object, over any Sql.
import type { Clock, Similarity, Sql } from "../ports.ts";
import type { SkillLine } from "../schemas/api.ts";
import type { SkillName } from "../schemas/ids.ts";
import { answerWithin } from "../time-limit.ts";

export interface Meanings {
  /** Makes the rows those of the skills on offer; asks nobody. Returns how many have no vector yet. */
  compare(offered: SkillLine[]): number;
  /** Has vectors made of at most so many skills. Returns how many were made; rejects when the Similarity does. */
  fill(offered: SkillLine[], most: number): Promise<number>;
  /** The nearest, best first; none where the query's vector does not come in time. */
  find(query: string): Promise<SkillName[]>;
  /** A transaction around a call failed: the rows are read again. */
  forget(): void;
}

/** [own] A vector takes a kilobyte, and all of them are held in memory. */
const MAX_VECTORS = 10_000;
const TEXTS_AT_ONCE = 32;
const MAX_TEXT_CHARS = 1_200;
/** Of the second that a search may take. */
const QUERY_MS = 600;
const MAX_FOUND = 10;
const MAX_KNOWN_QUERIES = 100;
/** Signed bytes. */
const SCALE = 127;

interface Held {
  /** Names the model and the skill's text. */
  key: string;
  vector: Int8Array;
}

export function createMeanings({
  sql,
  similarity,
  clock,
}: {
  sql: Sql;
  similarity: Similarity;
  clock: Clock;
}): Meanings {
  let opened: Map<SkillName, Held> | null = null;
  const queries = new Map<string, Int8Array>();

  function held(): Map<SkillName, Held> {
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

  /** Those without a vector of their present text. */
  function missingOf(offered: SkillLine[]): SkillLine[] {
    return offered.slice(0, MAX_VECTORS).filter((line) => held().get(line.name)?.key !== keyOf(line));
  }

  async function vectorOf(query: string): Promise<Int8Array> {
    const text = query.slice(0, MAX_TEXT_CHARS).toWellFormed();
    const known = queries.get(text);
    if (known) return known;
    const [made] = await answerWithin(similarity.embed([text]), QUERY_MS, clock);
    const vector = toVector(made ?? []);
    const [oldest] = queries.keys();
    if (queries.size >= MAX_KNOWN_QUERIES && oldest !== undefined) queries.delete(oldest);
    queries.set(text, vector);
    return vector;
  }

  return {
    compare(offered) {
      const names = new Set(offered.map(({ name }) => name));
      for (const name of [...held().keys()].filter((name) => !names.has(name))) {
        sql.run("DELETE FROM skill_vector WHERE name = ?", name);
        held().delete(name);
      }
      return missingOf(offered).length;
    },

    async fill(offered, most) {
      const missing = missingOf(offered).slice(0, most);
      let made = 0;
      for (let at = 0; at < missing.length; at += TEXTS_AT_ONCE) {
        const some = missing.slice(at, at + TEXTS_AT_ONCE);
        const vectors = await similarity.embed(some.map(textOf));
        some.forEach((line, i) => {
          const vector = toVector(vectors[i] ?? []);
          const key = keyOf(line);
          const bytes = new Uint8Array(vector.buffer);
          sql.run(
            "INSERT INTO skill_vector VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET key = excluded.key, vector = excluded.vector",
            line.name,
            key,
            bytes,
          );
          held().set(line.name, { key, vector });
        });
        made += some.length;
      }
      return made;
    },

    async find(query) {
      if (query.trim() === "" || held().size === 0) return [];
      let asked: Int8Array;
      try {
        asked = await vectorOf(query);
      } catch {
        return []; // no answer, or no vector: words find what they find
      }
      return [...held()]
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

/** What a listing says of it. */
function textOf({ name, description }: SkillLine): string {
  return `${name.replaceAll("-", " ")}: ${description}`.slice(0, MAX_TEXT_CHARS).toWellFormed();
}

/** By its direction alone, in bytes. Throws where there is none. */
function toVector(numbers: number[]): Int8Array {
  const most = numbers.reduce((max, number) => Math.max(max, Math.abs(number)), 0);
  if (!(most > 0 && Number.isFinite(most))) throw new Error("the vector of a text has no direction");
  return Int8Array.from(numbers, (number) => Math.round((number / most) * SCALE));
}

/** 0 for vectors of other lengths: another model made them. */
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
