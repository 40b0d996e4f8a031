// Reads a zip by its central directory, as unpackers do, and refuses archives that unpackers read differently:
// contradicting headers, overlapping entries, extra bytes before or after. Unpacks no more than allowed. Called by the imports of
// skills and of workspaces, each with its rules. Pure.
import { type Result, ok } from "../errors.ts";
import { crc32 } from "./crc32.ts";
import { inflate } from "./inflate.ts";
import { quotePath } from "./quote-path.ts";
import { decodeName } from "./zip-names.ts";

export type ArchiveReason =
  | "not_an_archive"
  | "truncated"
  | "inconsistent"
  | "checksum"
  | "encrypted"
  | "compression"
  | "link"
  | "special_file"
  | "split"
  | "encoding";

/** What an archive may hold, and the words in which it is refused. */
export interface ZipRules {
  maxEntries: number;
  /** Of all entries together, unpacked. */
  maxBytes: number;
  /** Highest compression ratio, checked from `ratioFromBytes` on. */
  ratio: number;
  ratioFromBytes: number;
  /** Symbolic links are refused without it. */
  allowsLinks: boolean;
  bad(reason: ArchiveReason, sentence: string): Result<never>;
  tooManyEntries(count: number): Result<never>;
  tooLarge(): Result<never>;
  ratioTooHigh(): Result<never>;
}

export interface ZipEntry {
  /** The name in the archive, unchecked. A folder's ends with a slash. */
  path: string;
  kind: "file" | "folder" | "link";
  /** The nine permission bits; `null` where the archive has none. */
  mode: number | null;
  /** Milliseconds since 1970; `null` where the archive has none. */
  mtime: number | null;
  /** Made where a backslash is a character like others. */
  isFromUnix: boolean;
  /** Bytes when unpacked. */
  size: number;
  /** Unpacks the entry. Failure: `bad_archive`. */
  read(): Result<Uint8Array>;
}

/**
 * The entries in the archive's order. Nothing is unpacked yet. Failures: those that the rules make.
 */
export function openZip(zip: Uint8Array, rules: ZipRules): Result<ZipEntry[]> {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.length);
  const directory = readEnd(view, rules);
  if (!directory.ok) return directory;
  const listed = readDirectory(zip, view, directory.value, rules);
  if (!listed.ok) return listed;
  const total = listed.value.reduce((sum, entry) => sum + entry.size, 0);
  if (total > rules.maxBytes) return rules.tooLarge();
  if (total > rules.ratioFromBytes && total > rules.ratio * zip.length) return rules.ratioTooHigh();
  const placed = locateData(view, listed.value, directory.value.offset, rules);
  if (!placed.ok) return placed;
  return ok(
    placed.value.map(({ entry, from }) => {
      const { path, kind, mode, mtime, isFromUnix, size } = entry;
      const read = () => readEntry(entry, zip.subarray(from, from + entry.packedSize), rules);
      return { path, kind, mode, mtime, isFromUnix, size, read };
    }),
  );
}

const END_RECORD = 0x06054b50;
const END64_RECORD = 0x06064b50;
const END64_LOCATOR = 0x07064b50;
const CENTRAL_HEADER = 0x02014b50;
const LOCAL_HEADER = 0x04034b50;
const MAX_COMMENT = 0xffff;
const END_BYTES = 22;

interface DirectoryLocation {
  entries: number;
  offset: number;
  size: number;
}

/** The last end record whose comment reaches exactly to the end of the file. */
function readEnd(view: DataView, rules: ZipRules): Result<DirectoryLocation> {
  const length = view.byteLength;
  for (let at = length - END_BYTES; at >= Math.max(0, length - END_BYTES - MAX_COMMENT); at--) {
    if (view.getUint32(at, true) !== END_RECORD || at + END_BYTES + view.getUint16(at + 20, true) !== length) continue;
    return readEndAt(view, at, rules);
  }
  return rules.bad("not_an_archive", "The zip is incomplete: its list of files, at the end, is missing.");
}

function readEndAt(view: DataView, at: number, rules: ZipRules): Result<DirectoryLocation> {
  const [disk, firstDisk, onDisk, entries] = [4, 6, 8, 10].map((offset) => view.getUint16(at + offset, true));
  const plain = { entries: entries!, size: view.getUint32(at + 12, true), offset: view.getUint32(at + 16, true) };
  if (disk !== 0 || firstDisk !== 0 || onDisk !== entries) {
    return rules.bad("split", "The archive is one part of several.");
  }
  const is64 = at >= 20 && view.getUint32(at - 20, true) === END64_LOCATOR;
  const directory = is64 ? readEnd64(view, at - 20) : { ...plain, end: at };
  if (!directory) return rules.bad("inconsistent", "The archive's long list of files (zip64) is damaged.");
  if (directory.entries > rules.maxEntries) return rules.tooManyEntries(directory.entries);
  if (directory.offset + directory.size !== directory.end) {
    return rules.bad(
      "inconsistent",
      "The archive's list of files is not where it says, or other bytes come before it.",
    );
  }
  return ok(directory);
}

