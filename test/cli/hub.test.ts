// `talaria skills` for skills of others, in this process against a fake API: what is shown before it is asked, what is requested, and the exit codes.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readSkillsLock } from "../../cli/output/skills-lock.ts";
import { answerJson, answerProblem } from "../support/fake-api.ts";
import { ask, talaria } from "../support/run-talaria.ts";
import { createTempFolders } from "../support/temp-folders.ts";

const tempFolder = createTempFolders();
const HASH = "ab".repeat(32);
/** Erases a line, turns the direction, breaks the line. */
const HOSTILE = "rain\u001b[2K\u202eevil\u2028x\r\ny";

const REPORT = {
  ...{ name: "rain", description: `Reads ${HOSTILE}`, category: "", files: { "SKILL.md": 100, "scripts/mean.py": 20 } },
  ...{
    scripts: ["scripts/mean.py"],
    commands: [{ path: "SKILL.md", line: 9, language: "sh", code: `curl ${HOSTILE}` }],
  },
  ...{ allowedTools: ["Bash(git:*)"], tools: ["terminal"], hosts: ["rain.example"], variables: ["RAIN_KEY"] },
  ...{ credentialFiles: [], dependencies: ["pandas"], verdict: "caution", scanner: 3, warnings: [] },
  findings: [
    { path: HOSTILE, line: 4, column: 1, severity: "high", category: "c", pattern: "p", reason: "reads a secret" },
  ],
};
const REF = { source: "github", identifier: "team/skills/rain" };
const INSPECTION = {
  ...{ ref: REF, version: "main", commit: "c".repeat(40), hash: HASH, trust: "community", exists: "no" },
  ...{ decision: { outcome: "ask", why: "It has scripts." }, report: REPORT, notes: [`note ${HOSTILE}`], keptUntil: 1 },
};
const LOCKED = {
  ...{ name: "rain", source: "github", identifier: "team/skills/rain", version: "main", hash: HASH, rev: 1 },
  ...{ trust: "community", verdict: "caution", scanner: 3, findings: 1, installedAt: 1, updatedAt: 1 },
  ...{ state: "trial", changedHere: false },
};
const INSTALLED = { name: "rain", outcome: "installed", skill: LOCKED, report: REPORT, notes: [] };
const HEAD = {
  ...{ v: 1, name: "rain", seq: 1, rev: 1, text: HASH, description: "Reads.", category: "", state: "trial" },
  ...{ pinned: false, origin: "hub", files: {}, citations: [], op: "o" },
  ...{ createdAt: 1, revisedAt: 1, updatedAt: 1, stateAt: 1, movedAt: 1, checkedAt: 1 },
};
const inspected = (more: object = {}) => answerJson(200, { ...INSPECTION, ...more });
const allowed = { decision: { outcome: "allowed", why: "" } };
const refused = { decision: { outcome: "refused", why: "It is dangerous." } };

