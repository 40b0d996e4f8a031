// On a day with a budget, a curation spends on models only what the profile's Account set aside for that day. Its spending is
// booked in the ledger.
import { describe, expect, it } from "vitest";
import { DEFAULTS } from "../../core/limits.ts";
import type { JsonObject } from "../../core/schemas/entry.ts";
import { dayOf } from "../../core/schemas/ids.ts";
import type { Settings } from "../../core/schemas/settings.ts";
import { collectSpent, putAllowance, reserveRun } from "../../durable-objects/account-curation.ts";
import { LEDGER_SCHEMA, createAccountLedger } from "../../durable-objects/account-ledger.ts";
import { keyOf } from "../../stores/keys.ts";
import { PROFILE } from "../learning/sample.ts";
import { skillMd } from "../skills/skill-md.ts";
import { createNodeSql } from "../support/bindings/node-sql.ts";
import type { ScriptLine } from "../support/wires/scripted-model.ts";
import { DAY_MS, createWorld, meet, use } from "./world.ts";

const RUN = "20260501T000000Z-aaaa";
const LATER = "20260501T000100Z-bbbb";
const NAME = "reading-tables";
const WORK = `rewrite.${NAME}`;
const USUAL = 300_000;
/** The day's budget. A curation gets at most half of it. */
const OF_DAY = 240_000;
const GRANTED = OF_DAY / 2;

function openLedger() {
  const sql = createNodeSql();
  for (const statement of LEDGER_SCHEMA) sql.run(statement);
  return { sql, ledger: createAccountLedger(sql) };
}

/** A profile with one skill that needs a rewrite, and an Account with `OF_DAY` tokens a day. */
async function createScene() {
  const world = createWorld({ grantTokens: USUAL });
  await world.addSkill(PROFILE, NAME, {
    files: { "SKILL.md": skillMd({ name: NAME, description: "How tables are read." }) },
  });
  await meet(world, PROFILE);
  const outcomes = Array.from({ length: 4 }, () => ["failure", "success", "failure"] as const).flat();
  await use(world, PROFILE, NAME, outcomes, { judge: "rating" });
  const settings: Settings = {
    ...world.settings,
    budget: { ...world.settings.budget, profileDayTokens: OF_DAY },
  };
  const { sql, ledger } = openLedger();
  const place = { bucket: world.bucket, profile: PROFILE, ledger };
  const reservations = () => sql.run<{ id: string; tokens: number }>("SELECT id, tokens FROM reservation");
  const planned = async (run = RUN) => (await world.curation.plan(PROFILE, run))!;
  return { world, settings, sql, ledger, place, reservations, planned };
}

const grantsOf = ({ work = [] }: { work?: { grant: { tokens: number } }[] | undefined }) =>
  work.map(({ grant }) => grant.tokens);

