// A session leaves one engine and arrives in another, over node:sqlite: page by page, used while it is read, with a turn that runs, and with
// a crash at every write of the import.
import { describe, expect, it } from "vitest";
import { SESSION_FATES, travellingTables } from "../../../core/moving/stored.ts";
import { readTablePage } from "../../../core/moving/table-pages.ts";
import type { MovedLine, TablePlace } from "../../../core/schemas/moving/lines.ts";
import type { SessionPage } from "../../../core/session/moving/export-session.ts";
import type { MovedSessionRow } from "../../../core/schemas/moving/lines.ts";
import { must } from "../../support/session/scripted-session.ts";
import { type SessionHarness, type SessionLife, createSessionHarness } from "../../support/session/session-harness.ts";
import { createScriptedModel } from "../../support/wires/scripted-model.ts";

const answers = () => createScriptedModel(Array.from({ length: 9 }, (_, at) => () => ({ text: `Answer ${at}.` })));

async function build() {
  const harness = createSessionHarness({ model: answers() });
  const life = harness.boot();
  await life.engine.create({ learning: "on", title: "A talk" });
  for (const text of ["One", "Two"]) {
    must(await life.engine.post({ text }));
    await life.settled();
  }
  must(await life.engine.putFile("notes.txt", new TextEncoder().encode("Notes.")));
  for (let wakes = 0; harness.sql.run("SELECT 1 FROM job").length > 0 && wakes < 20; wakes++) await life.wake();
  return { harness, life };
}

function readAll(life: SessionLife, maxChars: number): MovedLine[] {
  const lines: MovedLine[] = [];
  for (let place: TablePlace | null = null, stamp: string | null = null; ;) {
    const page: SessionPage = must(life.engine.exportPage({ place, stamp, maxChars }, "life"));
    lines.push(...page.lines.map((line) => JSON.parse(line) as MovedLine));
    if (!page.next) return lines;
    ({ next: place, stamp } = page);
  }
}

const rowsOf = (lines: MovedLine[]): MovedSessionRow[] =>
  lines.flatMap((line) => (line.in === "session" && "table" in line ? [{ table: line.table, row: line.row }] : []));

const tablesOf = ({ sql }: SessionHarness) =>
  readTablePage(sql, { tables: travellingTables(SESSION_FATES), place: null, maxChars: 1e9 }).rows.filter(
    ({ table }) => table !== "job", // the messages that are to be indexed here
  );

describe("a session on its way out", () => {
  it("is the same, however small its pages are", async () => {
    const { life } = await build();
    const whole = readAll(life, 1e9);
    expect(whole.at(-1)).toEqual({ in: "session", id: expect.any(String), whole: true });
    expect(readAll(life, 1)).toEqual(whole);
    expect(readAll(life, 700)).toEqual(whole);
  });

  it("is read again from its beginning when it was used between two pages, or its object began again", async () => {
    const { life } = await build();
    const first = must(life.engine.exportPage({ place: null, stamp: null, maxChars: 1 }, "life"));
    const next = { place: first.next, stamp: first.stamp, maxChars: 1 };
    expect(life.engine.exportPage(next, "life")).toMatchObject({ ok: true });
    expect(life.engine.exportPage(next, "another life")).toMatchObject({ failure: { code: "session_changing" } });
    must(await life.engine.putFile("more.txt", new TextEncoder().encode("More.")));
    expect(life.engine.exportPage(next, "life")).toMatchObject({ failure: { code: "session_changing" } });
  });

  it("leaves the settings of its profile behind, and a session that was never made has no lines", async () => {
    const { harness, life } = await build();
    harness.sql.run("INSERT INTO meta VALUES('profile', '{\"sealed\":\"v1.secret\"}')");
    expect(JSON.stringify(readAll(life, 1e9))).not.toContain("v1.secret");
    const nobody = createSessionHarness({ model: answers() }).boot();
    const asked = { place: null, stamp: null, maxChars: 1 };
    expect(nobody.engine.exportPage(asked, "life")).toMatchObject({ failure: { code: "session_not_found" } });
  });
});

