// The tools that work on a session's files: reading, writing, patching, searching and the shell. Called by the registry of tools. They
// work on core/workspace/workspace.ts.
import type { Tool } from "../../agent/contract.ts";
import type { FileToolOptions } from "./file-tool-options.ts";
import { createPatch } from "./patch.ts";
import { createReadFile } from "./read-file.ts";
import { createSearchFiles } from "./search-files.ts";
import { createTerminal } from "../shell/terminal.ts";
import { createWriteFile } from "./write-file.ts";

/** In the order that the model sees them. Created for one turn: they share its budget of writes. */
export function createFileTools(given: Omit<FileToolOptions, "budget">): Tool[] {
  const options = { ...given, budget: given.workspace.beginTurn() };
  return [
    createReadFile(options),
    createWriteFile(options),
    createPatch(options),
    createSearchFiles(options),
    createTerminal(options),
  ];
}
