import { describe, expect, it } from "vitest";
import { createSkillVectors } from "../../core/archive/skill-vectors.ts";
import { dropSkillTables } from "../../core/archive/schema.ts";
import { createSkillArchive } from "../../core/archive/skill-archive.ts";
import type { SkillLine } from "../../core/schemas/api.ts";
import { sha256Hex } from "../../core/schemas/learning/digest.ts";
import { createWordsCache, wordsKeyOf } from "../../core/skills/search/skill-words.ts";
import { toSimilarity } from "../../stores/platform/workers-ai.ts";
import { line } from "../skills/skill-line.ts";
import { createTestClock } from "../support/clock.ts";
import { createNodeSql } from "../support/bindings/node-sql.ts";
import { createSimilarityDouble } from "../support/bindings/similarity-double.ts";

const ALL = 1_000;
const TLS = "Renews what proves that a site is secure, its TLS certificate.";
const BREAD = "Bake bread in an oven.";

function createWorld(descriptions: Record<string, string> = { certificates: TLS, kitchen: BREAD }) {
  const skills = new Map<string, SkillLine>();
  const sql = createNodeSql();
  const clock = createTestClock();
  let similarity = createSimilarityDouble();
  const set = (name: string, description: string, change: Partial<SkillLine> = {}) =>
    void skills.set(name, line({ name, description, text: sha256Hex(description), ...change }));
  for (const [name, description] of Object.entries(descriptions)) set(name, description);
  const open = () =>
    createSkillArchive({
      sql,
      memory: createWordsCache(0),
      source: {
        lines: async () => [...skills.values()],
        read: async (of) => ({
          ...{ key: wordsKeyOf(of), requests: "" },
          skillMd: `---\nname: ${of.name}\ndescription: d\n---\n`,
        }),
      },
      vectors: createSkillVectors({ sql, similarity, clock }),
    });
  const rows = () => sql.run<{ name: string }>("SELECT name FROM skill_vector").map(({ name }) => name);
  const world = { sql, clock, skills, set, open, rows, similarity: () => similarity, use };
  function use(model: string) {
    similarity = createSimilarityDouble(model);
  }
  return world;
}

describe("a search by meaning", () => {
  it("finds a skill that shares no word with the query, once its vector is there", async () => {
    const world = createWorld();
    const archive = world.open();
    expect(await archive.search("rotes Schloss", ALL)).toEqual({ names: [], unread: 0, withoutVector: 2 });
    expect(await archive.fill(ALL)).toEqual({ read: 2, unread: 0 });
    expect(await archive.search("rotes Schloss", ALL)).toEqual({
      names: ["certificates"],
      unread: 0,
      withoutVector: 0,
    });
    expect((await archive.search("gardening", ALL)).names).toEqual([]);
  });

  it("ranks skills first that words find as well", async () => {
    const world = createWorld({
      a: "Feeds a seal its bread.",
      b: "About secure things, which a seal is not.",
      c: "Feeds a walrus.",
    });
    await world.open().fill(ALL);
    const { names } = await world.open().search("feed the walrus", ALL);
    expect([names[0], names.toSorted()]).toEqual(["c", ["a", "b", "c"]]);
  });

  it("uses words alone when the Similarity fails, hangs or returns nothing", async () => {
    const world = createWorld();
    await world.open().fill(ALL);
    const trouble = [
      () => Promise.reject(new Error("no capacity")),
      () => new Promise<number[][]>(() => {}),
      async () => [],
      async () => [[0, 0, 0, 0]],
      async () => [[Number.NaN, 1]],
    ];
    for (const one of trouble) {
      world.similarity().trouble = one;
      expect((await world.open().search("bread", ALL)).names).toEqual(["kitchen"]);
    }
    expect(world.clock.now()).toBeGreaterThanOrEqual(600);
  });

  it("asks once for a repeated query", async () => {
    const world = createWorld();
    const archive = world.open();
    await archive.fill(ALL);
    for (let n = 0; n < 3; n++) await archive.search("rotes Schloss", ALL);
    expect(
      world
        .similarity()
        .calls.flat()
        .filter((text) => text === "rotes Schloss"),
    ).toHaveLength(1);
  });
});

describe("vectors of skills", () => {
  it("are made once per text, survive an eviction, and are deleted with their skill", async () => {
    const world = createWorld();
    await world.open().fill(ALL);
    await world.open().fill(ALL);
    expect(world.similarity().calls).toEqual([[`certificates: ${TLS}`, `kitchen: ${BREAD}`]]);
    world.set("kitchen", "Feeds a walrus.");
    world.set("certificates", TLS, { state: "archived" });
    expect(await world.open().search("seal", ALL)).toMatchObject({ names: [], withoutVector: 1 });
    expect(world.rows()).toEqual(["kitchen"]);
    await world.open().fill(ALL);
    expect(world.similarity().calls.at(-1)).toEqual(["kitchen: Feeds a walrus."]);
    expect((await world.open().search("seal", ALL)).names).toEqual(["kitchen"]);
    dropSkillTables(world.sql);
    expect(world.sql.run("SELECT 1 FROM sqlite_master WHERE name = 'skill_vector'")).toEqual([]);
  });

  it("of another model are replaced, and not compared until then", async () => {
    const world = createWorld();
    await world.open().fill(ALL);
    world.use("another");
    const archive = world.open();
    expect(await archive.search("rotes Schloss", ALL)).toMatchObject({ names: [], withoutVector: 2 });
    await archive.fill(ALL);
    expect((await archive.search("rotes Schloss", ALL)).names).toEqual(["certificates"]);
  });

  it("are made 32 at a time and 320 per fill, and those made before a failure are kept", async () => {
    const names = Array.from({ length: 400 }, (_, i) => `skill-${i}`);
    const world = createWorld(Object.fromEntries(names.map((name) => [name, `About ${name}.`])));
    const archive = world.open();
    expect(await archive.fill(ALL)).toEqual({ read: 400 + 320, unread: 80 });
    expect(world.similarity().calls.map(({ length }) => length)).toEqual(Array(10).fill(32));
    let calls = 0;
    const { embed } = createSimilarityDouble();
    world.similarity().trouble = async () => {
      if (++calls > 1) throw new Error("no capacity");
      return embed(Array(32).fill("bread"));
    };
    await expect(archive.fill(ALL)).rejects.toThrow("no capacity");
    expect(world.rows()).toHaveLength(352);
  });
});

describe("Workers AI as a Similarity", () => {
  it("asks for one vector per text, and rejects any other reply", async () => {
    const asked: unknown[] = [];
    let reply: unknown = { shape: [1, 2], data: [[1, 0]], pooling: "cls" };
    const similarity = toSimilarity({
      run: async (model, inputs) => {
        asked.push([model, inputs]);
        return reply;
      },
    });
    expect(await similarity.embed(["a"])).toEqual([[1, 0]]);
    expect(asked).toEqual([["@cf/baai/bge-m3", { text: ["a"] }]]);
    for (reply of [{ data: [] }, { request_id: "x" }, null, { data: [["1"]] }]) {
      await expect(similarity.embed(["a"])).rejects.toThrow();
    }
  });
});
