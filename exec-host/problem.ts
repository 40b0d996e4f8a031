// The failures of the exec host: each code with its HTTP status. Thrown anywhere below server.ts, which turns it into an answer.
// docs/EXEC-HOST.md lists the same codes; a test compares. Holds no stack and no address.

export const PROBLEMS = {
  request_malformed: 400,
  path_malformed: 400,
  pattern_malformed: 400,
  unauthorized: 401,
  host_refused: 403,
  origin_refused: 403,
  outside_folder: 403,
  denied: 403,
  route_unknown: 404,
  op_unknown: 404,
  command_unknown: 404,
  file_not_found: 404,
  method_not_allowed: 405,
  op_conflict: 409,
  command_ended: 409,
  stdin_closed: 409,
  not_a_file: 409,
  not_a_folder: 409,
  link_refused: 409,
  hard_linked: 409,
  file_changed: 409,
  body_too_large: 413,
  file_too_large: 413,
  search_limit: 422,
  too_many_commands: 429,
  stdin_full: 429,
  internal: 500,
  command_not_started: 503,
  host_full: 507,
  disk_full: 507,
} as const;
export type ProblemCode = keyof typeof PROBLEMS;

/** `message`: what happened, then what to do, in words for a model or a person. */
export class Problem extends Error {
  override name = "Problem";
  readonly code: ProblemCode;
  /** Facts that belong to the code, such as where a link leads. */
  readonly facts: Record<string, unknown>;
  constructor(code: ProblemCode, message: string, facts: Record<string, unknown> = {}) {
    super(message);
    this.code = code;
    this.facts = facts;
  }
}

/** A system error of a file operation as a Problem. Other errors are returned as they are. */
export function toFileProblem(error: unknown, path: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  const shown = path.slice(0, 300);
  switch (code) {
    case "ENOENT":
      return new Problem("file_not_found", `There is no '${shown}'.`);
    case "ENOTDIR":
      return new Problem("not_a_folder", `A part of '${shown}' is not a folder.`);
    case "EISDIR":
      return new Problem("not_a_file", `'${shown}' is a folder.`);
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return new Problem("denied", `The user of the exec host may not do this with '${shown}'.`);
    case "ENAMETOOLONG":
    case "EINVAL":
    case "EILSEQ":
      return new Problem("path_malformed", `'${shown}' cannot be the name of a file here.`);
    case "ELOOP":
      return new Problem("link_refused", `'${shown}' changed while it was opened. Try again.`);
    case "ENOSPC":
    case "EDQUOT":
      return new Problem("disk_full", `The disk is full: '${shown}' was not written.`);
    case "EFBIG":
      return new Problem("file_too_large", `'${shown}' is too large.`);
    default:
      return error;
  }
}
