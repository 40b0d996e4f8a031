import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type SkillSource, createSkillArchive } from "../../core/archive/skill-archive.ts";
import type { Sql } from "../../core/ports.ts";
import type { SkillLine } from "../../core/schemas/api.ts";
import { sha256Hex } from "../../core/schemas/learning/digest.ts";
import { createWordsCache, wordsKeyOf } from "../../core/skills/search/skill-words.ts";
import { createNodeSql } from "../support/bindings/node-sql.ts";
import { line } from "../skills/skill-line.ts";
import { runs } from "../support/thorough.ts";

/** A profile with changeable skills, and an Archive over it that can be reopened on what it stored. */
function createWorld(bodies: Record<string, string> = {}) {
  const skills = new Map<string, { line: SkillLine; body: string }>();
  const reads: string[] = [];
  const sql = createNodeSql();
  /** Files of requests, by name. */
  const asked = new Map<string, string>();
  /** Names whose read fails. */
  const failing = new Set<string>();
  const source: SkillSource = {
    lines: async () => [...skills.values()].map((skill) => skill.line),
    async read(line) {
      const { name } = line;
      reads.push(name);
      if (failing.has(name)) throw new Error("R2 is out of order");
      const skill = skills.get(name);
      if (!skill) return null;
      const skillMd = `---\nname: ${name}\ndescription: d\n---\n${skill.body}`;
      return { key: wordsKeyOf(line), skillMd, requests: asked.get(name) ?? "" };
    },
  };
  const world = {
    ...{ sql, reads, failing, source, asked },
    set(name: string, body: string, change: Partial<SkillLine> = {}) {
      const description = change.description ?? "Something else.";
      const text = sha256Hex(`${name} ${description} ${body}`);
      skills.set(name, { line: line({ name, text, ...change, description }), body });
    },
    drop: (name: string) => skills.delete(name),
    open: (over: Sql = sql, memory = createWordsCache(0)) => createSkillArchive({ sql: over, source, memory }),
    rows: () => sql.run<{ name: string }>("SELECT name FROM skill_text").map(({ name }) => name),
  };
  for (const [name, body] of Object.entries(bodies)) world.set(name, body);
  return world;
}

const ALL = 1_000;

describe("a search", () => {
  it("finds skills by words of a body or heading, and by their lines before bodies are read", async () => {
    const world = createWorld({ alpha: "Feeds the walrus.", beta: "# Penguins\n\nNothing else." });
    world.set("gamma", "Anything.", { description: "Weighs an albatross." });
    const archive = world.open();
    expect(await archive.search("albatross", 0)).toEqual({ names: ["gamma"], unread: 3 });
    expect((await archive.search("walrus", 0)).names).toEqual([]);
    expect(await archive.search("walruses", ALL)).toEqual({ names: ["alpha"], unread: 0 });
    expect((await archive.search("a penguin", 0)).names).toEqual(["beta"]);
    expect((await archive.search("", 0)).names).toEqual([]);
    expect((await archive.search("the of and", 0)).names).toEqual([]);
  });

  it("prefers a short skill about the subject to a long one that mentions everything", async () => {
    const all = Array.from({ length: 800 }, (_, i) => `word${i}`).join(" ");
    const world = createWorld({ encyclopedia: `${all} walrus ice diet fish ${all} walrus ice diet fish` });
    world.set("feeding", "Fish for a walrus, on ice.");
    for (let i = 0; i < 20; i++) world.set(`other-${i}`, `Of fish and ice, and of item ${i}.`);
    expect((await world.open().search("what diet of fish for a walrus on ice", ALL)).names[0]).toBe("feeding");
  });

  it("finds words of other scripts", async () => {
    const world = createWorld({ a: "日志文件的分析", b: "Größenänderung für Bilder, façade", c: "बिल्ली का खाना" });
    const archive = world.open();
    await archive.fill(ALL);
    const first = async (query: string) => (await archive.search(query, 0)).names[0];
    expect([await first("分析"), await first("BILDER"), await first("façade"), await first("बिल्ली")]).toEqual([
      ...["a", "b", "b", "c"],
    ]);
  });

  it("tolerates any query and any skill", async () => {
    const text = fc.oneof(fc.string({ unit: "grapheme", maxLength: 80 }), fc.constantFrom('"', "NEAR(", "a* OR", "\0"));
    await fc.assert(
      fc.asyncProperty(text, text, async (body, query) => {
        const world = createWorld({ one: body });
        world.set("two", query, { description: body });
        const found = await world.open().search(query, ALL);
        expect(found.unread).toBe(0);
      }),
      { numRuns: runs(60) },
    );
  });
});