describe("a session on its way in", () => {
  it("does not exist before it is adopted, then goes on, and its messages are found", async () => {
    const { harness: origin, life } = await build();
    const rows = rowsOf(readAll(life, 1e9));
    const harness = createSessionHarness({ model: answers() });
    const there = harness.boot();
    expect(there.engine.importPage(rows, true)).toEqual({ ok: true, value: "taken" });
    expect(there.engine.detail()).toBeNull();
    expect(await there.engine.post({ text: "Three" })).toMatchObject({ failure: { code: "session_not_found" } });
    expect(await there.engine.adopt()).toBe(true);
    expect(tablesOf(harness)).toEqual(tablesOf(origin));
    expect(there.engine.importPage(rows, true)).toEqual({ ok: true, value: "exists" });
    await there.wake();
    expect((await harness.parts.split.search({ query: "one", limit: 5 })).found[0]).toMatchObject({ text: "One" });
    must(await there.engine.post({ text: "Three" }));
    await there.settled();
    expect(there.engine.detail()).toMatchObject({ turns: [{}, {}, { n: 3, state: "done" }] });
  });

  it("leaves its goal and the goal's chat behind", async () => {
    const { harness: origin, life } = await build();
    const goal = '{"id":"0000000000000001","channel":{"chat":"c1"}}';
    origin.sql.run("UPDATE meta SET value = json_set(value, '$.goal', json(?)) WHERE key = 'session'", goal);
    const harness = createSessionHarness({ model: answers() });
    const there = harness.boot();
    must(there.engine.importPage(rowsOf(readAll(life, 1e9)), true));
    await there.engine.adopt();
    const [meta] = harness.sql.run<{ value: string }>("SELECT value FROM meta WHERE key = 'session'");
    expect(JSON.parse(meta!.value)).not.toHaveProperty("goal");
  });

  it.each([["running"], ["queued"]])("a turn that was %s is stopped, and is not run here", async (state) => {
    const { harness: origin, life } = await build();
    const open = {
      running: "state = 'running', ended_at = NULL, final = NULL",
      queued: "state = 'queued', waiting = 'Two', input = NULL, final = NULL, ended_at = NULL",
    };
    origin.sql.run(`UPDATE turn SET ${open[state as "running"]} WHERE n = 2`);
    const model = answers();
    const there = createSessionHarness({ model }).boot();
    must(there.engine.importPage(rowsOf(readAll(life, 1e9)), true));
    expect(await there.engine.adopt()).toBe(true);
    await there.settled();
    expect(there.engine.detail()).toMatchObject({ state: "idle", turns: [{ state: "done" }, { state: "stopped" }] });
    expect(model.requests).toEqual([]);
  });

  it("rows of another version, of unknown tables or columns are refused, and nothing of the page is kept", async () => {
    const { life } = await build();
    const rows = rowsOf(readAll(life, 1e9));
    const change = (of: string, row: object) =>
      rows.map((moved) => (moved.table === of ? { ...moved, row: { ...moved.row, ...row } } : moved));
    const cases: [string, MovedSessionRow[]][] = [
      [
        "archive_version",
        rows.map((moved) => (moved.row.key === "schema" ? { ...moved, row: { key: "schema", value: "99" } } : moved)),
      ],
      ["archive_version", change("turn", { another: 1 })],
      ["archive_invalid", [...rows, { table: "tombstone", row: { one: 1 } }]],
    ];
    for (const [code, hostile] of cases) {
      const harness = createSessionHarness({ model: answers() });
      expect(harness.boot().engine.importPage(hostile, true)).toMatchObject({ failure: { code } });
      expect(harness.sql.run("SELECT name FROM sqlite_master")).toEqual([]);
    }
  });

  it("a crash at any write of the import loses and doubles nothing", async () => {
    const { harness: origin, life } = await build();
    const lines = rowsOf(readAll(life, 1e9));
    const pages = [lines.slice(0, 8), lines.slice(8)];
    let crashes = 0;
    for (let crashAt = 1; ; crashAt++) {
      const harness = createSessionHarness({ model: answers() });
      const carryOut = async (mortal: SessionLife) => {
        for (const page of pages) must(mortal.engine.importPage(page, true));
        return mortal.engine.adopt();
      };
      const mortal = harness.boot({ crashAt });
      await carryOut(mortal).catch(() => {});
      if (!mortal.isDead()) break;
      crashes += 1;
      expect(await carryOut(harness.boot())).toBe(true);
      expect(tablesOf(harness)).toEqual(tablesOf(origin));
      expect(harness.sql.run("SELECT id FROM job WHERE id LIKE 'index%'")).toHaveLength(1);
    }
    expect(crashes).toBeGreaterThan(2);
  });
});

describe("a session of an archive that nobody trusted has signed", () => {
  it("keeps its words and files as content, and nothing that gives rights or runs later", async () => {
    const { life, harness: origin } = await build();
    origin.sql.run("INSERT INTO meta VALUES('allowances', '[\"terminal\"]')");
    origin.sql.run("INSERT INTO job VALUES('x', 1, 0, '{\"kind\":\"usage\"}')");
    const harness = createSessionHarness({ model: answers() });
    const there = harness.boot();
    must(there.engine.importPage(rowsOf(readAll(life, 1e9)), false));
    expect(await there.engine.adopt()).toBe(true);
    const entries = must(there.engine.entries(0));
    expect(entries.map(({ kind }) => kind)).toEqual(must(life.engine.entries(0)).map(({ kind }) => kind));
    expect([...new Set(entries.flatMap(({ parts }) => parts.map(({ source }) => source)))]).toEqual(["content"]);
    expect(harness.sql.run("SELECT writer FROM file_node")).toEqual([{ writer: "content" }]);
    expect(harness.sql.run("SELECT key FROM meta ORDER BY key")).toEqual([{ key: "schema" }, { key: "session" }]);
    expect(harness.sql.run("SELECT id FROM job")).toEqual([{ id: "index:2" }]);
    expect(there.engine.detail()).toMatchObject({ title: "A talk", learning: "off", state: "idle" });
    must(await there.engine.post({ text: "Three" }));
    await there.settled();
    expect(there.engine.detail()).toMatchObject({ turns: [{}, {}, { n: 3, state: "done" }] });
  });

  it("a file whose contents have another hash is refused", async () => {
    const { life } = await build();
    const rows = rowsOf(readAll(life, 1e9)).map((moved) =>
      moved.table === "file_part" ? { ...moved, row: { ...moved.row, data: { base64: "AAAA" } } } : moved,
    );
    const there = createSessionHarness({ model: answers() }).boot();
    expect(there.engine.importPage(rows, false)).toMatchObject({ failure: { code: "archive_invalid" } });
  });
});
