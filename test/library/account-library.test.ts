// The shared library between Accounts: who may follow, what the publisher's word does to copies, what counts flow back, and that nothing is lost when
// an Account stops between a change and its message.
import { describe, expect, it } from "vitest";
import { settleSkill } from "../../core/learning/evidence/settle.ts";
import { DAY_MS } from "../../core/schemas/ids.ts";
import { usesOf } from "../learning/evidence/uses.ts";
import { extension } from "../support/skills/skills.ts";
import {
  BODY,
  DEFAULTS,
  type Member,
  NAME,
  type World,
  createLibraryWorld,
  follow,
  install,
  share,
  textOf,
  writeCopy,
} from "./library-world.ts";

async function createTeam(
  followers: number,
  evidence = false,
): Promise<{ world: World; publisher: Member; others: Member[] }> {
  const world = createLibraryWorld();
  const publisher = world.newProfile();
  await share(publisher);
  const others = Array.from({ length: followers }, world.newProfile);
  for (const other of others) await follow(world, publisher, other, evidence);
  return { world, publisher, others };
}

/** Sends what is due until nothing is, as the alarm does. By then, an install that had begun is over. */
async function settle(world: World, ...members: Member[]): Promise<void> {
  for (let round = 0; round < 10; round++) {
    for (const member of members) await member.library().sendDue();
    world.clock.advance(11_000);
  }
}

async function withdraw(world: World, publisher: Member): Promise<void> {
  await publisher.adjust({ state: "archived", withdrawn: [(await publisher.head()).text], reason: "It did harm." });
  publisher.library().planTelling(world.clock.now());
}

/** Uses of the present text that ended so, judged by a person. */
async function use(world: World, member: Member, signs: string): Promise<void> {
  const { text } = await member.head();
  for (const one of usesOf(signs, { text, startMs: world.clock.now() }))
    await member.evidence.put({ ...one, judge: "rating" });
}

describe("an invitation", () => {
  it("admits as many profiles as it says, and an admitted one again for nothing", async () => {
    const world = createLibraryWorld();
    const [publisher, first, second] = [world.newProfile(), world.newProfile(), world.newProfile()];
    const { code } = publisher.library().invite({ label: "Analysts", expiresInMs: 60_000, uses: 2 });
    const asked = { code, evidence: false, label: "" };
    for (const _ of [1, 2])
      expect(await first.library().follow(asked)).toMatchObject({ ok: true, value: { label: "Analysts" } });
    expect(publisher.library().list().invitations).toMatchObject([{ uses: 1 }]);
    expect(await second.library().follow(asked)).toMatchObject({ ok: true });
    expect(await world.newProfile().library().follow(asked)).toMatchObject({ failure: { code: "invitation_unknown" } });
    expect(publisher.library().list().invitations).toEqual([]);
  });

  it("ends with its time, when it is taken back, and for its own profile", async () => {
    const world = createLibraryWorld();
    const [publisher, other] = [world.newProfile(), world.newProfile()];
    const invite = () => publisher.library().invite({ label: "", expiresInMs: 60_000, uses: 1 });
    const refusal = async (code: string, by = other) => {
      const answer = await by.library().follow({ code, evidence: false, label: "" });
      return answer.ok ? null : answer.failure.code;
    };
    const [late, taken] = [invite(), invite()];
    expect(await refusal(late.code, publisher)).toBe("own_library");
    expect(publisher.library().takeBack(taken.id)).toMatchObject({ ok: true });
    expect(await refusal(taken.code)).toBe("invitation_unknown");
    world.clock.advance(60_001);
    expect(await refusal(late.code)).toBe("invitation_unknown");
    expect(await refusal("tlib_nothing")).toBe("invitation_unknown");
    expect(JSON.stringify(publisher.sql.run("SELECT * FROM library_invitation"))).not.toContain(
      invite().code.slice(32),
    );
  });
});

