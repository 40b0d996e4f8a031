// Measures how long a search takes in archives of several sizes: the messages of the file, and generated ones up to the size.
import { createNodeSql } from "../../test/support/bindings/node-sql.ts";
import { createBenchSql } from "../learning/platform/sql.ts";
import { median, quantile } from "../support/figures.ts";
import type { Conversation } from "./conversations.ts";
import { addOtherSessions } from "./other-sessions.ts";
import { openProductSearch } from "./product-search.ts";

/** Messages in the archives. */
export const SIZES = [10_000, 100_000, 1_000_000];
/** Larger archives are in a file. */
const MAX_IN_MEMORY = 100_000;
const SEARCHES = 300;
const WARM_UPS = 20;
/** SQLite's codes for a disk that is full or fails: SQLITE_IOERR, SQLITE_FULL. */
const DISK_FAILURES = [10, 13];

export type SizeTiming = { size: number; p50Ms: number; p95Ms: number } | { size: number; skipped: string };

export function measureSearchTime(conversations: Conversation[], size: number): SizeTiming {
  const sessions = conversations.flatMap((one) => one.sessions);
  const own = sessions.reduce((sum, { messages }) => sum + messages.length, 0);
  if (own > size) return { size, skipped: `the file has ${own} messages` };
  // An empty name is a temporary file, which SQLite deletes when the database is closed.
  const sql = size > MAX_IN_MEMORY ? createNodeSql("") : createBenchSql();
  try {
    const search = openProductSearch(sql, addOtherSessions(sessions, size - own));
    const questions = selectEvenly(
      conversations.flatMap((one) => one.questions.map(({ text }) => text)),
      SEARCHES,
    );
    for (const query of questions.slice(0, WARM_UPS)) search(query);
    const times = questions.map((query) => {
      const began = performance.now();
      search(query);
      return performance.now() - began;
    });
    return { size, p50Ms: median(times), p95Ms: quantile(times, 0.95) };
  } catch (error) {
    const { errcode, message } = error as { errcode?: number; message: string };
    if (errcode !== undefined && DISK_FAILURES.includes(errcode & 0xff)) return { size, skipped: message };
    throw error;
  } finally {
    sql.close();
  }
}

/** Repeats items if there are fewer than `count`. */
function selectEvenly<T>(items: T[], count: number): T[] {
  return Array.from({ length: count }, (_, i) => {
    const at = items.length < count ? i % items.length : Math.floor((i * items.length) / count);
    return items[at]!;
  });
}
