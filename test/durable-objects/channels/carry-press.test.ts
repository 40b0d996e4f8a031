// Who may press which button. The session and the platform are small doubles.
import { expect, it } from "vitest";
import type { ButtonMeaning } from "../../../core/channels/delivery/meaning.ts";
import type { ChannelRole } from "../../../core/schemas/channels/options.ts";
import type { SessionId } from "../../../core/schemas/ids.ts";
import { carryPress } from "../../../durable-objects/channels/carry-press.ts";

const session = "01JZZZZZZZZZZZZZZZZZZZZZZZ" as SessionId;
const ANSWER: ButtonMeaning = { does: "answer", session, approval: "a1", choice: 2 };
const APPROVE: ButtonMeaning = { does: "approve", session, approval: "a1", scope: "once" };
const OWN = "slack:group:chat=C1:user=ada";
const SHARED = "slack:group:chat=C1";

/** What the presser is told, and what the session was. */
async function press(person: string, role: ChannelRole, { means = ANSWER, key = OWN } = {}) {
  const told: string[] = [];
  const done: unknown[] = [];
  const stub = {
    decideApproval: async (...decided: unknown[]) => (done.push(decided), { ok: true, value: {} }),
  };
  const context = { session: () => stub, chats: { find: () => ({ key }) }, report: () => {} };
  const delivery = { press: () => ({ state: "open", means, chat: "asked" }) };
  const client = { answerPress: async (_: unknown, text: string) => (told.push(text), { ok: true, value: null }) };
  const heard = {
    ...{ role, chat: { id: "presser" }, hideId: (id: string) => id, channel: {} },
    event: { id: "e1", token: "t", chat: { id: "C1", kind: "group" }, from: { id: person } },
    platform: { name: "slack", open: () => client },
  };
  await carryPress(context as never, { delivery, runCommand: async () => true } as never, heard as never);
  return { told: told.join(), done };
}

it("answers a member's question for that member only, and for the owner", async () => {
  const another = { told: "This question was put to somebody else.", done: [] };
  expect(await press("bob", "user")).toEqual(another);
  expect(await press("bob", "admin")).toEqual(another);
  expect(await press("ad", "user")).toEqual(another);
  expect(await press("ada", "user")).toEqual({ told: "Done.", done: [["a1", { answer: "2", source: "content" }]] });
  expect(await press("bob", "owner")).toEqual({ told: "Done.", done: [["a1", { answer: "2" }]] });
});

it("answers the question of a shared session for everybody who may talk, as content", async () => {
  const answered = await press("bob", "user", { key: SHARED });
  expect(answered).toEqual({ told: "Done.", done: [["a1", { answer: "2", source: "content" }]] });
});

it("decides an approval for owners and admins, wherever it was asked", async () => {
  expect(await press("ada", "user", { means: APPROVE })).toEqual({
    told: "Only an owner or an admin of this channel may decide this.",
    done: [],
  });
  const once = { approve: true, scope: "once" };
  expect((await press("bob", "admin", { means: APPROVE })).done).toEqual([["a1", { ...once, source: "content" }]]);
  expect((await press("ada", "owner", { means: APPROVE })).done).toEqual([["a1", once]]);
});
