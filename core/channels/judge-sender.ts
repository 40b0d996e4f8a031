// Who may talk to the agent, and as what. Called by durable-objects/channels for each event, before anything else is done with it. Pure.
// Decides by what the platform vouches for, the id and the handle, and never by a display name.
import type { ChannelOptions, ChannelRole } from "../schemas/channels/options.ts";
import type { ChatPlace, Sender } from "../schemas/channels/inbound.ts";

export interface JudgedSender {
  from: Sender;
  chat: Pick<ChatPlace, "kind">;
  options: Pick<ChannelOptions, "owners" | "admins" | "users" | "everyone" | "strangers">;
  /** The role that pairing or an owner gave this person on this platform (`people/people-rows.ts`); `null`: none. */
  approved: ChannelRole | null;
  /** `Platform.pairs`: what happens to strangers if the options do not say. */
  pairs: boolean;
}

export type SenderVerdict =
  | { may: "talk"; role: ChannelRole; by: "list" | "pairing" | "everyone" }
  /** Answer with a pairing code; `people/pairing.ts` makes it. */
  | { may: "pair" }
  /** Do nothing, and answer nothing. */
  | { may: "nothing" };

/**
 * In this order: the lists of owners, admins and users; what was approved; `everyone`, who are users; else strangers, whose direct message is
 * answered with a code or not at all. A bot may talk only if it is listed or approved.
 */
export function judgeSender({ from, chat, options, approved, pairs }: JudgedSender): SenderVerdict {
  const listed = findListedRole(from, options);
  if (listed !== null) return { may: "talk", role: listed, by: "list" };
  if (approved !== null) return { may: "talk", role: approved, by: "pairing" };
  if (from.isBot) return { may: "nothing" };
  if (options.everyone) return { may: "talk", role: "user", by: "everyone" };
  const strangers = options.strangers ?? (pairs ? "pair" : "ignore");
  return chat.kind === "direct" && strangers === "pair" ? { may: "pair" } : { may: "nothing" };
}

function findListedRole(
  from: Sender,
  { owners, admins, users }: Pick<ChannelOptions, "owners" | "admins" | "users">,
): ChannelRole | null {
  const has = (list: readonly string[]) => list.some((listed) => isPerson(listed, from));
  if (has(owners)) return "owner";
  if (has(admins)) return "admin";
  return has(users) ? "user" : null;
}

/**
 * An id must be the same, character by character. Only a word with an `@`, such as `@ada` or `ada@example.org`, can be a handle: some platforms
 * let people choose a handle that looks like somebody's id.
 */
export function isPerson(listed: string, { id, handle }: Pick<Sender, "id" | "handle">): boolean {
  if (listed === id) return true;
  const wanted = listed.includes("@") ? foldHandle(listed) : "";
  return handle !== undefined && wanted !== "" && wanted === foldHandle(handle);
}

/** Platforms compare handles without regard to case. Only ASCII is folded: `K` (the Kelvin sign) must not become `k`. */
function foldHandle(handle: string): string {
  return handle
    .trim()
    .replace(/^@/, "")
    .replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
