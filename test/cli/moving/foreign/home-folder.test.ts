// A folder that a hostile program has left: links, pipes, devices, sparse files, files without end, databases that are none.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, vi } from "vitest";
import { openHermesDatabase } from "../../../../cli/moving/foreign/hermes-database.ts";
import { openHome } from "../../../../cli/moving/foreign/home-folder.ts";
import type { MoveNote } from "../../../../core/moving/foreign/foreign-home.ts";
import { readHermes } from "../../../../core/moving/foreign/read-hermes.ts";
import { createTempFolders } from "../../../support/temp-folders.ts";

const tempFolder = createTempFolders();

function makeHome(files: Record<string, string>): string {
  const home = tempFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(home, path, ".."), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  return home;
}

describe("a hostile folder", () => {
  const home = makeHome({
    "skills/good/SKILL.md": "---\nname: good\ndescription: d\n---\n\nx\n",
    "skills/good/.env": "KEY=secret",
    "skills/good/evil\u001b[2J\u202e.md": "x",
    ".env": "KEY=secret",
    "memories/MEMORY.md": "One.",
  });
  mkdirSync(join(home, "skills/leak"));
  symlinkSync("/etc/passwd", join(home, "skills/leak/SKILL.md"));
  symlinkSync("/etc", join(home, "skills/etc"));
  symlinkSync("/etc/hostname", join(home, "SOUL.md"));
  execFileSync("mkfifo", [join(home, "memories/USER.md")]);
  mkdirSync(join(home, "cron"));
  writeFileSync(join(home, "cron/jobs.json"), "[]");
  truncateSync(join(home, "cron/jobs.json"), 2 ** 30);

  it("gives regular files only, follows no link, waits for no pipe and reads no secret", () => {
    const folder = openHome(home, "hermes");
    expect(folder.paths).toEqual([
      ...["cron/jobs.json", "memories/MEMORY.md", "skills/good/SKILL.md"],
      "skills/good/evil\u001b[2J\u202e.md",
    ]);
    const read = readHermes(folder, null, Date.now());
    expect(read.skills.map(({ folder: place }) => place)).toEqual(["skills/good"]);
    expect([read.facts.map(({ text }) => text), read.personality, read.jobs]).toEqual([["One."], null, []]);
    const noted = folder.notes.map(({ what, why }) => `${what}: ${why}`).join("\n");
    expect(noted).toContain('"skills/leak/SKILL.md"');
    expect(noted).toContain('"memories/USER.md"');
    expect(noted).toContain('"cron/jobs.json": it has 1073741824 bytes');
    // A home that is reached through a link is the person's own choice.
    symlinkSync(home, join(tempFolder(), "home"));
  });

  it("says which files it takes for secrets, and has a skill that only sounds like one", () => {
    const body = "---\nname: credentials-rotation\ndescription: d\n---\n\nx\n";
    const place = "skills/credentials-rotation";
    const told = openHome(makeHome({ [`${place}/SKILL.md`]: body, [`${place}/credentials.json`]: "{}" }), "hermes");
    expect(told.paths).toEqual([`${place}/SKILL.md`]);
    expect(told.notes.map(({ kind, what }) => [kind, what])).toEqual([["left_out", `"${place}/credentials.json"`]]);
  });

  it("is cut off where it has no end", () => {
    const many = makeHome(Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`skills/a/${n}.md`, ""])));
    const folder = openHome(many, "hermes", 100);
    expect(folder.paths.length).toBeLessThanOrEqual(100);
    expect(folder.notes.map(({ what }) => what)).toEqual(["the rest of the folder"]);
  });

  it("must be a folder", () => {
    expect(() => openHome(join(home, ".env"), "hermes")).toThrow("is not a folder");
    expect(() => openHome(join(home, "none"), "hermes")).toThrow("There is no folder");
  });
});

