// What the Skills page makes of the API's answers: who made a revision, its figures, what a draft is.
import { describe, expect, it } from "vitest";
import { ProblemError } from "../../dashboard/data/api.ts";
import {
  NAME_FIELD,
  checkNewPath,
  isChanged,
  keepLineEnds,
  nameText,
  newDraft,
  placeOf,
} from "../../dashboard/skills/draft.ts";
import { type Used, filterSkills, toCurve, toRate, toRows } from "../../dashboard/skills/figures.ts";
import { bodyOf, checksOf, sizeOf } from "../../dashboard/skills/files.ts";
import { type Line, shownState, stateOfHead, makerOf, readCitation } from "../../dashboard/skills/words.ts";
import { readOp } from "../../core/learning/journey/read-op.ts";

const SESSION = "01J9ZK3V5W6X7Y8Z9A0B1C2D3E";
const RUN = "20261127T101500Z-ab12";

describe("who made a revision", () => {
  it.each([
    ["api:01J9ZK3V5W6X7Y8Z9A0B1C2D3E", { by: "person" }],
    ["import:0123", { by: "person" }],
    [`verdict:${SESSION}-12.exit`, { by: "evidence", session: SESSION, turn: 12 }],
    [`curation:${RUN}:tables`, { by: "curator", run: RUN }],
    [`curation:8wmewj78nkhgccht3p931bb6n1:${RUN}.consolidate.3`, { by: "curator", run: RUN }],
    [`${SESSION}.1-14.7`, { by: "review", session: SESSION, review: `${SESSION}.1-14` }],
    [`${SESSION}-3:17`, { by: "agent", session: SESSION, turn: 3 }],
    ["~0123456789abcdef", { by: null }],
    ["make", { by: null }],
  ])("is read from %s as the journey reads it", (op, expected) => {
    expect(makerOf(op)).toEqual(expected);
    const { by, session, review, run } = readOp(op);
    expect(makerOf(op)).toMatchObject({
      by,
      ...(session && { session }),
      ...(review && { review }),
      ...(run && { run }),
    });
  });

  it("is not invented from an operation without a place", () => {
    expect(makerOf("verdict:nothing")).toEqual({ by: "evidence" });
  });
});

it("a citation names a session, an entry and a source", () => {
  expect(readCitation(`${SESSION}/12#outcome`)).toEqual({ session: SESSION, entry: 12, source: "outcome" });
});

describe("the rate of a skill", () => {
  it("has a range that narrows with more uses and stays between 0 and 1", () => {
    expect(toRate(0, 0)).toBeNull();
    const [few, many] = [toRate(3, 1)!, toRate(300, 100)!];
    expect([few.rate, many.rate]).toEqual([0.75, 0.75]);
    expect(many.high - many.low).toBeLessThan((few.high - few.low) / 4);
    for (const [successes, failures] of [
      [1, 0],
      [0, 1],
      [1_000, 0],
    ] as const) {
      const { low, rate, high } = toRate(successes, failures)!;
      expect(0 <= low && low <= rate && rate <= high && high <= 1).toBe(true);
    }
  });
});

const use = (at: number, verdict: "trial" | "active" | "withdrawn" | null, rate = 0.5, text = "a"): Used => ({
  ...{ turn: `${SESSION}-${at}`, text, at, outcome: "success", judge: "exit", judgements: [], contradicted: false },
  ...{ toolCalls: 1, failedCalls: 0, tokens: 0, failedWords: [] },
  standing: verdict && { verdict, success: { rate, low: rate - 0.1, high: rate + 0.1 }, without: null },
});

describe("the curve of a skill's evidence", () => {
  it("rises in time, and marks each change of the verdict and each new text", () => {
    const curve = toCurve([
      use(1, "trial"),
      use(2, "active", 0.7),
      use(3, "active"),
      use(4, "trial", 0.5, "b"),
      use(5, "withdrawn", 0.2, "b"),
    ]);
    expect(curve.times).toEqual([1, 2, 3, 4, 5]);
    expect(curve.rates).toEqual([0.5, 0.7, 0.5, 0.5, 0.2]);
    expect(curve.without).toEqual([null, null, null, null, null]);
    expect(curve.marks).toEqual([
      { at: 2, text: "the verdict became: active" },
      { at: 4, text: "a new text was used" },
      { at: 5, text: "the verdict became: withdrawn" },
    ]);
  });

  it("has a gap for uses before a text was restored, and one point for two uses of one moment", () => {
    expect(toCurve([use(1, null), use(2, "trial", 0.4), use(2, "trial", 0.6)])).toMatchObject({
      ...{ times: [1, 2], rates: [null, 0.6], marks: [] },
    });
  });
});

