// Sources that lie, flood, redirect or point outside: nothing throws, nothing above a limit is read, and no package comes of it.
import { zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { digestOf } from "../../../core/hub/sources/reading/files.ts";
import { parseIdentifier } from "../../../core/hub/finding/identifier.ts";
import type { HubSource } from "../../../core/hub/source.ts";
import { DEFAULTS } from "../../../core/limits.ts";
import { pack } from "../../../core/skills/exchange/archive.ts";
import { IMPORT } from "../../../core/skills/exchange/import-limits.ts";
import { treeShaOf } from "../../../core/hub/sources/github/git-hash.ts";
import { TreeReply } from "../../../core/hub/sources/github/tree.ts";
import { endlessReply, tarGzBomb, tarWith, zipBomb } from "../../support/hub/bombs.ts";
import { createHubWorld, createSite, skillMd } from "../../support/hub/world.ts";

const SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
const INDEX = "/.well-known/agent-skills/index.json";
/** One name at each source. */
const NAMES = [
  "a/b/skills/pdf",
  "a/b",
  "skills-sh:a/b/pdf",
  "clawhub:pdf",
  "clawhub:pdf@1.0.0",
  "https://example.com#pdf",
  "https://example.com/pdf.zip",
];
const ORIGINS = [
  "https://api.github.com",
  "https://raw.githubusercontent.com",
  "https://skills.sh",
  "https://clawhub.ai",
  "https://example.com",
];

type World = ReturnType<typeof createHubWorld>;

function ask(world: World, text: string, what: "fetch" | "look" = "fetch") {
  const ref = parseIdentifier(text);
  if (!ref.ok) throw new Error(text);
  const source: HubSource = world.sources[ref.value.source as "url"];
  return source[what](ref.value, world.signal);
}

function createHostileWorld(reply: () => Response): World {
  const world = createHubWorld();
  for (const origin of ORIGINS) world.hosts.set(origin, reply);
  return world;
}

async function codesOf(world: World, names = NAMES): Promise<string[]> {
  const asked = await Promise.all(names.map((name) => ask(world, name)));
  return asked.map((result) => (result.ok ? "ok" : result.failure.code));
}

describe("every source", () => {
  it.each([
    ["a page", "<html>login</html>"],
    ["nothing", ""],
    ["null", "null"],
    ["a list", "[]"],
    ["numbers", '{"skills": 1, "tree": 2, "files": 3, "skill": 4, "sha": 5}'],
    [
      "lists of wrong things",
      '{"skills": [[]], "tree": [{"path": 1}], "files": [null], "hash": "x", "skill": {}, "sha": "main"}',
    ],
    ["bytes that are not text", new Uint8Array([0xff, 0xfe, 0x00])],
    ["a prototype", '{"__proto__": {"skills": []}, "constructor": {}, "skills": [{"__proto__": 1}]}'],
  ])("that answers %s gives a refusal", async (_, body) => {
    const codes = await codesOf(createHostileWorld(() => new Response(body, { headers: { etag: "x" } })));
    expect(
      codes.filter((code) => !["hub_bad_reply", "hub_not_found"].includes(code)).filter((code) => code !== "ok"),
    ).toEqual([]);
    // Only an address of a file takes any text: it is the SKILL.md, and what is wrong in it the import says.
    expect(codes.filter((code) => code === "ok").length).toBeLessThanOrEqual(1);
  });

  it("that answers an endless stream is cut off at the limit", async () => {
    for (const name of NAMES) {
      const { reply, sent } = endlessReply();
      expect(await codesOf(createHostileWorld(reply), [name])).toEqual(["hub_too_large"]);
      const places = name === "a/b" || name.includes("#") ? 4 : 3;
      expect(sent()).toBeLessThan(places * 2 * IMPORT.bytes + (1 << 20));
    }
  });

  it("that announces 50 MB is not read at all", async () => {
    let read = 0;
    const body = () =>
      new ReadableStream(
        { pull: (controller) => (read++, controller.enqueue(new Uint8Array(1 << 20))) },
        { highWaterMark: 0 },
      );
    const codes = await codesOf(
      createHostileWorld(() => new Response(body(), { headers: { "content-length": String(50 << 20) } })),
    );
    expect(new Set(codes)).toEqual(new Set(["hub_too_large"]));
    expect(read).toBe(0);
  });

  it("that redirects into the network of the host is not followed", async () => {
    const asked: string[] = [];
    const codes = await codesOf(
      createHostileWorld(() => Response.redirect("http://169.254.169.254/latest/meta-data/", 302)),
    );
    expect(new Set(codes)).toEqual(new Set(["url_refused"]));
    const world = createHostileWorld(() => Response.redirect("https://[::ffff:169.254.169.254]/x", 307));
    expect(new Set(await codesOf(world))).toEqual(new Set(["url_refused"]));
    asked.push(...world.requests.map((request) => new URL(request.url).hostname));
    expect(asked.some((host) => host.includes("169") || host.includes("["))).toBe(false);
  });

  it("that does not answer in time is unreachable", async () => {
    const world = createHostileWorld(() => new Response("x", { status: 503 }));
    expect(new Set(await codesOf(world))).toEqual(new Set(["hub_unreachable"]));
    const silent = createHubWorld();
    expect(await codesOf(silent, ["https://nowhere.example.com/x.zip"])).toEqual(["hub_unreachable"]);
    expect(await ask(silent, "https://nowhere.example.com:8443/x.zip?key=secret")).toMatchObject({
      failure: {
        message: expect.stringMatching(/^nowhere\.example\.com:8443: The server could not be reached\.[^?]*$/),
      },
    });
    const stopped = ask({ ...silent, signal: AbortSignal.abort() }, "a/b");
    expect(await stopped).toMatchObject({ ok: false, failure: { code: "hub_unreachable" } });
  });

  it("at an address inside is refused before a request", async () => {
    const world = createHubWorld();
    const names = [
      "http://169.254.169.254/SKILL.md",
      "http://localhost:8787/x.zip",
      "well-known:http://10.0.0.1",
      "url:https://printer.local/x",
    ];
    expect(new Set(await codesOf(world, names))).toEqual(new Set(["url_refused"]));
    expect(world.requests).toEqual([]);
  });
});

describe("an index of 50 MB", () => {
  it("is read up to the operator's limit", async () => {
    const entry = JSON.stringify({
      name: "pdf",
      type: "skill-md",
      description: "x".repeat(1_000),
      url: "x",
      digest: digestOf(new Uint8Array()),
    });
    const piece = new TextEncoder().encode(`${entry},`);
    let sent = 0;
    const body = () =>
      new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new TextEncoder().encode(`{"$schema":"${SCHEMA}","skills":[`)),
        pull(controller) {
          sent += piece.length;
          if (sent > 50 << 20) controller.close();
          else controller.enqueue(piece);
        },
      });
    const world = createHubWorld();
    world.hosts.set("https://example.com", createSite({ [INDEX]: () => new Response(body()) }));
    expect(await ask(world, "https://example.com#pdf")).toMatchObject({
      ok: false,
      failure: { code: "hub_too_large" },
    });
    expect(sent).toBeLessThan(DEFAULTS.hub.maxIndexBytes + (1 << 20));
  });
});

