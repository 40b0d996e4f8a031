// Which prompts name the goals of the profile's other sessions, and that a prompt stays as it is until its epoch ends.
import { expect, test } from "vitest";
import { noProfileSettings } from "../../../core/schemas/profile/settings.ts";
import type { SessionKind } from "../../../core/schemas/sessions/session-kind.ts";
import { SESSION } from "../../support/session/session-harness.ts";
import { createScriptedSession, done } from "../../support/session/scripted-session.ts";

const OTHER = "01J00000000000000000000001";
const all = {
  goals: [
    { id: "1".repeat(16), session: OTHER, text: "Find the zebra.", state: "active" as const },
    { id: "2".repeat(16), session: SESSION, text: "My own.", state: "active" as const },
  ],
};
const LINE = `- Find the zebra. (active, session ${OTHER})`;

async function open(kind?: Exclude<SessionKind, "chat">) {
  const settings = { ...noProfileSettings(), rev: 1 };
  const session = await createScriptedSession([done, done, done], {
    ...{ ...(kind && { kind }), learning: "off" as const },
    readProfileSettings: async () => settings,
  });
  const ask = async () => {
    await session.engine.post({ text: "Go.", settingsRev: settings.rev });
    await session.life.settled();
    return session.model.requests.at(-1)!.system;
  };
  return { ask, session, settings };
}

test("a goal is in the prompts of chats and of cards, and of no session that works for a program or a stranger", async () => {
  const kinds = [undefined, "card", "webhook", "job"] as const;
  const named: unknown[] = [];
  for (const kind of kinds) {
    const { ask, settings } = await open(kind);
    settings.sections = { ...settings.sections, goals: { all } };
    const prompt = await ask();
    expect(prompt).not.toContain("My own.");
    if (prompt.includes(LINE)) named.push(kind);
    else expect(prompt).not.toContain("zebra");
  }
  expect(named).toEqual([undefined, "card"]);
});

test("a goal that is set now is read from the next epoch on", async () => {
  const { ask, session, settings } = await open();
  const before = await ask();
  settings.rev++;
  settings.sections = { ...settings.sections, goals: { all } };
  expect(await ask()).toBe(before);
  session.clock.advance(24 * 60 * 60_000);
  expect(await ask()).toContain(LINE);
});
