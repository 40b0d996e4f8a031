// Skills at addresses: well-known indexes in both forms, a SKILL.md, and archives.
import { describe, expect, it } from "vitest";
import { digestOf } from "../../../core/hub/sources/reading/files.ts";
import { parseIdentifier } from "../../../core/hub/finding/identifier.ts";
import { pack } from "../../../core/skills/exchange/archive.ts";
import { createHubWorld, createSite, skillMd } from "../../support/hub/world.ts";

const SCHEMA = "https://schemas.agentskills.io/discovery/0.2.0/schema.json";
const NEWER = "/.well-known/agent-skills/index.json";
const OLDER = "/.well-known/skills/index.json";
const FILES = { "SKILL.md": skillMd("pdf"), "scripts/fill.py": "print(1)\n" };
const MD = new TextEncoder().encode(skillMd("notes"));
const TAR = pack("tar.gz", FILES);

function setUp(pages: Parameters<typeof createSite>[0]) {
  const world = createHubWorld();
  world.hosts.set("https://example.com", createSite(pages));
  const refOf = (text: string) => {
    const ref = parseIdentifier(text);
    if (!ref.ok) throw new Error(text);
    return ref.value;
  };
  const sourceOf = (text: string) => world.sources[refOf(text).source as "url"];
  return {
    ...world,
    fetch: (text: string) => sourceOf(text).fetch(refOf(text), world.signal),
    look: (text: string) => sourceOf(text).look(refOf(text), world.signal),
  };
}

function toIndex(more: object = {}, schema: unknown = SCHEMA): string {
  const skills = [
    {
      name: "pdf",
      type: "archive",
      description: "Fills forms.",
      url: "./pdf.tar.gz",
      digest: digestOf(TAR),
      unknown: 1,
      ...more,
    },
    { name: "notes", type: "skill-md", description: "Keeps notes.", url: "/files/notes.md", digest: digestOf(MD) },
    { name: "Not A Name", type: "skill-md", description: "x", url: "x", digest: digestOf(MD) },
    ...[null, "pdf", { name: "half" }],
  ];
  return JSON.stringify({ ...(schema !== undefined && { $schema: schema }), skills });
}

const SITE = { [NEWER]: toIndex(), "/.well-known/agent-skills/pdf.tar.gz": TAR, "/files/notes.md": MD };

describe("an index of version 0.2.0", () => {
  it("is found from the site, and names archives and single files by addresses relative to it", async () => {
    const world = setUp(SITE);
    const identifier = `https://example.com${NEWER}#pdf`;
    const version = { version: digestOf(TAR), content: digestOf(TAR), moves: true };
    expect(await world.fetch("well-known:https://example.com#pdf")).toEqual({
      ok: true,
      value: { ...version, ref: { source: "well-known", identifier }, folder: "pdf", files: FILES, notes: [] },
    });
    expect(await world.look(identifier)).toEqual({ ok: true, value: version });
    expect(await world.fetch("https://example.com/docs#notes")).toMatchObject({
      ok: true,
      value: { files: { "SKILL.md": skillMd("notes") } },
    });
    expect(await world.fetch("https://example.com")).toMatchObject({
      ok: false,
      failure: { code: "hub_choose", facts: { count: 2 } },
    });
    expect(await world.fetch("https://example.com#none")).toMatchObject({ failure: { code: "hub_not_found" } });
  });

  it("is refused an artifact with another digest, whatever is in it", async () => {
    const world = setUp({ ...SITE, "/.well-known/agent-skills/pdf.tar.gz": pack("tar.gz", { ...FILES, "x.md": "x" }) });
    expect(await world.fetch("https://example.com#pdf")).toMatchObject({
      ok: false,
      failure: { code: "hub_digest_mismatch" },
    });
  });

  it("with another digest than the one asked for is refused", async () => {
    const world = setUp(SITE);
    expect(await world.fetch(`well-known:https://example.com#pdf@${digestOf(TAR)}`)).toMatchObject({ ok: true });
    expect(await world.fetch(`well-known:https://example.com#pdf@${digestOf(MD)}`)).toMatchObject({
      failure: { code: "hub_digest_mismatch" },
    });
  });

  it.each(["https://schemas.agentskills.io/discovery/0.3.0/schema.json", 2, null])(
    "with the schema %j is not processed",
    async (schema) => {
      const world = setUp({ ...SITE, [NEWER]: toIndex({}, schema) });
      expect(await world.fetch("https://example.com#pdf")).toMatchObject({
        ok: false,
        failure: { code: "hub_bad_reply" },
      });
    },
  );

  it("is asked again with its ETag once its list is old", async () => {
    let asked = 0;
    const world = setUp({
      ...SITE,
      [NEWER]: () =>
        asked++ === 0 ? new Response(toIndex(), { headers: { etag: '"1"' } }) : new Response(null, { status: 304 }),
    });
    const list = () => world.sources["well-known"].list!("https://example.com", world.signal);
    const first = await list();
    expect(first).toMatchObject({ ok: true, value: [{ name: "pdf", description: "Fills forms." }, { name: "notes" }] });
    world.clock.advance(60 * 60_000);
    expect(await list()).toEqual(first);
    expect(asked).toBe(2);
    expect(world.requests.at(-1)!.headers.get("if-none-match")).toBe('"1"');
  });
});

