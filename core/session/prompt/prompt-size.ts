// Measures what every model call of the session repeats: the frozen prompt by section, and the tools. Called when the API is asked. Must
// begin no epoch.
import { toToolSpecs } from "../../agent/tool-specs.ts";
import { SECTION_BREAK } from "../../prompts/index.ts";
import type { PromptSize } from "../../schemas/sessions/prompt-size.ts";
import { estimateTokens } from "../../tokens.ts";
import type { EngineContext } from "../context.ts";
import type { FrozenPrompt } from "../turn/prepare-turn.ts";
import { sessionTools } from "../turn/session-tools.ts";

export function readPromptSize(context: EngineContext): PromptSize {
  const frozen = context.log.meta<FrozenPrompt>("prompt");
  const specs = toToolSpecs(sessionTools(context, ""), frozen?.window);
  const tools = { count: specs.length, ...sizeOf(specs.map((spec) => JSON.stringify(spec)).join("\n")) };
  const text = frozen?.text ?? "";
  const whole = sizeOf(text);
  return {
    epoch: frozen?.epoch ?? 0,
    sections: frozen ? cutSections(text, frozen.sections ?? [["whole prompt", text.length]]) : [],
    tools,
    total: { characters: whole.characters + tools.characters, tokens: whole.tokens + tools.tokens },
  };
}

function cutSections(text: string, sections: [name: string, chars: number][]): PromptSize["sections"] {
  let from = 0;
  return sections.map(([name, chars]) => {
    const section = text.slice(from, from + chars);
    from += chars + SECTION_BREAK.length;
    return { name, ...sizeOf(section) };
  });
}

function sizeOf(text: string) {
  return { characters: text.length, tokens: estimateTokens(text) };
}