describe("the publisher's word", () => {
  it.each([[[0]], [[0, 80_000]]])(
    "reaches a copy whose install ends after it was sent, given after %j ms",
    async (waits) => {
      const { world, publisher, others } = await createTeam(1);
      const [first] = others as [Member];
      await settle(world, publisher, first);
      await share(publisher, "Count the rows of a ledger.", "ledgers");
      const { text } = await publisher.head("ledgers");
      for (const ms of waits) {
        world.clock.advance(ms);
        publisher.library().give(first.profile, { skill: "ledgers", text });
      }
      await publisher.adjust({ state: "archived", withdrawn: [text], reason: "It did harm." }, "ledgers");
      publisher.library().planTelling(world.clock.now());
      await publisher.library().sendDue();
      await writeCopy(world, publisher, first, "ledgers");
      await settle(world, publisher, first);
      expect((await first.head("ledgers")).state).toBe("archived");
    },
  );

  it("archives each follower's copy with the reason, and only tells where the text was changed or pinned", async () => {
    const { world, publisher, others } = await createTeam(4);
    const [same, changed, pinned, own] = others as [Member, Member, Member, Member];
    await changed.skills.change(extension(NAME, "And the rows.", "edit"));
    await pinned.adjust({ pinned: true });
    await own.adjust({ state: "archived", reason: "It failed here." });
    await withdraw(world, publisher);
    await settle(world, publisher);
    const states = await Promise.all(others.map(async (other) => (await other.head()).state));
    expect(states).toEqual(["archived", "trial", "trial", "archived"]);
    expect((await same.head()).reason).toBe("Withdrawn by its publisher: it did harm there.");
    expect((await own.head()).reason).toBe("It failed here.");
    for (const other of others) expect(await other.seen()).toMatchObject({ state: "gone" });
    expect((await changed.seen())!.detail).toContain("It was changed or pinned here");
    expect(
      publisher
        .library()
        .list()
        .followers.map(({ told }) => told),
    ).toEqual([true, true, true, true]);
  });

  it.each([
    ["archived", (publisher: Member) => publisher.adjust({ state: "archived" })],
    ["unshared", (publisher: Member) => publisher.adjust({ shared: false })],
    ["deleted", async (publisher: Member) => publisher.skills.erase(NAME, Date.now())],
  ])("also counts when the skill is %s", async (_, change) => {
    const { world, publisher, others } = await createTeam(1);
    await change(publisher);
    publisher.library().planTelling(world.clock.now());
    await settle(world, publisher);
    expect(await others[0]!.head()).toMatchObject({ state: "archived", reason: "Withdrawn by its publisher." });
  });

  it("is told after a crash between the change and the message, and only once", async () => {
    const { world, publisher, others } = await createTeam(2);
    await settle(world, publisher);
    // What the API stores before a decision: the profile stops right after it.
    publisher.library().planTelling(world.clock.now() + 30_000);
    await publisher.adjust({ state: "archived" });
    publisher.restart();
    expect(publisher.library().nextDue()).toBe(world.clock.now() + 30_000);
    world.clock.advance(30_000);
    world.breakTheWay(true);
    await publisher.library().sendDue();
    expect([publisher.problems, (await others[0]!.head()).state]).toEqual([
      ["follower_not_told", "follower_not_told"],
      "trial",
    ]);
    publisher.restart();
    world.breakTheWay(false);
    world.clock.advance(60_000);
    await publisher.library().sendDue();
    for (const other of others) expect((await other.head()).state).toBe("archived");
    // A day after the look, which was made before the way was broken.
    expect(publisher.library().nextDue()).toBe(world.clock.now() - 60_000 + DAY_MS);
    world.calls.length = 0;
    publisher.library().noteWork();
    await settle(world, publisher);
    expect(world.calls).toEqual([]);
  });

  it("is not repeated against a person who restored the copy, and a skill that is shared again is offered", async () => {
    const { world, publisher, others } = await createTeam(1);
    const follower = others[0]!;
    await publisher.adjust({ state: "archived" });
    publisher.library().planTelling(world.clock.now());
    await settle(world, publisher);
    await follower.adjust({ state: "active", reason: "Restored by a person." });
    await publisher.skills.change({
      ...extension("another", "", "x"),
      decide: () => ({
        ok: true,
        value: { files: { "SKILL.md": "b" }, description: "d", state: "active", origin: "review", shared: true },
      }),
    });
    publisher.library().planTelling(world.clock.now());
    await settle(world, publisher);
    expect((await follower.head()).state).toBe("active");
    await follower.adjust({ state: "archived" });
    await publisher.adjust({ state: "active" });
    await publisher.adjust({ shared: true });
    publisher.library().planTelling(world.clock.now());
    await settle(world, publisher);
    expect([(await follower.head()).state, await follower.seen()]).toMatchObject([
      "archived",
      { state: "current", detail: expect.stringContaining("offers it") },
    ]);
  });

  it("is looked for once a day, since a curation tells no Account", async () => {
    const { world, publisher, others } = await createTeam(1);
    await settle(world, publisher);
    await publisher.adjust({ state: "archived", reason: "A curation found another one." });
    await settle(world, publisher);
    expect((await others[0]!.head()).state).toBe("trial");
    const due = publisher.library().nextDue()!;
    expect(due - world.clock.now()).toBeLessThanOrEqual(DAY_MS);
    world.clock.advance(due - world.clock.now());
    await publisher.library().sendDue();
    expect((await others[0]!.head()).state).toBe("archived");
    expect(publisher.library().list().followers).toMatchObject([{ told: true }]);
  });

  it("is the same word while nothing is shared, and a new one after it was", async () => {
    const { world, publisher, others } = await createTeam(2);
    const [follower, pinned] = others as [Member, Member];
    const tell = async () => {
      publisher.library().planTelling(world.clock.now());
      await settle(world, publisher);
    };
    await pinned.adjust({ pinned: true });
    await withdraw(world, publisher);
    await tell();
    await follower.adjust({ state: "active", reason: "Restored by a person." });
    await pinned.adjust({ pinned: false });
    await publisher.adjust({ reason: "Something else of the same head." });
    // Of another skill, so that followers are told at all.
    await share(publisher, "Another.", "another");
    await follower.library().hear(publisher.profile, { takes: false });
    await tell();
    for (const other of others) expect((await other.head()).state).not.toBe("archived");

    await publisher.adjust({ state: "active", withdrawn: [], shared: true });
    await tell();
    await withdraw(world, publisher);
    await tell();
    for (const other of others) expect((await other.head()).state).toBe("archived");
  });

  it("reaches a copy whose profile did not follow when it was said, and follows again", async () => {
    const { world, publisher, others } = await createTeam(1);
    const follower = others[0]!;
    await follower.library().unfollow(publisher.profile);
    await publisher.library().part(follower.profile, "follower", "ended");
    await withdraw(world, publisher);
    await settle(world, publisher);
    expect((await follower.head()).state).toBe("trial");
    const { code } = publisher.library().invite({ label: "Analysts", expiresInMs: 60_000, uses: 1 });
    await follower.library().follow({ code, evidence: false, label: "Ours" });
    await settle(world, publisher);
    expect((await follower.head()).state).toBe("archived");
  });

  it("goes on to who follows a follower that shares its copy, and ends where nothing changes", async () => {
    const { world, publisher, others } = await createTeam(1);
    const [between, last] = [others[0]!, world.newProfile()];
    await between.adjust({ shared: true });
    await follow(world, between, last);
    // A circle: the publisher follows the last one.
    const { code } = last.library().invite({ label: "", expiresInMs: 60_000, uses: 1 });
    await publisher.library().follow({ code, evidence: false, label: "" });
    for (const _ of [1, 2]) await settle(world, publisher, between, last);
    await withdraw(world, publisher);
    world.calls.length = 0;
    await settle(world, publisher, between, last);
    for (const member of [between, last]) expect((await member.head()).state).toBe("archived");
    expect(world.calls.filter((what) => what === "hear").length).toBeLessThanOrEqual(3);
    expect([publisher, between, last].map((member) => member.problems)).toEqual([[], [], []]);
  });

  it("offers a new text and changes no copy", async () => {
    const { world, publisher, others } = await createTeam(1);
    await publisher.skills.change(extension(NAME, "And the rows.", "edit"));
    publisher.library().planTelling(world.clock.now());
    await settle(world, publisher);
    expect(await others[0]!.head()).toMatchObject({ state: "trial", rev: 1, text: textOf(BODY) });
    expect(await others[0]!.seen()).toMatchObject({ state: "update", version: (await publisher.head()).text });
  });
});

