// Writes zip files byte by byte, so that a test can set any header field to a false value. Used by the tests of the zip reader.
// Without options the result is a plain, stored zip that any unpacker accepts.
import { deflateSync } from "fflate";
import { crc32 } from "../../../core/zip/crc32.ts";

export interface HandMadeEntry {
  /** Strings are encoded as UTF-8. */
  name: string | Uint8Array;
  body?: string | Uint8Array;
  deflate?: boolean;
  /** Header values that replace the true ones. */
  method?: number;
  flags?: number;
  size?: number;
  packedSize?: number;
  crc?: number;
  /** Unix mode; 0o120777 is a symbolic link. */
  mode?: number;
  extra?: Uint8Array;
  localName?: string;
  /** The sizes follow the data, as written by a streaming program. */
  descriptor?: boolean;
  /** Sizes and offset are 64-bit fields. */
  zip64?: boolean;
  /** Points at another entry's header. */
  offset?: number;
}

export interface HandMadeEnd {
  entries?: number;
  directoryOffset?: number;
  disk?: number;
  comment?: string;
  before?: Uint8Array;
  zip64?: boolean;
}

export function handMadeZip(entries: HandMadeEntry[], end: HandMadeEnd = {}): Uint8Array {
  const out: number[] = [...(end.before ?? [])];
  const directory: number[] = [];
  for (const entry of entries) {
    const body = toBytes(entry.body ?? "");
    const data = entry.deflate ? deflateSync(body) : body;
    const flags = entry.flags ?? (entry.descriptor ? 0x8 : 0);
    const method = entry.method ?? (entry.deflate ? 8 : 0);
    const sizes = {
      crc: entry.crc ?? crc32(body),
      packed: entry.packedSize ?? data.length,
      size: entry.size ?? body.length,
    };
    const inLocal = entry.descriptor ? { crc: 0, packed: 0, size: 0 } : sizes;
    const name = toBytes(entry.name);
    const localName = toBytes(entry.localName ?? entry.name);
    const offset = entry.offset ?? out.length;
    out.push(...u32(0x04034b50), ...u16(20), ...u16(flags), ...u16(method), ...u32(0));
    out.push(...u32(inLocal.crc), ...u32(inLocal.packed), ...u32(inLocal.size), ...u16(localName.length), ...u16(0));
    push(out, localName);
    push(out, data);
    if (entry.descriptor) out.push(...u32(0x08074b50), ...u32(sizes.crc), ...u32(sizes.packed), ...u32(sizes.size));
    const wide = entry.zip64 ? [...u16(1), ...u16(24), ...u64(sizes.size), ...u64(sizes.packed), ...u64(offset)] : [];
    const extra = [...wide, ...(entry.extra ?? [])];
    const full = 0xffffffff;
    directory.push(...u32(0x02014b50), ...u16(entry.mode === undefined ? 20 : 0x0314), ...u16(20), ...u16(flags));
    directory.push(...u16(method), ...u32(0), ...u32(sizes.crc));
    directory.push(...u32(entry.zip64 ? full : sizes.packed), ...u32(entry.zip64 ? full : sizes.size));
    directory.push(...u16(name.length), ...u16(extra.length), ...u16(0), ...u16(0), ...u16(0));
    directory.push(...u32(((entry.mode ?? 0) << 16) >>> 0), ...u32(entry.zip64 ? full : offset));
    push(directory, name);
    push(directory, Uint8Array.from(extra));
  }
  const at = out.length;
  push(out, Uint8Array.from(directory));
  const count = end.entries ?? entries.length;
  const comment = toBytes(end.comment ?? "");
  if (end.zip64) {
    const record = out.length;
    out.push(...u32(0x06064b50), ...u64(44), ...u16(45), ...u16(45), ...u32(0), ...u32(0));
    out.push(...u64(count), ...u64(count), ...u64(directory.length), ...u64(end.directoryOffset ?? at));
    out.push(...u32(0x07064b50), ...u32(0), ...u64(record), ...u32(1));
  }
  const shownCount = end.zip64 ? 0xffff : count;
  out.push(...u32(0x06054b50), ...u16(end.disk ?? 0), ...u16(end.disk ?? 0), ...u16(shownCount), ...u16(shownCount));
  out.push(...u32(end.zip64 ? 0xffffffff : directory.length));
  out.push(...u32(end.zip64 ? 0xffffffff : (end.directoryOffset ?? at)), ...u16(comment.length));
  push(out, comment);
  return Uint8Array.from(out);
}

function toBytes(text: string | Uint8Array): Uint8Array {
  return typeof text === "string" ? new TextEncoder().encode(text) : text;
}

function push(out: number[], bytes: Uint8Array): void {
  for (const byte of bytes) out.push(byte);
}

function u16(value: number): number[] {
  return [value & 255, (value >>> 8) & 255];
}

function u32(value: number): number[] {
  return [...u16(value & 0xffff), ...u16(value >>> 16)];
}

function u64(value: number): number[] {
  return [...u32(value >>> 0), ...u32(Math.floor(value / 2 ** 32))];
}
