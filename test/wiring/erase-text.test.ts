// The erasure of a text from everything that quotes it: which copies the Archive is asked to erase.
import { expect, it } from "vitest";
import { holdsAny } from "../../core/skills/search/text-pieces.ts";
import { eraseText } from "../../wiring/erase-text.ts";
import { createMemoryBucket } from "../support/bindings/memory-bucket.ts";
import { createTestClock } from "../support/clock.ts";
import { newProfileId } from "../support/skills/profile-ids.ts";

async function askedOf(gone: string[], kept: string[] = []): Promise<{ pieces: string[]; parts: number[] }> {
  const clock = createTestClock();
  const parts: number[] = [];
  let pieces: string[] = [];
  const archive = {
    async eraseTexts(given: string[], after = 0) {
      pieces = given;
      parts.push(after);
      return after < 2 ? after + 1 : null;
    },
  };
  const place = { bucket: createMemoryBucket({ clock }), profile: newProfileId(), now: clock.now() };
  await eraseText({ ...place, archive }, { gone, kept });
  return { pieces, parts };
}

it("asks for every part of the Archive, and for none without a text", async () => {
  expect((await askedOf(["The walrus is fed at noon."])).parts).toEqual([0, 1, 2]);
  expect((await askedOf([])).parts).toEqual([]);
});

it("erases copies whose secret was redacted, and no text that only has another redacted secret", async () => {
  const secret = `ghp_${"abcdefghij".repeat(4)}`;
  const { pieces } = await askedOf([`The walrus deploy uses ${secret}`, secret]);
  const holds = (text: string) => holdsAny(text, pieces);
  expect(holds(`They said: the walrus deploy uses ${secret}.`)).toBe(true);
  expect(holds("They said: the walrus deploy uses [redacted GitHub token].")).toBe(true);
  expect(holds("Another one: [redacted GitHub token].")).toBe(false);
});
