// The delivery of curation messages: the hourly trigger, pages of due profiles, runs that a person requested, rollbacks.
import { describe, expect, it } from "vitest";
import { isCurated } from "../../core/learning/curation/run-curation.ts";
import { DEFAULTS } from "../../core/limits.ts";
import { shardOf } from "../../core/schemas/learning/digest.ts";
import { dayOf } from "../../core/schemas/ids.ts";
import { countCalls } from "../../stores/platform/counted-bucket.ts";
import { deliverCuration, sendDueShards } from "../../workers/curator/deliver.ts";
import { newProfileId } from "../support/skills/profile-ids.ts";
import { DAY_MS, type World, createWorld, meet, statesOf } from "./world.ts";

/** Profiles whose markers lie in one shard. */
function neighbours(count: number): string[] {
  const shards = new Map<string, string[]>();
  for (;;) {
    const profile = newProfileId();
    const shard = shardOf(profile);
    const group = [...(shards.get(shard) ?? []), profile].sort();
    if (group.length === count) return group;
    shards.set(shard, group);
  }
}

/** Each profile has one skill that a curation knows and nothing used for 31 active days. All markers but today's are past. */
async function createDueWorld(profiles: string[], pageProfiles?: number): Promise<World> {
  const world = createWorld({ pageProfiles });
  for (const profile of profiles) {
    await world.addSkill(profile, "forgotten");
    await meet(world, profile);
  }
  for (let day = 0; day < 31; day++) {
    world.clock.advance(DAY_MS);
    for (const profile of profiles) await world.profileOf(profile).evidence.markActive(dayOf(world.clock.now()));
  }
  world.clock.advance(DAY_MS);
  return world;
}

const markers = (world: World) => world.bucket.keys().filter((key) => key.startsWith("due/"));

/** Delivers all sent messages, including those sent meanwhile. */
async function drain(world: World): Promise<number> {
  let delivered = 0;
  for (let next = world.sent.shift(); next; next = world.sent.shift()) {
    delivered += 1;
    expect(await deliverCuration(next.message, 1, world.options)).toEqual({ act: "ack" });
  }
  return delivered;
}

describe("the hourly trigger", () => {
  it("sends a message for each shard of each past day, and none for today", async () => {
    const [profile = ""] = neighbours(1);
    const world = createWorld();
    await world.liveDays(profile, 2);
    expect(await sendDueShards(world.options)).toBe(1);
    const day = dayOf(world.clock.now() - DAY_MS);
    expect(world.sent).toEqual([{ message: { v: 1, kind: "shard", day, shard: shardOf(profile) }, delaySeconds: 0 }]);
  });

  it("sends nothing when no profile was active", async () => {
    const world = createWorld();
    expect(await sendDueShards(world.options)).toBe(0);
    expect({ sent: world.sent, log: world.log }).toEqual({ sent: [], log: [] });
  });

  it("has every profile of a shard curated, page by page, and its markers cleared", async () => {
    const profiles = neighbours(3);
    const world = await createDueWorld(profiles, 2);
    expect(markers(world)).toHaveLength(93);
    expect(await sendDueShards(world.options)).toBe(31);
    expect(await drain(world)).toBe(62);
    expect(markers(world)).toEqual([]);
    for (const profile of profiles) {
      expect(await statesOf(world, profile)).toEqual({ forgotten: "stale" });
      // Thirty-one days were due. One run serves them all, and sweeps the earlier run.
      expect(await world.curation.runs(profile)).toHaveLength(1);
    }
  });
});

