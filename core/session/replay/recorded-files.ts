// Puts the files that a served result names into the workspace of a replay, as they were in that of the source. Called when the result is
// served, because the recorded turn had them from then on.
import type { ToolResult } from "../../agent/contract.ts";
import type { Sql } from "../../ports.ts";
import { concatBytes } from "../../workspace/encoding.ts";
import { parsePartHashes } from "../../workspace/contents.ts";
import type { EngineContext } from "../context.ts";
import { SPILLED_PATHS } from "../turn/journal/spill.ts";

/** A file that was not copied, or has no room, is left out. */
export function putRecordedFiles({ host, workspace }: EngineContext, { parts }: ToolResult): void {
  const paths = new Set(parts.flatMap(({ text }) => text.match(SPILLED_PATHS) ?? []));
  for (const path of paths) {
    const file = readRecordedFile(host.sql, path);
    if (file) workspace.putAsAgent(path, file.bytes, file.writer);
  }
}

function readRecordedFile(sql: Sql, path: string): { bytes: Uint8Array; writer: "own" | "content" } | null {
  const query = "SELECT writer, content FROM recorded_file WHERE path = ?";
  const [row] = sql.run<{ writer: string; content: string }>(query, `/${path}`);
  if (!row) return null;
  const parts = parsePartHashes(row.content).flatMap((hash) =>
    sql.run<{ data: Uint8Array | ArrayBuffer }>("SELECT data FROM file_part WHERE hash = ?", hash),
  );
  const bytes = concatBytes(parts.map(({ data }) => new Uint8Array(data as ArrayBuffer)));
  return { bytes, writer: row.writer === "own" ? "own" : "content" };
}
