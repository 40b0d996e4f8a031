// What the page says of skills from outside: the states of an installed skill, and what an update adds.
import { describe, expect, it } from "vitest";
import { describeEvaluation } from "../../dashboard/health/evaluation.ts";
import { ProblemError } from "../../dashboard/data/api.ts";
import { nameProfile } from "../../dashboard/hub/library-words.ts";
import {
  type Installed,
  type Update,
  choicesOf,
  describeAsked,
  describeGrown,
  listNeeds,
  listStates,
  shortVersion,
} from "../../dashboard/hub/hub-words.ts";

const INSTALLED = {
  ...{ name: "csv", state: "trial", source: "github", identifier: "a/b", version: "v1", hash: "0".repeat(64), rev: 1 },
  ...{ trust: "community", verdict: "safe", scanner: 1, findings: 0, installedAt: 1, updatedAt: 1, changedHere: false },
} satisfies Installed;
const NOTHING: Update["grown"] = {
  ...{ scripts: [], commands: [], allowedTools: [], tools: [], hosts: [], variables: [], credentialFiles: [] },
  ...{ dependencies: [], findings: [] },
};

const namesOf = (more: Partial<Installed>) => listStates({ ...INSTALLED, ...more }).map(({ name }) => name);

describe("the states of an installed skill", () => {
  it("are silent while there is nothing to know", () => {
    expect(namesOf({})).toEqual([]);
    expect(namesOf({ seen: { state: "current", at: 1 } })).toEqual(["Up to date"]);
  });

  it("say what the source did, what was done here, and what was found", () => {
    const gone = { state: "moved", at: 1 } as const;
    expect(namesOf({ seen: gone, changedHere: true, pinned: "v1", verdict: "caution", state: "archived" })).toEqual([
      ...["Archived", "Changed under its version", "Changed here", "Pinned to v1", "Doubtful"],
    ]);
  });
});

describe("what an update adds", () => {
  it("is nothing for a change of words", () => {
    expect(describeGrown(NOTHING)).toEqual([]);
  });

  it("names each new script, command, tool, host, setting and finding, and a worse verdict", () => {
    const finding = { path: "a", line: 1, column: 1, severity: "high", category: "c", pattern: "p", reason: "r" };
    const grown = {
      ...NOTHING,
      scripts: ["scripts/run.sh"],
      commands: [1, 2].map((line) => ({ path: "SKILL.md", line, language: "sh", code: "curl x" })),
      allowedTools: ["terminal"],
      hosts: ["evil.example"],
      variables: ["API_KEY"],
      findings: [finding, finding],
      verdict: { from: "safe", to: "caution" } as const,
    };
    expect(describeGrown(grown)).toEqual([
      "It can run: scripts/run.sh.",
      "It shows new commands in: SKILL.md.",
      "It would allow itself: terminal.",
      "It needs new hosts: evil.example.",
      "It needs new settings and keys: API_KEY.",
      "The scanner found 2 more to look at.",
      "It was “Nothing serious found” and is “Doubtful” now.",
    ]);
  });
});

it("shortens commits and digests, and no name of a version", () => {
  expect(shortVersion("a".repeat(40))).toBe("a".repeat(10));
  expect(shortVersion(`sha256:${"b".repeat(64)}`)).toBe("b".repeat(10));
  expect(shortVersion("v1.2.0")).toBe("v1.2.0");
});

it("lists only what is needed, and names what did not answer", () => {
  const none = { tools: [], variables: [], credentialFiles: [], dependencies: [] };
  expect(listNeeds({ ...none, hosts: ["a.example"] })).toEqual([["Hosts", ["a.example"]]]);
  expect(["github", "tap:our-own", "\u202Eevil"].map(describeAsked)).toEqual([
    "GitHub",
    "The tap “our-own”",
    "“⟨U+202E⟩evil”",
  ]);
});

it("shows the measures of a trained model before and after, and a dash where one is missing", () => {
  const evaluation = { before: { accuracy: 0.41 }, after: { accuracy: 0.57, loss: 1.2 } };
  expect(describeEvaluation(evaluation)).toBe("accuracy 0.41 → 0.57, loss – → 1.2");
});

it("names another profile by its own word and by its id, which tells it from one that calls itself the same", () => {
  const profile = "0123456789abcdefghjkmnpqrs";
  expect(nameProfile({ profile, label: "" })).toBe("Profile 01234567");
  expect(nameProfile({ profile, label: "The “team”\u202E" })).toBe("“The 'team'⟨U+202E⟩” (01234567)");
});

it("offers the skills that a refusal names, and nothing of another form", () => {
  const good = { source: "a/b/csv", name: "csv", description: "Means." };
  const problem = { status: 409, code: "hub_choose", title: "Several", detail: "Name one." };
  const refuse = (skills: unknown, code = "hub_choose") => new ProblemError({ ...problem, code, facts: { skills } });
  expect(choicesOf(refuse([good, null, { ...good, name: 7 }]))).toEqual([good]);
  for (const other of [refuse("all"), refuse([good], "hub_not_found"), new ProblemError(problem), new Error("x")]) {
    expect(choicesOf(other)).toEqual([]);
  }
});
