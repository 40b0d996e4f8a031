// Turns the errors of file operations into failures for the owner and the file tools. Used by workspace.ts and shell-files.ts.
import { type Result, err, ok } from "../errors.ts";
import { FileError } from "./file-node.ts";

/** Turns a FileError into a failure. All path problems share the code `bad_path`. */
export function attempt<T>(at: string | (() => string), work: () => T): Result<T> {
  try {
    return ok(work());
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const path = typeof at === "string" ? at : at();
    const message = `'${path}': ${error.what}.`;
    if (error.code === "EFBIG") return err("file_too_large", `${message} Make it smaller, or split it.`);
    if (error.code === "EPERM") return err("approval_needed", message);
    if (error.code === "ENOSPC") return err("workspace_full", message);
    if (error.code === "EDQUOT") return err("write_limit", `${message} Continue in another turn.`);
    return err("bad_path", `${message} Choose another path.`);
  }
}
