// The tools that work on a session's files: reading, writing, searching and the shell. The registry puts them before the
// model; core/workspace/workspace.ts is what they work on.
import type { Tool } from "../../agent/contract.ts";
import type { FileToolOptions } from "./file-tool-options.ts";
import { createReadFile } from "./read-file.ts";
import { createSearchFiles } from "./search-files.ts";
import { createTerminal } from "../shell/terminal.ts";
import { createWriteFile } from "./write-file.ts";

/** In the order the model sees them. Made for one turn, which they share a budget of writes in. */
export function createFileTools(given: Omit<FileToolOptions, "budget">): Tool[] {
  const options = { ...given, budget: given.workspace.beginTurn() };
  return [createReadFile(options), createWriteFile(options), createSearchFiles(options), createTerminal(options)];
}
