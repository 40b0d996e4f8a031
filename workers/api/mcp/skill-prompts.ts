// Skills as prompts: what a slash command would load, worded for a client that has the skill's files as resources. Placeholders are
// filled with `name=value` pairs at the start of the request.
import type { GetPromptRequest, GetPromptResult, ListPromptsResult } from "@modelcontextprotocol/server";
import { setupNote } from "../../../core/skills/format/conditions.ts";
import { parseInvocation, requestOf, toValues } from "../../../core/skills/invocation.ts";
import { fillPlaceholders } from "../../../core/skills/placeholders.ts";
import type { SkillView } from "../../../core/skills/library.ts";
import { dayOf } from "../../../core/schemas/ids.ts";
import { InvalidParams, type McpScope } from "./contract.ts";
import { findOffered, openLibrary, pageOfSkills } from "./offered-skills.ts";
import { toUri } from "./skill-resources.ts";

const REQUEST_ARGUMENT = {
  name: "request",
  description: "What to do with the skill. Values for its placeholders come first, as name=value.",
  required: false,
};
/** [own] Names of a skill's other files that the prompt lists; resources/list has all of them. */
const MAX_FILES = 50;

export async function listPrompts(scope: McpScope, cursor: string | undefined): Promise<ListPromptsResult> {
  const { lines, ...next } = await pageOfSkills(scope, cursor);
  return {
    prompts: lines.map(({ name, description }) => ({ name, description, arguments: [REQUEST_ARGUMENT] })),
    ...next,
  };
}

export async function getPrompt(
  scope: McpScope,
  { name, arguments: given = {} }: GetPromptRequest["params"],
): Promise<GetPromptResult> {
  const library = openLibrary(scope);
  const line = await findOffered(library, name);
  if (!line) throw new InvalidParams("There is no such prompt. prompts/list has the skills that are offered.");
  const unknown = Object.keys(given).find((key) => key !== REQUEST_ARGUMENT.name);
  if (unknown !== undefined) throw new InvalidParams("A skill takes one argument, `request`.");
  const viewed = await library.view(line.name);
  if (!viewed.ok) throw new InvalidParams(viewed.failure.message);
  const text = renderPrompt(viewed.value, given[REQUEST_ARGUMENT.name] ?? "");
  return { description: line.description, messages: [{ role: "user", content: { type: "text", text } }] };
}

function renderPrompt(view: SkillView, request: string): string {
  const known = { isSkill: () => false, isCommand: () => false, nearestCommand: () => undefined };
  const parsed = parseInvocation(`/skill ${view.name} ${request}`, known);
  const invocation = (parsed.ok && parsed.value) || {
    names: [view.name],
    values: [],
    text: request,
    argument: request,
  };
  const used = new Set<string>();
  const { text } = fillPlaceholders(view.content, {
    values: toValues(invocation),
    used,
    dir: toUri(view.name, ""),
    session: "",
    day: dayOf(Date.now()),
    argument: invocation.argument,
  });
  const files = view.files.slice(1, 1 + MAX_FILES).map((path) => toUri(view.name, path));
  return [
    text.trimEnd(),
    files.length > 0 && `Files of this skill, as resources of the same server:\n${files.join("\n")}`,
    view.missing && setupNote(view.missing),
    view.notice,
    requestOf(invocation, used),
  ]
    .filter(Boolean)
    .join("\n\n");
}