describe("a database of Hermes", () => {
  const open = (make: (path: string) => void) => {
    const home = tempFolder();
    make(join(home, "state.db"));
    const notes: MoveNote[] = [];
    using database = openHermesDatabase(home, notes);
    return { isOpen: database !== null, why: notes.map(({ why }) => why) };
  };

  it("is refused where it is none: other files, links, views in place of tables, computed columns", () => {
    expect(open((path) => writeFileSync(path, "not a database"))).toEqual({
      isOpen: false,
      why: ["it is not a SQLite database"],
    });
    expect(open((path) => symlinkSync("/etc/passwd", path))).toEqual({
      isOpen: false,
      why: ["it is not a regular file"],
    });
    const withTables = (sql: string) => (path: string) => {
      const database = new DatabaseSync(path);
      database.exec(sql);
      database.close();
    };
    const endless =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id, 'x' AS source FROM n";
    expect(open(withTables(`CREATE VIEW sessions AS ${endless}`))).toEqual({
      isOpen: false,
      why: ["it has no plain table sessions"],
    });
    const computed = "CREATE TABLE sessions (id TEXT, source TEXT AS (hex(zeroblob(999999999))))";
    expect(open(withTables(computed))).toEqual({ isOpen: false, why: ["it has no plain table sessions"] });
    expect(open((path) => writeFileSync(path, `SQLite format 3\u0000${"x".repeat(5_000)}`)).isOpen).toBe(false);
  });

  it("is copied again when its log was moved into it meanwhile", () => {
    const home = tempFolder();
    const path = join(home, "state.db");
    using database = new DatabaseSync(path);
    database.exec("PRAGMA journal_mode = WAL; CREATE TABLE sessions (id TEXT, source TEXT, started_at REAL)");
    database.exec("CREATE TABLE messages (id INTEGER, role TEXT, content TEXT); PRAGMA wal_checkpoint(TRUNCATE)");
    utimesSync(path, 1, 1);
    let copies = 0;
    using opened = openHermesDatabase(home, [], (...args) => {
      copyFileSync(...args);
      copies += 1;
      if (copies === 1) database.exec("INSERT INTO sessions VALUES ('a', 'cli', 1); PRAGMA wal_checkpoint(TRUNCATE)");
    });
    expect([...opened!.rows.sessions()].map(({ id }) => id)).toEqual(["a"]);
  });

  it("leaves no copy behind, even when the process is killed, and gives numbers of any size", () => {
    const [home, temporary] = [tempFolder(), tempFolder()];
    vi.stubEnv("TMPDIR", temporary);
    const database = new DatabaseSync(join(home, "state.db"));
    database.exec("CREATE TABLE sessions (id TEXT, source TEXT, started_at); CREATE TABLE messages (role, content)");
    database.exec("INSERT INTO sessions VALUES ('a', 'cli', 9223372036854775807)");
    database.close();
    const notes: MoveNote[] = [];
    using opened = openHermesDatabase(home, notes)!;
    expect([...opened.rows.sessions()].map(({ started_at: at }) => at)).toEqual([2 ** 63]);
    expect([notes, readdirSync(temporary)]).toEqual([[], []]);
    vi.unstubAllEnvs();
  });

  it("gives what can be read of a damaged one", () => {
    const home = tempFolder();
    const database = new DatabaseSync(join(home, "state.db"));
    database.exec(
      "CREATE TABLE sessions (id TEXT, source TEXT, started_at REAL); CREATE TABLE messages (role TEXT, content TEXT, session_id TEXT)",
    );
    database.exec("INSERT INTO sessions VALUES ('a', 'cli', 1)");
    database.close();
    const notes: MoveNote[] = [];
    using opened = openHermesDatabase(home, notes)!;
    // Without its column `id`, the messages have no order.
    expect([[...opened.rows.sessions()].length, [...opened.rows.messages("a")].length]).toEqual([1, 0]);
    expect(notes.map(({ why }) => why)).toEqual(["the database is damaged there"]);
  });
});
