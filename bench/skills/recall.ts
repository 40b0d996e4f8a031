// Measures how often the right skill is among the first five results: with the product's search (the Archive's engine over
// node:sqlite), and with SQLite's own ranking over the same rows and questions.
import { DatabaseSync } from "node:sqlite";
import type { BenchSkill } from "./bench-skill.ts";
import type { BenchLibrary } from "./library.ts";
import { openSearch } from "./search.ts";

const FIRST = 5;

export interface Recall {
  recallAt5: number;
  bm25At5: number;
  /** Duration of each of the product's searches. */
  searchMs: number[];
  /** Skills that the product did not find, for the report. */
  missed: string[];
}

export async function measureRecall(library: BenchLibrary, say: (line: string) => void): Promise<Recall> {
  say("filling the Archive");
  const search = await openSearch(library.skills);
  say("filling a plain FTS5 table");
  const plain = openPlainSearch(library.skills);
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

/** `bm25()` with default weights over name, description and body. A row matches if it has any word of the question. */
function openPlainSearch(skills: BenchSkill[]): (query: string) => string[] {
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
