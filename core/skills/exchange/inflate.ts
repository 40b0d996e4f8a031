// Unpacks deflate and gzip in small steps, so that a bomb is noticed after its first megabytes and not after its last. Used by
// the readers of archives. Pure; what is not deflate gives null, never a throw.
import { Gunzip, Inflate } from "fflate";

/** Deflate makes at most 1,032 bytes of one: a step gives four megabytes at the most. */
const STEP_BYTES = 4_096;

export type Unpacked = { outcome: "done"; bytes: Uint8Array } | { outcome: "too_large" } | { outcome: "broken" };

/** Raw deflate. `too_large`: there are more than `maxBytes`. */
export function inflate(data: Uint8Array, maxBytes: number): Unpacked {
  return unpack(new Inflate(), data, maxBytes);
}

/** All members of a gzip file. */
export function gunzip(data: Uint8Array, maxBytes: number): Unpacked {
  return unpack(new Gunzip(), data, maxBytes);
}

function unpack(stream: Inflate | Gunzip, data: Uint8Array, maxBytes: number): Unpacked {
  const chunks: Uint8Array[] = [];
  let length = 0;
  stream.ondata = (chunk) => {
    length += chunk.length;
    if (length > maxBytes) throw TOO_LARGE;
    if (chunk.length > 0) chunks.push(chunk);
  };
  try {
    for (let at = 0; at < data.length || at === 0; at += STEP_BYTES) {
      stream.push(data.subarray(at, at + STEP_BYTES), at + STEP_BYTES >= data.length);
    }
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
