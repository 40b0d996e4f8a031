// What a turn needs before its first model call: its tools (session-tools.ts), the prompt of the epoch, and a note of what changed since
// that prompt was made. The prompt is frozen: stored, and the same on every call. A new epoch begins after a compaction, on request,
// when the tools or the personality changed, and when the provider's cache has expired, so that a new prompt costs nothing.
import type { Model, Tool, ToolSpec } from "../../agent/contract.ts";
import { isSmall, promptLimits } from "../../agent/small-window.ts";
import { toToolSpecs } from "../../agent/tool-specs.ts";
import { describeUnavailable } from "../../mcp/mcp-tools.ts";
import { renderMemoryBlock } from "../../memory/block.ts";
import { joinSections, promptSections } from "../../prompts/index.ts";
import type { SkillLine } from "../../schemas/api.ts";
import { sha256Hex } from "../../schemas/learning/digest.ts";
import { messageOf } from "../../schemas/entry.ts";
import { dayOf } from "../../schemas/ids.ts";
import { renderSkillIndex } from "../../skills/index-block.ts";
import { mergeLines, offeredLines } from "../../skills/library.ts";
import { guidanceText, markGuidanceShown } from "../client/guidance.ts";
import { personalityText } from "../choice/choice.ts";
import { isOfPerson } from "../of-person.ts";
import { parseSessionCommand } from "../../commands/parse-command.ts";
import { readContextFiles } from "../prompt/context-files.ts";
import type { EngineContext } from "../context.ts";
import type { TurnRow } from "../log-turns.ts";
import { isHeldOut } from "../prompt/held-out.ts";
import { beginEpoch, takeNotes } from "../prompt/notes.ts";
import { describeGoals } from "../../prompts/goal.ts";
import { profileSettings } from "../prompt/profile-settings.ts";
import { readMcpEntries, renewCatalogs } from "../prompt/mcp-servers.ts";
import { type OfferedTools, readScene, describeOfferedTools } from "../prompt/scene.ts";
import { sessionTools } from "./session-tools.ts";

/** Meta key `prompt`. */
export interface FrozenPrompt extends Partial<OfferedTools> {
  v: 1;
  epoch: number;
  at: number;
  /** Hash of the tools' descriptions, which are part of the cached prefix. */
  tools: string;
  text: string;
  /** Names and characters of its sections, in order, `SECTION_BREAK` between them. Absent: an older version stored it. */
  sections?: [name: string, chars: number][];
  /** Fingerprint of the personality in it. Absent: none. */
  personality?: string;
  /** Tokens of the window that the prompt was made for. Absent: a large window. */
  window?: number;
}

/**
 * Call before the turn's history is read: it may add a note after the input. `model`: the one that is asked first. `learned`:
 * the lines of the profile's skills if a new prompt was made just now, else `null`.
 */
export async function prepareTurn(
  context: EngineContext,
  turn: TurnRow,
  request: string,
  model?: Pick<Model, "contextWindow">,
): Promise<{ tools: Tool[]; system: string; learned: SkillLine[] | null }> {
  renewCatalogs(context);
  const tools = sessionTools(context, request, model);
  const contextWindow = model?.contextWindow;
  const { text: system, learned } = await freezePrompt(context, { tools, force: false, request, contextWindow });
  takeNotes(context, turn);
  return { tools, system, learned };
}

/** Begins a new epoch unconditionally. */
export async function refreshPrompt(context: EngineContext, contextWindow?: number): Promise<string> {
  const tools = sessionTools(context, "");
  return (await freezePrompt(context, { tools, force: true, request: lastRequest(context), contextWindow })).text;
}

/** Begins a new epoch if the prompt was made for a larger window; else returns `null`. */
export async function narrowPrompt(context: EngineContext, contextWindow: number): Promise<string | null> {
  const prompt = context.log.meta<FrozenPrompt>("prompt");
  return prompt && isTooWide(prompt, contextWindow) ? refreshPrompt(context, contextWindow) : null;
}

function isTooWide({ window = Infinity }: FrozenPrompt, contextWindow: number): boolean {
  return isSmall(contextWindow) && window > contextWindow;
}

/** How many turns are searched for the last request. */
const MAX_LOOKED_BACK = 8;

/** The last request that is not a command to the session; `""` if there is none. */
function lastRequest({ log }: EngineContext): string {
  const newest = log.lastTurn()?.n ?? 0;
  for (let n = newest; n > 0 && n > newest - MAX_LOOKED_BACK; n--) {
    const input = log.turn(n)?.input;
    const entry = input ? log.entry(input) : null;
    const text = entry ? messageOf(entry) : "";
    if (text.trim() !== "" && !parseSessionCommand(text)) return text;
  }
  return "";
}

