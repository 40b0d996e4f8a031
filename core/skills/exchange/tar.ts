// Reads and writes tar: the POSIX format with long names of pax and GNU. Files only; links and devices are refused.
// Used for `.tar.gz`. Pure.
import { type Result, ok } from "../../errors.ts";
import { badArchive, tooManyEntries } from "./archive-failure.ts";
import { IMPORT } from "./import-limits.ts";
import { quotePath } from "../../zip/quote-path.ts";

export type ArchiveEntries = [path: string, bytes: Uint8Array][];

const BLOCK = 512;

/** Failures: `bad_archive`, `too_many_files`. */
export function readTar(tar: Uint8Array): Result<ArchiveEntries> {
  const files: ArchiveEntries = [];
  /** What extension headers say about the next entry. */
  let next: Extension = {};
  let entries = 0;
  let at = 0;
  while (at + BLOCK <= tar.length) {
    const header = tar.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) return ok(files);
    const type = String.fromCharCode(header[156]!);
    const isExtension = type === "L" || type === "x" || type === "g";
    // As in GNU tar, a pax size replaces the header's, except for another extension header.
    const size = (isExtension ? undefined : next.size) ?? readNumber(header, 124, 12);
    if (size === null || !hasValidChecksum(header)) return damagedTar();
    const from = at + BLOCK;
    if (from + size > tar.length) return badArchive("truncated", "The archive is cut off.");
    entries += 1;
    if (entries > IMPORT.entries) return tooManyEntries(`more than ${IMPORT.entries}`);
    const data = tar.subarray(from, from + size);
    at = from + Math.ceil(size / BLOCK) * BLOCK;
    if (type === "L") {
      next = { ...next, path: readText(data) };
      continue;
    }
    if (type === "x" || type === "g") {
      const extension = readExtension(type, data);
      if (!extension.ok) return extension;
      next = { ...next, ...extension.value };
      continue;
    }
    const path = next.path ?? readName(header);
    next = {};
    if (type === "1" || type === "2")
      return badArchive("link", `${quotePath(path)} is a link, and a skill may not contain links.`);
    if (type === "5") continue;
    if (type !== "0" && type !== "\0" && type !== "7") {
      return badArchive("special_file", `${quotePath(path)} is not a plain file.`);
    }
    files.push([path.replace(/^(?:\.\/)+/, ""), data]);
  }
  return ok(files);
}

/** Equal files give equal bytes: no times, no owners. A file that begins with `#!` is executable. */
export function writeTar(files: [path: string, bytes: Uint8Array][]): Uint8Array {
  const blocks: Uint8Array[] = [];
  for (const [path, bytes] of files) {
    const name = utf8.encode(path);
    if (name.length > 100 || name.length !== path.length) {
      const pax = toPaxPath(path);
      blocks.push(toHeader(utf8.encode("pax"), pax.length, "x", 0o644), padToBlock(pax));
    }
    const mode = bytes[0] === 0x23 && bytes[1] === 0x21 ? 0o755 : 0o644;
    blocks.push(toHeader(name.subarray(0, 100), bytes.length, "0", mode), padToBlock(bytes));
  }
  blocks.push(new Uint8Array(2 * BLOCK));
  const tar = new Uint8Array(blocks.reduce((sum, block) => sum + block.length, 0));
  let at = 0;
  for (const block of blocks) {
    tar.set(block, at);
    at += block.length;
  }
  return tar;
}

const utf8 = new TextEncoder();

function readText(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end));
}

function readName(header: Uint8Array): string {
  const name = readText(header.subarray(0, 100));
  const isPosix = readText(header.subarray(257, 263)) === "ustar";
  const prefix = isPosix ? readText(header.subarray(345, 500)) : "";
  return prefix ? `${prefix}/${name}` : name;
}

/** Octal digits. Sizes in base 256 are larger than any allowed size. */
function readNumber(header: Uint8Array, at: number, length: number): number | null {
  const text = readText(header.subarray(at, at + length)).trim();
  return /^[0-7]{1,12}$/.test(text) ? Number.parseInt(text, 8) : null;
}

/** The sum of the header's bytes, with its own field read as blanks. */
function checksumOf(header: Uint8Array): number {
  return header.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 32 : byte), 0);
}

function hasValidChecksum(header: Uint8Array): boolean {
  return readNumber(header, 148, 8) === checksumOf(header);
}

interface Extension {
  path?: string;
  /** Bytes. */
  size?: number;
}

/**
 * Parses records `<length> <key>=<value>\n`, whose length includes itself. `null` when malformed. A later record of a
 * key wins.
 */
function readPax(data: Uint8Array): Map<string, string> | null {
  const records = new Map<string, string>();
  for (let at = 0; at < data.length;) {
    const blank = data.indexOf(32, at);
    const digits = blank < 0 || blank - at > 10 ? "" : readText(data.subarray(at, blank));
    const length = /^\d+$/.test(digits) ? Number(digits) : 0;
    if (length <= blank - at + 1 || at + length > data.length || data[at + length - 1] !== 10) return null;
    const record = new TextDecoder().decode(data.subarray(blank + 1, at + length - 1));
    const equals = record.indexOf("=");
    if (equals < 1) return null;
    records.set(record.slice(0, equals), record.slice(equals + 1));
    at += length;
  }
  return records;
}

/** Of a pax header: `x` is for the next entry, `g` for all later ones. */
function readExtension(type: "x" | "g", data: Uint8Array): Result<Extension> {
  const records = readPax(data);
  if (!records) return damagedTar();
  if ([...records.keys()].some((key) => key.startsWith("GNU.sparse"))) {
    return badArchive("special_file", "The archive contains a sparse file, which is not a plain file.");
  }
  if (type === "g") {
    // A global path or size: unpackers disagree about it, and packers of skills do not write it.
    const isAmbiguous = records.has("path") || records.has("size");
    return isAmbiguous ? badArchive("inconsistent", "The archive gives all its files one path or size.") : ok({});
  }
  const extension = toExtension(records);
  return extension ? ok(extension) : damagedTar();
}

/** An empty value does not override the header. */
function toExtension(records: Map<string, string>): Extension | null {
  const path = records.get("path");
  const size = records.get("size");
  if (size && !/^\d{1,15}$/.test(size)) return null;
  return { ...(path && { path }), ...(size && { size: Number(size) }) };
}

function damagedTar() {
  return badArchive("inconsistent", "The archive is not a tar, or is damaged.");
}

function toPaxPath(path: string): Uint8Array {
  const rest = ` path=${path}\n`;
  const bytes = utf8.encode(rest).length;
  let length = bytes + 1;
  while (bytes + String(length).length > length) length++;
  return utf8.encode(`${length}${rest}`);
}

function toHeader(name: Uint8Array, size: number, type: string, mode: number): Uint8Array {
  const header = new Uint8Array(BLOCK);
  const put = (text: string, at: number) => header.set(utf8.encode(text), at);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, "0")}\0`;
  header.set(name, 0);
  put(octal(mode, 7), 100);
  put(octal(0, 7), 108);
  put(octal(0, 7), 116);
  put(octal(size, 11), 124);
  put(octal(0, 11), 136);
  put(type, 156);
  put("ustar\x0000", 257);
  put(`${checksumOf(header).toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}

function padToBlock(bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.ceil(bytes.length / BLOCK) * BLOCK);
  padded.set(bytes);
  return padded;
}
