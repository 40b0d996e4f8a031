// The tools of a session that works on a real machine, in the order that the model sees them. They replace those of the workspace.
// Called by the registry of tools.
import type { Tool } from "../../agent/contract.ts";
import { createHostReadFile, createHostSearchFiles, createHostWriteFile } from "./host-files.ts";
import { createHostPatch } from "./host-patch.ts";
import type { HostToolOptions } from "./host-tool-options.ts";
import { createHostTerminal } from "./host-terminal.ts";
import { createProcess } from "./process.ts";

export function createHostTools(options: HostToolOptions): Tool[] {
  return [
    createHostReadFile(options),
    createHostWriteFile(options),
    createHostPatch(options),
    createHostSearchFiles(options),
    createHostTerminal(options),
    createProcess(options),
  ];
}
