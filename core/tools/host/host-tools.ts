// The tools of a session that works on a real machine, in the order that the model sees them. They replace those of the workspace.
// Called by the registry of tools.
import type { Tool } from "../../agent/contract.ts";
import type { Clock } from "../../ports.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { ApprovalMode } from "../approval/command-gate.ts";
import type { ExecHost } from "./exec-host.ts";
import { createHostReadFile, createHostSearchFiles, createHostWriteFile } from "./host-files.ts";
import { createHostTerminal } from "./host-terminal.ts";
import { createProcess } from "./process.ts";

export interface HostToolOptions {
  exec: ExecHost;
  clock: Clock;
  settings: Settings;
  /** Its id begins the ops of its calls, so that a session sees its own processes only. */
  session: string;
  mode: ApprovalMode;
  /** Reads results that were too long for the conversation: they are in the workspace. */
  readSpilled: Tool;
}

export function createHostTools(options: HostToolOptions): Tool[] {
  return [
    createHostReadFile(options),
    createHostWriteFile(options),
    createHostSearchFiles(options),
    createHostTerminal(options),
    createProcess(options),
  ];
}