describe("a page with a failing profile", () => {
  it("curates the others, and sends the failing one in its own message", async () => {
    const profiles = neighbours(3);
    const world = await createDueWorld(profiles);
    const broken = `p/${profiles[1]}/policy.json`;
    await world.bucket.put(broken, "not json");
    const day = dayOf(world.clock.now() - DAY_MS);
    const shard = shardOf(profiles[0]!);
    expect(await deliverCuration({ v: 1, kind: "shard", day, shard }, 1, world.options)).toEqual({ act: "ack" });
    expect(await statesOf(world, profiles[0]!)).toEqual({ forgotten: "stale" });
    expect(await statesOf(world, profiles[2]!)).toEqual({ forgotten: "stale" });
    expect(markers(world).filter((key) => key.startsWith(`due/${day}/`))).toEqual([
      `due/${day}/${shard}/${profiles[1]}`,
    ]);
    expect(world.sent).toMatchObject([
      { message: { kind: "profile", profile: profiles[1], dryRun: false }, delaySeconds: 10 },
    ]);

    const { message } = world.sent[0]!;
    expect(await deliverCuration(message, 1, world.options)).toEqual({ act: "retry", delaySeconds: 10 });
    expect(await deliverCuration(message, 4, world.options)).toEqual({ act: "retry", delaySeconds: 80 });
    await world.bucket.delete(broken);
    expect(await deliverCuration(message, 5, world.options)).toEqual({ act: "ack" });
    expect(await statesOf(world, profiles[1]!)).toEqual({ forgotten: "stale" });
    await deliverCuration({ v: 1, kind: "shard", day, shard }, 1, world.options);
    expect(markers(world).filter((key) => key.startsWith(`due/${day}/`))).toEqual([]);
  });

  it("is retried when the queue refuses the message for the failing one", async () => {
    const profiles = neighbours(2);
    const world = await createDueWorld(profiles);
    await world.bucket.put(`p/${profiles[0]}/policy.json`, "not json");
    const queue = { send: async () => Promise.reject(new Error("Too Many Requests")) };
    const message = { v: 1, kind: "shard", day: dayOf(world.clock.now() - DAY_MS), shard: shardOf(profiles[0]!) };
    expect(await deliverCuration(message, 2, { ...world.options, queue })).toEqual({ act: "retry", delaySeconds: 20 });
  });

  it("keeps the marker of a profile whose lease another run holds", async () => {
    const [profile = ""] = neighbours(1);
    const world = await createDueWorld([profile]);
    const now = world.clock.now();
    await world.curation.lease(profile, "20260101T000000Z-held", now, now + DEFAULTS.curation.leaseMs);
    const before = markers(world);
    await sendDueShards(world.options);
    await drain(world);
    expect(markers(world)).toEqual(before);
  });
});

describe("a paused profile", () => {
  it("has its markers cleared without a run, and is curated when a person requests it", async () => {
    const [profile = ""] = neighbours(1);
    const world = await createDueWorld([profile]);
    await world.curation.changePolicy(profile, (policy) => ({ ...policy, paused: true }));
    await sendDueShards(world.options);
    await drain(world);
    expect(markers(world)).toEqual([]);
    expect(await statesOf(world, profile)).toEqual({ forgotten: "trial" });
    const message = { v: 1, kind: "profile", profile, run: "20270501T000000Z-aske", dryRun: false };
    expect(await deliverCuration(message, 1, world.options)).toEqual({ act: "ack" });
    expect(await statesOf(world, profile)).toEqual({ forgotten: "stale" });
  });
});

describe("a deleted profile", () => {
  it("has its markers cleared, and nothing written", async () => {
    const [profile = ""] = neighbours(1);
    const world = await createDueWorld([profile]);
    await world.bucket.put(`p/${profile}/GONE`, "");
    const before = world.bucket.keys().filter((key) => key.startsWith("p/"));
    await sendDueShards(world.options);
    await drain(world);
    expect(markers(world)).toEqual([]);
    expect(world.bucket.keys().filter((key) => key.startsWith("p/"))).toEqual(before);
  });
});

describe("a slow page of profiles", () => {
  it("is continued by another message after eight minutes", async () => {
    const profiles = neighbours(3);
    const world = await createDueWorld(profiles);
    const day = dayOf(world.clock.now() - DAY_MS);
    const shard = shardOf(profiles[0]!);
    const slow = {
      ...world.options,
      run: async (...order: Parameters<typeof world.options.run>) => {
        world.clock.advance(5 * 60_000);
        return world.options.run(...order);
      },
    };
    expect(await deliverCuration({ v: 1, kind: "shard", day, shard }, 1, slow)).toEqual({ act: "ack" });
    const cursor = profiles[1];
    expect(world.sent.splice(0)).toEqual([{ message: { v: 1, kind: "shard", day, shard, cursor }, delaySeconds: 0 }]);
    expect(await deliverCuration({ v: 1, kind: "shard", day, shard, cursor }, 1, slow)).toEqual({ act: "ack" });
    expect(world.sent).toEqual([]);
    expect(markers(world).filter((key) => key.startsWith(`due/${day}/`))).toEqual([]);
  });
});