describe("what a stranger wrote", () => {
  it("reaches the terminal as plain lines, with a sign where something does not show", async () => {
    const { code, stdout, stderr } = await ask(["skills", "inspect", "team/skills/rain"], [inspected()]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe(`rain: Reads rain�[2K�evil x y
  from: github team/skills/rain, version main, ${"c".repeat(40)}, community
  files (2, 120 bytes): SKILL.md, scripts/mean.py
  runs: scripts/mean.py
  shows commands: SKILL.md line 9: curl rain�[2K�evil x y
  needs tools: terminal
  reaches: rain.example
  reads variables: RAIN_KEY
  needs: pandas
  would allow itself (it is not allowed): Bash(git:*)
  the scanner says: doubtful (\`caution\`), with 1 finding
  ! high: rain�[2K�evil x y, line 4: reads a secret
  ! note rain�[2K�evil x y
  Your yes is needed. It has scripts.
`);
  });

  it("names a commit once, where it is the version", async () => {
    const { stdout } = await ask(["skills", "inspect", "team/skills/rain"], [inspected({ version: "c".repeat(40) })]);
    expect(stdout).toContain(`version ${"c".repeat(40)}, community\n`);
  });

  it("is not missed in silence where a source did not answer", async () => {
    const failed = [{ from: "clawhub", code: "hub_unreachable", message: "clawhub.ai: no answer." }];
    const search = (more: object) =>
      ask(["skills", "search", "rain"], [answerJson(200, { hits: [], failed: [], ...more })]);
    const unsure = await search({ failed });
    expect(unsure).toMatchObject({ code: 1, stderr: expect.stringContaining("! clawhub: clawhub.ai: no answer.") });
    expect(unsure.stdout + unsure.stderr).not.toContain("Nothing was found");
    expect(await search({})).toMatchObject({ code: 0 });
  });

  it("is escaped in tables, and in JSON", async () => {
    const hit = { ref: REF, identifier: HOSTILE, name: "rain", description: HOSTILE, trust: "community" };
    const answer = answerJson(200, { hits: [hit], failed: [{ from: "clawhub", code: "x", message: HOSTILE }] });
    const table = await ask(["skills", "search", "rain", "tables"], [answer]);
    expect(table.requests).toEqual(["GET /v1/hub/search?query=rain+tables"]);
    const json = await ask(["skills", "search", "rain", "--json"], [answer]);
    for (const text of [table.stdout, table.stderr, json.stdout]) expect(text).not.toMatch(/[\u001b\u202e\u2028\r]/);
  });
});

describe("install", () => {
  const install = (more: string[], answers: Parameters<typeof ask>[1], typed?: string) =>
    ask(["skills", "install", "team/skills/rain", ...more], answers, typed === undefined ? {} : { typed, columns: 80 });
  const body = JSON.stringify({ source: "team/skills/rain", hash: HASH });
  const INSPECT = `POST /v1/hub/inspect ${JSON.stringify({ source: "team/skills/rain" })}`;

  it("shows first, asks, and installs exactly what was shown", async () => {
    const yes = await install([], [inspected(), answerJson(200, INSTALLED)], "y");
    expect(yes.requests).toEqual([INSPECT, `POST /v1/hub/install ${body}`]);
    expect(yes.code).toBe(0);
    expect(yes.stderr).toContain("  runs: scripts/mean.py\n");
    expect(yes.stderr).toContain("Installed rain, version main. It is on trial.");
    const no = await install([], [inspected()], "n");
    expect({ code: no.code, requests: no.requests }).toEqual({ code: 3, requests: [INSPECT] });
  });

  it.each([
    ["without a terminal nothing is installed", [], {}, 2],
    ["--yes takes what is allowed", ["--yes"], allowed, 0],
    ["--yes alone takes nothing that needs a question", ["--yes"], {}, 3],
    ["--accept takes that, too", ["--yes", "--accept"], {}, 0],
    ["nothing takes what is refused", ["--yes", "--accept"], refused, 3],
    ["a skill of that name stays", ["--yes", "--accept"], { exists: "other" }, 2],
  ])("%s", async (_, flags, more, code) => {
    const done = await install(flags, [inspected(more), answerJson(200, INSTALLED)]);
    expect({ code: done.code, installs: done.requests.length === 2 }).toEqual({ code, installs: code === 0 });
  });

  it("lists the skills of a source that has several", async () => {
    const skills = [{ source: "team/skills/rain", name: "rain", description: HOSTILE }];
    const problem = answerJson(409, {
      ...{ type: "urn:talaria:problem:hub_choose", title: "t", status: 409, code: "hub_choose", detail: "Choose one." },
      facts: { skills, count: 30 },
    });
    const { code, stderr } = await install([], [problem]);
    expect(code).toBe(3);
    expect(stderr).toContain("Choose one.");
    expect(stderr).toContain("team/skills/rain  rain�[2K�evil x y\nand 29 more");
  });

  it("takes a lock file of the `skills` program, one after the other, and says what it cannot take", async () => {
    const project = tempFolder();
    const skills = {
      rain: {
        source: "team/skills",
        sourceType: "github",
        ref: "v1",
        skillPath: "skills/rain/SKILL.md",
        computedHash: HASH,
      },
      sun: {
        source: "example.com",
        sourceUrl: "https://example.com/p/x",
        sourceType: "well-known",
        computedHash: HASH,
      },
      own: { source: "./mine", sourceType: "local", computedHash: HASH },
      root: { source: "team/one", sourceType: "github", skillPath: "SKILL.md", computedHash: HASH },
      found: { source: "team/many", sourceType: "github", computedHash: HASH },
    };
    writeFileSync(join(project, "skills-lock.json"), JSON.stringify({ version: 1, skills }));
    expect(readSkillsLock(project)!.map(({ source }) => source)).toEqual([
      "github:team/skills/skills/rain#v1",
      "well-known:https://example.com/p/x#sun",
      null,
      "github:team/one/.",
      "github:team/many@found",
    ]);
    const answers = [answerProblem(404, "hub_not_found"), inspected(allowed), answerJson(200, INSTALLED)];
    const done = await ask(
      ["skills", "install", project, "--yes"],
      [...answers, answerProblem(404, "x"), answerProblem(404, "x")],
    );
    expect(done.code).toBe(3);
    expect(done.requests.map((line) => line.split(" ").slice(0, 2).join(" "))).toEqual([
      ...["POST /v1/hub/inspect", "POST /v1/hub/inspect", "POST /v1/hub/install"],
      ...["POST /v1/hub/inspect", "POST /v1/hub/inspect"],
    ]);
    expect(done.stderr).toContain("own came from local, which is no source here");
    mkdirSync(join(project, "empty"));
    expect(readSkillsLock(join(project, "empty"))).toBeNull();
    expect(readSkillsLock("team/skills")).toBeNull();
    writeFileSync(join(project, "skills-lock.json"), "[]");
    expect(await talaria(["skills", "install", project], { url: "http://127.0.0.1:9" })).toMatchObject({ code: 2 });
  });
});

describe("update", () => {
  const point = (version: string) => ({ version, hash: HASH });
  const NOTHING = { scripts: [], commands: [], allowedTools: [], tools: [], hosts: [], variables: [] };
  const UPDATE = {
    ...{ name: "rain", outcome: "preview", from: point("v1"), to: point("v2"), report: REPORT, ...allowed },
    grown: { ...NOTHING, scripts: ["scripts/new.sh"], credentialFiles: [], dependencies: [], findings: [] },
    ...{
      files: [{ path: "SKILL.md", change: "changed", diff: `-a\n+${HOSTILE}\n` }],
      changedHere: [],
      merge: "unchanged",
    },
    ...{ conflicts: [], notes: [] },
  };
  const preview = (more: object = {}) => answerJson(200, { ...UPDATE, ...more });
  const updated = preview({ outcome: "updated", rev: 2 });

  it("shows the diff and what grew, asks, and applies exactly that", async () => {
    const done = await ask(["skills", "update", "rain"], [preview(), updated], { typed: "yes", columns: 80 });
    expect(done.requests).toEqual([
      "POST /v1/hub/skills/rain/update {}",
      `POST /v1/hub/skills/rain/update ${JSON.stringify({ hash: HASH })}`,
    ]);
    expect(done.stderr).toMatch(/-a\n\+rain[^]*rain: from v1 to v2\n {2}It grows:\n {4}runs: scripts\/new\.sh\n/);
    expect(done.stderr).not.toMatch(/[\u001b\u202e\u2028\r]/);
    expect(done.stderr).toContain("rain has version v2.");
  });

  it("takes what grew only after a look at it, and hides none of it behind the rest", async () => {
    const hosts = Array.from({ length: 40 }, (_, n) => `h${n}.example`);
    const grows = preview({
      grown: { ...UPDATE.grown, scripts: [], hosts },
      report: { ...REPORT, warnings: ["9 files were not scanned."] },
    });
    const stopped = await ask(["skills", "update", "rain", "--yes"], [grows]);
    expect(stopped).toMatchObject({ code: 3, requests: ["POST /v1/hub/skills/rain/update {}"] });
    for (const text of ["h39.example", "9 files were not scanned", "--accept"]) expect(stopped.stderr).toContain(text);
    const still = preview({ grown: { ...UPDATE.grown, scripts: [] } });
    expect(await ask(["skills", "update", "rain", "--yes"], [still, updated])).toMatchObject({ code: 0 });
  });

  it("updates all that is newer, and goes on after a refusal", async () => {
    const line = (name: string, state: string) => ({ name, version: "v1", state });
    const checked = answerJson(200, { checked: [line("a", "update"), line("b", "current")], next: "b" });
    const rest = answerJson(200, { checked: [line("c", "update"), line("d", "gone")] });
    const answers = [checked, rest, answerProblem(409, "skill_pinned"), preview({ name: "c" }), updated];
    const { code, requests } = await ask(["skills", "update", "--all", "--yes", "--accept"], answers);
    expect(code).toBe(3);
    expect(requests.map((request) => request.split(" ")[1])).toEqual([
      ...["/v1/hub/check", "/v1/hub/check", "/v1/hub/skills/a/update"],
      ...["/v1/hub/skills/c/update", "/v1/hub/skills/c/update"],
    ]);
  });

  it("takes no place of what was changed here without --keep", async () => {
    const conflicts = [{ path: "SKILL.md", line: 7, here: "a", there: "b" }];
    const conflict = preview({ changedHere: ["SKILL.md"], merge: "conflict", conflicts });
    const stopped = await ask(["skills", "update", "rain", "--yes"], [conflict]);
    expect(stopped).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("changed here and there: SKILL.md, line 7"),
    });
    const answers = [conflict, preview({ outcome: "updated", companion: "rain-local" })];
    const kept = await ask(["skills", "update", "rain", "--keep", "--yes", "--accept"], answers);
    expect(kept.requests[1]).toContain(JSON.stringify({ keep: "companion", hash: HASH }));
    expect(kept.stderr).toContain("your text is rain-local");
  });

  it("says how to write it", async () => {
    expect(await ask(["skills", "update"], [])).toMatchObject({ code: 2, requests: [] });
    expect(await ask(["skills", "update", "rain", "--all"], [])).toMatchObject({ code: 2, requests: [] });
  });
});

