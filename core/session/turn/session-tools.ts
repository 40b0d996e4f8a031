// The tools of a session: makes all that its host has ports for, and takes away what the operator, the profile, the session and its
// policies leave out. Called for each turn, and by whatever shows or fingerprints the tools.
import type { Model, Tool } from "../../agent/contract.ts";
import { withResultLimits } from "../../agent/small-window.ts";
import { deferTools } from "../../mcp/bridges.ts";
import { isMcpTool } from "../../mcp/mcp-tools.ts";
import { freeTools } from "../../memory/provider.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { Scene } from "../../skills/format/conditions.ts";
import { createLibrary } from "../../skills/library.ts";
import { toImageTools } from "../images/image-tools.ts";
import { createBoardDesk } from "../board/board-desk.ts";
import { createDelegation } from "../delegation/delegate.ts";
import { findProvider } from "../memory/provider-calls.ts";
import { createTools } from "../../tools/index.ts";
import { applyPolicies } from "../../tools/policies.ts";
import { type ToolRules, selectTools, sortTools } from "../../tools/toolsets.ts";
import { createClientDesk } from "../client/client-calls.ts";
import { currentClient } from "../client/client-rows.ts";
import { CLIENT_TOOLSET, createClientTools } from "../../tools/client/client-tools.ts";
import { createClarifyDesk } from "../approvals/clarifying.ts";
import { currentChoice, turnModels } from "../choice/choice.ts";
import { createFileChanges } from "../approvals/file-changes.ts";
import { isUnattended } from "../approvals/unattended.ts";
import { findOutOfView } from "../compaction/out-of-view.ts";
import type { EngineContext } from "../context.ts";
import { createCronjobDesk } from "./profile-jobs.ts";
import { isHeldOut } from "../prompt/held-out.ts";
import { createTurnMcpTools } from "../prompt/mcp-servers.ts";
import { profileSettings } from "../prompt/profile-settings.ts";
import { type OfferedTools, readScene, describeOfferedTools } from "../prompt/scene.ts";
import { createTodoList } from "../prompt/todos.ts";

/** A turn whose request begins with this command saves skills in the person's name. */
const LEARN_COMMAND = /^\/learn(?:\s|$)/;

/** The tools of a turn with this request. */
export function sessionTools(
  context: EngineContext,
  request: string,
  model: Pick<Model, "contextWindow"> = { contextWindow: Infinity },
): Tool[] {
  // Some tools read the list of offered tools when they run. It is filled in below, once all tools exist.
  const offered: OfferedTools = { names: [], prints: {} };
  const settings = withResultLimits(context.host.settings, () => model.contextWindow);
  const made = makeTools(context, request, { scene: readScene(context, offered), settings, offered });
  const ours = selectTools(made, readToolRules(context));
  const all = withClientTools(context, ours);
  const kept = applyPolicies(all, profileSettings(context).sections.policies);
  const tools = sortTools(deferTools(kept, isOurMcpTool, () => turnWindow(context)));
  Object.assign(offered, describeOfferedTools(tools));
  return tools;
}

/**
 * With those of the client whose message the running turn answers. Names were compared before the turn's first model call; a tool of ours
 * that came since gives way, because the turn keeps what it began with.
 */
function withClientTools(context: EngineContext, ours: Tool[]): Tool[] {
  const given = currentClient(context.log);
  if (!given?.tools || given.toolChoice === "none") return ours;
  const tools = createClientTools(given.tools, createClientDesk(context));
  const names = new Set(tools.map(({ name }) => name));
  return [...ours.filter(({ name }) => !names.has(name)), ...tools];
}

/** The names that a client's tool may not have: those of the session's own tools, and of the bridges to some of them. */
export function offeredNames(context: EngineContext): ReadonlySet<string> {
  const { made, rules } = listMadeTools(context);
  const ours = selectTools(made, rules);
  const shown = deferTools(ours, isMcpTool, () => turnWindow(context));
  return new Set([...ours, ...shown].map(({ name }) => name));
}

