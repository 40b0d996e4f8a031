// The parts of a profile's archive of messages over node:sqlite, as its Archive objects hold them: the first part, and one for each later
// year. Calls between parts are copied as RPC copies them, and may fail.
import { type MessageArchive, createMessageArchive } from "../../core/archive/messages/message-archive.ts";
import {
  type ErasedPieces,
  type OtherPart,
  type PutAnswer,
  createSplitArchive,
  eraseIn,
} from "../../core/archive/messages/split-archive.ts";
import { putIntoYear } from "../../core/archive/messages/year-part.ts";
import { firstIdOf } from "../../core/archive/messages/years.ts";
import type { Result } from "../../core/errors.ts";
import type { Clock, Sql } from "../../core/ports.ts";
import type { ArchivedTurn } from "../../core/schemas/archived-message.ts";
import { createNodeSql } from "./bindings/node-sql.ts";

export type ArchiveParts = ReturnType<typeof createArchiveParts>;

const SALT = "profile";

export interface ArchivePartsOptions {
  clock: Clock;
  readBytes?(): number;
  /** Runs before each write of a part, of a transaction before the first one only, and before and after each call between parts. It may throw. */
  step?(): void;
}

export function createArchiveParts({ clock, readBytes, step = () => {} }: ArchivePartsOptions) {
  const options = { salt: SALT, ...(readBytes && { readBytes }) };
  const createSql = (): Sql => {
    const sql = createNodeSql();
    /** A stop later in a transaction that has written leaves the same, since everything is rolled back. */
    let hasWritten: boolean | null = null;
    return {
      ...sql,
      run(query, ...values) {
        if (!/^\s*SELECT/i.test(query) && hasWritten !== true) {
          if (hasWritten === false) hasWritten = true;
          step();
        }
        return sql.run(query, ...values);
      },
      transaction(work) {
        hasWritten = false;
        try {
          return sql.transaction(work);
        } finally {
          hasWritten = null;
        }
      },
    };
  };
  const firstSql = createSql();
  const first = createMessageArchive(firstSql, options);
  const others = new Map<number, { sql: Sql; own: MessageArchive }>();
  /** Years whose part fails. */
  const unreachable = new Set<number>();
  /** Years whose part does not answer. */
  const silent = new Set<number>();
  const calls: string[] = [];

  function openYear(year: number) {
    const known = others.get(year);
    if (known) return known;
    const sql = createSql();
    const made = { sql, own: createMessageArchive(sql, { ...options, firstId: firstIdOf(year) }) };
    others.set(year, made);
    return made;
  }

  function openPart(year: number): OtherPart {
    const call =
      <Args extends unknown[], T>(name: string, answer: (own: MessageArchive, ...args: Args) => T) =>
      async (...args: Args): Promise<T> => {
        calls.push(`${name} ${year}`);
        if (unreachable.has(year)) throw new Error("unreachable");
        if (silent.has(year)) await new Promise(() => {});
        step();
        const answered = structuredClone(answer(openYear(year).own, ...structuredClone(args)));
        step();
        return answered;
      };
    return {
      search: call("search", (own, ...args) => own.search(...args)),
      statistics: call("statistics", (own, ...args) => own.statistics(...args)),
      windows: call("windows", (own, ...args) => own.windows(...args)),
      edges: call("edges", (own, ...args) => own.edges(...args)),
      read: call("read", (own, ...args) => own.read(...args)),
      near: call("near", (own, ...args) => own.near(...args)),
      rename: call("rename", (own, ...args) => own.rename(...args)),
      eraseSession: call("eraseSession", (own, ...args) => own.eraseSession(...args)),
      putPurge: call("putPurge", (own, ...args) => own.putPurge(...args)),
      purges: call("purges", (own, ...args) => own.purges(...args)),
      erasePieces: call("erasePieces", (own, pieces: ErasedPieces, after: number) =>
        eraseIn(own, pieces, { after, salt: SALT }),
      ),
    };
  }

  return {
    first,
    firstSql,
    others,
    unreachable,
    silent,
    calls,
    split: createSplitArchive({ sql: firstSql, own: first, openPart, clock, salt: SALT }),
    /** Sends a turn to a part, as a session does: to the first one if `year` is `null`. */
    async put(turn: ArchivedTurn, year: number | null): Promise<Result<PutAnswer>> {
      if (year === null) return this.split.put(turn);
      calls.push(`put ${year}`);
      if (unreachable.has(year)) throw new Error("unreachable");
      return putIntoYear({ ...openYear(year), readPurges: async () => first.purges() }, turn);
    },
    sqls: (): Sql[] => [firstSql, ...[...others].toSorted(([a], [b]) => a - b).map(([, { sql }]) => sql)],
  };
}
