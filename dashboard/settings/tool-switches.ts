// Which tools the profile's owner has switched off, and what a switch changes. Pure.
import type { Answer } from "../data/api.ts";

export type ToolList = Answer<"GET /v1/tools">;
export type Tool = ToolList["tools"][number];
type Settings = ToolList["settings"];

const TOOLSET_NAMES: Record<string, string> = {
  files: "Files",
  shell: "Shell",
  code: "Code",
  web: "Web",
  browser: "Browser",
  vision: "Images",
  skills: "Skills",
  memory: "Memory",
  recall: "Search of sessions",
  todo: "To-do list",
  asking: "Questions",
  delegation: "Delegation",
  board: "Board",
  jobs: "Jobs",
};

export function nameToolset(toolset: string): string {
  return TOOLSET_NAMES[toolset] ?? toolset;
}

/** Toolsets in the order of their names, each with its tools. */
export function groupTools(tools: Tool[]): { toolset: string; tools: Tool[] }[] {
  return [...Map.groupBy(tools, ({ toolset }) => toolset)]
    .map(([toolset, of]) => ({ toolset, tools: of }))
    .toSorted((a, b) => nameToolset(a.toolset).localeCompare(nameToolset(b.toolset)));
}

/** `name`: of a tool or a toolset. */
export function isOff(name: string, { disabled = [] }: Settings): boolean {
  return disabled.includes(name);
}

/** The settings after the switch of a tool or a toolset. What else is set stays. */
export function switchTool(name: string, isOn: boolean, { only, disabled = [] }: Settings): Settings {
  const others = disabled.filter((other) => other !== name);
  const next = isOn ? others : [...others, name].toSorted();
  return { ...(only != null && { only }), ...(next.length > 0 && { disabled: next }) };
}
