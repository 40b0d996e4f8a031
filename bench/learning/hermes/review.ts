// A background review of Hermes Agent: the whole conversation, a short list of tools, at most sixteen model calls. It writes
// directly to the library and needs no citations.
import * as z from "zod";
import type { Message, Model, ModelRequest, Tool } from "../../../core/agent/contract.ts";
import { renderForModel, fail, succeed } from "../../../core/agent/tool-result.ts";
import { toToolSpecs } from "../../../core/agent/tool-specs.ts";
import type { MemoryStore } from "../../../core/ports.ts";
import type { Answer, JsonObject } from "../../../core/schemas/entry.ts";
import { memoryId } from "../../../core/schemas/memory.ts";
import { normaliseFact } from "../../../core/memory/rules.ts";
import type { Library } from "../../../core/skills/library.ts";
import { createSkillManage } from "../../../core/tools/skills/skill-manage.ts";
import { createSkillView } from "../../../core/tools/skills/skill-view.ts";
import { createSkillsList } from "../../../core/tools/skills/skills-list.ts";
import type { Settings } from "../../../core/schemas/settings.ts";
import { HERMES, REVIEW_TOOLS } from "./rules.ts";
import { type HermesShelf, ManageArgs, SKILL_MANAGE_WORDS, manageSkill } from "./skill-tool.ts";

export interface HermesReview {
  /** Unique to the review. */
  id: string;
  kind: "combined" | "memory" | "skills";
  transcript: string;
  shelf: HermesShelf;
  library: Library;
  memory: MemoryStore;
  model: Model;
  settings: Settings;
}

export interface HermesReviewEnd {
  modelCalls: number;
  tokens: number;
  /** What was done, for the summary line that a person sees. */
  actions: string[];
  refused: { code: string; message: string }[];
}

export async function runHermesReview(review: HermesReview): Promise<HermesReviewEnd> {
  const { model, kind } = review;
  const end: HermesReviewEnd = { modelCalls: 0, tokens: 0, actions: [], refused: [] };
  const read = new Set<string>();
  const messages: Message[] = [{ role: "user", text: `${review.transcript}\n\n${buildPrompt(kind)}` }];
  const offered = createTools(review);
  const most = Math.min(model.contextWindow * HERMES.reviewWindowShare, HERMES.reviewTokens);
  while (end.modelCalls < HERMES.reviewIterations && end.tokens < most) {
    const answer = await ask(model, { messages, tools: toToolSpecs(offered) });
    if (!answer) break;
    end.modelCalls += 1;
    end.tokens += answer.usage.input + answer.usage.output;
    messages.push({ role: "assistant", text: answer.text, calls: answer.calls });
    if (answer.calls.length === 0) break;
    for (const [at, call] of answer.calls.entries()) {
      const op = `hermes:${review.id}.${end.modelCalls}.${at}`;
      const result = await dispatch(call.name, call.args, { review, offered, read, op });
      const { failed, parts } = result;
      const fields = JSON.parse(parts[0]!.text) as JsonObject;
      if (failed) end.refused.push({ code: String(fields.code), message: String(fields.error) });
      else if (call.name === "skill_manage" || call.name === "memory")
        end.actions.push(`${call.name} ${String(fields.done)}`);
      messages.push({ role: "tool", call: call.id, name: call.name, failed, text: renderForModel(parts) });
    }
  }
  return end;
}

/** A placeholder of the real prompt's length: the simulated reviewer ignores the words, but every call pays for the tokens. */
function buildPrompt(kind: HermesReview["kind"]): string {
  return `Review the conversation above (${kind}).`.padEnd(HERMES.reviewPromptChars[kind], " .");
}

/** As long as the session's prompt and tools, which a review sends again. This bench's tools are counted in addition. */
const SESSION_PROMPT = "You review finished conversations.".padEnd(HERMES.systemChars + HERMES.toolsChars, " .");

async function ask(
  model: Model,
  { messages, tools }: Pick<ModelRequest, "messages" | "tools">,
): Promise<Answer | null> {
  const request: ModelRequest = {
    ...{ system: SESSION_PROMPT, messages, tools },
    ...{ maxOutputTokens: 16_000, toolChoice: "auto", cacheKey: "hermes" },
  };
  for await (const event of model.stream(request, new AbortController().signal)) {
    if (event.type === "done") return event.answer;
  }
  return null;
}

/** The tools' descriptions and parameters; `dispatch` carries the calls out. */
function createTools({ library, shelf, settings, kind }: HermesReview): Tool[] {
  const manage = createSkillManage({ library, store: shelf.skills, origin: "review", settings });
  const skillTools: Tool[] = [
    createSkillsList({ library }),
    createSkillView({ library, settings }),
    { ...manage, description: SKILL_MANAGE_WORDS, parameters: ManageArgs },
  ];
  return [...(kind === "memory" ? [] : skillTools), ...(kind === "skills" ? [] : [MEMORY_WORDS])];
}

const MEMORY_WORDS: Tool = {
  name: "memory",
  description: "Adds, replaces or removes entries of memory or of the user's profile.",
  parameters: z.object({ store: z.enum(["memory", "user"]), action: z.string(), content: z.string() }),
  effect: "keyed",
  run: async () => fail("not_run", "Dispatched elsewhere."),
};

interface Dispatch {
  review: HermesReview;
  offered: Tool[];
  read: Set<string>;
  op: string;
}

async function dispatch(name: string, args: JsonObject, { review, offered, read, op }: Dispatch) {
  if (!(REVIEW_TOOLS as readonly string[]).includes(name)) {
    return fail("not_permitted", `A review may call ${REVIEW_TOOLS.join(", ")}, and nothing else.`);
  }
  if (name === "memory") return remember(args, review, op);
  if (name === "skill_manage") {
    const done = await manageSkill(args, { shelf: review.shelf, read, op });
    return done.ok ? succeed(done.value) : fail(done.failure.code, done.failure.message);
  }
  const tool = offered.find((one) => one.name === name);
  if (!tool) return fail("not_found", `There is nothing here for ${name}.`);
  const result = await tool.run(args, { op, prepared: {}, signal: new AbortController().signal });
  if (name === "skill_view" && !result.failed) {
    read.add(String(args.name));
    const known = review.shelf.telemetry.get(String(args.name));
    if (known) {
      known.viewCount += 1;
      known.useCount += 1;
      known.lastViewedAt = known.lastUsedAt = review.shelf.now();
    }
  }
  return result;
}

/** Refuses an addition that would take the store over its limit. */
async function remember(args: JsonObject, { memory, shelf }: HermesReview, op: string) {
  const store = args.store === "user" ? "user" : "memory";
  const text = normaliseFact(String(args.content ?? ""));
  const entries = await memory.list(store);
  if (args.action !== "add") return fail("bad_action", "This bench's reviewer only adds.");
  const chars = [...entries.map((entry) => entry.text), text].join("\n§\n").length;
  const limit = store === "user" ? HERMES.userChars : HERMES.memoryChars;
  if (chars > limit)
    return fail("memory_full", `${store} would have ${chars} of ${limit} characters: remove some first.`);
  if (entries.some((entry) => entry.id === memoryId(text))) return succeed({ done: "kept" });
  await memory.add(store, op, { v: 1, text, at: shelf.now(), origin: "review" });
  return succeed({ done: "added" });
}
