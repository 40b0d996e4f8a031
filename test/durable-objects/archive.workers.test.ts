// The Archive object: SQLite's FTS5 in workerd, skills in a real bucket, the alarm, and evictions.
import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { ok } from "../../core/errors.ts";
import type { ArchivedTurn } from "../../core/schemas/archived-message.ts";
import type { TurnSignature } from "../../core/schemas/learning/learning.ts";
import { createSkillStore } from "../../stores/skills/skill-store.ts";
import { toBucket } from "../../stores/platform/r2.ts";
import { systemClock } from "../../stores/platform/system-clock.ts";
import type { Archive } from "../../durable-objects/archive.ts";
import { newProfileId } from "../support/skills/profile-ids.ts";

const { ARCHIVE, SKILLS } = env as unknown as { ARCHIVE: DurableObjectNamespace<Archive>; SKILLS: R2Bucket };

function createProfile() {
  const profile = newProfileId();
  const store = createSkillStore({
    ...{ bucket: toBucket(SKILLS), profile, clock: systemClock, random: Math.random, swapMs: 10_000 },
  });
  return {
    archive: () => ARCHIVE.getByName(profile),
    put: (name: string, body: string) =>
      store.change({
        ...{ name, op: `put ${name} ${body}`, since: 0 },
        decide: () => {
          const files = { "SKILL.md": `---\nname: ${name}\ndescription: Something.\n---\n${body}\n` };
          return ok({ files, description: "Something.", state: "active", origin: "user", category: "general" });
        },
      }),
  };
}

it("a search finds a profile's own and the bundled skills by their bodies, and no other profile's", async () => {
  const [one, other] = [createProfile(), createProfile()];
  await one.put("feeding", "# Sea life\n\nHow much haddock a walrus eats.");
  const found = await one.archive().searchSkills("haddock walruses");
  expect(found).toEqual({ names: ["feeding"], unread: 0 });
  expect((await other.archive().searchSkills("haddock walruses")).names).toEqual([]);
  expect((await other.archive().searchSkills("files in the workspace")).names).toContain("using-the-workspace");

  await one.put("feeding", "How much clover a rabbit eats.");
  expect((await one.archive().searchSkills("haddock")).names).toEqual([]);
  expect((await one.archive().searchSkills("clover")).names).toEqual(["feeding"]);
});

it("the alarm reads the skills that a search had no time for, and they stay indexed after an eviction", async () => {
  const { archive, put } = createProfile();
  for (let i = 0; i < 20; i++) await put(`skill-${i}`, `Of item${i}.`);
  const { unread } = await archive().searchSkills("item0");
  expect(unread).toBeGreaterThan(0);
  expect(await runDurableObjectAlarm(archive())).toBe(true);
  const all = Array.from({ length: 20 }, (_, i) => `item${i}`).join(" ");
  expect(await archive().searchSkills(all)).toMatchObject({ unread: 0, names: { length: 20 } });
  expect(await runDurableObjectAlarm(archive())).toBe(false);

  await evictDurableObject(archive());
  expect(await archive().searchSkills("item7")).toEqual({ names: ["skill-7"], unread: 0 });
});

it("a profile's turns, its results on similar turns, and a skill's effect survive an eviction", async () => {
  const [one, other] = [createProfile(), createProfile()];
  const turn = (n: number, more: Partial<TurnSignature> = {}): TurnSignature => ({
    ...{ turn: `01J${String(n).padStart(23, "0")}-1`, session: `01J${String(n).padStart(23, "0")}`, at: n },
    ...{ request: "Average the prices in the export", tools: { terminal: 2 }, loaded: [], judge: "exit" },
    ...{ outcome: "success", recovered: false, effort: { calls: 4, failedCalls: 0, tokens: 9 }, heldOut: false },
    ...more,
  });
  expect(await one.archive().observeTurn(turn(1, { outcome: "failure" }))).toMatchObject({ similar: 0 });
  const loaded = [{ skill: "prices", text: "a".repeat(64) }];
  expect(await one.archive().observeTurn(turn(2, { loaded }))).toEqual({
    ...{ similar: 1, successes: 0, best: null },
    skills: { prices: { without: { turns: 1, successes: 0, failures: 1, calls: 4 }, best: null } },
  });
  await evictDurableObject(one.archive());
  expect(await one.archive().observeTurn(turn(2, { loaded, outcome: "failure", judge: "rating" }))).toMatchObject({
    similar: 1,
  });
  expect(await one.archive().turnsOf({ since: 2, limit: 10 })).toEqual([
    turn(2, { loaded, outcome: "failure", judge: "rating" }),
  ]);
  expect(await one.archive().liftOf("prices", "Averages of prices.", 2)).toEqual({
    before: { turns: 1, judged: 1, successes: 0 },
    after: { turns: 1, judged: 1, successes: 0 },
  });
  expect(await other.archive().turnsOf({ limit: 10 })).toEqual([]);
});

it("a profile's messages are indexed once, found, read and erased, also after an eviction", async () => {
  const [one, other] = [createProfile(), createProfile()];
  const toTurn = (session: string, turn: number, text: string): ArchivedTurn => ({
    ...{ session, turn, title: "A zoo" },
    messages: [
      { n: turn * 10, role: "user", at: turn, text },
      { n: turn * 10 + 1, role: "assistant", at: turn, text: "Noted." },
    ],
  });
  const [a, b, c] = ["A", "B", "C"].map((letter) => `01J0000000000000000000000${letter}`) as [string, string, string];
  for (const turn of [toTurn(a, 1, "The walrus eats haddock"), toTurn(b, 1, "The wedding is in May")])
    for (let times = 0; times < 2; times++) expect(await one.archive().putMessages(turn)).toEqual(ok({ stored: true }));
  await evictDurableObject(one.archive());
  const textsOf = async (query: string) =>
    (await one.archive().searchMessages({ query, limit: 9, roles: ["user"] })).found.map(({ text }) => text);
  expect(await textsOf("walruses eating haddocks")).toContain("The walrus eats haddock");
  expect(await textsOf('?"( OR NEAR')).toEqual([]);
  expect((await one.archive().messagesAround(a, 10, 5, 5)).map(({ n }) => n)).toEqual([10, 11]);
  expect(await other.archive().searchMessages({ query: "walrus", limit: 9 })).toEqual({ found: [], missing: [] });

  expect(await one.archive().eraseTexts({ texts: ["theweddingisinmay"] })).toBeNull();
  expect(await textsOf("wedding")).toEqual([]);
  expect(await one.archive().eraseSession(a)).toBe(2);
  expect(await textsOf("walrus")).toEqual([]);
  await one.archive().putMessages(toTurn(a, 2, "The walrus again"));
  expect(await textsOf("walrus")).toEqual([]);
  await one.archive().putMessages(toTurn(c, 1, "The walrus of another session"));
  expect(await textsOf("walrus")).toEqual(["The walrus of another session"]);
  await one.archive().erase();
  expect(await textsOf("walrus")).toEqual([]);
  const late = await one.archive().putMessages(toTurn(c, 2, "The walrus again"));
  expect(late).toMatchObject({ ok: false, failure: { code: "archive_erased" } });
});
