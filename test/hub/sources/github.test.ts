// Skills in repositories of GitHub: which skill a name means, what a version is, and that no file is another than the commit's.
import { describe, expect, it } from "vitest";
import { parseIdentifier } from "../../../core/hub/finding/identifier.ts";
import { findSkillFolders } from "../../../core/hub/sources/github/tree.ts";
import { limitReached } from "../../support/hub/github-read.ts";
import { createHubWorld, skillMd } from "../../support/hub/world.ts";

const PDF = {
  "skills/pdf/SKILL.md": skillMd("pdf"),
  "skills/pdf/scripts/fill.py": { executable: "#!/usr/bin/env python3\n" },
};
const LOGO = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0xff, 0xfe]);

function setUp(options: Parameters<typeof createHubWorld>[0] = {}) {
  const world = createHubWorld(options);
  const refOf = (text: string) => {
    const ref = parseIdentifier(text);
    if (!ref.ok) throw new Error(text);
    return ref.value;
  };
  return {
    ...world,
    fetch: (text: string) => world.sources.github.fetch(refOf(text), world.signal),
    look: (text: string) => world.sources.github.look(refOf(text), world.signal),
  };
}

describe("a folder of a repository", () => {
  it("that is not there may be the name of a skill: the answer says how to write one", async () => {
    const world = setUp();
    world.github.commit("a/b", PDF);
    const message = expect.stringContaining("write owner/repo@skill-name") as string;
    expect(await world.fetch("a/b/pdf")).toMatchObject({ failure: { code: "hub_not_found", message } });
    expect(await world.fetch("a/b@pdf")).toMatchObject({ ok: true });
  });

  it("is fetched byte for byte at the commit that the branch has", async () => {
    const world = setUp();
    const commit = world.github.commit("a/b", { ...PDF, "skills/pdf/assets/ä b.png": LOGO, "README.md": "x" });
    const fetched = await world.fetch("a/b/skills/pdf@main");
    expect(fetched).toEqual({
      ok: true,
      value: {
        ...{ version: "main", commit, content: world.github.treeOf("a/b", "skills/pdf"), moves: true },
        ref: { source: "github", identifier: "a/b/skills/pdf", version: "main" },
        folder: "pdf",
        files: { "SKILL.md": skillMd("pdf"), "scripts/fill.py": "#!/usr/bin/env python3\n", "assets/ä b.png": LOGO },
        notes: [],
      },
    });
    expect(await world.look("a/b/skills/pdf@main")).toEqual({
      ok: true,
      value: { version: "main", commit, content: world.github.treeOf("a/b", "skills/pdf"), moves: true },
    });
  });

  it("has the same content after a commit elsewhere, and another after one in it", async () => {
    const world = setUp();
    const first = world.github.commit("a/b", PDF);
    const before = await world.look("a/b/skills/pdf");
    const second = world.github.commit("a/b", { ...PDF, "README.md": "new" });
    const after = await world.look("a/b/skills/pdf");
    world.github.commit("a/b", { ...PDF, "skills/pdf/NEW.md": "new" });
    const changed = await world.look("a/b/skills/pdf");
    expect(before).toMatchObject({ value: { version: first, commit: first } });
    expect(after).toMatchObject({ value: { version: second, commit: second } });
    const contentOf = (look: typeof before) => (look.ok ? look.value.content : null);
    expect(contentOf(after)).toBe(contentOf(before));
    expect(contentOf(changed)).not.toBe(contentOf(before));
  });

  it("of a tag stays at its commit, and a moved tag shows another commit and content", async () => {
    const world = setUp();
    const first = world.github.commit("a/b", PDF, { tag: "v1" });
    world.github.commit("a/b", { ...PDF, "skills/pdf/x.md": "x" });
    const before = await world.look("a/b/skills/pdf@v1");
    const moved = world.github.commit("a/b", { ...PDF, "skills/pdf/evil.md": "x" }, { tag: "v1" });
    const after = await world.look("a/b/skills/pdf@v1");
    expect(before).toMatchObject({ ok: true, value: { version: "v1", commit: first } });
    expect(before).not.toHaveProperty("value.moves");
    expect(after).toMatchObject({ ok: true, value: { version: "v1", commit: moved } });
  });

  it("at the root is the whole repository", async () => {
    const world = setUp();
    world.github.commit("a/my-skill", { "SKILL.md": skillMd("mine"), "references/x.md": "x" });
    const fetched = await world.fetch("a/my-skill");
    expect(fetched).toMatchObject({
      ok: true,
      value: { ref: { identifier: "a/my-skill/." }, folder: "my-skill", files: { "references/x.md": "x" } },
    });
    const [tree] = [...world.github.repos.get("a/my-skill")!.commits.values()].map((each) => each.tree);
    expect(fetched).toMatchObject({ value: { content: tree } });
  });

  it("that is not there is not found, nor is a branch, a tag or a repository", async () => {
    const world = setUp();
    world.github.commit("a/b", PDF);
    for (const text of ["a/b/skills/none", "a/b/skills/pdf@v9", "a/none/skills/pdf", "a/b/skills/pdf/scripts"])
      expect(await world.fetch(text)).toMatchObject({ ok: false, failure: { code: "hub_not_found" } });
  });
});

