// How often the right skill is among the first five: by the product's search, which is the Archive's engine over node:sqlite, and
// by SQLite's own ranking over the same rows and questions.
import { DatabaseSync } from "node:sqlite";
import { createSkillArchive } from "../../core/archive/skill-archive.ts";
import type { Sql, SqlValue } from "../../core/ports.ts";
import type { SkillLine } from "../../core/schemas/api.ts";
import { sha256Hex } from "../../core/schemas/digest.ts";
import { createWordsMemory } from "../../core/skills/skill-words.ts";
import type { BenchSkill } from "./bench-skill.ts";
import type { BenchLibrary } from "./library.ts";

const FIRST = 5;

export interface Recall {
  recallAt5: number;
  bm25At5: number;
  /** Of each search of the product. */
  searchMs: number[];
  /** Questions whose skill the product did not find: for the report. */
  missed: string[];
}

export async function measureRecall(library: BenchLibrary, say: (line: string) => void): Promise<Recall> {
  say("filling the Archive");
  const search = await openProduct(library.skills);
  say("filling a plain FTS5 table");
  const plain = openPlain(library.skills);
  say(`${library.queries.length} questions`);
  const missed: string[] = [];
  const searchMs: number[] = [];
  let plainHits = 0;
  for (const query of library.queries) {
    const began = performance.now();
    const names = await search(query.text);
    searchMs.push(performance.now() - began);
    if (!names.slice(0, FIRST).includes(query.name)) missed.push(query.name);
    if (plain(query.text).includes(query.name)) plainHits += 1;
  }
  const all = library.queries.length;
  const share = (hits: number) => (all === 0 ? 0 : hits / all);
  return { recallAt5: share(all - missed.length), bm25At5: share(plainHits), searchMs, missed };
}

async function openProduct(skills: BenchSkill[]): Promise<(query: string) => Promise<string[]>> {
  const byName = new Map(skills.map((skill) => [skill.name, skill]));
  const lines = skills.map(toIndexedLine);
  const archive = createSkillArchive({
    sql: createSql(),
    memory: createWordsMemory(0),
    source: {
      lines: async () => lines,
      async read({ name, text }) {
        const { description, body } = byName.get(name)!;
        return {
          key: text,
          skillMd: `---\nname: ${name}\ndescription: ${JSON.stringify(description || "none")}\n---\n${body}`,
          requests: "",
        };
      },
    },
  });
  await archive.fill(skills.length);
  return async (query) => (await archive.search(query, 0)).names;
}

/** What the index of a profile would say of the skill. */
export function toIndexedLine({ name, description, body }: BenchSkill): SkillLine {
  const text = sha256Hex(`${name}\n${description}\n${body}`);
  const fixed = { category: "general", state: "active", pinned: false, origin: "user", seq: 1, rev: 1 } as const;
  return { name, description, text, ...fixed };
}

/** `bm25()` with its default weights over name, description and body; the question's words, any of them. */
function openPlain(skills: BenchSkill[]): (query: string) => string[] {
  const database = new DatabaseSync(":memory:");
  database.exec("CREATE VIRTUAL TABLE plain USING fts5(name, description, body)");
  const insert = database.prepare("INSERT INTO plain VALUES (?, ?, ?)");
  database.exec("BEGIN");
  for (const { name, description, body } of skills) insert.run(name, description, body);
  database.exec("COMMIT");
  const select = database.prepare(`SELECT name FROM plain WHERE plain MATCH ? ORDER BY bm25(plain) LIMIT ${FIRST}`);
  return (query) => {
    const words = new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
    if (words.size === 0) return [];
    const match = [...words].map((word) => `"${word}"`).join(" OR ");
    return select.all(match).map((row) => String(row.name));
  };
}

function createSql(): Sql {
  const database = new DatabaseSync(":memory:");
  const prepared = new Map<string, ReturnType<DatabaseSync["prepare"]>>();
  return {
    run<Row>(query: string, ...values: SqlValue[]): Row[] {
      const statement = prepared.get(query) ?? database.prepare(query);
      if (/^\s*(SELECT|INSERT|DELETE)/.test(query)) prepared.set(query, statement);
      return statement.all(...values) as Row[];
    },
    transaction<T>(work: () => T): T {
      database.exec("BEGIN");
      try {
        const value = work();
        database.exec("COMMIT");
        return value;
      } catch (error) {
        database.exec("ROLLBACK");
        throw error;
      }
    },
  };
}
