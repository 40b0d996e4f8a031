// Rebuilds the request that the session sent last, so that a review can continue from it. Prompt, tools and messages are
// the same byte for byte: the provider's cache hits. Called when a review's job is made. Must read nothing but the log.
import type { Message, Model } from "../../agent/contract.ts";
import { toToolSpecs } from "../../agent/tool-specs.ts";
import type { SentMessage, SentPrefix } from "../../schemas/learning/review.ts";
import type { EngineContext } from "../context.ts";
import { turnEffort } from "../choice/choice.ts";
import { compactionsBefore, readHistory } from "./history.ts";
import { withoutCommands } from "../turn/commands/without-commands.ts";
import { frozenPrompt } from "../turn/prepare-turn.ts";

/**
 * The request as the next turn would begin it, up to the entry `to`. `undefined` if a review cannot continue from it:
 * the model has no cache, the last entry is not an answer of this model, tools or prompt have changed, or a compaction
 * replaced entries.
 */
export function readPrefix(
  context: EngineContext,
  { model, to }: { model: Model; to: number },
): SentPrefix | undefined {
  const { host, log } = context;
  const [last] = withoutCommands(log.entries(Math.max(1, to - LOOK_BACK), to), log).slice(-1);
  if (host.settings.review.prefix === "never" || model.cache === undefined) return undefined;
  if (last?.kind !== "assistant" || last.answer.model !== model.name) return undefined;
  const frozen = compactionsBefore(log, to + 1).length === 0 ? frozenPrompt(context) : null;
  if (!frozen) return undefined;
  const messages = readHistory(context, { input: to });
  // A review has no bytes of images, so it cannot send the same request.
  if (messages.some((message) => message.role === "user" && message.images)) return undefined;
  const effort = turnEffort(context);
  return {
    cache: model.cache,
    at: last.at,
    cacheKey: host.session,
    ...(effort && { effort }),
    system: frozen.text,
    tools: toToolSpecs(frozen.tools, model.contextWindow),
    messages: messages.map(toSent),
  };
}

/** Entries that commands to the session may have added after the last answer. */
const LOOK_BACK = 20;

function toSent({ entry: _entry, ...message }: Message): SentMessage {
  return message;
}
