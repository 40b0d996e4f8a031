// What the exec host answers, as docs/EXEC-HOST.md describes it. Read by the client in core/tools/host/. Loose: only the fields that
// are read.
import * as z from "zod";

/** The kept parts of a stream; `tail` is "" when `head` is everything. */
const Stream = z.object({ bytes: z.int(), head: z.string(), tail: z.string() });
export type ExecStream = z.infer<typeof Stream>;

const CommandFacts = z.object({
  op: z.string(),
  state: z.enum(["running", "ended"]),
  background: z.boolean(),
  /** The first thousand characters. */
  command: z.string(),
  /** Milliseconds since 1970, by the host's clock. */
  startedAt: z.int(),
  durationMs: z.int(),
  exitCode: z.int().nullable(),
  signal: z.string().nullable(),
  reason: z.enum(["exited", "signalled", "timed_out", "killed"]).nullable(),
  leftovers: z.int(),
});
export const ExecCommandState = CommandFacts.extend({
  stdout: Stream,
  stderr: Stream,
  /** The text of the output is gone. */
  dropped: z.boolean(),
});
export type ExecCommandState = z.infer<typeof ExecCommandState>;

export const ExecCommandList = z.object({ commands: z.array(CommandFacts.extend({ stdoutBytes: z.int() })) });
export type ExecCommandList = z.infer<typeof ExecCommandList>;

export const ExecOutput = z.object({
  from: z.int(),
  next: z.int(),
  bytes: z.int(),
  text: z.string(),
  state: z.enum(["running", "ended"]),
});
export type ExecOutput = z.infer<typeof ExecOutput>;

export const ExecPiece = z.object({
  path: z.string(),
  size: z.int().min(0),
  length: z.int().min(0),
  base64: z.base64(),
});
export const ExecEntries = z.object({
  path: z.string(),
  entries: z.array(z.object({ name: z.string(), kind: z.enum(["file", "folder", "link", "other"]) })),
});
export type ExecEntries = z.infer<typeof ExecEntries>;

export const ExecWritten = z.object({ path: z.string(), size: z.int(), created: z.boolean() });
export type ExecWritten = z.infer<typeof ExecWritten>;

export const ExecFound = z.object({
  lines: z.array(z.string()),
  truncated: z.boolean(),
  skipped: z.array(z.string()),
});
export type ExecFound = z.infer<typeof ExecFound>;

export const ExecProblem = z.object({ code: z.string(), message: z.string() });
