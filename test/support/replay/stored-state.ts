// What is stored, in a form that tests compare: the files of a workspace, and everything that a session's database or a profile's stores hold.
import type { Sql } from "../../../core/ports.ts";
import { sha256Hex } from "../../../core/schemas/learning/digest.ts";
import { parsePartHashes } from "../../../core/workspace/contents.ts";
import type { FileNode } from "../../../core/workspace/file-node.ts";
import { createWorkspace } from "../../../core/workspace/workspace.ts";
import { DEFAULTS } from "../../../core/limits.ts";
import type { MemoryBucket } from "../bindings/memory-bucket.ts";
import type { MemoryKv } from "../bindings/memory-kv.ts";
import { createTestClock } from "../clock.ts";

/** All but the times. `sha256`: of the bytes; `null` for a folder or a link. */
export type StoredFile = Pick<FileNode, "kind" | "mode" | "size" | "target" | "writer"> & {
  path: string;
  sha256: string | null;
};

/** Sorted by path. `before`: the files as they were when this turn began; absent: as they are. `null`: they are not kept. */
export function readFiles(sql: Sql, before?: number): StoredFile[] | null {
  const { maxFileBytes, maxWorkspaceBytes: maxBytes } = DEFAULTS.turn;
  const { checkpoints } = createWorkspace({ sql, clock: createTestClock(), maxFileBytes, maxBytes });
  const kept = before === undefined ? { ok: true as const, value: null } : checkpoints.ofBeginning(before);
  if (!kept.ok) return null;
  return checkpoints
    .nodesAt(kept.value)
    .map(({ parent, name, kind, mode, size, target, writer, content }) => ({
      ...{ path: `${parent}/${name}`, kind, mode, size, target, writer },
      sha256: content === null ? null : sha256Hex(readContent(sql, content)),
    }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Throws if a part is gone. */
function readContent(sql: Sql, content: string): Uint8Array {
  const parts = parsePartHashes(content).map((hash) => {
    const [row] = sql.run<{ data: Uint8Array }>("SELECT data FROM file_part WHERE hash = ?", hash);
    if (!row) throw new Error(`part ${hash} is not stored`);
    return row.data;
  });
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

/** Every row of every table. */
export function dumpSql(sql: Sql): string {
  const tables = sql.run<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name");
  const rows = tables.map(({ name }) => [name, sql.run<Record<string, unknown>>(`SELECT * FROM "${name}"`)] as const);
  return JSON.stringify(rows, (_, value: unknown) => (value instanceof Uint8Array ? sha256Hex(value) : value));
}

export async function dumpStores({ bucket, kv }: { bucket: MemoryBucket; kv: MemoryKv }): Promise<string> {
  const objects = [];
  for (const key of bucket.keys()) objects.push([key, await (await bucket.get(key))!.text()]);
  return JSON.stringify([objects, kv.puts, await kv.list({ prefix: "" })]);
}
