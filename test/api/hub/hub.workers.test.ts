// The hub over the API, with replicas of GitHub and of a site behind the Worker's own way out: found, shown, installed, updated, told and removed.
// What the pipeline does with hostile sources is in test/hub/hub-pipeline.test.ts.
import { beforeAll, beforeEach, expect, it, vi } from "vitest";
import { createGithubReads } from "../../support/hub/github-read.ts";
import { skillMd } from "../../support/hub/hub-world.ts";
import { type Answer, START_MS, ask, createProfile } from "../api-calls.ts";

const github = createGithubReads();
const SOURCE = "team/skills/notes";
let profile = "";
let key = "";

beforeAll(async () => {
  ({ profile, key } = await createProfile());
}, START_MS);

beforeEach(() => {
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    const { origin } = new URL(request.url);
    if (origin === "https://api.github.com") return github.api(request);
    if (origin === "https://raw.githubusercontent.com") return github.raw(request);
    throw new TypeError("fetch failed");
  });
});

const post = (path: string, body: object = {}, as = key) => ask("POST", `/v1/hub/${path}`, { key: as, body });
const codeOf = ({ body }: Answer) => (body as { code?: string }).code;
const fieldOf = <T>({ body }: Answer, field: string) => (body as Record<string, T>)[field]!;

it("shows a package, installs exactly that, and shows where the skill came from", async () => {
  github.commit(
    "team/skills",
    { "notes/SKILL.md": skillMd("notes", "One."), "notes/scripts/a.sh": "echo 1\n" },
    { tag: "v1" },
  );
  expect(codeOf(await post("install", { source: `${SOURCE}@v1` }))).toBe("hub_ask");
  const shown = await post("inspect", { source: `${SOURCE}@v1` });
  expect(shown.body).toMatchObject({
    ...{ version: "v1", trust: "community", exists: "no", decision: { outcome: "ask" } },
    report: { name: "notes", scripts: ["scripts/a.sh"], verdict: "safe" },
  });
  const hash = fieldOf<string>(shown, "hash");
  github.commit("team/skills", { "notes/SKILL.md": skillMd("notes", "Swapped.") }, { tag: "v1" });
  const installed = await post("install", { source: `${SOURCE}@v1`, hash });
  expect(installed.body).toMatchObject({ name: "notes", outcome: "installed", skill: { version: "v1", hash, rev: 1 } });
  expect((await ask("GET", "/v1/skills/notes", { key })).body).toMatchObject({
    head: { state: "trial", origin: "hub", from: { source: "github", identifier: SOURCE, version: "v1", hash } },
    files: { "SKILL.md": skillMd("notes", "One."), "scripts/a.sh": "echo 1\n" },
  });
  expect((await post("install", { source: `${SOURCE}@v1`, hash })).body).toMatchObject({ outcome: "unchanged" });
  expect((await ask("GET", "/v1/hub/skills", { key })).body).toMatchObject({
    skills: [{ name: "notes", version: "v1", state: "trial", changedHere: false }],
  });
});

it("tells that the tag moved, and updates only to what was shown", async () => {
  expect((await post("check")).body).toMatchObject({ checked: [{ name: "notes", state: "moved" }] });
  github.commit(
    "team/skills",
    { "notes/SKILL.md": skillMd("notes", "Two."), "notes/scripts/a.sh": "echo 1\n", "notes/b.py": "print(2)\n" },
    { tag: "v2" },
  );
  const shown = await post("skills/notes/update", { version: "v2" });
  expect(shown.body).toMatchObject({ outcome: "preview", to: { version: "v2" }, grown: { scripts: ["b.py"] } });
  expect(codeOf(await post("skills/notes/update", { hash: "0".repeat(64) }))).toBe("hub_not_inspected");
  const { hash } = fieldOf<{ hash: string }>(shown, "to");
  expect((await post("skills/notes/update", { hash })).body).toMatchObject({ outcome: "updated", rev: 2 });
  await ask("POST", "/v1/skills/notes/pin", { key, body: { pinned: true } });
  expect(codeOf(await post("skills/notes/update", { version: "v1" }))).toBe("skill_pinned");
  await ask("POST", "/v1/skills/notes/pin", { key, body: { pinned: false } });
});

