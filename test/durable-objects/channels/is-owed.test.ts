// A delivery that was on its way while its channel was removed or its session deleted.
import { expect, it } from "vitest";
import { isOwed } from "../../../durable-objects/channels/is-owed.ts";
import { SessionId } from "../../../core/schemas/ids.ts";
import type { ChannelsContext } from "../../../durable-objects/channels/context.ts";

const [OWN, OTHER, GONE] = ["SES1", "SES2", "SES3"].map((end) => SessionId.parse(`01JGTT0000000000000000${end}`));

function world() {
  const asked: string[] = [];
  const chats = new Map(Object.entries({ c1: { sessions: [OWN] }, dismissed: { sessions: [OWN], stranger: true } }));
  const account = {
    async findSessions(sessions: SessionId[]) {
      asked.push(...sessions);
      return sessions.filter((session) => session === OTHER).map((session) => ({ session }));
    },
  };
  const context = { chats: { find: (id: string) => chats.get(id) ?? null }, account } as unknown as ChannelsContext;
  return { asked, isOwed: (chat: string, session: SessionId) => isOwed(context, { origin: { chat }, session }) };
}

it("is owed by the chat's own session, and by another session of the profile", async () => {
  const { asked, isOwed } = world();
  expect([await isOwed("c1", OWN!), await isOwed("c1", OTHER!)]).toEqual([true, true]);
  expect(asked).toEqual([OTHER]);
});

it("is not owed by a deleted session, nor to a chat that is gone or whose person was dismissed", async () => {
  const { asked, isOwed } = world();
  expect([await isOwed("c1", GONE!), await isOwed("c2", OWN!), await isOwed("dismissed", OWN!)]).toEqual(
    Array(3).fill(false),
  );
  expect(asked).toEqual([GONE]);
});
