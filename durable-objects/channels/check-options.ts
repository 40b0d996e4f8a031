// Checks the words in a channel's options that name something of the deployment: models, tools and toolsets. A mistyped one would be found
// out by the first person who writes. Called by set-up.ts before it stores options. Pure.
import type { ChannelOptions, ChatOptions } from "../../core/schemas/channels/options.ts";
import { describeUnknownTool } from "../../core/tools/tool-words.ts";

/** [own] Of the models that a refusal lists. */
const MAX_SHOWN = 30;

export interface OptionIssue {
  code: "custom";
  path: string[];
  message: string;
}

/** `known`: the options before. A name that they have remains, also if the operator has removed it meanwhile. */
export function findUnknownNames(options: ChannelOptions, known: ChannelOptions, models: readonly string[]) {
  const issues = [...checkChat(options, known, models)];
  for (const [chat, own] of Object.entries(options.chats)) {
    const before = Object.hasOwn(known.chats, chat) ? known.chats[chat]! : {};
    issues.push(...checkChat(own, before, models).map((issue) => ({ ...issue, path: ["chats", chat, ...issue.path] })));
  }
  return issues;
}

function checkChat({ model, tools }: ChatOptions, known: ChatOptions, models: readonly string[]): OptionIssue[] {
  const issues: OptionIssue[] = [];
  if (model !== undefined && model !== known.model && !models.includes(model)) {
    const listed = models.slice(0, MAX_SHOWN).join(", ") || "none";
    issues.push({ code: "custom", path: ["model"], message: `There is no such model to choose. There are: ${listed}` });
  }
  const unknown = tools && JSON.stringify(tools) !== JSON.stringify(known.tools) ? describeUnknownTool(tools) : null;
  if (unknown !== null) issues.push({ code: "custom", path: ["tools"], message: unknown.replace(/[.]$/, "") });
  return issues;
}
