// Limits on one import. They are higher than those for an agent's writes, because these are whole packages made by
// people. Operators cannot change them: each follows from the memory and calls of one Worker request.

export const IMPORT = {
  /**
   * Each file is a separate put, and a request may make 10,000 calls to bindings. Published packages have a few hundred
   * files.
   */
  files: 500,
  /** Includes folders and dropped files. A longer list is not read at all. */
  entries: 2_000,
  /** Unpacked size of all files. A skill and its copies must fit in 128 MB of memory. */
  bytes: 10 << 20,
  /** Size of the archive as received. The same limit applies to the unpacked files. */
  archiveBytes: 10 << 20,
  /** Size of a JSON request; base64 adds a third. */
  requestBytes: 14 << 20,
  /**
   * Highest compression ratio. Deflate reaches a thousand; human text stays below fifty. Checked from `ratioFromBytes`
   * on.
   */
  ratio: 200,
  ratioFromBytes: 1 << 20,
  pathChars: 240,
  /** File systems allow 255 bytes per name. */
  segmentBytes: 255,
} as const;
