// What the chaos run over reviews counts: nothing for a sound profile, and each possible fault once.
import { describe, expect, it } from "vitest";
import { sha256Hex, textOfFiles } from "../../core/schemas/learning/digest.ts";
import { NO_USAGE } from "../../core/schemas/entry.ts";
import { type SkillHead, toIndexLine, toRevision } from "../../core/schemas/skill.ts";
import { createIndexLag } from "../../scripts/chaos/index-lag.ts";
import { type ReviewedSession, measureReviews } from "../../scripts/chaos/review-measure.ts";
import { PROFILE, SESSION, call, hardWonTurn, tool } from "../learning/sample.ts";

const REVIEW = `${SESSION}.1-9`;
const FACT = sha256Hex("fact");
const P = `p/${PROFILE}`;

function head(rev: number, body: string): SkillHead {
  const files = { "SKILL.md": { sha256: sha256Hex(body), size: body.length } };
  return {
    ...{ v: 1, name: "tables", seq: rev, rev, text: textOfFiles(files), description: "", category: "general" },
    ...{ state: "trial", pinned: false, origin: "review", files, citations: [`${SESSION}/7#outcome`] },
    ...{ op: rev === 1 ? "by hand" : `${REVIEW}.0007`, createdAt: 1, revisedAt: 1, updatedAt: 1 },
  };
}

function world() {
  const [first, present] = [head(1, "one"), head(2, "two")];
  const lessons = [
    { kind: "skill", skill: "tables", action: "patch", rev: 2, text: present.text, citations: [] },
    { kind: "memory", store: "memory", action: "add", id: FACT, text: "fact", citations: [] },
  ];
  const objects = new Map<string, unknown>([
    [`${P}/heads/tables`, present],
    [`${P}/revisions/tables/00000001`, toRevision(first)],
    [`${P}/index`, { v: 1, seq: 1, skills: { tables: toIndexLine(present) } }],
    [`${P}/evidence/tables/${first.text}/${SESSION}-1.exit`, ""],
    [`${P}/stats/tables`, { v: 2, skill: "tables", uses: 1, successes: 1, failures: 0, lastUsedDay: null, texts: {} }],
    [
      `${P}/reviews/${REVIEW}/result`,
      {
        ...{ v: 1, review: REVIEW, session: SESSION, state: "done", trigger: "value", summary: "", note: "", lessons },
        ...{ refused: [], modelCalls: 1, usage: NO_USAGE, finishedAt: 1 },
      },
    ],
    [`${P}/curation/20260105T090000Z-aaaa/plan`, ""],
    [
      `${P}/curation/20260105T090000Z-aaaa/run.json`,
      {
        ...{ v: 1, run: "20260105T090000Z-aaaa", profile: PROFILE, dryRun: false, startedAt: 1, finishedAt: 1 },
        ...{
          skills: 1,
          byState: { pending: 0, trial: 1, active: 0, stale: 0, archived: 0 },
          moves: [],
          usage: NO_USAGE,
        },
      },
    ],
    [`${P}/curation/20260105T090000Z-aaaa/REPORT.md`, ""],
  ]);
  const bodies = new Map(
    [...objects].map(([key, value]) => [key, typeof value === "string" ? value : JSON.stringify(value)]),
  );
  for (const body of ["one", "two"]) bodies.set(`${P}/blobs/${sha256Hex(body)}`, body);
  const view = tool(9, call("c9", "skill_view", { name: "tables" }), { outcome: {} });
  const session: ReviewedSession = {
    ...{ profile: PROFILE, session: SESSION, entries: [...hardWonTurn(), view], isDone: true },
    ...{ reviews: [{ review: REVIEW, state: "done" }], expected: "skill", rated: false },
  };
  const about = { owed: [] as string[], askedAgain: [] as string[], behind: [] as string[], swept: new Set<string>() };
  return { objects: bodies, keys: [`${P}/memory/${FACT}/+${REVIEW}.0009`], session, about };
}

type World = ReturnType<typeof world>;

function measured(change: (all: World) => void = () => {}) {
  const all = world();
  change(all);
  return measureReviews({ objects: all.objects, keys: all.keys }, [all.session], all.about);
}

/** Another value of an object. */
function edit(all: World, key: string, change: (value: Record<string, never>) => object): void {
  const body = all.objects.get(`${P}/${key}`)!;
  all.objects.set(`${P}/${key}`, JSON.stringify(change(JSON.parse(body) as Record<string, never>)));
}

