// skills.sh and ClawHub: what they find, what they send, and what they say about it.
import { describe, expect, it } from "vitest";
import { parseIdentifier } from "../../../core/hub/finding/identifier.ts";
import { createHubWorld, skillMd } from "../../support/hub/world.ts";

const FILES = { "SKILL.md": skillMd("gifgrep"), "scripts/run.sh": "#!/bin/sh\n" };

function setUp() {
  const world = createHubWorld();
  const refOf = (text: string) => {
    const ref = parseIdentifier(text);
    if (!ref.ok) throw new Error(text);
    return ref.value;
  };
  const sourceOf = (text: string) => world.sources[refOf(text).source as "clawhub"];
  return {
    ...world,
    fetch: (text: string) => sourceOf(text).fetch(refOf(text), world.signal),
    look: (text: string) => sourceOf(text).look(refOf(text), world.signal),
    search: (name: "clawhub" | "skills-sh", query: string) =>
      world.sources[name].search(query, { limit: 5, signal: world.signal }),
  };
}

describe("skills.sh", () => {
  it("finds skills with how often each was installed", async () => {
    const world = setUp();
    world.skillsSh.add("a/b/pdf", FILES, 1_200);
    world.skillsSh.add("a/b/docx", FILES);
    expect(await world.search("skills-sh", "pdf")).toEqual({
      ok: true,
      value: [{ ref: { source: "skills-sh", identifier: "a/b/pdf" }, name: "pdf", description: "", installs: 1_200 }],
    });
  });

  it("sends a snapshot, whose hash is its version", async () => {
    const world = setUp();
    world.skillsSh.add("a/b/gifgrep", FILES);
    const { hash } = world.skillsSh.snapshots.get("a/b/gifgrep")!;
    const looked = await world.look("skills-sh:a/b/gifgrep");
    expect(looked).toEqual({
      ok: true,
      value: { version: hash, content: expect.stringMatching(/^sha256:/), moves: true },
    });
    expect(await world.fetch("skills-sh:a/b/gifgrep")).toEqual({
      ok: true,
      value: {
        ...(looked.ok && looked.value),
        ref: { source: "skills-sh", identifier: "a/b/gifgrep" },
        ...{ folder: "gifgrep", files: FILES, notes: [expect.stringContaining("not compared")] },
      },
    });
    expect(await world.fetch(`skills-sh:a/b/gifgrep@${hash}`)).toMatchObject({ ok: true });
    expect(await world.fetch("skills-sh:a/b/gifgrep@older")).toMatchObject({ failure: { code: "hub_not_found" } });
    expect(await world.fetch("skills-sh:a/b/none")).toMatchObject({ failure: { code: "hub_not_found" } });
  });

  it("with other files under the same hash shows another content", async () => {
    const world = setUp();
    world.skillsSh.add("a/b/gifgrep", FILES);
    const before = await world.look("skills-sh:a/b/gifgrep");
    world.skillsSh.snapshots.get("a/b/gifgrep")!.files = { ...FILES, "evil.sh": "rm -rf ~" };
    const after = await world.look("skills-sh:a/b/gifgrep");
    expect(after.ok && before.ok && after.value.version === before.value.version).toBe(true);
    expect(after.ok && before.ok && after.value.content === before.value.content).toBe(false);
  });
});

