// The pages of a conversation: files that are fetched, lessons and how they are taken back, ratings.
import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { getFile, parseGet } from "../../../cli/pages/get-file.ts";
import { type LessonClient, createLessons } from "../../../cli/pages/lessons.ts";
import { rateLastTurn } from "../../../cli/pages/pages.ts";
import { createTempFolders } from "../../support/temp-folders.ts";

const tempFolder = createTempFolders();
const SESSION = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

describe("/get", () => {
  const get = (argument: string, folder: string, mayReplace = false) => {
    const asked: string[] = [];
    const done = getFile(argument, {
      client: { getFile: async () => new Uint8Array([110, 101, 119]) },
      session: SESSION,
      folder,
      mayReplace: async (path) => asked.push(path) > 0 && mayReplace,
    });
    return done.then((sentence) => ({ sentence, asked }));
  };

  it.each([
    ["a.txt", { path: "a.txt", to: null }],
    ['"my file.txt" out/', { path: "my file.txt", to: "out/" }],
    ["a b c", null],
  ])("reads %j", (argument, parsed) => expect(parseGet(argument)).toEqual(parsed));

  it("saves a file in the present folder under its own name, whatever its path says", async () => {
    const folder = tempFolder();
    for (const path of ["../../etc/evil.txt", "/abs/evil.txt", "..\\evil.txt", "evil.txt"]) {
      await get(path, folder, true);
      expect(readdirSync(folder)).toEqual(["evil.txt"]);
    }
    for (const path of ["..", "a/..", "."]) expect((await get(path, folder)).sentence).toContain("names no file");
  });

  it("overwrites nothing without a yes", async () => {
    const folder = tempFolder();
    writeFileSync(join(folder, "a.txt"), "old");
    const no = await get("a.txt", folder);
    expect(no).toMatchObject({
      asked: [join(folder, "a.txt")],
      sentence: expect.stringContaining("nothing was written"),
    });
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("old");
    await get("a.txt", folder, true);
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("new");
    expect(readdirSync(folder)).toEqual(["a.txt"]);
  });

  it("never writes through a link, a dangling one included", async () => {
    const folder = tempFolder();
    const outside = tempFolder();
    writeFileSync(join(outside, "target"), "kept");
    symlinkSync(join(outside, "target"), join(folder, "a.txt"));
    symlinkSync(join(outside, "absent"), join(folder, "b.txt"));
    for (const name of ["a.txt", "b.txt"]) {
      const { asked } = await get(name, folder, true);
      expect(asked).toHaveLength(1);
      expect(readFileSync(join(folder, name), "utf8")).toBe("new");
    }
    expect(readFileSync(join(outside, "target"), "utf8")).toBe("kept");
    expect(existsSync(join(outside, "absent"))).toBe(false);
  });

  it("saves where the person says, as a file or in a folder", async () => {
    const folder = tempFolder();
    mkdirSync(join(folder, "in"));
    await get("a.txt in", folder);
    await get("a.txt deep/er/b.txt", folder);
    expect([
      readFileSync(join(folder, "in/a.txt"), "utf8"),
      readFileSync(join(folder, "deep/er/b.txt"), "utf8"),
    ]).toEqual(["new", "new"]);
  });
});

describe("/why and /unlearn", () => {
  const skill = {
    kind: "skill",
    skill: "reading-logs",
    action: "patch",
    rev: 3,
    text: "0".repeat(64),
    citations: [`${SESSION}/7#outcome`],
  };
  const fact = { kind: "memory", store: "user", action: "add", id: "1".repeat(64), text: "likes tea", citations: [] };
  const made = { ...skill, rev: 1, action: "create", skill: "new-skill" };

  function lessonsOf(...lists: unknown[][]) {
    const called: string[] = [];
    let at = 0;
    const current = () => lists[Math.min(at, lists.length - 1)]!;
    const client = {
      listReviews: async () => [{ review: "rev_1", state: "done", summary: "Learned", lessons: current() }],
      review: async () => ({
        job: null,
        result: {
          summary: "Learned a lot",
          trigger: "model_calls",
          because: "many calls",
          note: "It was \x1b[2J hard.",
          lessons: current(),
        },
      }),
      undoSkillRevision: async (name: string, rev: number) => (called.push(`undo ${name} ${rev}`), { rev: 4 }),
      archiveSkill: async (name: string) => void called.push(`archive ${name}`),
      forget: async (store: string, id: string) => (called.push(`forget ${store} ${id.slice(0, 2)}`), { removed: 1 }),
    } as unknown as LessonClient;
    return { lessons: createLessons(client), called, next: () => (at += 1) };
  }

  it("shows each lesson with its reason and its evidence", async () => {
    const { lessons } = lessonsOf([skill, fact]);
    expect((await lessons.why(SESSION)).split("\n")).toEqual([
      "Learned a lot (review rev_1, begun by model calls)",
      "  because: many calls",
      "  1. skill reading-logs, revision 3 (patch), from entries 7#outcome",
      "  2. memory user (add): likes tea",
      "  note: It was [2J hard.",
      "/unlearn N takes back lesson N; /learning shows whether lessons help.",
    ]);
    expect(await lessons.why(null)).toBe("Nothing was learned here yet.");
  });

  it("reverts a change of a skill, archives a new one, and forgets a fact", async () => {
    const { lessons, called } = lessonsOf([skill, fact, made]);
    await lessons.why(SESSION);
    for (const n of ["1", "2", "3"]) await lessons.unlearn(SESSION, n);
    expect(called).toEqual(["undo reading-logs 3", "forget user 11", "archive new-skill"]);
  });

  it("takes back what was shown, also when something was learned since", async () => {
    const { lessons, called, next } = lessonsOf([fact], [skill, fact]);
    await lessons.why(SESSION);
    next();
    await lessons.unlearn(SESSION, "1");
    expect(called).toEqual(["forget user 11"]);
  });

  it("takes nothing back that was not named, unless there is only one", async () => {
    const several = lessonsOf([skill, fact]);
    expect(await several.lessons.unlearn(SESSION, "")).toContain("Write it as /unlearn N, with N from 1 to 2.");
    expect(await several.lessons.unlearn(SESSION, "3")).toContain("Write it as /unlearn N");
    expect(several.called).toEqual([]);
    const one = lessonsOf([fact]);
    await one.lessons.unlearn(SESSION, "");
    expect(one.called).toEqual(["forget user 11"]);
  });
});

describe("/rate", () => {
  it("rates the last turn that has ended, and says how it is written", async () => {
    const rated: unknown[] = [];
    const turns = [
      { n: 1, state: "done", endedAt: 5 },
      { n: 2, state: "steered", endedAt: 6 },
      { n: 3, state: "running", endedAt: null },
    ];
    const client = {
      session: async () => ({ turns }),
      rate: async (...all: unknown[]) => void rated.push(all),
    } as never;
    expect(await rateLastTurn(client, SESSION, "down use metres")).toBe("(turn 1 rated down)");
    expect(rated).toEqual([[SESSION, 1, { rating: "down", correction: "use metres" }]]);
    expect(await rateLastTurn(client, SESSION, "sideways")).toContain("Write it as /rate up");
    expect(await rateLastTurn(client, null, "up")).toBe("There is no answer to rate yet.");
  });
});
