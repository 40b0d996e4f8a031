// Which recorded turns count as runs of the other arm, before any run is made, and which are tried first.
import { expect, it } from "vitest";
import { FIRST, MODEL, SECOND, type WorldOptions, asked, cite, createWorld, turnIds } from "./world.ts";

const loaded = (...texts: string[]) => texts.map((text) => ({ skill: "tables", text }));

async function armsOfRecorded(turn: NonNullable<WorldOptions["turns"]>[number], parent: string | null = null) {
  const world = createWorld({ turns: { 1: turn } });
  await world.makeSkill();
  const { runs } = await world.tryText(world.open(), asked({ parent }));
  return runs.filter(({ replay }) => replay === null).map(({ arm }) => arm);
}

it("counts a recorded turn as a run without the text, or with its parent if its model had read that", async () => {
  expect(await armsOfRecorded({})).toEqual(["without"]);
  expect(await armsOfRecorded({ loaded: loaded(FIRST) }, FIRST)).toEqual(["parent"]);
});

it("does not count a turn of another model", async () => {
  expect(await armsOfRecorded({ model: `${MODEL}-2` })).toEqual([]);
});

it("does not count a turn whose model had read the text itself, or another one beside the parent", async () => {
  expect(await armsOfRecorded({ loaded: loaded(SECOND) })).toEqual([]);
  expect(await armsOfRecorded({ loaded: loaded(FIRST, SECOND) }, FIRST)).toEqual([]);
});

it("tries turns first of which a person has said what is right, then those that were judged at all", async () => {
  const unknown = { accepted: null, outcome: "unknown", judge: "exit", exit: "unknown" } as const;
  const rated = { accepted: null, outcome: "failure", judge: "rating" } as const;
  const world = createWorld({ turns: { 1: unknown, 2: rated, 3: {} } });
  await world.makeSkill();
  const { turns } = await world.tryText(world.open(), asked({ citations: [1, 2, 3].map(cite) }));
  expect(turns.map(({ turn }) => turn)).toEqual(turnIds(3, 2, 1));
});