describe("a package", () => {
  const bad: [what: string, archive: Uint8Array, code: string][] = [
    ["of a zip bomb", zipBomb(), "archive_too_large"],
    ["of a tar bomb", tarGzBomb(), "archive_too_large"],
    [
      "with 10,000 files",
      zipSync(Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`f${n}`, new Uint8Array(0)]))),
      "too_many_files",
    ],
    [
      "with 501 files",
      pack("zip", { "SKILL.md": "x", ...Object.fromEntries(Array.from({ length: 501 }, (_, n) => [`f${n}`, "x"])) }),
      "too_many_files",
    ],
    [
      "with a path that leaves it",
      zipSync({ "SKILL.md": new Uint8Array(1), "../../evil.sh": new Uint8Array(1) }),
      "bad_path",
    ],
    [
      "with an absolute path",
      zipSync({ "SKILL.md": new Uint8Array(1), "/etc/cron.d/x": new Uint8Array(1) }),
      "bad_path",
    ],
    ["with a control character in a name", pack("tar.gz", { "SKILL.md": "x", "a\u001b[2Jb": "x" }), "bad_path"],
    ["with two names that are one", pack("zip", { "SKILL.md": "x", "skill.MD": "y" }), "bad_path"],
    ["with a symbolic link", tarWith("passwd", "2", "/etc/passwd"), "hub_link_refused"],
    ["without a SKILL.md", pack("zip", { "README.md": "x" }), "hub_not_found"],
    ["that is cut off", pack("tar.gz", { "SKILL.md": skillMd("x") }).slice(0, 60), "bad_archive"],
  ];

  it.each(bad)("%s is refused at every source that sends archives", async (_, archive, code) => {
    const world = createHubWorld();
    const index = {
      $schema: SCHEMA,
      skills: [{ name: "pdf", type: "archive", description: "x", url: "/pdf", digest: digestOf(archive) }],
    };
    world.hosts.set("https://example.com", createSite({ [INDEX]: JSON.stringify(index), "/pdf": archive as BodyInit }));
    const claw = createSite({
      "/api/v1/skills/pdf": JSON.stringify({ skill: { slug: "pdf" }, latestVersion: { version: "1.0.0" } }),
      "/api/v1/skills/pdf/versions/1.0.0": JSON.stringify({ version: { version: "1.0.0" } }),
      "/api/v1/download": archive as BodyInit,
    });
    world.hosts.set("https://clawhub.ai", claw);
    expect(await codesOf(world, ["https://example.com#pdf", "url:https://example.com/pdf", "clawhub:pdf"])).toEqual([
      code,
      code,
      code,
    ]);
  });

  it("of 1,000 files, of 11 MB or with hostile paths is refused in a repository before a file is asked for", async () => {
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`skills/pdf/f${n}`, ""]));
    const large = Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`skills/pdf/f${n}`, "x".repeat(1 << 20)]));
    for (const [files, code] of [
      [many, "too_many_files"],
      [large, "hub_too_large"],
      [{ "skills/pdf/a\u0007b": "x" }, "bad_path"],
      [{ "skills/pdf/..": "x" }, "bad_path"],
      [{ "skills/pdf/a\\b": "x" }, "bad_path"],
    ] as const) {
      const world = createHubWorld();
      world.github.commit("a/b", { "skills/pdf/SKILL.md": skillMd("pdf"), ...files });
      expect(await codesOf(world, ["a/b/skills/pdf"])).toEqual([code]);
      expect(world.requests.filter((request) => request.url.startsWith("https://raw"))).toEqual([]);
    }
  });

  it("of hostile paths is refused in a snapshot of skills.sh", async () => {
    const world = createHubWorld();
    for (const path of ["../x", "/x", "a/../../x", "a\u202eb", "C:\\x"]) {
      world.skillsSh.add("a/b/pdf", { "SKILL.md": skillMd("pdf"), [path]: "x" });
      expect(await codesOf(world, ["skills-sh:a/b/pdf"])).toEqual(["bad_path"]);
    }
  });
});

