// Unpacks deflate and gzip in small steps, so that a bomb is noticed after its first megabytes and not after its last. Used by
// the readers of archives. Pure; what is not deflate gives null, never a throw.
import { Gunzip, Inflate } from "fflate";
import { crc32 } from "./crc32.ts";

/** Deflate makes at most 1,032 bytes of one: a step gives four megabytes at the most. */
const STEP_BYTES = 4_096;

/** While a gzip header has no end, the library says nothing and reads all of it again with each step. Real ones hold a name. */
const MAX_HEADER_BYTES = 64 << 10;

/** The library makes tables of its own for each member, and the smallest has 20 bytes. Tools that write many put 64 KB in each. */
const MAX_MEMBERS = 500;

export type Unpacked = { outcome: "done"; bytes: Uint8Array } | { outcome: "too_large" } | { outcome: "broken" };

/** Raw deflate. `too_large`: there are more than `maxBytes`. */
export function inflate(data: Uint8Array, maxBytes: number): Unpacked {
  return unpack(new Inflate(), data, maxBytes);
}

/** All members of a gzip file, at most 500, each held against its checksum, which the library does not look at. */
export function gunzip(data: Uint8Array, maxBytes: number): Unpacked {
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

/** The least a member takes: its header and its trailer. */
const MEMBER_BYTES = 18;

/** Each member ends with the CRC-32 and the length of what it holds. */
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

function unpack(stream: Inflate | Gunzip, data: Uint8Array, maxBytes: number): Unpacked {
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
    // The last piece is an empty one: behind what is said to be the last, no further member of a gzip is looked for.
    for (let at = 0; at < data.length; at += STEP_BYTES) {
      silentBytes += STEP_BYTES;
      stream.push(data.subarray(at, at + STEP_BYTES));
      if (silentBytes > MAX_HEADER_BYTES) return { outcome: "broken" };
    }
    stream.push(new Uint8Array(0), true);
  } catch (thrown) {
    // Ours, or the library's that says what is wrong with the data.
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
