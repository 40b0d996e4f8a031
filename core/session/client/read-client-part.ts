// Checks what a message's client brought, before anything of it is stored: names of tools, the model, the size. Called when a message is
// accepted, in the block that gives it its place.
import { type Failure, type Result, err, ok } from "../../errors.ts";
import { FIXED } from "../../limits.ts";
import type { Part } from "../../schemas/entry.ts";
import { byteLength } from "../../schemas/learning/digest.ts";
import type { ClientPart } from "../../schemas/sessions/client-part.ts";
import { findModel } from "../choice/change-session.ts";
import type { EngineContext } from "../context.ts";
import { offeredNames } from "../turn/session-tools.ts";
import type { StoredClient } from "./client-rows.ts";
import { tellHistory } from "./tell-history.ts";

/** `told`: the parts before the message. */
export interface ReadClient {
  stored: StoredClient;
  told: Part[];
}

/** Characters of earlier messages, in messages of the largest size. */
const HISTORY_MESSAGES = 2;

/** Failures: `tool_collides`, `unknown_model`, `message_too_long`. */
export function readClientPart(context: EngineContext, part: ClientPart): Result<ReadClient> {
  const { history = [], model: asked, effort, ...rest } = part;
  const collision = findCollision(context, part.tools ?? []);
  if (collision) return { ok: false, failure: collision };
  const model = asked === undefined ? ok(undefined) : findModel(context, asked);
  if (!model.ok) return model;
  const choice = { ...(model.value && { model: model.value }), ...(effort && { effort }) };
  const stored: StoredClient = { v: 1, ...rest, ...(Object.keys(choice).length > 0 && { choice }) };
  if (byteLength(JSON.stringify(stored)) > FIXED.rowBytes) {
    return err("message_too_long", "The client's guidance, tools and schema are too long together. Shorten them.");
  }
  return ok({ stored, told: tellHistory(history, historyChars(context, model.value)) });
}

/** A character for each token of the window leaves three quarters of it. */
function historyChars({ host }: EngineContext, model?: string): number {
  const models = host.models("turn", model);
  const window = models.ok ? models.value[0].contextWindow : Infinity;
  return Math.min(HISTORY_MESSAGES * host.settings.turn.maxMessageChars, window);
}

/** Models know a tool by its name alone. */
export function findCollision(context: EngineContext, tools: readonly { name: string }[]): Failure | null {
  if (tools.length === 0) return null;
  const ours = offeredNames(context);
  const taken = tools.map(({ name }) => name).filter((name) => ours.has(name));
  if (taken.length === 0) return null;
  return err(
    "tool_collides",
    `The agent has tools of its own with these names: ${taken.join(", ")}. Rename yours, or switch ours off for this session or profile.`,
    { tools: taken },
  ).failure;
}
