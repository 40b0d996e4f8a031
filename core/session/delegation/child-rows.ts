// The parent's records of the sessions that it began, as meta rows: one a child. Read and written by the files beside this one.
import { type ChildRecord, ChildRecord as ChildRecordSchema } from "../../schemas/sessions/delegation.ts";
import type { SessionId } from "../../schemas/ids.ts";
import { sha256Hex } from "../../schemas/learning/digest.ts";
import type { EngineContext } from "../context.ts";

/** Those that `list` returns, the newest. */
const MAX_LISTED = 200;
const KEY = "child:";
const LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/** A ULID's time, and its random part. */
const TIME_CHARS = 10;
const RANDOM_CHARS = 16;

/** The same in every attempt, so that no task begins twice. The child is listed beside its parent: it has the time of its id. */
export function toChildId(parent: SessionId, op: string, task: number): SessionId {
  const hash = sha256Hex(`${op}#${task}`);
  const letter = (_: unknown, i: number) => LETTERS[Number.parseInt(hash.slice(2 * i, 2 * i + 2), 16) & 31];
  return parent.slice(0, TIME_CHARS) + Array.from({ length: RANDOM_CHARS }, letter).join("");
}

export function openChildRows({ host, log }: Pick<EngineContext, "host" | "log">) {
  function find(child: SessionId): ChildRecord | null {
    const row = log.meta<unknown>(KEY + child);
    return row === null ? null : ChildRecordSchema.parse(row);
  }
  return {
    find,
    /** Inside the caller's transaction. */
    put: (record: ChildRecord): void => log.setMeta(KEY + record.session, record),
    /** In the order of their tasks. */
    ofCall(op: string): ChildRecord[] {
      const rows: ChildRecord[] = [];
      for (let row = find(toChildId(host.session, op, 1)); row; row = find(toChildId(host.session, op, row.task + 1))) {
        rows.push(row);
      }
      return rows;
    },
    /** Newest first, without the texts of tasks and answers. */
    list(): ChildRecord[] {
      return host.sql
        .run<{ value: string }>(
          `SELECT json_replace(value, '$.given.text', '', '$.report.text', '') AS value FROM meta
            WHERE key > '${KEY}' AND key < 'child;'
            ORDER BY value ->> '$.given.createdAt' DESC, value ->> '$.task' LIMIT ${MAX_LISTED}`,
        )
        .map((row) => ChildRecordSchema.parse(JSON.parse(row.value)));
    },
  };
}

/** The child has not ended, as far as the parent knows. */
export function isOpenChild({ state }: Pick<ChildRecord, "state">): boolean {
  return state === "starting" || state === "running";
}