it("keeps what a person changed, and says what changed", async () => {
  const { files, head } = (await ask("GET", "/v1/skills/notes", { key })).body as {
    files: object;
    head: { rev: number };
  };
  const mine = { ...files, "mine.md": "Mine.\n" };
  const put = await ask("PUT", "/v1/skills/notes", { key, body: { files: mine, base: head.rev } });
  expect(put.body).toMatchObject({ origin: "user", from: { identifier: SOURCE, version: "v2" } });
  expect((await post("audit")).body).toMatchObject({
    audited: [{ name: "notes", verdict: "safe", grown: false, changed: [{ path: "mine.md", change: "added" }] }],
  });
  github.commit(
    "team/skills",
    { "notes/SKILL.md": skillMd("notes", "Three."), "notes/scripts/a.sh": "echo 1\n", "notes/b.py": "print(2)\n" },
    { tag: "v3" },
  );
  const { hash } = fieldOf<{ hash: string }>(await post("skills/notes/update", { version: "v3" }), "to");
  expect((await post("skills/notes/update", { hash })).body).toMatchObject({
    outcome: "updated",
    merge: "merged",
    rev: 5,
  });
  expect((await ask("GET", "/v1/skills/notes", { key })).body).toMatchObject({
    files: { "SKILL.md": skillMd("notes", "Three."), "mine.md": "Mine.\n" },
  });
});

it("is the profile's own, and for keys that may write", async () => {
  const other = await createProfile();
  expect((await ask("GET", "/v1/hub/skills", { key: other.key })).body).toEqual({ skills: [] });
  expect(codeOf(await post("skills/notes/update", {}, other.key))).toBe("hub_not_installed");
  const reader = fieldOf<string>(await ask("POST", "/v1/keys", { key, body: { scopes: ["read"] } }), "key");
  for (const path of ["inspect", "install"])
    expect(codeOf(await post(path, { source: SOURCE }, reader))).toBe("scope_missing");
});

it("pins, uninstalls, and forgets a skill that is deleted", async () => {
  const pinned = await ask("PUT", "/v1/hub/skills/notes/pin", { key, body: { version: "v3" } });
  expect(pinned.body).toMatchObject({ pinned: "v3" });
  const gone = await ask("DELETE", "/v1/hub/skills/notes", { key });
  expect(gone.body).toMatchObject({ name: "notes", changedHere: true });
  expect((await ask("GET", "/v1/skills/notes", { key })).body).toMatchObject({ head: { state: "archived" } });
  const { hash } = (await post("inspect", { source: `${SOURCE}@v3` })).body as { hash: string };
  expect((await post("install", { source: `${SOURCE}@v3`, hash })).body).toMatchObject({ outcome: "installed" });
  expect((await ask("DELETE", "/v1/skills/notes", { key })).status).toBe(204);
  expect((await ask("GET", "/v1/hub/skills", { key })).body).toEqual({ skills: [] });
  // What was shown had the deleted text.
  expect(codeOf(await post("install", { source: `${SOURCE}@v3`, hash }))).toBe("hub_not_inspected");
});

it("notes in the audit log what changed, and not what was only shown", async () => {
  const { entries } = (await ask("GET", "/v1/audit", { key })).body as { entries: { act: string; target: string }[] };
  const acts = entries.filter(({ act }) => act.startsWith("hub_")).map(({ act, target }) => `${act} ${target}`);
  expect(acts.toReversed()).toEqual([
    ...["hub_install notes", "hub_update notes", "hub_update notes", "hub_pin notes", "hub_uninstall notes"],
    "hub_install notes",
  ]);
  expect(profile).toHaveLength(26);
});
