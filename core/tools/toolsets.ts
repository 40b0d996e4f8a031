// Which tools a session gets: every tool belongs to a toolset, and what the session is for, the operator, the profile's owner and
// the session's creator each may take some away. Called when a turn's tools are made, and by listings. Pure.
import type { Tool } from "../agent/contract.ts";
import type { ToolSettings } from "../schemas/profile/tools.ts";
import type { SessionKind } from "../schemas/sessions/session-kind.ts";

/** Tools by toolset. A tool that comes from outside says its toolset itself (`Tool.toolset`). */
export const TOOLSETS = {
  files: ["read_file", "write_file", "patch", "search_files"],
  shell: ["terminal", "process"],
  code: ["execute_code"],
  web: ["web_search", "web_extract"],
  browser: [
    "browser_navigate",
    "browser_snapshot",
    "browser_click",
    "browser_type",
    "browser_scroll",
    "browser_back",
    "browser_screenshot",
  ],
  vision: ["vision_analyze", "image_generate"],
  skills: ["skills_list", "skill_view", "skill_manage"],
  memory: ["memory"],
  recall: ["session_search"],
  todo: ["todo"],
  asking: ["clarify"],
  delegation: ["delegate_task"],
  board: ["board"],
  jobs: ["cronjob"],
} as const satisfies Record<string, readonly string[]>;

const TOOLSET_BY_TOOL: ReadonlyMap<string, string> = new Map(
  Object.entries(TOOLSETS).flatMap(([toolset, names]) => names.map((name): [string, string] => [name, toolset])),
);

/** The toolset of tools that neither the table nor the tool itself names. */
const OTHER = "other";

export function toolsetOf({ name, toolset }: Pick<Tool, "name" | "toolset">): string {
  return toolset ?? TOOLSET_BY_TOOL.get(name) ?? OTHER;
}

/**
 * Tools and toolsets, as in `ToolSettings`. From Hermes Agent, which gives a webhook `clarify` too. A webhook may read skills: its owner writes
 * how an event is to be handled as a skill. It has no memory, whose facts a hostile event could carry off with `web_extract`. A job has none for the
 * same reason, and writes no skills: it learns from how its work ends, not from its own text.
 */
const ROLE_SETTINGS: Record<SessionKind, ToolSettings> = {
  chat: {},
  delegated: { disabled: ["asking", "memory", "board", "jobs", "sending", "delegation"] },
  webhook: { only: ["web", "vision_analyze", "skills_list", "skill_view"] },
  card: { disabled: ["asking", "jobs"] },
  job: { disabled: ["asking", "jobs", "memory", "skill_manage"] },
};

export interface ToolRules {
  role: SessionKind;
  /** A delegated session that may delegate further. */
  mayDelegate?: boolean;
  operator?: ToolSettings;
  profile?: ToolSettings;
  session?: ToolSettings;
  /** What the person has chosen for the session since. */
  chosen?: ToolSettings;
}

/** Why the tool is not offered, as a sentence; `null` if it is. */
export function explainAbsence(tool: Pick<Tool, "name" | "toolset">, rules: ToolRules): string | null {
  const words = [tool.name, toolsetOf(tool)];
  const leaves = ({ only, disabled }: ToolSettings) =>
    (!only || words.some((word) => only.includes(word))) && !words.some((word) => disabled?.includes(word));
  const mayDelegate = rules.role === "delegated" && rules.mayDelegate === true && words.includes("delegation");
  if (!mayDelegate && !leaves(ROLE_SETTINGS[rules.role]))
    return `A session of the kind \`${rules.role}\` does not get it.`;
  if (!leaves(rules.operator ?? {})) return "The operator has switched it off (`tools`).";
  if (!leaves(rules.profile ?? {})) return "The profile has switched it off (PUT /v1/tools).";
  if (!leaves(rules.session ?? {})) return "It is switched off for this session.";
  if (!leaves(rules.chosen ?? {})) return "It was switched off for this session (PATCH /v1/sessions/{session}).";
  return null;
}

export function selectTools(tools: Tool[], rules: ToolRules): Tool[] {
  return sortTools(tools.filter((tool) => explainAbsence(tool, rules) === null));
}

/** Every name of a tool or toolset that settings may hold, but for those of MCP servers and memory providers. */
export const TOOL_WORDS: readonly string[] = [...Object.keys(TOOLSETS), ...TOOLSET_BY_TOOL.keys(), OTHER];

/** By name, so that the request's prefix is the same whatever order the tools were made in. */
export function sortTools(tools: Tool[]): Tool[] {
  return tools.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}
