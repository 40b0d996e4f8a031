// The profile's conversations in its Account. Names of objects are built from the principal only.
import type { ProfileId } from "../../../core/schemas/ids.ts";
import type { ConversationDesk } from "../../../durable-objects/conversations/conversation-desk.ts";
import type { Env } from "../env.ts";
import { askDesk } from "../../../wiring/ask-desk.ts";
import { openAccount } from "../sessions/session-rpc.ts";

type Desk = {
  [Name in "find" | "findFirst" | "begin"]: (
    ...asked: Parameters<ConversationDesk[Name]>
  ) => Promise<ReturnType<ConversationDesk[Name]>>;
};

export function askConversations<Answer>(
  env: Env,
  profile: ProfileId,
  ask: (desk: Desk) => Promise<Answer>,
): Promise<Answer> {
  return askDesk(openAccount(env, profile).conversationDesk() as unknown as Desk & PromiseLike<Disposable>, ask);
}
