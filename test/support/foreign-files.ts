// The files of a home in memory, as the readers of core/moving/foreign take them.
import { createHash } from "node:crypto";
import type { ForeignFiles } from "../../core/moving/foreign/foreign-home.ts";
import { type FileBody, toBytes } from "../../core/schemas/file-body.ts";

export function toForeignFiles(bodies: Record<string, FileBody>, more: string[] = []): ForeignFiles {
  const top = [...new Set([...Object.keys(bodies).map((path) => path.split("/")[0]!), ...more])];
  return {
    ...{ paths: Object.keys(bodies).toSorted(), top: top.toSorted() },
    read(path, maxBytes) {
      const bytes = toBytes(bodies[path]!);
      return bytes.length > maxBytes ? null : bytes;
    },
    md5(pieces) {
      const hash = createHash("md5");
      for (const piece of pieces) hash.update(piece);
      return hash.digest("hex");
    },
  };
}
