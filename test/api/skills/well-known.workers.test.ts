// Public skills as anyone sees them: without a key, only what is public now, and nothing of other profiles.
import { beforeAll, describe, expect, it } from "vitest";
import { DISCOVERY_SCHEMA, type OldPublicIndex, type PublicIndex } from "../../../core/schemas/exchange.ts";
import type { SkillIndex } from "../../../core/schemas/skill.ts";
import { sha256Hex } from "../../../core/schemas/learning/digest.ts";
import { readArchive } from "../../../core/skills/exchange/import.ts";
import { seeds } from "../../../skills-seed/index.ts";
import { keyOf } from "../../../stores/keys.ts";
import { openSkills } from "../../../workers/api/stores.ts";
import worker from "../../../workers/api/index.ts";
import { START_MS, ask, createProfile, env, expectProblem, fetchApi } from "../api-calls.ts";

beforeAll(async () => void (await createProfile()), START_MS);

const md = (name: string) => `---\nname: ${name}\ndescription: How to do ${name}.\n---\n\n# ${name}\n`;
const ALONE = { "SKILL.md": md("alone") };
const PACKED = { "SKILL.md": md("packed"), "scripts/run.sh": "ls", "references/more.md": "# More" };
const ABSENT = "0".repeat(26);

async function openOwner() {
  const { profile, key } = await createProfile();
  const post = async (path: string, body?: unknown) => {
    const answer = await ask("POST", `/v1/skills/${path}`, { key, body });
    expect(answer).toMatchObject({ status: 200 });
    return answer.body;
  };
  await post("import", { files: ALONE });
  await post("import", { files: PACKED });
  await post("import", { files: { "SKILL.md": md("secret") } });
  const place = `/p/${profile}/.well-known`;
  return {
    profile,
    key,
    post,
    place,
    get: (path: string, headers = {}) => fetchApi("GET", `${place}${path}`, { headers }),
  };
}

/** Publishes both skills; both appear in the index of version 0.2.0. */
async function publishBoth() {
  const owner = await openOwner();
  await owner.post("alone/publish", { public: true });
  expect(await owner.post("packed/publish", { public: true })).toMatchObject({ public: true, rev: 1 });
  return owner;
}

describe("the archive of a public skill", () => {
  const archives = async (profile: string) => {
    const { objects } = await env.SKILLS.list({ prefix: `p/${profile}/public/` });
    return objects.map(({ key }) => key);
  };

  it("is deleted by the purge of the revision it was packed from", async () => {
    const { profile, key, post } = await openOwner();
    await post("packed/publish", { public: true });
    const [before] = await archives(profile);
    expect(before).toMatch(/\/public\/packed\/[0-9a-f]{64}$/);
    const files = { ...PACKED, "references/more.md": "# Less" };
    expect((await ask("PUT", "/v1/skills/packed", { key, body: { files } })).status).toBe(200);
    expect(await archives(profile)).toEqual([before]);
    await post("packed/purge", { rev: 1 });
    expect(await archives(profile)).toEqual([]);
  });

  it("is deleted together with its skill", async () => {
    const { profile, key, post } = await openOwner();
    await post("packed/publish", { public: true });
    expect(await archives(profile)).toHaveLength(1);
    expect((await ask("DELETE", "/v1/skills/packed", { key })).status).toBe(204);
    expect(await archives(profile)).toEqual([]);
  });
});