/** The prompt of the epoch. Makes a new one if `force` is set, the tools or the personality changed, or the provider's cache has expired. */
export async function freezePrompt(
  context: EngineContext,
  options: { tools: Tool[]; force: boolean; request?: string; contextWindow?: number | undefined },
): Promise<{ text: string; learned: SkillLine[] | null }> {
  const { host, log, workspace } = context;
  const { tools, force, request, contextWindow = Infinity } = options;
  const before = log.meta<FrozenPrompt>("prompt");
  const specs = hashOfSpecs(tools);
  const chosen = personalityText(context);
  const personality = chosen === "" ? undefined : sha256Hex(chosen);
  const isSame = before?.tools === specs && before.personality === personality && !isTooWide(before, contextWindow);
  if (!force && before && isSame && !hasLapsed(context, before)) {
    return { text: before.text, learned: null };
  }

  const learning = context.meta().learning === "on";
  const index = learning && !isHeldOut(host) ? await host.skills.index() : null;
  const offered = describeOfferedTools(tools);
  const lines = offeredLines(mergeLines(index, host.seeds), readScene(context, offered));
  const { kind, channel } = context.meta();
  const store = learning && isOfPerson(kind) ? host.memory(context.overlay) : null;
  const [user, memory] = store ? [await store.list("user"), await store.list("memory")] : [[], []];
  const limits = promptLimits(host.settings, contextWindow);
  const files = readContextFiles(workspace, limits.fileChars);
  const now = host.clock.now();
  const { all: goals } = profileSettings(context).sections.goals;
  const sections = promptSections({
    identity: files.identity,
    personality: chosen,
    guidance: guidanceText(log),
    isDelegated: kind === "delegated",
    isWebhook: kind === "webhook",
    isCard: kind === "card",
    isJob: kind === "job",
    channel,
    tools: offered.names,
    skillsBlock: renderSkillIndex(lines, limits.indexTokens, request),
    memoryBlock: renderMemoryBlock(memory, user, host.settings, limits.memory),
    projectBlock: files.block,
    mcpBlock: describeUnavailable(readMcpEntries(context)),
    goalsBlock: goals && isOfPerson(kind) ? describeGoals(goals, host.session) : "",
    day: dayOf(now),
  });
  const text = joinSections(sections);
  const frozen: FrozenPrompt = {
    v: 1,
    epoch: (before?.epoch ?? 0) + 1,
    at: now,
    tools: specs,
    ...offered,
    text,
    sections: sections.map((section) => [section.name, section.text.length]),
    ...(personality && { personality }),
    ...(isSmall(contextWindow) && { window: contextWindow }),
  };
  host.sql.transaction(() => {
    log.setMeta("prompt", frozen);
    markGuidanceShown(log);
    beginEpoch(context, index && { index, lines, memory: [...user, ...memory] });
  });
  return { text, learned: index && lines };
}

/** The prompt of the epoch and the tools it was made for; `null` if there is none, or the tools have changed. */
export function frozenPrompt(context: EngineContext): { text: string; tools: Tool[] } | null {
  const frozen = context.log.meta<FrozenPrompt>("prompt");
  const tools = sessionTools(context, "");
  return frozen?.tools === hashOfSpecs(tools) ? { text: frozen.text, tools } : null;
}

/** Nearly all sessions of an isolate have the same tools, and comparing descriptions is faster than hashing them. */
let lastHashed: { specs: ToolSpec[]; hash: string } = { specs: [], hash: "" };

function hashOfSpecs(tools: Tool[]): string {
  const specs = toToolSpecs(tools);
  if (!areSameSpecs(specs, lastHashed.specs)) lastHashed = { specs, hash: sha256Hex(JSON.stringify(specs)) };
  return lastHashed.hash;
}

/** `parameters` are compared by identity: the JSON Schema of a tool is made once. */
function areSameSpecs(a: ToolSpec[], b: ToolSpec[]): boolean {
  const isSame = (one: ToolSpec, other: ToolSpec | undefined) =>
    one.name === other?.name && one.description === other.description && one.parameters === other.parameters;
  return a.length > 0 && a.length === b.length && a.every((one, i) => isSame(one, b[i]));
}

/** True if the previous turn ended longer ago than a provider keeps a prefix. Never true within a turn. */
function hasLapsed({ host, log }: EngineContext, prompt: FrozenPrompt): boolean {
  const running = log.openTurns()[0];
  if (!running?.startedAt || running.attempts > 1 || prompt.at >= running.startedAt) return false;
  let previous = log.turn(running.n - 1);
  while (previous?.state === "steered") previous = log.turn(previous.n - 1);
  if (!previous?.endedAt) return false;
  return running.startedAt - previous.endedAt > host.settings.turn.cacheTtlMs;
}