describe("an Archive of skills", () => {
  it("reads changed texts again, and drops removed, archived and pending skills", async () => {
    const world = createWorld({ a: "walrus", b: "penguin", c: "seal", d: "otter" });
    const archive = world.open();
    await archive.fill(ALL);
    world.set("a", "heron");
    world.drop("b");
    world.set("c", "seal", { state: "archived" });
    world.set("d", "otter", { state: "pending" });
    world.set("e", "stork");
    world.reads.length = 0;
    expect((await archive.search("walrus penguin seal otter", ALL)).names).toEqual([]);
    expect(world.reads.toSorted()).toEqual(["a", "e"]);
    expect((await archive.search("heron", 0)).names).toEqual(["a"]);
    expect(world.rows()).toEqual(["a", "e"]);
    expect(world.sql.run("SELECT rowid FROM skill_words")).toHaveLength(2);
  });

  it("updates a category when the text is unchanged", async () => {
    const world = createWorld();
    world.set("a", "x", { category: "birds" });
    const archive = world.open();
    await archive.fill(ALL);
    world.set("a", "x", { category: "whales" });
    expect((await archive.search("whales", ALL)).names).toEqual(["a"]);
    expect((await archive.search("birds", ALL)).names).toEqual([]);
  });

  it("reads a few bodies in a search, newest first, and the rest when it is filled", async () => {
    const world = createWorld(Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`s-${i}`, `body${i}`])));
    const archive = world.open();
    expect((await archive.search("body0", 10)).unread).toBe(20);
    world.set("newest", "body");
    world.reads.length = 0;
    expect((await archive.search("body0", 1)).unread).toBe(20);
    expect(world.reads).toEqual(["newest"]);
    expect(await archive.fill(15)).toEqual({ read: 15, unread: 5 });
    expect(await archive.fill(15)).toEqual({ read: 5, unread: 0 });
    expect(await archive.fill(15)).toEqual({ read: 0, unread: 0 });
    expect(world.reads).toHaveLength(21);
  });

  it("reads a body once for two concurrent searches", async () => {
    const world = createWorld({ a: "walrus", b: "penguin" });
    const archive = world.open();
    const found = await Promise.all([archive.search("walrus", ALL), archive.search("penguin", ALL)]);
    expect(found.map(({ names }) => names)).toEqual([["a"], ["b"]]);
    expect(world.reads.toSorted()).toEqual(["a", "b"]);
  });

  it("is reused by a new object, which reads nothing again", async () => {
    const world = createWorld({ a: "walrus", b: "penguin" });
    await world.open().fill(ALL);
    world.reads.length = 0;
    expect(await world.open().search("walrus", ALL)).toEqual({ names: ["a"], unread: 0 });
    expect(world.reads).toEqual([]);
  });

  it("is rebuilt when another version made it", async () => {
    const world = createWorld({ a: "walrus" });
    await world.open().fill(ALL);
    world.sql.run("UPDATE archive_part SET version = 0");
    expect(await world.open().search("walrus", ALL)).toEqual({ names: ["a"], unread: 0 });
    expect(world.reads).toEqual(["a", "a"]);
  });

  it("does not read a text that another profile's Archive has read", async () => {
    const memory = createWordsCache(10_000);
    const [one, other] = [createWorld({ a: "walrus" }), createWorld({ a: "walrus" })];
    await one.open(one.sql, memory).fill(ALL);
    expect(await other.open(other.sql, memory).search("walrus", ALL)).toEqual({ names: ["a"], unread: 0 });
    expect(other.reads).toEqual([]);
  });
});

