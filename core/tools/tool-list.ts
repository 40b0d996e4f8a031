// Which tools a session has, which it lacks, and why. Used by GET /v1/tools, for a session or for the deployment. Pure.
import type { Tool } from "../agent/contract.ts";
import type { ListedTool } from "../schemas/tool-list.ts";
import { TOOLSETS, type ToolRules, explainAbsence, toolsetOf } from "./toolsets.ts";

type Listed = Pick<Tool, "name" | "toolset">;

const NO_BROWSER = "The deployment has no browser: the operator adds the binding `BROWSER`.";
const NO_FILES = "The session works on an exec host that is not there.";
const NO_LEARNING = "The session does not learn (`learning: off`).";

/** Why a tool of the table was not made. A tool without a row is always made, or its session's kind rules it out. */
const WHY_NOT_MADE: Record<string, string> = {
  web_search: "No search service is set: the operator sets BRAVE_API_KEY, TAVILY_API_KEY, EXA_API_KEY or SEARXNG_URL.",
  vision_analyze: "No model is set that sees images (TALARIA_MODEL_VISION).",
  image_generate: "No key is set for the model that makes images (`images.model`).",
  process: "Only a session on an exec host has it (`backend: host`).",
  board: "The profile has no board: make one with PUT /v1/boards/main, or write `/board create TITLE`.",
  memory: NO_LEARNING,
  skill_manage: NO_LEARNING,
  ...Object.fromEntries([...TOOLSETS.files, "terminal"].map((name) => [name, NO_FILES])),
  ...Object.fromEntries(TOOLSETS.browser.map((name) => [name, NO_BROWSER])),
};

const NOT_HERE = "Such a session does not have it.";

/** `made`: the tools that exist for the session, before any is taken away. Sorted by name. */
export function listTools(made: readonly Listed[], rules: ToolRules): ListedTool[] {
  const existing = new Map(made.map((tool) => [tool.name, tool]));
  const names = new Set([...Object.values(TOOLSETS).flat(), ...existing.keys()]);
  return [...names].sort().map((name) => {
    const tool = existing.get(name) ?? { name };
    const toolset = toolsetOf(tool);
    const reason = explainAbsence(tool, rules) ?? (existing.has(name) ? null : (WHY_NOT_MADE[name] ?? NOT_HERE));
    return reason === null ? { name, toolset, available: true } : { name, toolset, available: false, reason };
  });
}