describe("an index of the older form", () => {
  const index = (files: string[]) => JSON.stringify({ skills: [{ name: "pdf", description: "Fills forms.", files }] });
  const below = "/.well-known/skills/pdf";

  it("names files, whose content is hashed here", async () => {
    const world = setUp({
      [OLDER]: index(["SKILL.md", "scripts/fill.py"]),
      [`${below}/SKILL.md`]: FILES["SKILL.md"],
      [`${below}/scripts/fill.py`]: FILES["scripts/fill.py"],
    });
    const fetched = await world.fetch("https://example.com#pdf");
    expect(fetched).toMatchObject({
      ok: true,
      value: {
        files: FILES,
        notes: [expect.stringContaining("no digests")],
        version: expect.stringMatching(/^sha256:/),
      },
    });
    expect(await world.look("https://example.com#pdf")).toMatchObject({
      ok: true,
      value: { version: fetched.ok && fetched.value.version },
    });
  });

  it.each(["../../../etc/passwd", "/etc/passwd", "a\\b", "a\u0000b", "a/./b"])(
    "with the path %j is refused before a file is asked for",
    async (path) => {
      const world = setUp({ [OLDER]: index(["SKILL.md", path]) });
      expect(await world.fetch("https://example.com#pdf")).toMatchObject({ ok: false, failure: { code: "bad_path" } });
      expect(world.requests).toHaveLength(2);
    },
  );
});

describe("an address", () => {
  it("of a SKILL.md is that file alone", async () => {
    const world = setUp({ "/skills/notes/SKILL.md": MD });
    const version = { version: digestOf(MD), content: digestOf(MD), moves: true };
    expect(await world.fetch("https://example.com/skills/notes/SKILL.md")).toEqual({
      ok: true,
      value: {
        ...{
          ...version,
          ref: { source: "url", identifier: "https://example.com/skills/notes/SKILL.md" },
          folder: "notes",
        },
        ...{ files: { "SKILL.md": skillMd("notes") }, notes: [expect.stringContaining("Only the SKILL.md")] },
      },
    });
    expect(await world.look("https://example.com/skills/notes/SKILL.md")).toEqual({ ok: true, value: version });
  });

  it.each(["zip", "tar.gz"] as const)("of a %s is its files, below its only folder", async (kind) => {
    const world = setUp({
      "/a": pack(kind, FILES),
      "/b": pack(kind, FILES, "pdf-main"),
      "/c": pack(kind, { "one/SKILL.md": "x", "two/SKILL.md": "y" }),
    });
    expect(await world.fetch("url:https://example.com/a")).toMatchObject({
      ok: true,
      value: { folder: "a", files: FILES },
    });
    expect(await world.fetch("url:https://example.com/b")).toMatchObject({
      ok: true,
      value: { folder: "pdf-main", files: FILES },
    });
    expect(await world.fetch("url:https://example.com/c")).toMatchObject({ failure: { code: "hub_bad_reply" } });
  });

  it("whose content is another than the one asked for is refused", async () => {
    const world = setUp({ "/pdf.zip": pack("zip", FILES) });
    expect(await world.fetch(`url:https://example.com/pdf.zip#@${digestOf(MD)}`)).toMatchObject({
      failure: { code: "hub_digest_mismatch" },
    });
    expect(await world.fetch("https://example.com/none.zip")).toMatchObject({ failure: { code: "hub_not_found" } });
  });
});
