// A question of the agent over HTTP: listed with the approvals, answered there or by a message, also after its object was evicted.
import { evictDurableObject } from "cloudflare:test";
import { beforeAll, expect, it } from "vitest";
import type { ApprovalInfo, SessionDetail } from "../../../core/schemas/api.ts";
import type { Entry } from "../../../core/schemas/entry.ts";
import type { UsageReport } from "../../../core/schemas/usage.ts";
import { START_MS, ask, createProfile, createSession, env, expectProblem } from "../api-calls.ts";

let profile: string;
let key: string;
beforeAll(async () => void ({ profile, key } = await createProfile()), START_MS);

async function setUp() {
  const session = await createSession(key);
  const path = `/v1/sessions/${session}`;
  const say = async (text: string) => {
    expect(await ask("POST", `${path}/messages`, { key, body: { text } })).toMatchObject({ status: 202 });
  };
  const until = async (state: string) => {
    for (;;) {
      const { turns } = (await ask("GET", path, { key })).body as SessionDetail;
      if (turns[0]?.state === state) return turns;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const approvals = async () => (await ask("GET", `${path}/approvals`, { key })).body as { approvals: ApprovalInfo[] };
  const decide = (id: string, body: object) => ask("POST", `${path}/approvals/${id}`, { key, body });
  const lastText = async () => {
    const { entries } = (await ask("GET", `${path}/entries`, { key })).body as { entries: Entry[] };
    return entries
      .findLast(({ kind }) => kind === "assistant")!
      .parts.map(({ text }) => text)
      .join("");
  };
  return {
    session,
    say,
    until,
    approvals,
    decide,
    lastText,
    evict: () => evictDurableObject(env.SESSION.getByName(`${profile}/${session}`)),
  };
}

it("a question waits among the approvals and through an eviction, and is answered once", async () => {
  const { say, until, approvals, decide, lastText, evict } = await setUp();
  await say("Ask me: Which colour? red, dark blue");
  await until("parked");
  await evict();
  const [asked] = (await approvals()).approvals;
  expect(asked).toMatchObject({
    ...{ kind: "clarify", state: "waiting", turn: 1 },
    questions: [{ question: "Which colour?", choices: ["red", "dark blue"], multiSelect: false }],
  });
  const { id } = asked!;
  expectProblem(await decide(id, { approve: true }), 422, "answer_invalid", "Not an answer to this question");
  expect((await decide(id, { approve: true, answer: "1" })).status).toBe(400);
  const first = await decide(id, { answer: "2" });
  expect(first).toMatchObject({ status: 200, body: { state: "answered", answers: [{ choices: ["dark blue"] }] } });
  expect((await decide(id, { answers: [{ choices: ["dark blue"] }] })).body).toEqual(first.body);
  expectProblem(await decide(id, { answer: "1" }), 409, "approval_decided", "Already decided differently");
  await until("done");
  expect(await lastText()).toBe("Your answer: dark blue.");
});

it("a message is the answer to the question that waits", async () => {
  const { say, until, lastText } = await setUp();
  await say("Ask me: Which colour? red, dark blue");
  await until("parked");
  await say("green, please");
  const turns = await until("done");
  expect([turns[1]!.state, turns[1]!.into, await lastText()]).toEqual(["steered", 1, "Your answer: green, please."]);
});

it("what a turn has used counts although its session is deleted while it waits", async () => {
  const { say, until, session } = await setUp();
  const used = async () => ((await ask("GET", "/v1/usage", { key })).body as UsageReport).totals.calls;
  const before = await used();
  await say("Ask me: Which colour? red, dark blue");
  await until("parked");
  expect((await ask("DELETE", `/v1/sessions/${session}`, { key })).status).toBe(204);
  expect(await used()).toBe(before + 1);
});
