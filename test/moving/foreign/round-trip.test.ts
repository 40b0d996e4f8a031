// A profile out to Hermes or Claude Code, and in again: what comes back is what went out.
import { describe, expect, it } from "vitest";
import { openHermesDatabase } from "../../../cli/moving/foreign/hermes-database.ts";
import { openHome } from "../../../cli/moving/foreign/home-folder.ts";
import { openOutFolder } from "../../../cli/moving/foreign/write-folder.ts";
import { createHermesDatabase } from "../../../cli/moving/foreign/write-hermes-database.ts";
import type { MoveNote } from "../../../core/moving/foreign/foreign-home.ts";
import { toHermesSession } from "../../../core/moving/foreign/hermes-rows.ts";
import type { OwnProfile, OwnSession } from "../../../core/moving/foreign/own-profile.ts";
import { readClaude } from "../../../core/moving/foreign/read-claude.ts";
import { readHermes } from "../../../core/moving/foreign/read-hermes.ts";
import { writeClaude } from "../../../core/moving/foreign/write-claude.ts";
import { writeHermes } from "../../../core/moving/foreign/write-hermes.ts";
import { JobInfo } from "../../../core/schemas/agenda/job-api.ts";
import type { Entry } from "../../../core/schemas/entry.ts";
import { PostTranscript } from "../../../core/schemas/sessions/transcript.ts";
import { SkillHead } from "../../../core/schemas/skill.ts";
import { toTranscriptRows } from "../../../core/session/moving/transcript-rows.ts";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTempFolders } from "../../support/temp-folders.ts";

const tempFolder = createTempFolders();
const NOW = Date.UTC(2026, 5, 1);
const DAY = "2026-05-04";
const SHA = "ab".repeat(32);
const SESSION = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

const head = (name: string, more: object = {}) =>
  SkillHead.parse({
    ...{ v: 1, name, seq: 1, rev: 1, text: SHA, description: "d", category: "", state: "trial", pinned: false },
    ...{ origin: "user", files: {}, citations: [], op: "o", createdAt: NOW, revisedAt: NOW, updatedAt: NOW, ...more },
  });
const skillMd = (name: string) => `---\nname: ${name}\ndescription: What ${name} is for\n---\n\nDo it.\n`;
const use = { uses: 2, successes: 0, failures: 0, lastUsedDay: DAY };
const job = (name: string, schedule: string, more: object = {}) =>
  JobInfo.parse({
    ...{
      id: `j${String(name.length).padStart(12, "0")}`,
      name,
      prompt: "Do it.",
      schedule,
      timeZone: "UTC",
      understood: "",
      createdAt: 1,
      changedAt: 1,
    },
    ...{ author: { by: "owner" }, nextAt: NOW + 1, paused: null, finishedAt: null, failures: 0, retry: null, ran: 0 },
    ...{ due: null, running: null, ...more },
  });

const profile: OwnProfile = {
  skills: [
    { head: head("rain", { pinned: true }), use, files: { "SKILL.md": skillMd("rain"), "scripts/a.sh": "echo a\n" } },
    { head: head("old", { state: "archived" }), use: null, files: { "SKILL.md": skillMd("old") } },
    { head: head("waits", { state: "pending" }), use: null, files: { "SKILL.md": skillMd("waits") } },
    {
      head: head("certs", { from: { source: "hermes", identifier: "ops/certs", uses: 5 } }),
      use: null,
      files: { "SKILL.md": skillMd("certs") },
    },
  ],
  facts: [
    ...Array.from({ length: 40 }, (_, n) => ({ store: "memory" as const, text: `Fact ${n}: ${"x".repeat(90)}` })),
    { store: "user", text: "Prefers short answers." },
  ],
  personality: { name: "hermes", text: "You are calm." },
  jobs: [
    job("news", "0 8 * * 1"),
    job("watch", "every 2h", { contextFrom: ["news"] }),
    job("passed", "2020-01-01T00:00"),
  ],
};

function write(program: "hermes" | "claude") {
  const folder = tempFolder();
  const notes: MoveNote[] = [];
  const out = openOutFolder(folder, program, notes);
  const home = program === "hermes" ? writeHermes(profile, NOW) : writeClaude(profile);
  out.put(home.files);
  out.end();
  return { folder, notes, home };
}

