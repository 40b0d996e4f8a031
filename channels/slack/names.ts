// The names of Slack's people, asked for once in an hour each, and the bot's ids. Called by channels/slack/. Never throws.
import { ok } from "../../core/errors.ts";
import { toObject } from "../../core/unknown-object.ts";
import { type SlackChannel, callSlack } from "./call-slack.ts";

const KEPT_MS = 3_600_000;
/** A name that could not be had is asked for again after this time. */
const FAILED_MS = 60_000;
/** [own] Slack wants its answer within 3 s. */
const TIMEOUT_MS = 1_200;

/** What others see; the id where Slack does not say, such as without the scope `users:read`. */
export async function fetchName(channel: SlackChannel, id: string): Promise<string> {
  const { deps } = channel;
  const name = await deps.cached(`slack name ${id}`, async () => {
    const asked = await callSlack(channel, "users.info", { form: { user: id }, timeoutMs: TIMEOUT_MS });
    if (!asked.ok) return ok({ value: id, expiresAt: deps.clock.now() + FAILED_MS });
    const user = toObject(asked.value["user"]);
    const profile = toObject(user["profile"]);
    const names = [profile["display_name"], profile["real_name"], user["real_name"], user["name"]];
    const value = names.find((one): one is string => typeof one === "string" && one.trim() !== "") ?? id;
    return ok({ value, expiresAt: deps.clock.now() + KEPT_MS });
  });
  return name.ok ? name.value : id;
}

/** The chat of the bot with this person alone. `null`: Slack does not say. */
export async function fetchDirectChat(channel: SlackChannel, user: string): Promise<string | null> {
  const { deps } = channel;
  const found = await deps.cached<string | null>(`slack direct ${user}`, async () => {
    const opened = await callSlack(channel, "conversations.open", { json: { users: user }, timeoutMs: TIMEOUT_MS });
    const id = opened.ok ? toObject(opened.value["channel"])["id"] : null;
    if (typeof id !== "string") return ok({ value: null, expiresAt: deps.clock.now() + FAILED_MS });
    return ok({ value: id, expiresAt: deps.clock.now() + KEPT_MS });
  });
  return found.ok ? found.value : null;
}
