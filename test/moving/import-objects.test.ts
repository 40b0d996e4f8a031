// What the objects of a profile become on their way in.
import { expect, it } from "vitest";
import { placeObject } from "../../stores/moving/import-objects.ts";

const between = { from: "a".repeat(26), to: "b".repeat(26) };

it("keeps no skill for jobs, because they do not travel", () => {
  const body = JSON.stringify({ v: 1, keepSkills: ["weather"], paused: true });
  const placed = placeObject({ in: "object", key: "policy.json", body }, between);
  expect(placed).toMatchObject({ ok: true, value: { key: `p/${between.to}/policy.json` } });
  expect(JSON.parse((placed as { value: { body: string } }).value.body)).toEqual({
    v: 1,
    keepSkills: [],
    paused: true,
  });
});