/** Values that do not fit in 32 bits are in a separate record. */
function readEnd64(view: DataView, locator: number): (DirectoryLocation & { end: number }) | null {
  const end = toSafeInteger(view.getBigUint64(locator + 8, true));
  if (end === null || end + 56 > locator || view.getUint32(end, true) !== END64_RECORD) return null;
  const [entries, size, offset] = [32, 40, 48].map((at) => toSafeInteger(view.getBigUint64(end + at, true)));
  return entries == null || size == null || offset == null ? null : { entries, size, offset, end };
}

function toSafeInteger(value: bigint): number | null {
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : null;
}

interface ListedEntry extends Omit<ZipEntry, "read"> {
  method: number;
  crc: number;
  packedSize: number;
  /** Offset of its local header. */
  offset: number;
  nameBytes: Uint8Array;
}

function readDirectory(
  zip: Uint8Array,
  view: DataView,
  { entries, offset, size }: DirectoryLocation,
  rules: ZipRules,
): Result<ListedEntry[]> {
  const list: ListedEntry[] = [];
  const end = offset + size;
  let at = offset;
  for (let n = 0; n < entries; n++) {
    if (at + 46 > end || view.getUint32(at, true) !== CENTRAL_HEADER) return damagedList(rules);
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((field) => view.getUint16(at + field, true));
    const next = at + 46 + nameLength! + extraLength! + commentLength!;
    if (next > end) return damagedList(rules);
    const nameBytes = zip.subarray(at + 46, at + 46 + nameLength!);
    const extra = zip.subarray(at + 46 + nameLength!, at + 46 + nameLength! + extraLength!);
    const entry = readHeader({ view, at, nameBytes, extra }, rules);
    if (!entry.ok) return entry;
    list.push(entry.value);
    at = next;
  }
  return at === end ? ok(list) : damagedList(rules);
}

function damagedList(rules: ZipRules) {
  return rules.bad("inconsistent", "The archive's list of files is damaged.");
}

const ENCRYPTED = 0x1 | 0x40 | 0x2000;
const UTF8_NAME = 0x800;
const UNICODE_PATH = 0x7075;
const ZIP64 = 0x0001;

function readHeader(
  { view, at, nameBytes, extra }: { view: DataView; at: number; nameBytes: Uint8Array; extra: Uint8Array },
  rules: ZipRules,
): Result<ListedEntry> {
  const flags = view.getUint16(at + 8, true);
  const method = view.getUint16(at + 10, true);
  const path = decodeName(nameBytes, (flags & UTF8_NAME) !== 0, findExtra(extra, UNICODE_PATH));
  if (path === null) return rules.bad("encoding", "A name in the archive is marked as UTF-8 and is not.");
  const shown = quotePath(path);
  if ((flags & ENCRYPTED) !== 0 || method === 99) return rules.bad("encrypted", `${shown} is encrypted.`);
  if (method !== 0 && method !== 8) {
    return rules.bad("compression", `${shown} uses an unsupported compression method (${method}).`);
  }
  const sizes = readSizes(view, at, findExtra(extra, ZIP64));
  if (!sizes) return rules.bad("inconsistent", `The long sizes (zip64) of ${shown} are damaged.`);
  const attributes = view.getUint32(at + 38, true);
  const type = attributes >>> 28;
  const isFolder = path.endsWith("/");
  if (type === LINK && !rules.allowsLinks) {
    return rules.bad("link", `${shown} is a link, which may not be in it.`);
  }
  const isLink = type === LINK;
  if (![0, 4, 8, LINK].includes(type) || (type === 4 && !isFolder) || (isLink && isFolder)) {
    return rules.bad("special_file", `${shown} is not a plain file.`);
  }
  if (isFolder && sizes.size > 0)
    return rules.bad("inconsistent", `The folder ${shown} has data, which only a file may have.`);
  const kind = isFolder ? "folder" : isLink ? "link" : "file";
  // Only archives made on Unix have a type and permission bits.
  const mode = type === 0 ? null : (attributes >>> 16) & 0o777;
  const mtime = readTime(view, at, findExtra(extra, EXTENDED_TIME));
  const isFromUnix = view.getUint8(at + 5) === 3;
  return ok({ path, kind, mode, mtime, isFromUnix, method, crc: view.getUint32(at + 16, true), ...sizes, nameBytes });
}

const LINK = 0xa;
const EXTENDED_TIME = 0x5455;