describe("the measure of a chaos run", () => {
  it("finds nothing in a sound profile", () => {
    expect(measured()).toEqual({ lost: 0, duplicated: 0, brokenHeads: 0, remarks: [] });
  });

  it.each<[kind: "lost" | "duplicated" | "brokenHeads", what: string, change: (all: World) => void]>([
    ["lost", "a turn without an answer", ({ session }) => void (session.isDone = false)],
    ["lost", "a review without an outcome", ({ session }) => void (session.reviews[0]!.state = "waiting")],
    ["lost", "a session that still owes something", ({ about }) => void about.owed.push("review:x")],
    ["lost", "a review that was given up", ({ objects }) => void objects.delete(`${P}/reviews/${REVIEW}/result`)],
    ["lost", "a memory entry", ({ keys }) => void keys.pop()],
    [
      "lost",
      "evidence",
      ({ objects, ...all }) => {
        for (const key of objects.keys()) if (key.includes("/evidence/")) objects.delete(key);
        edit({ objects, ...all }, "stats/tables", (stats) => ({ ...stats, uses: 0 }));
      },
    ],
    ["lost", "a use that was not counted", (all) => edit(all, "stats/tables", (stats) => ({ ...stats, uses: 0 }))],
    ["lost", "a past revision", ({ objects }) => void objects.delete(`${P}/revisions/tables/00000001`)],
    [
      "lost",
      "the report of a plan",
      ({ objects }) => void objects.delete(`${P}/curation/20260105T090000Z-aaaa/REPORT.md`),
    ],
    [
      "lost",
      "work that a run left to a model",
      (all) =>
        edit(all, "curation/20260105T090000Z-aaaa/run.json", (run) => ({
          ...run,
          work: [{ work: "look.tables", because: "stale", grant: { tokens: 1, expiresAt: 1 } }],
        })),
    ],
    [
      "lost",
      "a revision that a merge says it made",
      ({ objects }) => {
        const made = { skill: "tables", from: null, to: { state: "trial", rev: 3, text: head(1, "one").text } };
        objects.set(
          `${P}/curation/20260105T090000Z-aaaa/work/consolidate/result`,
          JSON.stringify({
            ...{ v: 1, run: "20260105T090000Z-aaaa", work: "consolidate", state: "done", note: "", merges: [] },
            ...{
              changes: [{ ...made, reason: "one" }],
              refused: [],
              modelCalls: 1,
              spent: [],
              usage: NO_USAGE,
              finishedAt: 1,
            },
          }),
        );
      },
    ],
    [
      "lost",
      "a merge that came to nothing",
      ({ objects }) => {
        const two = { ...head(1, "one"), name: "greeting-visitors-again" };
        objects.set(`${P}/heads/greeting-visitors-again`, JSON.stringify(two));
        const skills = { tables: toIndexLine(head(2, "two")), "greeting-visitors-again": toIndexLine(two) };
        objects.set(`${P}/index`, JSON.stringify({ v: 1, seq: 1, skills }));
      },
    ],
    [
      "duplicated",
      "a revision of a merge that none tells of",
      (all) => {
        const op = "curation:20260105T090000Z-aaaa:consolidate:2";
        edit(all, "revisions/tables/00000001", (past) => ({ ...past, op }));
      },
    ],
    [
      "lost",
      "a change that waits for a person",
      (all) => edit(all, `reviews/${REVIEW}/result`, (result) => ({ ...result, waiting: 1 })),
    ],
    [
      "duplicated",
      "a second review of one turn",
      ({ session }) => void session.reviews.push({ review: `${SESSION}.1-8`, state: "done" }),
    ],
    [
      "duplicated",
      "a memory entry that was added twice",
      ({ keys }) => void keys.push(`${P}/memory/${FACT}/+${REVIEW}.0011`),
    ],
    [
      "duplicated",
      "a use that was counted twice",
      (all) => edit(all, "stats/tables", (stats) => ({ ...stats, uses: 2 })),
    ],
    [
      "duplicated",
      "evidence that was told twice",
      ({ objects }) => {
        const key = [...objects.keys()].find((one) => one.includes("/evidence/"))!;
        objects.set(`${key}.2`, "");
      },
    ],
    ["duplicated", "an answer that was asked for again", ({ about }) => void about.askedAgain.push("answer 1")],
    [
      "brokenHeads",
      "a line that is behind",
      (all) => edit(all, "index", () => ({ v: 1, seq: 1, skills: { tables: toIndexLine(head(1, "one")) } })),
    ],
    ["brokenHeads", "a head that stayed ahead of its line", ({ about }) => void about.behind.push("heads/tables")],
    [
      "brokenHeads",
      "contents that are missing",
      ({ objects }) => void objects.delete(`${P}/blobs/${sha256Hex("two")}`),
    ],
    [
      "brokenHeads",
      "a citation of nothing",
      (all) => edit(all, "heads/tables", (it) => ({ ...it, citations: [`${SESSION}/99#outcome`] })),
    ],
  ])("counts as %s %s, once", (kind, _what, change) => {
    const { remarks, ...counts } = measured(change);
    expect(counts, remarks.join("\n")).toEqual({ lost: 0, duplicated: 0, brokenHeads: 0, [kind]: 1 });
  });

  it("counts two revisions by one operation id, and a revision without a lesson", () => {
    const same = measured((all) => edit(all, "revisions/tables/00000001", (it) => ({ ...it, op: `${REVIEW}.0007` })));
    expect(same).toMatchObject({ lost: 0, duplicated: 2, brokenHeads: 0 });
  });
});

it("counts an index as repaired if it was stale and later was current", () => {
  const { objects } = world();
  const lag = createIndexLag();
  const whole = objects.get(`${P}/index`)!;
  lag.look(objects);
  objects.set(`${P}/index`, JSON.stringify({ v: 1, seq: 1, skills: {} }));
  lag.look(objects);
  lag.look(objects);
  expect([lag.repairs(), lag.open()]).toEqual([0, [`${P}/heads/tables at 2`]]);
  objects.set(`${P}/index`, whole);
  lag.look(objects);
  expect([lag.repairs(), lag.open()]).toEqual([1, []]);
});