describe("what is installed", () => {
  it("a check that finds something gone or moved, and an audit that finds worse, end with 1", async () => {
    const checked = (state: string) => answerJson(200, { checked: [{ name: "rain", version: "v1", state }] });
    expect(await ask(["skills", "check"], [checked("current")])).toMatchObject({ code: 0 });
    expect(await ask(["skills", "check", "rain"], [checked("moved")])).toMatchObject({
      code: 1,
      requests: ['POST /v1/hub/check {"names":["rain"]}'],
      stdout: expect.stringContaining("moved"),
    });
    expect(await ask(["skills", "check", "rain", "sun"], [checked("current")])).toMatchObject({
      code: 3,
      stdout: expect.stringContaining("rain"),
      stderr: expect.stringContaining("sun did not come from elsewhere."),
    });
    const audited = (grown: boolean) => {
      const line = { name: "rain", was: "safe", verdict: grown ? "caution" : "safe", scanner: 3, findings: [], grown };
      return answerJson(200, { audited: [{ ...line, changed: [], state: "active" }] });
    };
    expect(await ask(["skills", "audit"], [audited(false)])).toMatchObject({ code: 0 });
    expect(await ask(["skills", "audit"], [audited(true)])).toMatchObject({ code: 1 });
  });

  it("is pinned to a version, and uninstalled after a question", async () => {
    const pinned = await ask(["skills", "pin", "rain", "v1"], [answerJson(200, LOCKED)]);
    expect(pinned.requests).toEqual(['PUT /v1/hub/skills/rain/pin {"version":"v1"}']);
    expect(pinned.stderr).toBe(
      "rain is pinned to version v1, and has main now. `talaria skills update rain` goes there.\n",
    );
    const there = await ask(["skills", "pin", "rain", "main"], [answerJson(200, LOCKED)]);
    expect(there.stderr).toBe("rain stays at version main.\n");
    const ended = await ask(["skills", "unpin", "rain"], [answerJson(200, HEAD), answerJson(200, LOCKED)]);
    expect(ended.requests[1]).toBe('PUT /v1/hub/skills/rain/pin {"version":null}');
    expect(ended.stderr).toBe("rain: trial, revision 1\nNo version is pinned: updates go on from main.\n");
    const gone = answerJson(200, { name: "rain", changedHere: false, kept: "The archive keeps it." });
    expect(await ask(["skills", "uninstall", "rain"], [gone])).toMatchObject({ code: 2, requests: [] });
    expect(await ask(["skills", "uninstall", "rain", "--yes"], [gone])).toMatchObject({
      requests: ["DELETE /v1/hub/skills/rain"],
      stderr: "rain is uninstalled. The archive keeps it.\n",
    });
  });
});

