// The parts of a profile's archive as real objects in workerd: messages of three years, found, read and erased through the first part; and words
// of erased messages, which leave the database.
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { createMessageArchive } from "../../core/archive/messages/message-archive.ts";
import { hashPieces } from "../../core/archive/messages/purged-texts.ts";
import { ok } from "../../core/errors.ts";
import type { ArchivedTurn } from "../../core/schemas/archived-message.ts";
import { toPieces } from "../../core/skills/search/text-pieces.ts";
import type { Archive } from "../../durable-objects/archive.ts";
import { createArchiveMessages } from "../../durable-objects/archive-messages.ts";
import { toSql } from "../../durable-objects/sql.ts";
import { newProfileId } from "../support/skills/profile-ids.ts";
import { toUlid } from "../support/ulid.ts";

const { ARCHIVE } = env as unknown as { ARCHIVE: DurableObjectNamespace<Archive> };
const at = (year: number, month = 0) => Date.UTC(year, month, 15);
const SESSION = toUlid(at(2026), "A");
const OTHER = toUlid(at(2028), "B");

const toTurn = (session: string, turn: number, year: number, ...texts: string[]): ArchivedTurn => ({
  ...{ session, turn, endedAt: at(year) },
  messages: texts.map((text, i) => ({ n: turn * 10 + i, role: i % 2 ? "assistant" : "user", at: at(year), text })),
});

function createProfile() {
  const profile = newProfileId();
  const archive = (year?: number) => ARCHIVE.getByName(year === undefined ? profile : `${profile}/${year}`);
  return {
    profile,
    archive,
    /** As a session does. */
    async put(turn: ArchivedTurn) {
      const put = await archive().putMessages(turn);
      if (!put.ok || put.value.stored) return put;
      return archive(put.value.year).putMessages(turn);
    },
    find: async (query: string) => {
      const { found, missing } = await archive().searchMessages({ query, limit: 20 });
      expect(missing).toEqual([]);
      return found.map(({ session, n }) => `${session === SESSION ? "" : "other "}${n}`);
    },
    evict: () => Promise.all([undefined, 2027, 2028].map((year) => evictDurableObject(archive(year)))),
    rows: (year?: number) =>
      runInDurableObject(
        archive(year),
        (_, state) => state.storage.sql.exec("SELECT text FROM message").toArray().length,
      ),
  };
}

async function createLong() {
  const profile = createProfile();
  for (const [i, year] of [2026, 2027, 2028].entries()) {
    expect(await profile.put(toTurn(SESSION, i + 1, year, `The walrus of ${year} eats haddock`, "Noted."))).toEqual(
      ok({ stored: true }),
    );
  }
  await profile.put(toTurn(OTHER, 1, 2028, "A walrus again", "Yes."));
  return profile;
}

it("messages of three years are found and read through the first part, also after evictions", async () => {
  const { archive, evict, find, rows } = await createLong();
  expect([await rows(), await rows(2027), await rows(2028)]).toEqual([2, 2, 4]);
  await evict();
  expect(await find("walrus and haddocks")).toEqual(expect.arrayContaining(["10", "20", "30", "other 10"]));
  expect((await archive().messagesAround(SESSION, 20, 1, 2)).map(({ n }) => n)).toEqual([11, 20, 21, 30]);
  const late = await archive().searchMessages({ query: "walrus", limit: 9, from: at(2028) });
  expect(new Set(late.found.map(({ session, turn }) => `${session} ${turn}`))).toEqual(
    new Set([`${SESSION} 3`, `${OTHER} 1`]),
  );
});

it("a deleted session and a purged text leave every part, and do not come back", async () => {
  const { archive, put, find, profile } = await createLong();
  const text = "The walrus of 2027 eats haddock";
  const pieces = toPieces([text]);
  await archive().beginPurge({ subject: "memory/user/1", at: at(2028, 6), pieces: hashPieces(pieces, profile) });
  for (let after: number | null = 0; after !== null;) after = await archive().eraseTexts({ texts: pieces }, after);
  await put(toTurn(SESSION, 4, 2029, text, "Late."));
  expect(await find("walrus haddock 2027")).not.toContain("20");
  expect(await find("walrus haddock 2027")).not.toContain("40");
  expect(await find("late")).toContain("41");
  expect(await archive().eraseSession(SESSION)).toBe(6);
  for (const year of [2026, 2027, 2028, 2030]) await put(toTurn(SESSION, year, year, "The walrus is late"));
  for (const found of await find("walrus")) expect(found).toMatch(/^other/);
  expect(await archive().messagesAround(SESSION, 1, 9, 9)).toEqual([]);
});

