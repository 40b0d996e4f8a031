// The port of an exec host, as the tools of this folder use it. exec-client.ts implements it over HTTP. Types only.
import type { Result } from "../../errors.ts";
import type {
  ExecCommandList,
  ExecCommandState,
  ExecEntries,
  ExecFound,
  ExecOutput,
  ExecWritten,
} from "../../schemas/exec.ts";

/** What happens at most once, whatever is repeated. `attach`: only ask what became of it. */
export interface ExecOperation {
  op: string;
  attach: boolean;
}

/**
 * An exec host (docs/EXEC-HOST.md): commands and files below one folder of a real machine. Failures: the host's own codes, such as
 * `op_unknown`, `command_unknown`, `file_not_found`, `outside_folder`; and `host_unreachable`, `host_failed`, `host_garbled`,
 * `host_locked`, after which it is unknown whether the request took effect.
 */
export interface ExecHost {
  /** Starts a command, and waits at most `waitMs` for its end. */
  start(
    request: ExecOperation & {
      command: string;
      folder?: string;
      stdin?: string;
      timeoutMs?: number;
      background: boolean;
      waitMs: number;
    },
    signal: AbortSignal,
  ): Promise<Result<ExecCommandState>>;
  /** Waits at most `waitMs` for the end of a command. */
  command(op: string, waitMs: number, signal: AbortSignal): Promise<Result<ExecCommandState>>;
  /** A piece of the standard output from byte `from` on. Waits at most `waitMs` for one. */
  output(
    op: string,
    asked: { from: number; limit: number; waitMs: number },
    signal: AbortSignal,
  ): Promise<Result<ExecOutput>>;
  /** Writes to the standard input of the command `to`. */
  write(
    to: string,
    request: ExecOperation & { data: string; end: boolean },
    signal: AbortSignal,
  ): Promise<Result<ExecCommandState>>;
  kill(op: string, signal: AbortSignal): Promise<Result<ExecCommandState>>;
  /** Commands whose op begins with `prefix`, newest first. */
  commands(prefix: string, signal: AbortSignal): Promise<Result<ExecCommandList>>;
  /** A whole file of at most `maxBytes`. `bytes` is `null` for a larger one. */
  readFile(
    path: string,
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<Result<{ path: string; size: number; bytes: Uint8Array | null }>>;
  listFolder(path: string, signal: AbortSignal): Promise<Result<ExecEntries>>;
  /** `paths`: a regular expression for the paths to search; `null`: all. */
  search(
    request: {
      pattern: string;
      ignoreCase: boolean;
      path: string;
      paths: string | null;
      mode: "content" | "names";
      limit: number;
    },
    signal: AbortSignal,
  ): Promise<Result<ExecFound>>;
  /** `expect`: SHA-256 of the content that was read; `null`: there must be no file; absent: whatever is there. */
  writeFile(
    request: ExecOperation & { path: string; bytes: Uint8Array; append: boolean; expect?: string | null },
    signal: AbortSignal,
  ): Promise<Result<ExecWritten>>;
}
