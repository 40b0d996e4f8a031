// How much one import may bring. Higher than what an agent may write: these are whole packages that people made. Not for an
// operator to change: each follows from the memory and the calls that one request of a Worker has.

export const IMPORT = {
  /** Each is a put of its own; a request may make 10,000 calls to bindings. Published packages have a few hundred. */
  files: 500,
  /** Folders, and what is dropped, count here too: a list that is longer is not read at all. */
  entries: 2_000,
  /** Unpacked, all files. A skill is held in memory as a whole, with its copies, in 128 MB. */
  bytes: 10 << 20,
  /** Of an archive as it came; unpacked it may be no larger anyway. */
  archiveBytes: 10 << 20,
  /** What files in JSON may take: base64 adds a third. */
  requestBytes: 14 << 20,
  /** Deflate reaches a thousand; text that people write stays under fifty. Looked at from `ratioFromBytes` on. */
  ratio: 200,
  ratioFromBytes: 1 << 20,
  pathChars: 240,
  /** File systems take 255 bytes a name. */
  segmentBytes: 255,
} as const;