describe("the index", () => {
  const line = (name: string, state: Line["state"], category = "general"): Line => ({
    ...{ name, state, category, description: `How to do ${name}.`, pinned: false, origin: "user", seq: 1, rev: 1 },
    ...{ text: "0".repeat(64), readiness: "available" },
  });
  const skills = [
    line("mail", "active"),
    line("tables", "trial", "data"),
    line("rooms", "archived"),
    line("logs", "trial"),
  ];

  it("groups by state, those on trial before active ones", () => {
    expect(toRows(skills).map(({ key }) => key)).toEqual([
      "state trial",
      "tables",
      "logs",
      "state active",
      "mail",
      "state archived",
      "rooms",
    ]);
  });

  it.each([
    [{ words: "", state: "", category: "" }, ["mail", "tables", "rooms", "logs"]],
    [{ words: "DO  log", state: "", category: "" }, ["logs"]],
    [{ words: "data", state: "", category: "" }, ["tables"]],
    [{ words: "", state: "trial", category: "general" }, ["logs"]],
    [{ words: "mail", state: "trial", category: "" }, []],
  ])("with %j shows %j", (wanted, names) => {
    expect(filterSkills(skills, wanted).map(({ name }) => name)).toEqual(names);
  });
});

describe("a skill's text", () => {
  it.each([
    ["---\nname: a\n---\n# A\n", "# A\n"],
    ["\uFEFF---\r\nname: a\r\n---\r\n\r\n# A", "\r\n# A"],
    ["# A\n\n---\n\nB", "# A\n\n---\n\nB"],
    ["---\nname: a\n---", ""],
  ])("is shown without its header: %j", (text, body) => {
    expect(bodyOf(text)).toBe(body);
  });

  it("has a size in bytes, whether it is text or not", () => {
    expect(sizeOf("ü")).toBe(2);
    for (const bytes of [0, 1, 2, 3, 4]) {
      expect(sizeOf({ base64: Buffer.alloc(bytes).toString("base64") })).toBe(bytes);
    }
  });

  it("names its checks, what they run, and which are broken", () => {
    const files = {
      "SKILL.md": "",
      "checks/a.json": JSON.stringify({ run: { command: "ls" }, expect: { pattern: "^a" } }),
      "checks/b.json": "{",
      "checks/c.json": "null",
    };
    expect(checksOf(files, ["checks/a.json: expected ^a", "contract: x"])).toEqual([
      {
        path: "checks/a.json",
        runs: "ls",
        expects: "exit status 0, output that matches ^a",
        broken: "checks/a.json: expected ^a",
      },
      { path: "checks/b.json", runs: null, expects: "", broken: null },
      { path: "checks/c.json", runs: null, expects: "", broken: null },
    ]);
  });

  it("is withdrawn only when it is archived and its present text did harm", () => {
    expect(stateOfHead({ state: "archived", text: "a", withdrawn: ["a"] })).toBe("withdrawn");
    expect(stateOfHead({ state: "archived", text: "a", withdrawn: ["b"] })).toBe("archived");
    expect(stateOfHead({ state: "active", text: "a", withdrawn: ["a"] })).toBe("active");
    expect(shownState({ state: "archived", withdrew: true })).toBe("withdrawn");
    expect(shownState({ state: "archived" })).toBe("archived");
  });
});

describe("a draft", () => {
  const files = { "SKILL.md": "a", "references/a.md": "b", "references/a.md.txt": "c" };
  const problem = (code: string, detail: string) => new ProblemError({ status: 400, code, title: "", detail });

  it("is changed when a file is, not when their order is", () => {
    const draft = { ...newDraft(), original: { a: "1", b: "2" } };
    expect(isChanged({ ...draft, files: { b: "2", a: "1" } })).toBe(false);
    expect(isChanged({ ...draft, files: { a: "1" } })).toBe(true);
    expect(isChanged({ ...draft, files: { a: "1", b: "3" } })).toBe(true);
  });

  it("keeps the line ends of a file, which a text field shows in one form only", () => {
    expect(keepLineEnds("a\r\nb", "a\nbc\n")).toBe("a\r\nbc\r\n");
    expect(keepLineEnds("a\nb", "a\nc")).toBe("a\nc");
  });

  it("takes a typed name into its header, whatever characters it has", () => {
    expect(nameText("---\nname: \n---\n", "a$&b")).toBe("---\nname: a$&b\n---\n");
    expect(nameText("---\nname: own\n---\n", "other")).toBe("---\nname: own\n---\n");
  });

  it.each([
    [problem("bad_skill_md", "The frontmatter has no `description`."), "SKILL.md"],
    [problem("bad_skill_name", "x is not a valid skill name"), NAME_FIELD],
    [problem("too_large", "references/a.md.txt is larger than 1 bytes"), "references/a.md.txt"],
    [problem("bad_path", '"elsewhere" is not a valid path'), null],
    [problem("skill_changed", "references/a.md changed"), null],
    [new Error("SKILL.md"), null],
  ])("shows an error where it belongs: %o", (error, place) => {
    expect(placeOf(error, files)).toBe(place);
  });

  it.each([
    ["references/new.md", null],
    ["references/a.md", /already/],
    ["", /path/],
    ["/etc/passwd", /relative/],
    ["a/../b", /relative/],
    ["a/", /relative/],
  ])("takes the new path %j or says why not", (path, why) => {
    if (why === null) expect(checkNewPath(path, files)).toBeNull();
    else expect(checkNewPath(path, files)).toMatch(why);
  });
});
