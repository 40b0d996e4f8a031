// The registry of a session's tools: which ones there are, in the order the model reads them. The review Worker offers
// its own, smaller set from the same factories.
import type { Tool } from "../agent/contract.ts";
import type { Clock, MemoryStore, PendingStore, SkillStore } from "../ports.ts";
import type { Settings } from "../schemas/settings.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { Library } from "../skills/library.ts";
import type { Writer } from "../skills/operations.ts";
import type { ChangeRequests } from "./file-tool-options.ts";
import { createFileTools } from "./files.ts";
import { type Approval, createAskingMemoryTool } from "./approval.ts";
import { type MemoryToolOptions, createMemoryTool } from "./memory.ts";
import { type SkillSearch, withinTime } from "./skill-search.ts";
import { createSkillTools } from "./skills.ts";

export interface SessionToolOptions {
  workspace: Workspace;
  approvals?: ChangeRequests;
  library: Library;
  /** `null`: skills can be read, not written. */
  skills: SkillStore | null;
  search?: SkillSearch;
  /** Absent where nobody can be asked. */
  pending?: PendingStore;
  /** `null`: no memory. */
  memory: MemoryStore | null;
  /** In whose name skills and facts are saved. */
  origin: Extract<Writer, "user" | "foreground">;
  session: string;
  clock: Clock;
  settings: Settings;
}

export function createTools(options: SessionToolOptions): Tool[] {
  const { workspace, approvals, library, skills, memory, origin, session, clock, settings } = options;
  const search = options.search && withinTime(options.search, clock);
  const approval = options.pending && { pending: options.pending, session, clock };
  return [
    ...createFileTools({ workspace, settings, approvals }),
    ...createSkillTools({
      library,
      store: skills,
      origin,
      settings,
      ...(search && { search }),
      ...(approval && { approval }),
    }),
    ...(memory ? [memoryTool({ store: memory, origin, session, clock, settings }, approval)] : []),
  ];
}

function memoryTool(options: MemoryToolOptions, approval: Approval | undefined): Tool {
  return approval ? createAskingMemoryTool(options, approval) : createMemoryTool(options);
}
