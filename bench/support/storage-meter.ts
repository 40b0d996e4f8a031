// Counts an object's storage operations, inside workerd: the rows of each cursor by statement, and alarms. The Workers of both
// subjects install it before the object is built, so the object does not notice.

export interface StorageCounts {
  rowsRead: number;
  rowsWritten: number;
  /** Rows written by statement: `INSERT entry`, `DELETE job`. */
  writtenBy: Record<string, number>;
  readBy: Record<string, number>;
  setAlarms: number;
  /** Writes through the storage's key-value API, which has no cursor. */
  keyValueWrites: number;
}

type SqlExec = DurableObjectStorage["sql"]["exec"];
type AnyCursor = ReturnType<SqlExec>;

export interface StorageMeter {
  counts(): StorageCounts;
}

/** Cursors kept until they are consumed; no object has this many open at once. */
const MAX_OPEN_CURSORS = 256;

/** Changes `storage` in place. Statements of the meter's owner go through the returned meter's `storage` as well. */
export function meterStorage(storage: DurableObjectStorage): StorageMeter {
  const total: StorageCounts = {
    rowsRead: 0,
    rowsWritten: 0,
    writtenBy: {},
    readBy: {},
    setAlarms: 0,
    keyValueWrites: 0,
  };
  let open: { query: string; cursor: AnyCursor }[] = [];

  /** Adds the oldest cursors' counts to the total. A cursor's counts are final once it is consumed, long before this. */
  function addOldest(keep: number): void {
    const done = open.slice(0, open.length - keep);
    open = open.slice(open.length - keep);
    for (const { query, cursor } of done) {
      const { rowsRead, rowsWritten } = cursor;
      const statement = nameStatement(query);
      total.rowsRead += rowsRead;
      total.rowsWritten += rowsWritten;
      if (rowsRead > 0) total.readBy[statement] = (total.readBy[statement] ?? 0) + rowsRead;
      if (rowsWritten > 0) total.writtenBy[statement] = (total.writtenBy[statement] ?? 0) + rowsWritten;
    }
  }

  const { sql } = storage;
  const exec = sql.exec.bind(sql) as SqlExec;
  sql.exec = ((query: string, ...values: never[]) => {
    const cursor = exec(query, ...values);
    open.push({ query, cursor });
    if (open.length > 2 * MAX_OPEN_CURSORS) addOldest(MAX_OPEN_CURSORS);
    return cursor;
  }) as SqlExec;
  count(storage, "setAlarm", () => total.setAlarms++);
  for (const name of ["put", "delete", "deleteAll"] as const) count(storage, name, () => total.keyValueWrites++);
  for (const name of ["put", "delete"] as const) count(storage.kv, name, () => total.keyValueWrites++);

  return {
    counts() {
      addOldest(0);
      return { ...total, writtenBy: { ...total.writtenBy }, readBy: { ...total.readBy } };
    },
  };
}

function count<Target extends object>(target: Target, name: keyof Target & string, add: () => void): void {
  const method = (target[name] as (...values: unknown[]) => unknown).bind(target);
  Object.defineProperty(target, name, { value: (...values: unknown[]) => (add(), method(...values)) });
}

const TABLE = /\b(?:INTO|UPDATE|FROM|TABLE(?: IF NOT EXISTS)?|INDEX(?: IF NOT EXISTS)?)\s+"?(\w+)/i;

function nameStatement(query: string): string {
  const verb = /^\s*(\w+)/.exec(query)?.[1]?.toUpperCase() ?? "?";
  return `${verb} ${TABLE.exec(query)?.[1] ?? "?"}`;
}