describe("out to Hermes and in again", () => {
  const { folder, home: out } = write("hermes");
  const home = readHermes(openHome(folder, "hermes"), null, NOW);

  it("keeps skills with their places, counts and states", () => {
    expect(
      home.skills.map(({ from, files }) => [
        from.identifier,
        from.uses,
        from.pinned,
        from.archived,
        Object.keys(files),
      ]),
    ).toEqual([
      ["ops/certs", 5, undefined, undefined, ["SKILL.md"]],
      ["rain", 2, true, undefined, ["SKILL.md", "scripts/a.sh"]],
      ["old", undefined, undefined, true, ["SKILL.md"]],
    ]);
  });

  it("keeps every fact, the newest within the limits of Hermes", () => {
    expect(readFileSync(join(folder, "memories/MEMORY.md"), "utf8").length).toBeLessThanOrEqual(2_200);
    expect(home.facts.map(({ text }) => text).toSorted()).toEqual(profile.facts.map(({ text }) => text).toSorted());
    expect(out.notes.map(({ what }) => what)).toContain("19 facts");
  });

  it("keeps the personality and the jobs, which do not run", () => {
    expect(home.personality?.text).toBe("You are calm.");
    expect(
      home.jobs.map(({ name, schedule, timeZone, contextFrom }) => [name, schedule, timeZone, contextFrom.length]),
    ).toEqual([
      ["news", "0 8 * * 1", "UTC", 0],
      ["watch", "every 120m", "UTC", 1],
    ]);
    const { jobs } = JSON.parse(readFileSync(join(folder, "cron/jobs.json"), "utf8")) as {
      jobs: { enabled: boolean }[];
    };
    expect(jobs.map(({ enabled }) => enabled)).toEqual([false, false]);
    expect(out.notes.map(({ what }) => what)).toContain("job passed");
  });
});

describe("a conversation", () => {
  const messages = [
    { role: "user" as const, text: "What is the mean?", at: 1_000 },
    {
      role: "assistant" as const,
      text: "I look.",
      at: 2_000,
      calls: [{ id: "c", name: "terminal", args: { a: 1 } }],
      model: "m",
    },
    { role: "tool" as const, text: "1\n2 \u0000 3", at: 3_000, callId: "c", name: "terminal" },
    { role: "assistant" as const, text: "It is 2.", at: 4_000, model: "m" },
    { role: "user" as const, text: "Thanks", at: 5_000 },
  ];

  it("that came from Hermes goes back as it was", () => {
    const posted = PostTranscript.parse({
      from: { program: "hermes", id: "20260101_1" },
      title: "Mean",
      createdAt: 1_000,
      messages,
    });
    const entries = toTranscriptRows(posted, NOW).rows.flatMap(({ table, row }) =>
      table === "entry" ? [JSON.parse(String(row.body)) as Entry] : [],
    );
    const own: OwnSession = { session: SESSION, title: "Mean", createdAt: 1_000, from: posted.from, entries };
    const folder = tempFolder();
    using writer = createHermesDatabase();
    writer.add(toHermesSession(own, new Set())!);
    writer.add(toHermesSession({ ...own, from: undefined }, new Set(["Mean"]))!);
    writeFileSync(join(folder, "state.db"), writer.end());
    const notes: MoveNote[] = [];
    using database = openHermesDatabase(folder, notes)!;
    const read = [
      ...readHermes(openHome(folder, "hermes"), database.rows, NOW).conversations((note) => notes.push(note)),
    ];
    expect(notes).toEqual([]);
    const said = messages.map((message) => ({ ...message, ...(message.role === "assistant" && { model: "m" }) }));
    expect(read).toEqual([
      { id: "20260101_1", title: "Mean", createdAt: 1_000, messages: said },
      { id: `talaria-${SESSION}`, title: "Mean #2", createdAt: 1_000, messages: said },
    ]);
  });
});

describe("out to Claude Code and in again", () => {
  it("keeps skills, personality and facts", () => {
    const home = readClaude(openHome(write("claude").folder, "claude"));
    expect(home.skills.map(({ from }) => from.identifier)).toEqual(["certs", "rain"]);
    expect(home.personality?.text).toBe("You are calm.");
    expect(home.facts.map(({ text }) => text).toSorted()).toEqual(profile.facts.map(({ text }) => text).toSorted());
  });
});

describe("the folder of an export", () => {
  it("must be empty or made by it, and files that were changed there stay", () => {
    const { folder } = write("hermes");
    writeFileSync(join(folder, "SOUL.md"), "Mine.");
    const notes: MoveNote[] = [];
    const again = openOutFolder(folder, "hermes", notes);
    const files = new Map([
      ["SOUL.md", "Theirs."],
      ["memories/USER.md", "New."],
    ]);
    expect(again.put(files)).toEqual(["memories/USER.md"]);
    // Cut off here, it knows its own files again.
    expect(openOutFolder(folder, "hermes", []).put(files)).toEqual(["memories/USER.md"]);
    again.end();
    expect(notes.map(({ what }) => what)).toEqual(['"SOUL.md"']);
    expect(readFileSync(join(folder, "SOUL.md"), "utf8")).toBe("Mine.");
    expect(readFileSync(join(folder, "memories/USER.md"), "utf8")).toBe("New.");
    expect(existsSync(join(folder, "cron/jobs.json"))).toBe(false);
    expect(() => openOutFolder(folder, "claude", [])).toThrow("another program");
    const full = tempFolder();
    writeFileSync(join(full, "x"), "");
    expect(() => openOutFolder(full, "hermes", [])).toThrow("is not empty");
  });
});