describe("a commit that is asked for by its number", () => {
  it("is marked when it is not in the history of the default branch, as a fork's is not", async () => {
    const world = setUp();
    const first = world.github.commit("a/b", PDF);
    const second = world.github.commit("a/b", { ...PDF, x: "x" });
    const forks = world.github.commit("a/b", { "skills/pdf/SKILL.md": skillMd("evil") }, { pull: "pull/5/head" });
    for (const commit of [first, second, second.slice(0, 12)])
      expect(await world.look(`a/b/skills/pdf@${commit}`)).not.toHaveProperty("value.offBranch");
    expect(await world.fetch(`a/b/skills/pdf@${forks}`)).toMatchObject({
      ok: true,
      value: { offBranch: true, notes: [expect.stringContaining("fork")] },
    });
  });

  it("descends from those before it, and from none of another history or of a repository that had the name before", async () => {
    const { github, sources, signal } = setUp();
    const first = github.commit("a/b", PDF);
    const second = github.commit("a/b", { ...PDF, x: "x" });
    const forks = github.commit("a/b", { ...PDF, y: "y" }, { pull: "pull/5/head" });
    const descends = (commit: string, from: string) => sources.github.descends!("a/b/skills/pdf", commit, from, signal);
    expect(await descends(second, first)).toBe(true);
    expect(await descends(second, forks)).toBe(false);
    expect(await descends(second, "9".repeat(40))).toBe(false);
    github.state.answers.set(`/repos/a/b/compare/${first}...${second}`, () => new Response("busy", { status: 500 }));
    expect(await descends(second, first)).toBeNull();
  });

  it("of a repository that was renamed is told, and its old name vouches for nothing", async () => {
    const { github, fetch } = setUp();
    const commit = github.commit("new/b", PDF);
    github.commit("old/b", PDF);
    const files = Object.keys(PDF).map((path) => `/${commit}/${path}`);
    for (const [before, paths] of [
      ["/repos", ["/commits/HEAD", `/git/trees/${commit}`]],
      ["", files],
    ] as const) {
      for (const path of paths) {
        const location = `${before}/new/b${path}${path.includes("trees") ? "?recursive=1" : ""}`;
        github.state.answers.set(
          `${before}/old/b${path}`,
          () => new Response(null, { status: 301, headers: { location } }),
        );
      }
    }
    const value = { commit, offBranch: true, notes: [expect.stringContaining("renamed")] };
    expect(await fetch("old/b/skills/pdf")).toMatchObject({ ok: true, value });
    expect(await fetch("new/b/skills/pdf")).not.toHaveProperty("value.offBranch");
  });

  it("is never reached by the name of a pull request", async () => {
    const world = setUp();
    world.github.commit("a/b", PDF);
    world.github.commit("a/b", { "skills/pdf/SKILL.md": skillMd("evil") }, { pull: "pull/5/head" });
    for (const ref of ["pull/5/head", "refs/pull/5/head"])
      expect(await world.fetch(`a/b/skills/pdf@${ref}`)).toMatchObject({ failure: { code: "hub_not_found" } });
  });
});