function isOurMcpTool(tool: Tool): boolean {
  return isMcpTool(tool) && tool.toolset !== CLIENT_TOOLSET;
}

/** The window that foreign tools get their share of. The same for all that ask for the session's tools. */
function turnWindow(context: EngineContext): number {
  const models = turnModels(context);
  return models.ok ? models.value[0].contextWindow : Infinity;
}

/** All tools of the session before any is taken away, and who takes which. Nothing can be called with them. */
export function listMadeTools(context: EngineContext): { made: Tool[]; rules: ToolRules } {
  const offered: OfferedTools = { names: [], prints: {} };
  const { settings } = context.host;
  const made = makeTools(context, "", { scene: readScene(context, offered), settings, offered });
  return { made, rules: readToolRules(context) };
}

/** Who may take tools away from the session, and what each has taken. */
function readToolRules(context: EngineContext): ToolRules {
  const { kind = "chat", tools, depth = 0 } = context.meta();
  const { tools: chosen } = currentChoice(context);
  const { all } = profileSettings(context).sections.tools;
  return {
    role: kind,
    mayDelegate: depth < context.host.settings.delegation.maxDepth,
    operator: context.host.settings.tools,
    ...(all && { profile: all }),
    ...(tools && { session: tools }),
    ...(chosen && { chosen }),
  };
}

function makeTools(
  context: EngineContext,
  request: string,
  { scene, settings, offered }: { scene: Scene; settings: Settings; offered: OfferedTools },
): Tool[] {
  const { host, workspace } = context;
  const learning = context.meta().learning === "on";
  const learned = learning && !isHeldOut(host);
  const { kind, depth = 0 } = context.meta();
  const boards = createBoardDesk(context);
  const builtIn = createTools({
    workspace,
    // Nobody reads what a delegated session asks for.
    ...(kind === "delegated" ? {} : { approvals: createFileChanges(context) }),
    ...(context.meta().backend === "host" && { machine: host.exec ? { exec: host.exec } : null }),
    library: createLibrary({ store: learned ? host.skills : null, seeds: host.seeds, scene }),
    skills: learned ? host.skills : null,
    ...(learned && host.search && { search: host.search }),
    ...(host.runChecks && { runChecks: host.runChecks }),
    ...(host.sandbox && { sandbox: host.sandbox }),
    alternatives: { isOffered: (name) => offered.names.includes(name), hasMachine: Boolean(host.exec) },
    ...(scene.fingerprints && { fingerprints: scene.fingerprints }),
    ...(host.pending && { pending: host.pending }),
    taint: context.taint,
    todos: createTodoList(context),
    ...(!isUnattended(context) && { clarify: createClarifyDesk(context) }),
    ...(host.children && depth < settings.delegation.maxDepth && { delegation: createDelegation(context) }),
    cronjob: createCronjobDesk(context),
    ...(boards && { board: boards }),
    // Whether or not the session learns: it reads what was said, and nothing that was learned from it.
    ...(host.messages &&
      host.sessions && {
        recall: { index: host.messages, sessions: host.sessions, outOfView: () => findOutOfView(context.log) },
      }),
    ...(host.web && { web: host.web }),
    ...toImageTools(context),
    memory: learning ? host.memory(context.overlay) : null,
    origin: LEARN_COMMAND.test(request.trim()) ? "user" : "foreground",
    session: host.session,
    clock: host.clock,
    settings,
  });
  const own = [...builtIn, ...(host.moreTools ?? [])];
  const others = [...own, ...createTurnMcpTools(context, own)];
  const provider = findProvider(context);
  if (!provider) return others;
  const names = others.map((tool) => tool.name);
  const { tools, refused } = freeTools(provider, names);
  for (const name of refused) host.report("memory provider", `its tool '${name}' is left out: the name is taken`);
  return [...others, ...tools];
}
