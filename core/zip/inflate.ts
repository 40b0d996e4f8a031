// Unpacks deflate and gzip in small steps, so that a decompression bomb is detected after a few megabytes. Used by the
// archive readers. Pure. Invalid data gives an outcome, never a throw.
import { Gunzip, Inflate } from "fflate";
import { crc32 } from "./crc32.ts";

/** One byte of deflate gives at most 1,032, so a step gives at most four megabytes. */
const STEP_BYTES = 4_096;

/**
 * Largest gzip header. While a header does not end, the library stays silent and re-reads all of it at each step. Real
 * headers contain a name.
 */
const MAX_HEADER_BYTES = 64 << 10;

/**
 * Maximum number of members in a gzip file. The library builds tables for each, and the smallest has 20 bytes. Tools that write many
 * members put 64 KB in each.
 */
const MAX_MEMBERS = 500;

export type UnpackResult = { outcome: "done"; bytes: Uint8Array } | { outcome: "too_large" } | { outcome: "broken" };

/** Unpacks raw deflate. `too_large`: the result has more than `maxBytes`. */
export function inflate(data: Uint8Array, maxBytes: number): UnpackResult {
  return unpack(new Inflate(), data, maxBytes);
}

/** Unpacks all members of a gzip file, at most 500, and verifies each checksum, which the library does not. */
export function gunzip(data: Uint8Array, maxBytes: number): UnpackResult {
  const stream = new Gunzip();
  const ends: number[] = [];
  stream.onmember = (start) => {
    ends.push(start);
    if (ends.length >= MAX_MEMBERS) throw new Error("too many members");
  };
  const unpacked = unpack(stream, data, maxBytes);
  if (unpacked.outcome !== "done") return unpacked;
  return isWhole(data, [...ends, data.length], unpacked.bytes) ? unpacked : { outcome: "broken" };
}

/** Size of a member's header and trailer. */
const MEMBER_BYTES = 18;

/** Each member ends with the CRC-32 and the length of its data. */
function isWhole(data: Uint8Array, ends: number[], bytes: Uint8Array): boolean {
  const view = new DataView(data.buffer, data.byteOffset, data.length);
  let at = 0;
  for (const end of ends) {
    if (end < MEMBER_BYTES) return false;
    const size = view.getUint32(end - 4, true);
    if (crc32(bytes.subarray(at, at + size)) !== view.getUint32(end - 8, true)) return false;
    at += size;
  }
  return at === bytes.length;
}

function unpack(stream: Inflate | Gunzip, data: Uint8Array, maxBytes: number): UnpackResult {
  const chunks: Uint8Array[] = [];
  let length = 0;
  let silentBytes = 0;
  stream.ondata = (chunk) => {
    silentBytes = 0;
    length += chunk.length;
    if (length > maxBytes) throw TOO_LARGE;
    if (chunk.length > 0) chunks.push(chunk);
  };
  try {
    // The final push is empty, because after a piece marked as final the library looks for no further gzip member.
    for (let at = 0; at < data.length; at += STEP_BYTES) {
      silentBytes += STEP_BYTES;
      stream.push(data.subarray(at, at + STEP_BYTES));
      if (silentBytes > MAX_HEADER_BYTES) return { outcome: "broken" };
    }
    stream.push(new Uint8Array(0), true);
  } catch (thrown) {
    // Either our own error, or the library's for invalid data.
    return { outcome: thrown === TOO_LARGE ? "too_large" : "broken" };
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return { outcome: "done", bytes };
}

const TOO_LARGE = new Error("larger than allowed");