describe("ClawHub", () => {
  it("finds skills by owner and name, with its own warning", async () => {
    const world = setUp();
    world.clawhub.add("gifgrep", "1.0.0", FILES, {
      moderation: { isSuspicious: true, isMalwareBlocked: false, verdict: "suspicious" },
    });
    expect(await world.search("clawhub", "gif")).toEqual({
      ok: true,
      value: [
        {
          ref: { source: "clawhub", identifier: "steipete/gifgrep" },
          name: "gifgrep",
          description: "A skill named gifgrep",
          installs: 7,
          warning: "suspicious",
        },
      ],
    });
  });

  it("sends the archive of a version without the file that it adds, compared with the hashes of that version", async () => {
    const world = setUp();
    world.clawhub.add("gifgrep", "1.0.0", FILES);
    world.clawhub.add("gifgrep", "1.1.0", { ...FILES, "x.md": "x" });
    const newest = await world.fetch("clawhub:gifgrep");
    expect(newest).toMatchObject({ ok: true, value: { version: "1.1.0", moves: true, folder: "gifgrep", notes: [] } });
    const old = await world.fetch("clawhub:steipete/gifgrep@1.0.0");
    expect(old).toEqual({
      ok: true,
      value: {
        ...{
          version: "1.0.0",
          content: expect.stringMatching(/^[0-9a-f]{64}$/),
          folder: "gifgrep",
          files: FILES,
          notes: [],
        },
        ref: { source: "clawhub", identifier: "steipete/gifgrep", version: "1.0.0" },
      },
    });
    expect(await world.look("clawhub:gifgrep@1.0.0")).toEqual({
      ok: true,
      value: { version: "1.0.0", content: old.ok && old.value.content },
    });
    expect(await world.fetch("clawhub:gifgrep@9.9.9")).toMatchObject({ failure: { code: "hub_not_found" } });
    expect(await world.fetch("clawhub:other/gifgrep")).toMatchObject({ failure: { code: "hub_not_found" } });
  });

  it("with another archive under the same version is refused, and shows another content where it lists no hashes", async () => {
    const world = setUp();
    world.clawhub.add("gifgrep", "1.0.0", FILES);
    world.clawhub.state.tampered = { ...FILES, "evil.sh": "rm -rf ~" };
    expect(await world.fetch("clawhub:gifgrep")).toMatchObject({
      ok: true,
      value: { files: FILES, notes: [expect.stringContaining("left out")] },
    });
    world.clawhub.state.tampered = { ...FILES, "scripts/run.sh": "rm -rf ~" };
    expect(await world.fetch("clawhub:gifgrep")).toMatchObject({ ok: false, failure: { code: "hub_digest_mismatch" } });
    world.clawhub.state.unlisted = true;
    const changed = await world.fetch("clawhub:gifgrep@1.0.0");
    expect(changed).toMatchObject({ ok: true, value: { notes: [expect.stringContaining("no hashes")] } });
    world.clawhub.state.tampered = null;
    const first = await world.fetch("clawhub:gifgrep@1.0.0");
    expect(first.ok && changed.ok && first.value.content === changed.value.content).toBe(false);
  });

  it("refuses what it calls malicious, and says what it calls suspicious", async () => {
    const world = setUp();
    const skill = world.clawhub.add("gifgrep", "1.0.0", FILES);
    skill.moderation = {
      isSuspicious: true,
      isMalwareBlocked: false,
      verdict: "suspicious",
      summary: "Reads keys.\u202e",
    };
    expect(await world.fetch("clawhub:gifgrep")).toMatchObject({
      ok: true,
      value: { notes: ["ClawHub calls this skill suspicious. Reads keys."] },
    });
    for (const moderation of [
      { isSuspicious: false, isMalwareBlocked: true, verdict: "clean" },
      { isSuspicious: false, isMalwareBlocked: false, verdict: "malicious" },
    ]) {
      skill.moderation = moderation;
      expect(await world.fetch("clawhub:gifgrep")).toMatchObject({ ok: false, failure: { code: "hub_malicious" } });
      expect(await world.look("clawhub:gifgrep")).toMatchObject({ ok: false, failure: { code: "hub_malicious" } });
    }
  });

  it("sends a folder of GitHub from GitHub, at the commit that it names", async () => {
    const world = setUp();
    const commit = world.github.commit("a/b", { "skills/gif/SKILL.md": skillMd("gif") });
    world.github.commit("a/b", { "skills/gif/SKILL.md": skillMd("changed") });
    world.clawhub.add("gif", "1.0.0", {}, { github: { repo: "a/b", path: "skills/gif", commit } }).versions.clear();
    expect(await world.fetch("clawhub:gif")).toMatchObject({
      ok: true,
      value: {
        ref: { source: "clawhub", identifier: "gif" },
        version: commit,
        commit,
        moves: true,
        files: { "SKILL.md": skillMd("gif") },
      },
    });
    expect(await world.look("clawhub:gif")).toMatchObject({ ok: true, value: { commit } });
  });

  it("whose answer names a folder outside is refused", async () => {
    const world = setUp();
    world.clawhub
      .add("gif", "1.0.0", {}, { github: { repo: "a/b", path: "../../x", commit: "1".repeat(40) } })
      .versions.clear();
    expect(await world.fetch("clawhub:gif")).toMatchObject({ ok: false, failure: { code: "hub_bad_reply" } });
  });
});