describe("a follower's own verdict", () => {
  it("archives the copy at home and moves nothing elsewhere", async () => {
    const { world, publisher, others } = await createTeam(2, true);
    const [harmed, other] = others as [Member, Member];
    await use(world, harmed, "-----");
    const { skills, evidence } = harmed;
    const { moved } = await settleSkill({ skills, evidence, settings: DEFAULTS, skill: NAME, op: "verdict" });
    expect(moved).toMatchObject({ to: "archived", withdrew: true });
    expect((await harmed.head()).reason).toContain("archived here only");
    await settle(world, harmed, publisher);
    expect([(await publisher.head()).state, (await other.head()).state]).toEqual(["active", "trial"]);
  });

  it("does not archive what came from elsewhere", async () => {
    const { world, others } = await createTeam(1);
    await others[0]!.adjust({ from: { source: "github", identifier: "a/b/c" } });
    await use(world, others[0]!, "-----");
    const { skills, evidence } = others[0]!;
    await settleSkill({ skills, evidence, settings: DEFAULTS, skill: NAME, op: "verdict" });
    expect((await others[0]!.head()).state).toBe("stale");
  });
});

describe("followers' counts", () => {
  it("flow only while both agree, as absolute numbers, and end with either", async () => {
    const { world, publisher, others } = await createTeam(1, true);
    const follower = others[0]!;
    const shown = () => publisher.library().countsOf(NAME, textOf(BODY), 10);
    await use(world, follower, "++-");
    await follower.evidence.fold(NAME);
    follower.library().noteWork();
    await settle(world, follower, publisher);
    expect(shown()).toMatchObject({ profiles: 0, weight: 0 });
    expect(publisher.library().list().followers).toMatchObject([
      { sendsEvidence: true, evidence: false, label: "Ours" },
    ]);

    publisher.library().changeFollower(follower.profile, true);
    await settle(world, publisher, follower);
    const counted = { profiles: 1, uses: 3, successes: 2, failures: 1, weight: 3 };
    expect(shown()).toEqual(counted);
    expect(follower.library().list().following).toMatchObject([{ takesEvidence: true }]);
    follower.library().noteWork();
    follower.restart();
    await settle(world, follower);
    expect(shown()).toEqual(counted);

    follower.library().changeFollowing(publisher.profile, { evidence: false });
    await settle(world, follower);
    expect(shown()).toMatchObject({ profiles: 0 });
    follower.library().changeFollowing(publisher.profile, { evidence: true });
    await settle(world, follower);
    expect(shown()).toEqual(counted);
    publisher.library().changeFollower(follower.profile, false);
    expect(shown()).toMatchObject({ profiles: 0 });
  });

  it("of a liar change no verdict, and are capped; of texts that were never given they are refused", async () => {
    const { world, publisher, others } = await createTeam(1, true);
    const liar = others[0]!.profile;
    publisher.library().changeFollower(liar, true);
    const count = { uses: 10_000, successes: 0, failures: 10_000 };
    const report = (skill: string, text: string) =>
      publisher.library().takeReport(liar, { evidence: true, label: "", counts: [{ skill, text, ...count }] });
    const before = JSON.stringify(await publisher.head());
    expect(report(NAME, textOf(BODY))).toEqual({ takes: true, refused: 0 });
    expect(report(NAME, textOf("another"))).toEqual({ takes: true, refused: 1 });
    expect(report("secret-skill", textOf(BODY))).toEqual({ takes: true, refused: 1 });
    expect(() =>
      publisher.library().takeReport(liar, {
        evidence: true,
        label: "",
        counts: [{ ...count, skill: NAME, text: textOf(BODY), uses: 5 }],
      }),
    ).toThrow("more judged uses than uses");
    expect(
      publisher.library().takeReport(world.newProfile().profile, { evidence: true, label: "", counts: [] }),
    ).toBeNull();
    expect(publisher.library().countsOf(NAME, textOf(BODY), 100)).toEqual({
      profiles: 1,
      uses: 20,
      successes: 0,
      failures: 20,
      weight: 20,
    });
    const { skills, evidence } = publisher;
    await settleSkill({ skills, evidence, settings: DEFAULTS, skill: NAME, op: "verdict" });
    expect(JSON.stringify(await publisher.head())).toBe(before);
  });
});

