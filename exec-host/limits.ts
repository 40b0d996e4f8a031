// Every limit of the exec host. docs/EXEC-HOST.md lists the same values; a test compares. Bytes, milliseconds, counts.

export const LIMITS = {
  /** A request body: a file of the largest size in base64, and its fields. */
  bodyBytes: 12 << 20,
  /** A file that is written at once. */
  writeBytes: 8 << 20,
  /** A piece of a file that is read at once. */
  readBytes: 1 << 20,
  /** Linux takes one argument of at most 128 KiB, with its end and what we add to it. */
  commandBytes: 120 << 10,
  stdinBytes: 8 << 20,
  opChars: 200,
  pathBytes: 4_096,
  /** Folders and links that one path may pass through. */
  pathParts: 256,
  pathLinks: 40,
  /** Commands that run at once, and how many of them in the background. */
  running: 32,
  runningInBackground: 16,
  /** Ended commands whose output is kept; of older ones only how they ended. */
  keptOutputs: 128,
  /** Operations remembered. More are refused until the host is started again, because forgetting one could run it twice. */
  ops: 200_000,
  timeoutMs: 180_000,
  maxTimeoutMs: 600_000,
  backgroundTimeoutMs: 24 * 60 * 60_000,
  /** Between SIGTERM and SIGKILL. */
  graceMs: 2_000,
  /** How long a request may wait for a command. */
  waitMs: 30_000,
  /** Kept of each stream of a command: its beginning, and its end. */
  headBytes: 64 << 10,
  tailBytes: 192 << 10,
  backgroundTailBytes: 960 << 10,
  /** A piece of output that is read at once. */
  outputBytes: 256 << 10,
  listEntries: 1_000,
  /** Entries of a folder that are looked at. */
  scannedEntries: 10_000,
  listedCommands: 100,
  patternChars: 1_000,
  searchLines: 1_000,
  searchLineChars: 1_000,
  searchedFileBytes: 2 << 20,
  searchMs: 5_000,
  searches: 2,
  connections: 256,
} as const;