describe("public skills", () => {
  it("are listed in an index with the digest of the download", async () => {
    const { get, place } = await publishBoth();
    const response = await get("/agent-skills/index.json");
    expect(response.headers.get("content-type")).toBe("application/json");
    const index = (await response.json()) as PublicIndex;
    expect(index.$schema).toBe(DISCOVERY_SCHEMA);
    expect(index.skills.map(({ digest: _digest, ...rest }) => rest)).toEqual([
      { name: "alone", type: "skill-md", description: "How to do alone.", url: "alone/SKILL.md" },
      { name: "packed", type: "archive", description: "How to do packed.", url: "packed/packed.zip" },
    ]);
    const artifacts = index.skills.map(async ({ url, digest }) => {
      const artifact = await fetchApi(
        "GET",
        new URL(url, `https://talaria.test${place}/agent-skills/index.json`).pathname,
      );
      const bytes = new Uint8Array(await artifact.arrayBuffer());
      expect(`sha256:${sha256Hex(bytes)}`).toBe(digest);
      return { type: artifact.headers.get("content-type"), bytes };
    });
    const [alone, packed] = await Promise.all(artifacts);
    expect([alone!.type, packed!.type]).toEqual(["text/markdown; charset=utf-8", "application/zip"]);
    expect(new TextDecoder().decode(alone!.bytes)).toBe(ALONE["SKILL.md"]);
    expect(readArchive(packed!.bytes)).toMatchObject({ ok: true, value: { files: PACKED } });
  });

  it("are listed in the older index with their paths, and each file can be fetched", async () => {
    const { get } = await publishBoth();
    expect(await (await get("/skills/index.json")).json()).toEqual({
      skills: [
        { name: "alone", description: "How to do alone.", files: ["SKILL.md"] },
        { name: "packed", description: "How to do packed.", files: Object.keys(PACKED).toSorted() },
      ],
    });
    for (const [path, body] of Object.entries(PACKED)) {
      const response = await get(`/skills/packed/${path}`);
      expect([response.status, await response.text()]).toEqual([200, body]);
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
      expect(response.headers.get("content-security-policy")).toContain("sandbox");
    }
    expect((await get("/skills/packed/scripts/run.sh")).headers.get("content-type")).toBe("application/octet-stream");
  });

  it("answer HEAD with the same headers, and 304 to a matching ETag", async () => {
    const { get, place } = await publishBoth();
    for (const path of [
      "/agent-skills/index.json",
      "/agent-skills/alone/SKILL.md",
      "/agent-skills/packed/packed.zip",
      "/skills/index.json",
    ]) {
      const response = await get(path);
      const etag = response.headers.get("etag")!;
      expect([response.status, etag, response.headers.get("cache-control")]).toEqual([
        200,
        expect.stringMatching(/^"[\w-]+"$/),
        "public, max-age=0, must-revalidate",
      ]);
      await response.arrayBuffer();
      const head = await fetchApi("HEAD", `${place}${path}`);
      expect([head.status, head.headers.get("etag"), await head.text()]).toEqual([200, etag, ""]);
      const known = await get(path, { "if-none-match": `"other", W/${etag}` });
      expect([known.status, await known.text()]).toEqual([304, ""]);
    }
  });

  it("are current: a change gives a new digest and ETag", async () => {
    const { key, get } = await publishBoth();
    const before = await get("/agent-skills/index.json");
    const { skills } = (await before.json()) as PublicIndex;
    await ask("POST", "/v1/skills/import?replace=1", {
      key,
      body: { files: { ...PACKED, "scripts/run.sh": "ls -l" } },
    });
    const after = await get("/agent-skills/index.json", { "if-none-match": before.headers.get("etag") });
    expect(after.status).toBe(200);
    const now = (await after.json()) as PublicIndex;
    expect(now.skills[0]).toEqual(skills[0]);
    expect(now.skills[1]!.digest).not.toBe(skills[1]!.digest);
  });

  it("are gone once unpublished or archived, and other skills never appear", async () => {
    const { get, post } = await publishBoth();
    const paths = [
      "/agent-skills/secret/SKILL.md",
      "/skills/secret/SKILL.md",
      "/agent-skills/packed/alone.zip",
      "/skills/packed/other.md",
    ];
    for (const path of paths) expect([path, (await get(path)).status]).toEqual([path, 404]);
    await post("alone/publish", { public: false });
    expect((await get("/agent-skills/alone/SKILL.md")).status).toBe(404);
    await post("packed/archive");
    for (const path of [
      "/agent-skills/packed/packed.zip",
      "/agent-skills/packed/SKILL.md",
      "/skills/packed/SKILL.md",
      "/agent-skills/index.json",
      "/skills/index.json",
    ]) {
      expect([path, (await get(path)).status]).toEqual([path, 404]);
    }
    await post("packed/restore", {});
    expect((await get("/agent-skills/index.json")).status).toBe(404);
    await post("packed/publish", { public: true });
    expect(
      ((await (await get("/agent-skills/index.json")).json()) as PublicIndex).skills.map(({ name }) => name),
    ).toEqual(["packed"]);
  });

  it("can include bundled ones", async () => {
    const { get, post } = await openOwner();
    const name = Object.keys(seeds).toSorted()[0]!;
    await post(`${name}/publish`, { public: true });
    expect(await (await get(`/agent-skills/${name}/SKILL.md`)).text()).toBe(seeds[name]!["SKILL.md"]);
  });

  it("that are copies of bundled ones follow the deployment and disappear with it", async () => {
    const { profile, get } = await openOwner();
    const name = Object.keys(seeds).toSorted()[0]!;
    const files = { "SKILL.md": md("earlier"), "a.md": "gone" };
    const copied = { files, description: "Old.", state: "active", origin: "bundled", public: true } as const;
    for (const skill of [name, "long-gone"]) {
      const change = { name: skill, op: "copied", since: 0, decide: () => ({ ok: true as const, value: copied }) };
      expect(await openSkills(env, profile).change(change)).toMatchObject({ ok: true });
    }
    const response = await get("/agent-skills/index.json");
    const { skills } = (await response.json()) as PublicIndex;
    expect(skills.map((skill) => skill.name)).toEqual([name]);
    expect(skills[0]!.description).not.toBe("Old.");
    const old = (await (await get("/skills/index.json")).json()) as OldPublicIndex;
    expect(old.skills[0]!.files).toEqual(Object.keys(seeds[name]!).toSorted());
    expect(await (await get(`/skills/${name}/SKILL.md`)).text()).toBe(seeds[name]!["SKILL.md"]);
    const artifact = await get(`/agent-skills/${skills[0]!.url}`);
    expect(`sha256:${sha256Hex(new Uint8Array(await artifact.arrayBuffer()))}`).toBe(skills[0]!.digest);
    for (const path of [`/skills/${name}/a.md`, "/skills/long-gone/SKILL.md", "/agent-skills/long-gone/SKILL.md"]) {
      expect([path, (await get(path)).status]).toEqual([path, 404]);
    }
  });

  it("have the ETag of what is shown, even while the index lags behind a head", async () => {
    const { profile, key, get } = await publishBoth();
    const at = keyOf("index", { profile });
    const behind = await (await env.SKILLS.get(at))!.text();
    const first = (await get("/agent-skills/index.json")).headers.get("etag");
    await ask("POST", "/v1/skills/import?replace=1", { key, body: { files: { ...PACKED, "scripts/run.sh": "new" } } });
    const second = (await get("/agent-skills/index.json")).headers.get("etag");
    await env.SKILLS.put(at, behind);
    const shown = await get("/agent-skills/index.json");
    expect([shown.headers.get("etag"), first === second]).toEqual([second, false]);
  });

  it("are at most two hundred", async () => {
    const { key, profile } = await openOwner();
    const index = keyOf("index", { profile });
    const { skills, ...rest } = (await (await env.SKILLS.get(index))!.json()) as SkillIndex;
    const others = Array.from({ length: 200 }, (_, n) => [`other-${n}`, { ...skills.alone!, public: true }]);
    await env.SKILLS.put(index, JSON.stringify({ ...rest, skills: { ...skills, ...Object.fromEntries(others) } }));
    const answer = await ask("POST", "/v1/skills/alone/publish", { key, body: { public: true } });
    expectProblem(answer, 409, "too_many_public", "Too many public skills");
    expect((await ask("POST", "/v1/skills/alone/publish", { key, body: { public: false } })).status).toBe(200);
    expectProblem(
      await ask("POST", "/v1/skills/absent/publish", { key, body: { public: true } }),
      409,
      "too_many_public",
      "Too many public skills",
    );
  });

  it("must exist to be published, and the request accepts no other field", async () => {
    const { key } = await openOwner();
    const publish = (name: string, body: unknown) => ask("POST", `/v1/skills/${name}/publish`, { key, body });
    expectProblem(await publish("absent", { public: true }), 404, "skill_not_found", "No such skill");
    expect(await publish("alone", { public: "yes" })).toMatchObject({ status: 400, body: { code: "body_invalid" } });
    expect(await publish("alone", { public: true, to: "me" })).toMatchObject({ body: { code: "field_unknown" } });
  });

  it("of a deleted profile are gone at once", async () => {
    const { profile, get } = await publishBoth();
    await env.SKILLS.put(keyOf("gone", { profile }), "{}");
    expect((await get("/agent-skills/index.json")).status).toBe(404);
  });
});