it("a tree whose path has thousands of folders is no list of files", () => {
  const entry = { path: `${"a/".repeat(10_000)}b`, mode: "100644", type: "blob", sha: "0".repeat(40) } as const;
  expect(TreeReply.safeParse({ tree: [entry] }).success).toBe(false);
  const deepest = { ...entry, path: `${"a/".repeat(2_047)}b` };
  expect(treeShaOf(TreeReply.parse({ tree: [deepest] }).tree)).toMatch(/^[0-9a-f]{40}$/);
});

describe("what a list says", () => {
  it("has no hidden characters and is short", async () => {
    const world = createHubWorld();
    world.clawhub.add("pdf", "1.0.0", {}, { summary: `\u001b[2J${"x\n".repeat(5_000)}\u202e` });
    const found = await world.sources.clawhub.search("pdf", { limit: 5, signal: world.signal });
    const text = found.ok ? found.value[0]!.description : "";
    expect(text).toHaveLength(300);
    expect(text).not.toMatch(/[\p{Cc}\u202e]/u);
  });

  it("leaves out what cannot be a name", async () => {
    const world = createHubWorld();
    const skills = [
      { id: "a/b/../c", name: "x", source: "a/../b", installs: 1 },
      { id: "x", name: "x", source: "example.com" },
      { id: "a/b/ok", name: "ok", source: "a/b", installs: "many" },
    ];
    world.hosts.set("https://skills.sh", () => Response.json({ skills }));
    const found = await world.sources["skills-sh"].search("x", { limit: 5, signal: world.signal });
    expect(found).toEqual({
      ok: true,
      value: [{ ref: { source: "skills-sh", identifier: "a/b/ok" }, name: "ok", description: "" }],
    });
  });
});