describe("an end", () => {
  it("of following leaves the copy, and says so", async () => {
    const { world, publisher, others } = await createTeam(2);
    const [left, removed] = others as [Member, Member];
    expect(await left.library().unfollow(publisher.profile)).toMatchObject({ ok: true });
    expect(left.farewells).toEqual([`follower:${publisher.profile}`]);
    await publisher.library().part(left.profile, "follower", "ended");
    expect(publisher.library().removeFollower(removed.profile)).toMatchObject({ ok: true });
    await removed.library().part(publisher.profile, "publisher", "ended");
    for (const other of others) {
      expect([(await other.head()).state, await other.seen()]).toMatchObject([
        "trial",
        { state: "gone", detail: expect.stringContaining("no longer") },
      ]);
      expect(publisher.library().give(other.profile, null)).toBe(false);
    }
    await withdraw(world, publisher);
    await settle(world, publisher);
    expect((await left.head()).state).toBe("trial");
  });

  it("of a profile is told to both sides, and leaves no row", async () => {
    const { world, publisher, others } = await createTeam(1);
    const follower = others[0]!;
    const second = world.newProfile();
    await follow(world, publisher, second);
    publisher.library().partFromAll();
    const farewells = [follower, second].map(({ profile }) => `publisher:${profile}`);
    expect(publisher.farewells.toSorted()).toEqual(farewells.toSorted());
    await follower.library().part(publisher.profile, "publisher", "deleted");
    expect((await follower.seen())!.detail).toBe("Its publisher was deleted. The copy stays.");
    expect(follower.library().list().following).toEqual([]);
    second.library().partFromAll();
    await publisher.library().part(second.profile, "follower", "deleted");
    expect(
      publisher
        .library()
        .list()
        .followers.map(({ profile }) => profile),
    ).toEqual([follower.profile]);
    expect(publisher.sql.run("SELECT DISTINCT follower FROM library_count")).toEqual([{ follower: follower.profile }]);
  });

  it("removes a follower that does not know of it any more, but not one that was just admitted", async () => {
    const { world, publisher, others } = await createTeam(1);
    others[0]!.sql.run("DELETE FROM library_following");
    publisher.library().planTelling(world.clock.now());
    await publisher.library().sendDue();
    expect(publisher.library().list().followers.length).toBe(1);
    world.clock.advance(10 * 60_000);
    await publisher.library().sendDue();
    expect(publisher.library().list().followers).toEqual([]);
  });
});