describe("a profile that publishes nothing", () => {
  it("is indistinguishable from a profile that does not exist", async () => {
    const { place } = await openOwner();
    for (const at of [place, `/p/${ABSENT}/.well-known`, "/p/nonsense/.well-known", "/.well-known"]) {
      for (const path of ["/agent-skills/index.json", "/skills/index.json", "/agent-skills/alone/SKILL.md"]) {
        const answer = await ask("GET", `${at}${path}`);
        expectProblem(answer, 404, "not_published", "Not published");
      }
    }
  });

  it("accepts only reads, and only on the well-known paths", async () => {
    const { place } = await openOwner();
    for (const [method, path] of [
      ["POST", `${place}/agent-skills/index.json`],
      ["GET", `${place}/other/index.json`],
      ["GET", `${place}/agent-skills/../../../../v1/skills`],
      ["GET", `${place}/agent-skills/%2e%2e/%2e%2e/%2e%2e/%2e%2e/v1/skills`],
      ["GET", "/p/x/v1/skills"],
    ] as const) {
      expectProblem(await ask(method, path), 401, "key_missing", "No key");
    }
  });
});

describe("the root of the host", () => {
  it("shows the public skills of the profile that the operator named", async () => {
    const { profile } = await publishBoth();
    const fetchRoot = (path: string, vars: object) =>
      worker.fetch(new Request(`https://talaria.test/.well-known${path}`), { ...env, ...vars });
    const index = await fetchRoot("/agent-skills/index.json", { TALARIA_PUBLIC_PROFILE: profile });
    expect(((await index.json()) as PublicIndex).skills.map(({ name }) => name)).toEqual(["alone", "packed"]);
    const file = await fetchRoot("/skills/packed/scripts/run.sh", { TALARIA_PUBLIC_PROFILE: profile });
    expect(await file.text()).toBe("ls");
    for (const vars of [{}, { TALARIA_PUBLIC_PROFILE: "nonsense" }]) {
      expect((await fetchRoot("/agent-skills/index.json", vars)).status).toBe(404);
    }
  });
});
