// What a turn needs before its first model call: its tools, and the prompt of the epoch. The prompt is frozen, stored and
// the same on every call; a new epoch begins when the tools changed, or when the provider's cache has lapsed and a new
// prompt costs nothing.
import type { Tool } from "../agent/contract.ts";
import { toToolSpecs } from "../agent/tool-specs.ts";
import { renderMemoryBlock } from "../memory/block.ts";
import { buildPrompt } from "../prompts/index.ts";
import { sha256Hex } from "../schemas/digest.ts";
import { dayOf } from "../schemas/ids.ts";
import { renderSkillIndex } from "../skills/index-block.ts";
import { type Library, createLibrary } from "../skills/library.ts";
import { createTools } from "../tools/index.ts";
import type { MemoryStore } from "../ports.ts";
import type { EngineContext } from "./context.ts";

/** Kept under the meta key `prompt`. */
interface FrozenPrompt {
  v: 1;
  epoch: number;
  at: number;
  /** Of the tools' descriptions, which are part of the cached prefix. */
  tools: string;
  text: string;
}

/** A turn whose request begins so saves skills in the person's name. */
const LEARN_COMMAND = /^\/learn\b/;

export async function prepareTurn(context: EngineContext, request: string): Promise<{ tools: Tool[]; system: string }> {
  const { host, workspace } = context;
  const learning = context.meta().learning === "on";
  const library = createLibrary({ store: learning ? host.skills : null, seeds: host.seeds });
  const memory = learning ? host.memory(context.overlay) : null;
  const builtIn = createTools({
    workspace,
    library,
    skills: learning ? host.skills : null,
    memory,
    origin: LEARN_COMMAND.test(request.trim()) ? "user" : "foreground",
    session: host.session,
    clock: host.clock,
    settings: host.settings,
  });
  const tools = [...builtIn, ...(host.moreTools ?? [])];
  return { tools, system: await freezePrompt(context, tools, library, memory) };
}

async function freezePrompt(
  context: EngineContext,
  tools: Tool[],
  library: Library,
  memory: MemoryStore | null,
): Promise<string> {
  const { host, log } = context;
  const before = log.meta<FrozenPrompt>("prompt");
  const specs = sha256Hex(JSON.stringify(toToolSpecs(tools)));
  if (before && before.tools === specs && !hasLapsed(context)) return before.text;
  const text = buildPrompt({
    tools: tools.map((tool) => tool.name),
    skillsBlock: renderSkillIndex(await library.lines(), host.settings.skills.indexTokens),
    memoryBlock: memory ? renderMemoryBlock(await memory.list("memory"), await memory.list("user"), host.settings) : "",
    day: dayOf(host.clock.now()),
  });
  const frozen: FrozenPrompt = { v: 1, epoch: (before?.epoch ?? 0) + 1, at: host.clock.now(), tools: specs, text };
  log.setMeta("prompt", frozen);
  return text;
}

/** The turn before this one ended longer ago than a provider keeps a prefix. */
function hasLapsed({ host, log }: EngineContext): boolean {
  const running = log.openTurns()[0];
  const previous = running ? log.turn(running.n - 1) : null;
  if (!previous?.endedAt || (running && running.attempts > 1)) return false;
  return (running?.startedAt ?? host.clock.now()) - previous.endedAt > host.settings.turn.cacheTtlMs;
}