it("costs a profile without followers or publishers nothing", async () => {
  const world = createLibraryWorld();
  const alone = world.newProfile();
  await share(alone);
  expect(alone.library().noteWork()).toBe(false);
  alone.library().planTelling(world.clock.now());
  await alone.library().sendDue();
  expect([alone.library().nextDue(), alone.tables(), alone.reads(), world.calls]).toEqual([null, [], 0, []]);
});

it("writes one row for a booking and one for its look, with a hundred followers that know everything", async () => {
  const { world, publisher } = await createTeam(100);
  await settle(world, publisher);
  const changes = () => publisher.sql.run<{ n: number }>("SELECT total_changes() AS n")[0]!.n;
  const rowsOf = async (work: () => unknown) => {
    const before = changes();
    await work();
    return changes() - before;
  };
  expect(await rowsOf(() => publisher.library().noteWork())).toBe(1);
  expect(await rowsOf(() => publisher.library().noteWork())).toBe(0);
  world.clock.advance(10_000);
  const reads = publisher.reads();
  expect(await rowsOf(() => publisher.library().sendDue())).toBe(1);
  expect([publisher.reads() - reads, publisher.library().nextDue()]).toEqual([1, world.clock.now() + DAY_MS]);

  // A booking that a look may have missed plans the next one.
  publisher.library().noteWork();
  world.clock.advance(10_000);
  const looking = publisher.library().sendDue();
  publisher.library().noteWork();
  await looking;
  expect(publisher.library().nextDue()).toBe(world.clock.now() + 10_000);
  // Rows of an earlier version look by themselves, and have no look.
  publisher.sql.run("DELETE FROM library_look");
  publisher.sql.run("UPDATE library_follower SET due = ?", world.clock.now());
  await publisher.library().sendDue();
  expect(publisher.library().nextDue()).toBe(world.clock.now() + DAY_MS);
});

it("writes nothing to a following whose counts are the same", async () => {
  const { world, publisher, others } = await createTeam(1, true);
  const follower = others[0]!;
  publisher.library().changeFollower(follower.profile, true);
  await settle(world, publisher, follower);
  const following = () => follower.sql.run("SELECT * FROM library_following");
  const before = following();
  world.calls.length = 0;
  follower.library().noteWork();
  expect(following()).toEqual(before);
  world.clock.advance(10_000);
  await follower.library().sendDue();
  expect([following(), world.calls, follower.library().nextDue()]).toEqual([before, [], null]);
});

it("gives texts to followers only, and remembers them", async () => {
  const world = createLibraryWorld();
  const [publisher, follower] = [world.newProfile(), world.newProfile()];
  await share(publisher);
  expect(publisher.library().give(follower.profile, { skill: NAME, text: textOf(BODY) })).toBe(false);
  expect(publisher.tables()).toEqual([]);
  await follow(world, publisher, follower);
  await install(world, publisher, world.newProfile());
  expect(publisher.sql.run("SELECT count(*) AS n FROM library_count")).toEqual([{ n: 1 }]);
});
