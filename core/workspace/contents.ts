// The bytes of files, in parts named by their SHA-256. A part is stored once, however many files and checkpoints refer to it,
// and deleted when nothing does. References are counted in memory: stored counters would be written with every file. Called by
// node-writer.ts and checkpoints/, inside their transactions.
import type { Sql } from "../ports.ts";
import { sha256Hex } from "../schemas/learning/digest.ts";
import { concatBytes } from "./encoding.ts";

/** Largest part. The platform's limit is 2 MB per value. */
export const PART_BYTES = 512 << 10;
/** A last part shorter than this is rewritten together with appended bytes. */
const MIN_PART_BYTES = 16 << 10;

export interface Part {
  hash: string;
  size: number;
}

/** Called for each part that must be written, before it is. */
type ChargeWrite = (bytes: number, rows: number) => void;

export interface Contents {
  /** Must be called before the first change of a transaction: counts all references, once per wake. */
  load(): void;
  /** Drops the counts, after a transaction has failed. */
  forget(): void;
  /** Stores the bytes and returns their parts. The caller must then write a row that refers to them, and call `retain`. */
  put(bytes: Uint8Array, charge: ChargeWrite): Part[];
  /** The parts of a file after bytes were appended to it. At most the last part is read and rewritten. */
  append(content: string, bytes: Uint8Array, charge: ChargeWrite): Part[];
  /** A row of this kind refers to the content from now on. */
  retain(content: string | null, by: Referrer): void;
  /** A row of this kind no longer refers to it. */
  release(content: string | null, by: Referrer): void;
  /**
   * Deletes the parts that nothing refers to. Call at the end of a transaction: until then a row that is still to be written may
   * refer to a part whose last reference is gone, such as one of the checkpoint that a restore drops.
   */
  deleteUnused(): void;
  /** Bytes of parts that only checkpoints refer to. */
  keptBytes(): number;
  /** The bytes part by part. Throws when a part was deleted meanwhile. */
  read(content: string | null): Generator<Uint8Array>;
}

type Referrer = "file" | "checkpoint";

interface References {
  size: number;
  file: number;
  checkpoint: number;
}

export function createContents(sql: Sql): Contents {
  let references: Map<string, References> | null = null;
  let keptBytes = 0;
  /** Hashes of parts that had no reference at some time in this transaction. */
  const maybeUnused = new Set<string>();

  function load(): void {
    if (references) return;
    references = new Map();
    keptBytes = 0;
    countReferences("file_node", "file");
    countReferences("file_change", "checkpoint");
  }

  function countReferences(table: "file_node" | "file_change", by: Referrer): void {
    const query = `SELECT content, count(*) AS times FROM ${table} WHERE content <> '' GROUP BY content`;
    for (const { content, times } of sql.run<{ content: string; times: number }>(query)) change(content, by, times);
  }

  function change(content: string | null, by: Referrer, times: number): void {
    for (const { hash, size } of parseParts(content)) {
      const found = references!.get(hash) ?? { size, file: 0, checkpoint: 0 };
      references!.set(hash, found);
      const wasKept = isKept(found);
      found[by] += times;
      keptBytes += (Number(isKept(found)) - Number(wasKept)) * size;
      if (isUnused(found)) maybeUnused.add(hash);
    }
  }

  function deleteUnused(): void {
    for (const hash of maybeUnused) {
      const found = references!.get(hash);
      if (!found || !isUnused(found)) continue;
      references!.delete(hash);
      sql.run("DELETE FROM file_part WHERE hash = ?", hash);
    }
    maybeUnused.clear();
  }

  function putPart(data: Uint8Array, charge: ChargeWrite): Part {
    const hash = sha256Hex(data);
    if (!references!.has(hash)) {
      charge(data.length, 1);
      sql.run("INSERT INTO file_part(hash, data) VALUES (?, ?) ON CONFLICT DO NOTHING", hash, data);
    }
    return { hash, size: data.length };
  }

  function readPart(hash: string): Uint8Array {
    const [row] = sql.run<{ data: BlobValue }>("SELECT data FROM file_part WHERE hash = ?", hash);
    if (!row) throw new Error("a part of a file is gone: the file changed while it was read");
    return toBytes(row.data);
  }

  function put(bytes: Uint8Array, charge: ChargeWrite): Part[] {
    const parts: Part[] = [];
    for (let at = 0; at < bytes.length; at += PART_BYTES) {
      parts.push(putPart(bytes.slice(at, at + PART_BYTES), charge));
    }
    return parts;
  }

  return {
    load,
    forget() {
      references = null;
      maybeUnused.clear();
    },
    put,
    append(content, bytes, charge) {
      const parts = parseParts(content);
      const last = parts.at(-1);
      if (!last || last.size >= MIN_PART_BYTES) return [...parts, ...put(bytes, charge)];
      return [...parts.slice(0, -1), ...put(concatBytes([readPart(last.hash), bytes]), charge)];
    },
    retain: (content, by) => change(content, by, 1),
    release: (content, by) => change(content, by, -1),
    deleteUnused,
    keptBytes: () => keptBytes,
    *read(content) {
      for (const { hash } of parseParts(content)) yield readPart(hash);
    },
  };
}

function isUnused({ file, checkpoint }: References): boolean {
  return file === 0 && checkpoint === 0;
}

function isKept({ file, checkpoint }: References): boolean {
  return file === 0 && checkpoint > 0;
}

/** The stored form: `<size>:<hash>` of each part, separated by blanks. */
export function formatParts(parts: readonly Part[]): string {
  return parts.map(({ hash, size }) => `${size}:${hash}`).join(" ");
}

/** The hashes in a stored form. */
export function parsePartHashes(content: string): string[] {
  return parseParts(content).map(({ hash }) => hash);
}

function parseParts(content: string | null): Part[] {
  if (!content) return [];
  return content.split(" ").map((part) => {
    const colon = part.indexOf(":");
    return { size: Number(part.slice(0, colon)), hash: part.slice(colon + 1) };
  });
}

/** Workerd returns a BLOB as an ArrayBuffer, Node as a Uint8Array. */
export type BlobValue = Uint8Array | ArrayBuffer;

export function toBytes(blob: BlobValue): Uint8Array {
  return blob instanceof Uint8Array ? blob : new Uint8Array(blob);
}