describe("a page of profiles with many calls", () => {
  it("is continued by another message before the platform's limit ends the invocation", async () => {
    const profiles = neighbours(3);
    const world = await createDueWorld(profiles);
    const day = dayOf(world.clock.now() - DAY_MS);
    const shard = shardOf(profiles[0]!);
    const counted = countCalls(world.bucket);
    let offset = 0;
    const options = {
      ...world.options,
      calls: () => counted.calls() + offset,
      run: async (...order: Parameters<typeof world.options.run>) => {
        offset += 3_000;
        await counted.bucket.get("p");
        return world.options.run(...order);
      },
    };
    await deliverCuration({ v: 1, kind: "shard", day, shard }, 1, options);
    expect(world.sent.map(({ message }) => message)).toEqual([
      { v: 1, kind: "shard", day, shard, cursor: profiles[1] },
    ]);
    expect(counted.calls()).toBe(2);
  });
});

describe("the rollback of a run", () => {
  it("is a run of its own, and waits for a run that holds the profile", async () => {
    const [profile = ""] = neighbours(1);
    const world = await createDueWorld([profile]);
    const [of, run] = ["20270501T000000Z-made", "20270502T000000Z-back"];
    await deliverCuration({ v: 1, kind: "profile", profile, run: of, dryRun: false }, 1, world.options);
    expect(await statesOf(world, profile)).toEqual({ forgotten: "stale" });
    const now = world.clock.now();
    await world.curation.lease(profile, of, now, now + 60_000);
    const message = { v: 1, kind: "rollback", profile, run, of };
    expect(await deliverCuration(message, 1, world.options)).toMatchObject({ act: "retry" });
    await world.curation.release(profile, of);
    expect(await deliverCuration(message, 2, world.options)).toEqual({ act: "ack" });
    expect(await statesOf(world, profile)).toEqual({ forgotten: "trial" });
    expect((await world.curation.report(profile, run))?.run).toMatchObject({ undoes: of });
  });

  it("does not count as a day's curation", async () => {
    const world = createWorld();
    const profile = neighbours(1)[0]!;
    await world.run(profile, "20260102T000000Z-made");
    await world.run(profile, "20260103T000000Z-back", { undoes: "20260102T000000Z-made" });
    expect(await isCurated(world.curation, profile, "2026-01-02")).toBe(false);
  });
});

describe("a run that a person requested", () => {
  const run = "20260501T000000Z-asked";
  const id = run.slice(0, 21);

  it("needs no marker, and as a dry run moves nothing", async () => {
    const profile = newProfileId();
    const world = createWorld();
    await world.addSkill(profile, "fresh");
    const message = { v: 1, kind: "profile", profile, run: id, dryRun: true };
    expect(await deliverCuration(message, 1, world.options)).toEqual({ act: "ack" });
    expect((await world.curation.report(profile, id))?.run).toMatchObject({ dryRun: true, skills: 1, moves: [] });
  });

  it("waits for a run that holds the profile", async () => {
    const profile = newProfileId();
    const world = createWorld();
    const now = world.clock.now();
    await world.curation.lease(profile, "20260101T000000Z-held", now, now + DEFAULTS.curation.leaseMs);
    const message = { v: 1, kind: "profile", profile, run: id, dryRun: false };
    expect(await deliverCuration(message, 2, world.options)).toEqual({ act: "retry", delaySeconds: 20 });
  });
});

describe("a malformed message", () => {
  it.each([[null], ["x"], [{ v: 1, kind: "shard", day: "today", shard: "00" }], [{ v: 1, kind: "profile" }]])(
    "%j is acknowledged and logged",
    async (body) => {
      const world = createWorld();
      expect(await deliverCuration(body, 1, world.options)).toEqual({ act: "ack" });
      expect(world.log).toEqual([{ event: "message_malformed", type: body === null ? "null" : typeof body }]);
    },
  );
});
