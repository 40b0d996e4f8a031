// Where the answers to webhooks go, with doubles of the profile's other objects.
import { expect, it } from "vitest";
import { ok } from "../../core/errors.ts";
import { SessionId } from "../../core/schemas/ids.ts";
import { sendAnswer, sendText } from "../../durable-objects/webhooks/send-on.ts";

function createTargets() {
  const said: { id: string; text: string }[] = [];
  const take = async ({ id, text }: { id: string; text: string }) => ok(void said.push({ id, text }));
  const channels = {
    say: take,
    sendHome: async (_: string | null, words: { id: string; text: string }) => take(words),
  };
  return { said, targets: { profile: "p", account: { takeHookEvent: async () => {} }, channels } };
}
const HOME = { to: "home" } as const;
const SESSION = SessionId.parse("01KE0000000000000000000000");

it("sends both of two events whose long ids differ at their ends", async () => {
  const { said, targets } = createTargets();
  const row = { n: 1, route: "r", at: 1, lane: "only:r", session: null, part: null, text: "x", answers: false };
  for (const end of ["a", "b"]) {
    await sendText(targets, HOME, { ...row, id: "i".repeat(199) + end, due: 1, tries: 0 });
  }
  expect(new Set(said.map(({ id }) => id)).size).toBe(2);
});

it("says nothing where the agent chose silence, by each of its words", async () => {
  const { said, targets } = createTargets();
  for (const text of ["[SILENT]", "NO_REPLY", "`[NO_REPLY]`", "The word is NO_REPLY."]) {
    const origin = { chat: "webhook:r", message: "d" };
    const delivery = { v: 1, id: text, origin, session: SESSION, turn: 1, at: 1, kind: "answer", text } as const;
    await sendAnswer(targets, HOME, { name: "r", delivery });
  }
  expect(said.map(({ text }) => text)).toEqual(["The word is NO_REPLY."]);
});
