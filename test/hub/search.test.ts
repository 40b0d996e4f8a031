// A search over several sources and taps: what it finds, in which order, and what it reports of a source that does not answer.
import { describe, expect, it } from "vitest";
import { ok } from "../../core/errors.ts";
import { type Tap, searchHub } from "../../core/hub/finding/search.ts";
import type { HubSource } from "../../core/hub/source.ts";
import { limitReached } from "../support/hub/github-read.ts";
import { createHubWorld, createSite, skillMd } from "../support/hub/world.ts";

const GITHUB_TAP: Tap = { tap: "team", source: "github", identifier: "me/skills" };
const SITE_TAP: Tap = { tap: "docs", source: "well-known", identifier: "https://example.com" };

function setUp(hub: Parameters<typeof createHubWorld>[0] = {}) {
  const world = createHubWorld(hub);
  world.github.commit("me/skills", {
    "skills/pdf-forms/SKILL.md": skillMd("pdf-forms", "Fills in forms."),
    "skills/rain/SKILL.md": skillMd("rain", "Reads tables of rain."),
  });
  const skills = [{ name: "pdf", description: "Reads pages.", files: ["SKILL.md"] }];
  world.hosts.set("https://example.com", createSite({ "/.well-known/skills/index.json": JSON.stringify({ skills }) }));
  world.skillsSh.add("a/b/pdf", { "SKILL.md": "x" }, 900);
  world.skillsSh.add("c/d/make-pdfs", { "SKILL.md": "x" }, 9_000);
  world.clawhub.add("read-pdf", "1.0.0", {}, { summary: "pdf files" });
  const search = (query: string, taps: Tap[] = [], more: object = {}) =>
    searchHub(world.sources, { query, taps, limit: 10, signal: world.signal, ...more });
  return { ...world, search };
}

describe("a search", () => {
  it("asks all sources and taps, and puts a name that is the query first", async () => {
    const { hits, failures } = await setUp().search("pdf", [GITHUB_TAP, SITE_TAP]);
    expect(failures).toEqual([]);
    expect(hits.map(({ ref, tap }) => [ref.source, ref.identifier, tap])).toEqual([
      ["well-known", "https://example.com/.well-known/skills/index.json#pdf", "docs"],
      ["skills-sh", "a/b/pdf", undefined],
      ["github", "me/skills/skills/pdf-forms", "team"],
      ["clawhub", "steipete/read-pdf", undefined],
      ["skills-sh", "c/d/make-pdfs", undefined],
    ]);
  });

  it("reports a source that fails beside the hits of the others", async () => {
    const world = setUp();
    world.github.state.limited = () => limitReached(world.clock.now() + 60_000);
    world.hosts.set("https://clawhub.ai", () => new Response("<html>", { status: 200 }));
    world.hosts.delete("https://skills.sh");
    const { hits, failures } = await world.search("pdf", [GITHUB_TAP, SITE_TAP]);
    expect(hits.map(({ name }) => name)).toEqual(["pdf"]);
    expect(failures.map(({ from, failure }) => [from, failure.code])).toEqual([
      ["skills-sh", "hub_unreachable"],
      ["clawhub", "hub_bad_reply"],
      ["tap:team", "hub_rate_limited"],
    ]);
  });

  it("reads the lists of few taps at the same time", async () => {
    let [open, most] = [0, 0];
    const source = {
      name: "github" as const,
      list: async () => {
        most = Math.max(most, ++open);
        await new Promise((done) => setTimeout(done, 1));
        open -= 1;
        return ok([]);
      },
    } as unknown as HubSource;
    const taps = Array.from({ length: 50 }, (_, n): Tap => ({ tap: `t${n}`, source: "github", identifier: `o/r${n}` }));
    const only = "github" as const;
    const github = { ...source, search: () => Promise.resolve(ok([])) } as HubSource;
    await searchHub({ github }, { query: "x", only, taps, limit: 10, signal: new AbortController().signal });
    expect(most).toBe(6);
  });

  it("of one source asks no other", async () => {
    const world = setUp();
    await world.search("pdf", [GITHUB_TAP, SITE_TAP], { only: "skills-sh" });
    expect(new Set(world.requests.map((request) => new URL(request.url).origin))).toEqual(
      new Set(["https://skills.sh"]),
    );
  });

  it("names a skill once that a tap and a trusted repository have, and lists all of a tap without words", async () => {
    const world = setUp({ hub: { trusted: ["me/skills"] } });
    const { hits } = await world.search("rain", [{ ...GITHUB_TAP, identifier: "Me/Skills".toLowerCase() }]);
    expect(hits).toEqual([
      {
        ref: { source: "github", identifier: "me/skills/skills/rain" },
        name: "rain",
        description: "Reads tables of rain.",
        tap: "team",
      },
    ]);
    expect((await world.search(" ", [GITHUB_TAP], { only: "github" })).hits).toHaveLength(2);
  });
});