/** The extended timestamp in seconds, else the date of the format, read as UTC. */
function readTime(view: DataView, at: number, extended: Uint8Array | null): number | null {
  if (extended && extended.length >= 5 && (extended[0]! & 1) !== 0) {
    return new DataView(extended.buffer, extended.byteOffset, extended.length).getInt32(1, true) * 1_000;
  }
  const [time, date] = [view.getUint16(at + 12, true), view.getUint16(at + 14, true)];
  const [year, month, day] = [1980 + (date >>> 9), (date >>> 5) & 15, date & 31];
  if (month < 1 || month > 12 || day < 1) return null;
  return Date.UTC(year, month - 1, day, time >>> 11, (time >>> 5) & 63, (time & 31) * 2);
}

/** For each field that is all ones, the zip64 extra field has the value, in this order. */
function readSizes(view: DataView, at: number, zip64: Uint8Array | null) {
  const wide = zip64 && new DataView(zip64.buffer, zip64.byteOffset, zip64.length);
  let next = 0;
  const [size, packedSize, offset] = [24, 20, 42].map((field) => {
    const plain = view.getUint32(at + field, true);
    if (plain !== 0xffffffff) return plain;
    if (!wide || next + 8 > wide.byteLength) return null;
    next += 8;
    return toSafeInteger(wide.getBigUint64(next - 8, true));
  });
  return size == null || packedSize == null || offset == null ? null : { size, packedSize, offset };
}

function findExtra(extra: Uint8Array, wanted: number): Uint8Array | null {
  const view = new DataView(extra.buffer, extra.byteOffset, extra.length);
  for (let at = 0; at + 4 <= extra.length;) {
    const length = view.getUint16(at + 2, true);
    if (at + 4 + length > extra.length) return null;
    if (view.getUint16(at, true) === wanted) return extra.subarray(at + 4, at + 4 + length);
    at += 4 + length;
  }
  return null;
}

/** Finds the data of each entry. `limit`: where the list of files begins. Overlapping entries are refused: they let a small archive hold a huge one. */
function locateData(
  view: DataView,
  entries: ListedEntry[],
  limit: number,
  rules: ZipRules,
): Result<{ entry: ListedEntry; from: number }[]> {
  const placed: { entry: ListedEntry; from: number }[] = [];
  for (const entry of entries) {
    const from = findData(view, entry, limit);
    if (from === null) {
      return rules.bad("inconsistent", `The archive contradicts itself about ${quotePath(entry.path)}, or is cut off.`);
    }
    placed.push({ entry, from });
  }
  const sorted = placed.toSorted((a, b) => a.entry.offset - b.entry.offset);
  if ((sorted[0]?.entry.offset ?? limit) > 0) {
    return rules.bad("inconsistent", "The archive begins with other bytes than those of its first entry.");
  }
  for (const [n, { entry }] of sorted.entries()) {
    const before = sorted[n - 1];
    if (before && before.from + before.entry.packedSize > entry.offset) {
      return rules.bad(
        "inconsistent",
        `${quotePath(before.entry.path)} and ${quotePath(entry.path)} share their bytes.`,
      );
    }
  }
  return ok(placed);
}

/**
 * The start of an entry's data; null when the entry's local header contradicts the directory. A local header may leave
 * out the sizes, which then follow the data.
 */
function findData(view: DataView, entry: ListedEntry, limit: number): number | null {
  const { offset: at, nameBytes } = entry;
  if (at + 30 > limit || view.getUint32(at, true) !== LOCAL_HEADER) return null;
  const [flags, method] = [6, 8].map((field) => view.getUint16(at + field, true));
  const nameLength = view.getUint16(at + 26, true);
  const from = at + 30 + nameLength + view.getUint16(at + 28, true);
  if (method !== entry.method || nameLength !== nameBytes.length || from + entry.packedSize > limit) return null;
  if ((flags! & ENCRYPTED) !== 0 || !agreesOnSizes(view, entry, flags!)) return null;
  return nameBytes.every((byte, n) => byte === view.getUint8(at + 30 + n)) ? from : null;
}

const SIZES_FOLLOW = 0x8;

function agreesOnSizes(view: DataView, { offset, crc, packedSize, size }: ListedEntry, flags: number): boolean {
  if ((flags & SIZES_FOLLOW) !== 0) return true;
  const written = [14, 18, 22].map((field) => view.getUint32(offset + field, true));
  return [crc, packedSize, size].every((value, n) => written[n] === value || (n > 0 && written[n] === 0xffffffff));
}

function readEntry(entry: ListedEntry, data: Uint8Array, rules: ZipRules): Result<Uint8Array> {
  const shown = quotePath(entry.path);
  const unpacked = entry.method === 8 ? inflate(data, entry.size) : { outcome: "done" as const, bytes: data };
  if (unpacked.outcome === "broken") return rules.bad("truncated", `${shown} is damaged or cut off.`);
  if (unpacked.outcome === "too_large" || unpacked.bytes.length !== entry.size) {
    return rules.bad("inconsistent", `${shown} is not as large as the archive says.`);
  }
  return crc32(unpacked.bytes) === entry.crc
    ? ok(unpacked.bytes)
    : rules.bad("checksum", `${shown} is damaged: its checksum is wrong.`);
}
