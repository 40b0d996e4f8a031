// The erasure of a text from everything that quotes it: which copies the Archive is asked to erase, and in which order.
import { expect, it } from "vitest";
import { type ErasedPieces, toMatcher } from "../../core/archive/messages/split-archive.ts";
import type { PurgedPiece } from "../../core/schemas/archived-message.ts";
import { keyOf } from "../../stores/keys.ts";
import { eraseText } from "../../wiring/erase-text.ts";
import { createMemoryBucket } from "../support/bindings/memory-bucket.ts";
import { createTestClock } from "../support/clock.ts";
import { newProfileId } from "../support/skills/profile-ids.ts";

function createWorld() {
  const clock = createTestClock();
  const bucket = createMemoryBucket({ clock });
  const profile = newProfileId();
  const purges = new Map<string, PurgedPiece[]>();
  const asked: { pieces: ErasedPieces; after: number }[] = [];
  const world = {
    bucket,
    profile,
    asked,
    isNewer: false,
    forgotten: 0,
    async erase(gone: string[], kept: string[] = [], subject = "memory/user/1") {
      asked.length = 0;
      await eraseText({ bucket, profile, now: clock.now(), archive, experiments }, { subject, gone, kept });
    },
    holds: (text: string) => toMatcher(asked[0]!.pieces, profile)(text),
  };
  const experiments = {
    async forgetWords() {
      world.forgotten++;
    },
  };
  const archive = {
    async beginPurge({ subject, pieces }: { subject: string; pieces: PurgedPiece[] }) {
      if (world.isNewer) throw new Error("state_newer");
      purges.set(subject, pieces);
    },
    purgedPieces: async (subject: string) => purges.get(subject) ?? [],
    async eraseTexts(pieces: ErasedPieces, after = 0) {
      asked.push({ pieces, after });
      return after < 2 ? after + 1 : null;
    },
  };
  return world;
}

it("asks for every part of the Archive, and for none without a text", async () => {
  const world = createWorld();
  await world.erase(["The walrus is fed at noon."]);
  expect(world.asked.map(({ after }) => after)).toEqual([0, 1, 2]);
  await world.erase([], [], "memory/user/2");
  expect(world.asked).toEqual([]);
});

it("makes the profile's experiments forget what they copied, and leaves them alone without a text", async () => {
  const world = createWorld();
  await world.erase([], [], "memory/user/2");
  expect(world.forgotten).toBe(0);
  await world.erase(["The walrus is fed at noon."]);
  expect(world.forgotten).toBe(1);
});

it("makes them forget also what cannot be searched for: a text that is too short, or stays elsewhere", async () => {
  const world = createWorld();
  await world.erase(["Cat"]);
  await world.erase(["The walrus is fed at noon."], ["The walrus is fed at noon."], "skills/walrus/1");
  expect(world).toMatchObject({ forgotten: 2, asked: [] });
});

it("erases copies whose secret was redacted, and no text that only has another redacted secret", async () => {
  const secret = `ghp_${"abcdefghij".repeat(4)}`;
  const world = createWorld();
  await world.erase([`The walrus deploy uses ${secret}`, secret]);
  expect(world.holds(`They said: the walrus deploy uses ${secret}.`)).toBe(true);
  expect(world.holds("They said: the walrus deploy uses [redacted GitHub token].")).toBe(true);
  expect(world.holds("Another one: [redacted GitHub token].")).toBe(false);
});

it("erases the same again when the text is purged a second time and is not known any more", async () => {
  const world = createWorld();
  await world.erase(["The walrus is fed at noon.", "It eats haddock, never herring."]);
  await world.erase([]);
  expect(world.asked.map(({ after }) => after)).toEqual([0, 1, 2]);
  expect(JSON.stringify(world.asked)).not.toContain("walrus");
  expect(world.holds("He said 'It eats haddock - never herring' again")).toBe(true);
  expect(world.holds("It eats haddock")).toBe(false);
});

it("erases nothing if a newer version wrote the Archive", async () => {
  const world = createWorld();
  const key = keyOf("pending", { profile: world.profile, id: "0123456789abcdef0123" });
  await world.bucket.put(key, JSON.stringify({ text: "The walrus is fed at noon." }));
  world.isNewer = true;
  await expect(world.erase(["The walrus is fed at noon."])).rejects.toThrow("state_newer");
  expect(await (await world.bucket.get(key))!.text()).toContain("walrus");
  expect(world.asked).toEqual([]);
});
