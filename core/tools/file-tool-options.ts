// What every tool that works on files is made from.
import type { Settings } from "../schemas/settings.ts";
import type { Workspace } from "../workspace/workspace.ts";

export interface FileToolOptions {
  workspace: Workspace;
  settings: Settings;
}
