// What the tools of a session on a real machine share. Types only.
import type { Tool } from "../../agent/contract.ts";
import type { Clock } from "../../ports.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { ExecHost } from "./exec-host.ts";

export interface HostToolOptions {
  exec: ExecHost;
  clock: Clock;
  settings: Settings;
  /** Its id begins the ops of its calls, so that a session sees its own processes only. */
  session: string;
  /** Reads results that were too long for the conversation: they are in the workspace. */
  readSpilled: Tool;
}
