// The registry of a session's tools, in the order that the model reads them. Called at the start of a turn. The review
// Worker builds its own, smaller set from the same factories.
import type { Tool } from "../agent/contract.ts";
import type { Clock, MemoryStore, PendingStore, SkillStore } from "../ports.ts";
import type { CodeSandbox } from "../sandbox/code-sandbox.ts";
import type { Settings } from "../schemas/settings.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { Library } from "../skills/library.ts";
import type { Writer } from "../skills/edit/operations.ts";
import type { RunChecks } from "../skills/checks.ts";
import type { ToolFingerprints } from "../skills/format/contract.ts";
import { type BoardDesk, createBoardTool } from "./board/board.ts";
import { type ClarifyDesk, createClarify } from "./asking/clarify.ts";
import { createExecuteCode } from "./code/execute-code.ts";
import { createCheckInspector } from "./skills/check-inspector.ts";
import { type Delegation, createDelegateTask } from "./delegation/delegate-task.ts";
import type { ChangeRequests } from "./files/file-tool-options.ts";
import { createFileTools } from "./files/files.ts";
import { createReadFile } from "./files/read-file.ts";
import type { HostToolOptions } from "./host/host-tool-options.ts";
import { createHostTools } from "./host/host-tools.ts";
import { type CronjobDesk, createCronjob } from "./jobs/cronjob.ts";
import { type ApprovalContext, createAskingMemoryTool } from "./approval/approval.ts";
import type { MemoryGate } from "./approval/hold.ts";
import { type MemoryToolOptions, createMemoryTool } from "./memory/memory.ts";
import { type SessionSearchOptions, createSessionSearch } from "./recall/session-search.ts";
import type { Alternatives } from "./shell/missing-commands.ts";
import type { SkillGate, SkillInspector } from "./skills/skill-manage.ts";
import { type SkillSearch, withinTime } from "./skills/skill-search.ts";
import { createSkillTools } from "./skills/skills.ts";
import { type ImageMaker, createImageGenerate } from "./vision/image-generate.ts";
import { type VisionOptions, createVisionAnalyze } from "./vision/vision-analyze.ts";
import { type TodoList, createTodo } from "./todo/todo.ts";
import { type WebPorts, createWebTools } from "./web/web.ts";

export interface SessionToolOptions {
  workspace: Workspace;
  approvals?: ChangeRequests;
  /** The session works on a real machine. `null`: on one that is not there, so it has no file tools. Absent: in the workspace. */
  machine?: Pick<HostToolOptions, "exec"> | null;
  library: Library;
  /** `null`: skills can be read, not written. */
  skills: SkillStore | null;
  search?: SkillSearch;
  /** Runs a skill's checks before a write of it is accepted. Absent: none runs. */
  runChecks?: RunChecks;
  /** Runs code that the model writes. Absent: it cannot. */
  sandbox?: CodeSandbox;
  /** What the shell names instead of a missing command. Its tools are known once all exist. Absent: nothing. */
  alternatives?: Alternatives;
  /** Fingerprints of all tools of the session, once these exist. */
  fingerprints?(): ToolFingerprints;
  /** Absent: no person can be asked. */
  pending?: PendingStore;
  /** Separates the agent's own words from what it has read. Absent: every write counts as its own. */
  taint?: {
    holdSkill: SkillGate;
    inspectArchive: SkillInspector;
    holdFacts: MemoryGate;
    isTainted(text: string): boolean;
  };
  /** Asks the person. Absent: nobody can be asked. */
  clarify?: ClarifyDesk;
  /** Absent: no todo list. */
  todos?: TodoList;
  /** Gives tasks to sessions of their own. Absent: it cannot. */
  delegation?: Delegation;
  /** Work by the clock. `null` or absent: there is none. */
  cronjob?: CronjobDesk | null;
  /** Works with the profile's boards. Absent: there are none for it. */
  board?: BoardDesk;
  /** Searches the profile's sessions. Absent: they cannot be searched. */
  recall?: Omit<SessionSearchOptions, "session" | "clock">;
  /** Absent: no tool reaches the web. */
  web?: WebPorts;
  /** Looks at images. Absent: no model sees. */
  vision?: Omit<VisionOptions, "workspace" | "settings">;
  /** Absent: no provider makes images. */
  imageMaker?: ImageMaker;
  /** `null`: no memory. */
  memory: MemoryStore | null;
  /** The origin of saved skills and facts. */
  origin: Extract<Writer, "user" | "foreground">;
  session: string;
  clock: Clock;
  settings: Settings;
}

export function createTools(options: SessionToolOptions): Tool[] {
  const { library, skills, memory, origin, session, clock, settings } = options;
  const search = options.search && withinTime(options.search, clock);
  const approval = options.pending && { pending: options.pending, session, clock };
  const { taint, todos, sandbox } = options;
  return [
    ...placeTools(options),
    ...(sandbox ? [createExecuteCode({ sandbox, clock, settings, hasFiles: options.machine !== null })] : []),
    ...(todos ? [createTodo(todos)] : []),
    ...(options.clarify ? [createClarify(options.clarify)] : []),
    ...(options.delegation ? [createDelegateTask(options.delegation, settings)] : []),
    ...(options.cronjob ? [createCronjob(options.cronjob)] : []),
    ...(options.board ? [createBoardTool(options.board, options.workspace)] : []),
    ...createSkillTools({
      library,
      store: skills,
      origin,
      settings,
      ...(search && { search }),
      ...(options.fingerprints && { fingerprints: options.fingerprints }),
      ...(taint && { gate: taint.holdSkill, inspectArchive: taint.inspectArchive }),
      ...(options.runChecks && { check: createCheckInspector(options.runChecks) }),
      ...(approval && { approval }),
    }),
    ...(memory
      ? [
          memoryTool(
            {
              store: memory,
              origin,
              session,
              clock,
              settings,
              source: "own",
              ...(taint && { gate: taint.holdFacts }),
            },
            approval,
          ),
        ]
      : []),
    ...(options.web ? createWebTools(options.web, { clock, settings, workspace: options.workspace }) : []),
    ...imageTools(options),
    ...(options.recall ? [createSessionSearch({ ...options.recall, session, clock })] : []),
  ];
}

/** Images are files of the workspace, also of a session that works on another machine. */
function imageTools({ vision, imageMaker, workspace, settings }: SessionToolOptions): Tool[] {
  return [
    ...(vision ? [createVisionAnalyze({ ...vision, workspace, settings })] : []),
    ...(imageMaker
      ? [createImageGenerate({ maker: imageMaker, workspace, settings, budget: workspace.beginTurn() })]
      : []),
  ];
}

/** The tools for files and commands, where the session works. */
function placeTools(options: SessionToolOptions): Tool[] {
  const { machine, workspace, approvals, taint, alternatives, session, clock, settings } = options;
  const isTainted = taint && { isTainted: taint.isTainted };
  const hints = alternatives && { alternatives };
  if (machine === undefined) return createFileTools({ workspace, settings, clock, approvals, ...hints, ...isTainted });
  if (machine === null) return [];
  return createHostTools({
    ...machine,
    session,
    clock,
    settings,
    readSpilled: createReadFile({ workspace, settings }),
  });
}

function memoryTool(options: MemoryToolOptions, approval: ApprovalContext | undefined): Tool {
  return approval ? createAskingMemoryTool(options, approval) : createMemoryTool(options);
}