describe("a repository with several skills", () => {
  const SEVERAL = {
    ...PDF,
    "skills/.curated/docx/SKILL.md": skillMd("docx"),
    ".claude/skills/office/xlsx/SKILL.md": skillMd("sheets", "Reads tables."),
    "skills/pdf/examples/inner/SKILL.md": skillMd("inner"),
    "skills/node_modules/x/SKILL.md": skillMd("x"),
    "docs/a/b/c/d/SKILL.md": skillMd("deep"),
  };

  it("asks which one is meant, with their names and descriptions", async () => {
    const world = setUp();
    world.github.commit("a/b", SEVERAL);
    const skills = [
      { source: "a/b/skills/pdf", name: "pdf", description: "Does what pdf says." },
      { source: "a/b/skills/.curated/docx", name: "docx", description: "Does what docx says." },
      { source: "a/b/.claude/skills/office/xlsx", name: "sheets", description: "Reads tables." },
    ];
    expect(await world.fetch("a/b")).toMatchObject({
      ok: false,
      failure: { code: "hub_choose", facts: { skills, count: 3 } },
    });
    expect(await world.fetch("a/b/skills@main")).toMatchObject({
      ok: false,
      failure: { code: "hub_choose", facts: { count: 2 } },
    });
  });

  it.each(["a/b@docx", "a/b@sheets", "a/b@xlsx"])("finds %s by the name of its folder or of its text", async (text) => {
    const world = setUp();
    world.github.commit("a/b", SEVERAL);
    const path = text === "a/b@docx" ? "skills/.curated/docx" : ".claude/skills/office/xlsx";
    expect(await world.fetch(text)).toMatchObject({ ok: true, value: { ref: { identifier: `a/b/${path}` } } });
  });

  it("lists those of its marketplace first", async () => {
    const world = setUp();
    const plan = {
      plugins: [
        { name: "p", source: "./", skills: ["./office/deck"] },
        { name: "q", source: { source: "github", repo: "x/y" } },
      ],
    };
    world.github.commit("a/b", {
      ...PDF,
      "office/deck/SKILL.md": skillMd("deck"),
      ".claude-plugin/marketplace.json": JSON.stringify(plan),
    });
    const listed = await world.sources.github.search("a/b", { limit: 10, signal: world.signal });
    expect(listed).toMatchObject({ ok: true, value: [{ name: "deck" }, { name: "pdf" }] });
  });

  it("is listed folder by folder when GitHub cuts the list off", async () => {
    const world = setUp();
    world.github.commit("a/b", {
      ...PDF,
      ".agents/skills/notes/SKILL.md": skillMd("notes"),
      "big/a/1": "1",
      "big/a/2": "2",
      "big/a/3": "3",
    });
    world.github.state.maxEntries = 6;
    expect(await world.fetch("a/b/skills/pdf")).toMatchObject({
      ok: true,
      value: { files: { "SKILL.md": skillMd("pdf") } },
    });
    expect(await world.fetch("a/b@notes")).toMatchObject({
      ok: true,
      value: { ref: { identifier: "a/b/.agents/skills/notes" } },
    });
    expect(await world.fetch("a/b/.")).toMatchObject({ failure: { code: "hub_too_large" } });
    world.github.state.maxEntries = 2;
    expect(await world.fetch("a/b/skills/pdf")).toMatchObject({ failure: { code: "hub_too_large" } });
  });
});

describe("findSkillFolders", () => {
  it("falls back to any folder that is three deep at most", () => {
    expect(findSkillFolders(["x/y/z/SKILL.md", "a/b/c/d/SKILL.md", "x/README.md"])).toEqual(["x/y/z"]);
    expect(findSkillFolders(["SKILL.md", "skills/a/SKILL.md"])).toEqual(["."]);
    expect(findSkillFolders(["one/SKILL.md", "two/three/SKILL.md", "notSKILL.md"])).toEqual(["one"]);
  });
});

describe("a link or a submodule", () => {
  it.each([
    ["in the folder", { ...PDF, "skills/pdf/passwd": { link: "/etc/passwd" } }],
    ["as a submodule", { ...PDF, "skills/pdf/lib": { submodule: "1".repeat(40) } }],
    ["as the folder itself", { "skills/pdf": { link: "../elsewhere" }, "elsewhere/SKILL.md": skillMd("x") }],
  ])("%s is refused before a file is fetched", async (_, files) => {
    const world = setUp();
    world.github.commit("a/b", files);
    expect(await world.fetch("a/b/skills/pdf")).toMatchObject({ ok: false, failure: { code: "hub_link_refused" } });
    expect(world.github.state.log.filter((line) => !line.includes("/repos/"))).toEqual([]);
  });

  it("elsewhere in the repository does not matter", async () => {
    const world = setUp();
    world.github.commit("a/b", { ...PDF, ".claude/skills": { link: "../skills" } });
    expect(await world.fetch("a/b")).toMatchObject({ ok: true });
  });
});