describe("the requests of a skill", () => {
  const QUERY = "my site says not secure again";

  it("find a skill whose name, description and text share no word with the query", async () => {
    const world = createWorld({ certificates: "Run the renewal.", gardens: "Water the roses." });
    const archive = world.open();
    expect((await archive.search(QUERY, ALL)).names).toEqual([]);
    world.asked.set("certificates", "the browser says our site is not secure\nSchloss im Browser ist rot\n");
    world.set("certificates", "Run the renewal.", { requests: "abc" });
    expect(await archive.search(QUERY, ALL)).toEqual({ names: ["certificates"], unread: 0 });
    expect((await archive.search("rotes Schloss im Browser", ALL)).names).toEqual(["certificates"]);
  });

  it("are read again when they have changed, even if the text has not", async () => {
    const world = createWorld();
    const archive = world.open();
    world.asked.set("a", "feed the walrus\n");
    world.set("a", "x", { requests: "one" });
    expect((await archive.search("walrus", ALL)).names).toEqual(["a"]);
    world.asked.set("a", "feed the penguin\n");
    world.set("a", "x", { requests: "two" });
    expect((await archive.search("walrus", ALL)).names).toEqual([]);
    expect((await archive.search("penguin", ALL)).names).toEqual(["a"]);
    expect(world.reads).toEqual(["a", "a"]);
  });

  it("of another profile are not used for a skill with the same text", async () => {
    const memory = createWordsCache(10_000);
    const [one, other] = [createWorld(), createWorld()];
    one.asked.set("a", "feed the walrus\n");
    one.set("a", "x", { requests: "one" });
    other.set("a", "x");
    await one.open(one.sql, memory).fill(ALL);
    expect((await other.open(other.sql, memory).search("walrus", ALL)).names).toEqual([]);
  });
});

describe("an Archive in which something fails", () => {
  it("still finds the other skills if one cannot be read, and reads that one again", async () => {
    const world = createWorld({ a: "walrus", b: "penguin" });
    world.failing.add("a");
    const archive = world.open();
    expect(await archive.search("walrus penguin", ALL)).toEqual({ names: ["b"], unread: 1 });
    world.failing.clear();
    expect((await archive.search("walrus", ALL)).names).toEqual(["a"]);
  });

  it("finds a skill without a SKILL.md by its line, and does not read it again", async () => {
    const world = createWorld();
    world.set("a", "x", { description: "Feeds a walrus." });
    const source: SkillSource = { lines: world.source.lines, read: async () => null };
    const archive = createSkillArchive({ sql: world.sql, source, memory: createWordsCache(0) });
    expect(await archive.search("walrus", ALL)).toEqual({ names: ["a"], unread: 0 });
  });

  it("is repaired by the next search after a crash at any write", async () => {
    for (let dieAt = 1; dieAt < 40; dieAt++) {
      const world = createWorld({ a: "walrus", b: "penguin" });
      await world.open().fill(ALL);
      world.set("a", "heron");
      world.set("c", "stork");
      let writes = 0;
      const mortal: Sql = {
        run(query, ...values) {
          if (/^\s*(INSERT|DELETE)/.test(query) && ++writes >= dieAt) throw new Error("the object died");
          return world.sql.run(query, ...values);
        },
        transaction: (work) => world.sql.transaction(work),
      };
      const archive = world.open(mortal);
      await archive.search("heron", ALL).catch(() => null);
      writes = -Infinity;
      for (const again of [archive, world.open()]) {
        expect(await again.search("heron", ALL)).toEqual({ names: ["a"], unread: 0 });
        expect((await again.search("stork", ALL)).names).toEqual(["c"]);
        expect((await again.search("walrus", ALL)).names).toEqual([]);
      }
      expect(world.sql.run("SELECT rowid FROM skill_words")).toHaveLength(3);
    }
  });

  it("reads a skill again if it changed while it was read", async () => {
    const world = createWorld({ a: "walrus" });
    const { read } = world.source;
    let changes = 1;
    world.source.read = async (wanted) => {
      const found = await read(wanted);
      if (changes-- > 0) {
        world.set("a", "heron");
        await archive.search("x", 0);
      }
      return found;
    };
    const archive = world.open();
    await archive.fill(ALL);
    expect((await archive.search("walrus", ALL)).names).toEqual([]);
    expect((await archive.search("heron", ALL)).names).toEqual(["a"]);
  });
});