it("a deleted profile leaves nothing in any part, and no part begins again", async () => {
  const { archive, put, rows } = await createLong();
  await archive().erase();
  expect(await put(toTurn(OTHER, 2, 2028, "A walrus"))).toMatchObject({
    ok: false,
    failure: { code: "archive_erased" },
  });
  expect(await archive(2028).putMessages(toTurn(OTHER, 2, 2028, "A walrus"))).toMatchObject({ ok: false });
  expect(await archive().searchMessages({ query: "walrus", limit: 9 })).toEqual({ found: [], missing: [] });
  for (const year of [2027, 2028]) await expect(rows(year)).rejects.toThrow("no such table");
});

it("a deletion of a profile that stops between two parts takes no message from then on, and is complete once repeated", async () => {
  const { profile, archive, put, rows } = await createLong();
  const stopped = runInDurableObject(archive(), (_, state) =>
    createArchiveMessages(state, {
      openObject(name) {
        if (name === `${profile}/2028`) throw new Error("stopped");
        return ARCHIVE.getByName(name);
      },
      wake: () => {},
    }).erase(),
  );
  await expect(stopped).rejects.toThrow("stopped");
  expect(await rows(2028)).toBe(4);
  await expect(rows(2027)).rejects.toThrow("no such table");
  for (const year of [2026, 2027, 2029])
    expect(await put(toTurn(OTHER, year, year, "A walrus"))).toMatchObject({ failure: { code: "archive_erased" } });
  await archive().erase();
  for (const year of [undefined, 2027, 2028]) await expect(rows(year)).rejects.toThrow("no such table");
});

it("a part of another profile cannot be reached by any argument of a search or a reading", async () => {
  const [one, other] = [await createLong(), await createLong()];
  await other.put(toTurn(OTHER, 9, 2028, "Secret orchid"));
  for (const session of [`${other.profile}/2028`, other.profile, `${other.profile}/${OTHER}`, "../2028"]) {
    expect(await one.archive().messagesAround(session, 1, 9, 9)).toEqual([]);
    expect((await one.archive().searchMessages({ query: "orchid", limit: 9, only: session })).found).toEqual([]);
  }
  expect((await one.archive().searchMessages({ query: "orchid", limit: 9 })).found).toEqual([]);
});

/** Which of these are in a block of the indexes. */
function readTraces(archive: DurableObjectStub<Archive>, traces: string[]): Promise<string[]> {
  return runInDurableObject(archive, (_, { storage }) => {
    const blocks = ["message_words_data", "message_pieces_data"].flatMap((table) =>
      storage.sql.exec<{ block: ArrayBuffer }>(`SELECT block FROM ${table}`).toArray(),
    );
    const bytes = blocks
      .map(({ block }) => Array.from(new Uint8Array(block), (byte) => String.fromCharCode(byte)).join(""))
      .join("\n");
    return traces.filter((trace) => bytes.includes(trace));
  });
}

it.each([undefined, 2027])(
  "words of erased messages leave the database after an object stopped before it set an alarm (part %s)",
  async (year) => {
    const { archive, put, find } = createProfile();
    await put(toTurn(OTHER, 1, 2026, "Hello", "Hello again"));
    for (let turn = 2; turn < 20; turn++) await put(toTurn(OTHER, turn, year ?? 2026, `Hello ${turn}`));
    await put(toTurn(SESSION, 1, year ?? 2026, "The zyxwquark is here"));
    // The first half of an erasure: the rows are gone, and the words are still in the indexes.
    await runInDurableObject(archive(year), (_, { storage }) => {
      createMessageArchive(toSql(storage)).eraseSession(SESSION);
    });
    expect(await readTraces(archive(year), ["zyxwquark"])).toEqual(["zyxwquark"]);
    await evictDurableObject(archive(year));
    expect(await find("zyxwquark")).toEqual([]);
    while (await runDurableObjectAlarm(archive(year)));
    expect(await readTraces(archive(year), ["zyxwquark"])).toEqual([]);
  },
);

it(
  "words of erased messages leave the database by alarms, while every call stays short",
  { timeout: 120_000 },
  async () => {
    const { archive, put } = createProfile();
    const text = (i: number) =>
      Array.from({ length: 60 }, (_, k) => `w${((i * 7919 + k * 104_729) % 9_973).toString(36)}`).join(" ");
    for (let turn = 0; turn < 60; turn++) {
      const texts = Array.from({ length: 50 }, (_, i) => text(turn * 50 + i));
      await put(toTurn(OTHER, turn + 1, 2028, ...texts));
      if (turn === 30) await put(toTurn(SESSION, 1, 2028, "The zyxwquark is at Qjvzk street"));
    }
    const traces = () => readTraces(archive(), ["zyxwquark", "yxwquark", "qjvzk"]);
    expect(await traces()).not.toEqual([]);
    expect(await archive().eraseSession(SESSION)).toBe(1);
    let alarms = 0;
    while (await runDurableObjectAlarm(archive())) alarms += 1;
    expect(await traces()).toEqual([]);
    expect(
      await runInDurableObject(archive(), (_, { storage }) =>
        storage.sql.exec("SELECT * FROM message_merge").toArray(),
      ),
    ).toEqual([]);
    expect(alarms).toBeGreaterThan(0);
  },
);