describe("a file", () => {
  it("that is not the one of the tree is refused", async () => {
    const world = setUp();
    const commit = world.github.commit("a/b", PDF);
    world.github.state.answers.set(`/a/b/${commit}/skills/pdf/SKILL.md`, () => new Response(skillMd("pdg")));
    expect(await world.fetch("a/b/skills/pdf")).toMatchObject({ ok: false, failure: { code: "hub_digest_mismatch" } });
  });

  it("that is larger than the tree says is not read", async () => {
    const world = setUp();
    const commit = world.github.commit("a/b", PDF);
    world.github.state.answers.set(`/a/b/${commit}/skills/pdf/SKILL.md`, () => new Response("x".repeat(1 << 20)));
    expect(await world.fetch("a/b/skills/pdf")).toMatchObject({ ok: false, failure: { code: "hub_too_large" } });
  });
});

describe("a token", () => {
  it("opens a private repository, and goes to the API only", async () => {
    const world = setUp({ githubToken: "ghp_secret" });
    world.github.commit("a/b", PDF);
    expect(await setUp().fetch("a/b/skills/pdf")).toMatchObject({ failure: { code: "hub_not_found" } });
    world.github.state.privateToken = "ghp_secret";
    expect(await world.fetch("a/b/skills/pdf")).toMatchObject({
      ok: true,
      value: { files: { "SKILL.md": skillMd("pdf") } },
    });
    const withToken = world.requests.filter((request) => request.headers.has("authorization"));
    expect(new Set(withToken.map((request) => new URL(request.url).origin))).toEqual(
      new Set(["https://api.github.com"]),
    );
  });

  it("does not follow a redirect to another server", async () => {
    const world = setUp({ githubToken: "ghp_secret" });
    world.hosts.set("https://elsewhere.example.com", () => new Response("1".repeat(40)));
    world.github.state.answers.set("/repos/a/b/commits/HEAD", () =>
      Response.redirect("https://elsewhere.example.com/x", 302),
    );
    await world.fetch("a/b");
    const elsewhere = world.requests.find((request) => request.url.startsWith("https://elsewhere"))!;
    expect([...elsewhere.headers.keys()]).not.toContain("authorization");
  });

  it("goes with files to the operator's own server, which has them at the same address", async () => {
    const world = setUp({ githubToken: "ghp_secret", hub: { github: { apiBase: "http://10.0.0.5:3000/" } } });
    world.hosts.set("http://10.0.0.5:3000", world.github.both);
    world.github.commit("a/b", PDF);
    expect(await world.fetch("a/b/skills/pdf")).toMatchObject({ ok: true });
    expect(world.requests.every((request) => request.headers.get("authorization") === "Bearer ghp_secret")).toBe(true);
    expect(new Set(world.requests.map((request) => new URL(request.url).origin))).toEqual(
      new Set(["http://10.0.0.5:3000"]),
    );
  });
});

describe("GitHub's rate limit", () => {
  it("is reported with the time until it ends", async () => {
    const world = setUp();
    world.github.commit("a/b", PDF);
    world.github.state.limited = () => limitReached(world.clock.now() + 90_000);
    expect(await world.fetch("a/b")).toMatchObject({
      ok: false,
      failure: { code: "hub_rate_limited", facts: { retryAfterMs: 90_000 } },
    });
    world.github.state.limited = () => new Response("{}", { status: 429, headers: { "retry-after": "7" } });
    expect(await world.look("a/b")).toMatchObject({
      failure: { code: "hub_rate_limited", facts: { retryAfterMs: 7_000 } },
    });
    world.github.state.limited = () => new Response("{}", { status: 403 });
    expect(await world.look("a/b")).toMatchObject({ failure: { code: "hub_forbidden" } });
  });

  it("is spared by a list that is kept, and by an ETag after that", async () => {
    const world = setUp();
    world.github.commit("a/b", PDF);
    const list = () => world.sources.github.list!("a/b", world.signal);
    const first = await list();
    expect(first).toMatchObject({ ok: true, value: [{ name: "pdf", ref: { identifier: "a/b/skills/pdf" } }] });
    const { log } = world.github.state;
    log.length = 0;
    expect(await list()).toEqual(first);
    expect(log).toEqual([]);
    world.clock.advance(60 * 60_000);
    expect(await list()).toEqual(first);
    expect(log).toEqual(["304 GET /repos/a/b/commits/HEAD"]);
    world.clock.advance(60 * 60_000);
    world.github.commit("a/b", { ...PDF, "skills/new/SKILL.md": skillMd("new") });
    expect(await list()).toMatchObject({ ok: true, value: [{ name: "pdf" }, { name: "new" }] });
  });
});