describe("a curation on a day with a budget", () => {
  it("asks no model without an allowance for its day, and counts the unpaid work", async () => {
    const { world, settings, place, planned } = await createScene();
    await world.run(PROFILE, RUN, { settings });
    expect([await planned(), world.sent]).toMatchObject([{ unpaid: 1 }, []]);
    // The allowance is for tomorrow, so a run on the day after tomorrow finds an expired one.
    await putAllowance(place, settings, world.clock.now());
    world.clock.advance(2 * DAY_MS);
    await world.run(PROFILE, LATER, { settings });
    expect([await planned(LATER), world.sent]).toMatchObject([{ unpaid: 1 }, []]);
  });

  it("distributes its day's allowance once, and is limited by it whatever the usual grant is", async () => {
    const { world, settings, place, planned } = await createScene();
    await putAllowance(place, settings, world.clock.now());
    world.clock.advance(DAY_MS);
    await world.run(PROFILE, RUN, { settings });
    const id = `curation:${dayOf(world.clock.now())}`;
    expect([grantsOf(await planned()), (await planned()).allowance]).toEqual([[GRANTED], id]);
    const stored = await world.bucket.get(keyOf("curationAllowance", { profile: PROFILE }));
    expect(JSON.parse(await stored!.text())).toMatchObject({ id, usedBy: RUN });
    expect(await world.curation.takeAllowance(PROFILE, dayOf(world.clock.now()), LATER)).toBeNull();

    // The grant stops a model that would never end.
    const args: JsonObject = { name: NAME };
    const view: ScriptLine = { calls: [{ name: "skill_view", args }], usage: { input: 50_000 } };
    const end = await world.work(
      PROFILE,
      RUN,
      WORK,
      Array.from({ length: 50 }, () => view),
      { settings },
    );
    expect(end).toMatchObject({ result: { note: `Stopped early. The grant of ${GRANTED} tokens is spent.` } });
    expect(world.models.at(-1)!.requests).toHaveLength(3);
  });

  it("that a person requested spends the allowance that came with the request", async () => {
    const { world, settings, ledger, planned } = await createScene();
    const allowance = reserveRun(ledger, settings, RUN, world.clock.now())!;
    expect(allowance).toMatchObject({ id: `curation:${RUN}`, grant: { tokens: GRANTED } });
    // The next request gets the other half, and then the day has nothing left.
    expect(reserveRun(ledger, settings, LATER, world.clock.now())).not.toBeNull();
    const nothing = reserveRun(ledger, settings, "20260501T000200Z-cccc", world.clock.now())!;
    expect(nothing.grant.tokens).toBe(0);
    await world.run(PROFILE, RUN, { settings, allowance });
    expect([grantsOf(await planned()), (await planned()).allowance]).toEqual([[GRANTED], allowance.id]);
  });
});

describe("the Account", () => {
  it("that a person requested keeps to a limit of the profile's own, of which the curator does not know", async () => {
    const [one, two] = [await createScene(), await createScene()];
    const unlimited = { ...one.settings, budget: DEFAULTS.budget };
    const now = one.world.clock.now();
    const allowance = reserveRun(one.ledger, one.settings, RUN, now)!;
    await one.world.run(PROFILE, RUN, { settings: unlimited, allowance });
    expect([grantsOf(await one.planned()), (await one.planned()).allowance]).toEqual([[GRANTED], allowance.id]);
    const nothing = { id: `curation:${RUN}`, grant: { tokens: 0, expiresAt: now } };
    await two.world.run(PROFILE, RUN, { settings: unlimited, allowance: nothing });
    expect(grantsOf(await two.planned())).toEqual([]);
  });

  it("books what the run spent once, and releases the rest of the allowance when its work has ended", async () => {
    const { world, settings, place, ledger, reservations } = await createScene();
    await putAllowance(place, settings, world.clock.now());
    world.clock.advance(DAY_MS);
    const [now, id] = [world.clock.now(), `curation:${dayOf(world.clock.now())}`];
    expect(reservations()).toEqual([{ id, tokens: GRANTED }]);
    await world.run(PROFILE, RUN, { settings });
    await world.work(PROFILE, RUN, WORK, [{ text: "I see nothing wrong.", usage: { input: 7_000 } }], { settings });
    for (let round = 0; round < 2; round++) await collectSpent(place, now);
    const month = { from: dayOf(now), to: dayOf(now), now, by: "kind" } as const;
    expect(ledger.report(month).lines).toMatchObject([{ key: "curation", calls: 1, input: 7_000 }]);
    expect(reservations()).toEqual([]);
  });

  it("releases the allowance of a run that had no work for a model", async () => {
    const { world, settings, place, reservations } = await createScene();
    await putAllowance(place, settings, world.clock.now());
    world.clock.advance(DAY_MS);
    await collectSpent(place, world.clock.now());
    expect(reservations()).toHaveLength(1);
    await world.curation.changeNotes(PROFILE, (notes) => ({ ...notes, last: "20260106T090000Z-cccc" }));
    await collectSpent(place, world.clock.now());
    expect(reservations()).toEqual([]);
  });
});