it.each([
  [["skills", "add", "team/skills"], "`talaria skills install`"],
  [["skills", "remove", "rain"], "`talaria skills uninstall`"],
  [["hub", "install", "team/skills"], "`talaria skills`"],
])("%j says how it is written here", async (args, hint) => {
  expect(await ask(args, [])).toMatchObject({ code: 2, stderr: expect.stringContaining(`Did you mean ${hint}?`) });
});

describe("taps", () => {
  const TAP = { tap: "team", source: "github", identifier: "team/skills", addedAt: 1 };

  it("are listed, added and removed", async () => {
    const listed = answerJson(200, {
      taps: [TAP],
      githubToken: { server: "https://api.github.com", setAt: 1, usable: false },
    });
    expect(await ask(["skills", "taps"], [listed])).toMatchObject({
      stdout: expect.stringContaining("team/skills"),
      stderr: expect.stringMatching(/^A GitHub token for https:\/\/api\.github\.com is set since .*set it again\.\n$/),
    });
    const added = await ask(["skills", "tap", "add", "team", "team/skills"], [answerJson(200, TAP)]);
    expect(added.requests).toEqual(['PUT /v1/hub/taps/team {"source":"team/skills"}']);
    const removed = await ask(["skills", "tap", "remove", "team", "--yes"], [answerJson(204, {})]);
    expect(removed.requests).toEqual(["DELETE /v1/hub/taps/team"]);
    expect(await ask(["skills", "tap", "add", "team"], [])).toMatchObject({ code: 2, requests: [] });
  });

  it("a token comes from the environment or from a question, never from the command line", async () => {
    const set = await ask(["skills", "github-token"], [answerJson(204, {})], {
      env: { GITHUB_TOKEN: "ghp_0123456789" },
    });
    expect(set.requests).toEqual(['PUT /v1/hub/github-token {"token":"ghp_0123456789"}']);
    expect(set.stdout + set.stderr).not.toContain("ghp_");
    expect(await ask(["skills", "github-token"], [])).toMatchObject({ code: 2, requests: [] });
    expect(await ask(["skills", "github-token", "ghp_0123456789"], [])).toMatchObject({ code: 2, requests: [] });
  });

  it("take a skill as a pull request, whose address is the result", async () => {
    const pull = { number: 7, url: `https://github.com/team/skills/pull/7`, state: "open" };
    const done = { skill: "rain", tap: "team", repository: "team/skills", folder: "skills/rain", head: "ada/skills" };
    const published = (more: object) =>
      answerJson(200, { ...done, branch: "b", hash: HASH, pull, opened: true, warnings: [], ...more });
    const args = ["skills", "publish", "rain", "--tap", "team", "--message", "Take it."];
    expect(await ask(args, [published({})])).toMatchObject({
      requests: ['POST /v1/hub/publish {"skill":"rain","tap":"team","message":"Take it."}'],
      stdout: "https://github.com/team/skills/pull/7\n",
      stderr: "Opened pull request 7 (open):\n",
    });
    expect(await ask(args, [published({ pull: null, opened: false })])).toMatchObject({
      stdout: "",
      stderr: "team/skills has exactly this text already.\n",
    });
    expect(await ask(["skills", "publish", "rain", "--message", "x"], [])).toMatchObject({ code: 2, requests: [] });
  });
});
