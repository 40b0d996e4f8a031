// What a session has used and not booked, which its Account books when the session is deleted.
import { expect, it } from "vitest";
import { NO_USAGE } from "../../core/schemas/entry.ts";
import { createAccountDouble } from "../support/account-double.ts";
import { type HarnessOptions, SESSION, createSessionHarness } from "../support/session/session-harness.ts";
import { type ScriptLine, createScriptedModel } from "../support/wires/scripted-model.ts";

const list: ScriptLine = { calls: [{ name: "skills_list" }] };
const question: ScriptLine = { calls: [{ name: "clarify", args: { question: "Which colour?" } }] };

async function setUp(script: ScriptLine[], options: Partial<HarnessOptions> = {}) {
  const harness = createSessionHarness({ model: createScriptedModel(script), ...options });
  const life = harness.boot();
  await life.engine.create({ learning: "on", title: "" });
  await life.engine.post({ text: "Go." });
  await life.settled();
  return { ...harness, life };
}

const line = (calls: number) => ({
  ...{ kind: "turn", model: "scripted:test", source: "none", calls, usdMicros: 0 },
  usage: { ...NO_USAGE, input: 10 * calls, output: 5 * calls },
});

it("the calls of a turn that waits, under the id by which its end would book them, also after a crash", async () => {
  const { life, booked, boot } = await setUp([list, question]);
  expect(life.engine.detail()!.turns).toMatchObject([{ state: "parked" }]);
  expect(booked).toEqual([]);
  const expected = { bookings: [{ id: `${SESSION}-1`, session: SESSION, lines: [line(2)] }], children: [] };
  expect(life.engine.unbooked()).toMatchObject(expected);
  life.kill();
  expect(boot().engine.unbooked()).toMatchObject(expected);
});

it("a booking that the Account has not answered", async () => {
  const { port } = createAccountDouble();
  const book = () => Promise.reject(new Error("unreachable"));
  const { life } = await setUp([{ text: "Done." }], { account: { ...port, book } });
  expect(life.engine.unbooked()).toMatchObject({ bookings: [{ id: `${SESSION}-1`, lines: [line(1)] }] });
});

it("nothing after the booking, and of a session that was never created", async () => {
  const { life } = await setUp([{ text: "Done." }]);
  expect(life.engine.unbooked()).toEqual({ bookings: [], children: [] });
  const other = createSessionHarness({ model: createScriptedModel([]) }).boot();
  expect(other.engine.unbooked()).toEqual({ bookings: [], children: [] });
});
