// The sources as a deployment opens them: over HTTP, by its own settings, with lists kept in R2.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formatRef, parseIdentifier } from "../../core/hub/finding/identifier.ts";
import type { HubSource } from "../../core/hub/source.ts";
import { parseSettings } from "../../core/limits.ts";
import { createOutbound } from "../../core/outbound/outbound.ts";
import { createListingCache } from "../../stores/hub/listings.ts";
import { systemClock } from "../../stores/platform/system-clock.ts";
import { createHubSources } from "../../wiring/hub.ts";
import { readPolicy } from "../../wiring/outbound.ts";
import { createMemoryBucket } from "../support/bindings/memory-bucket.ts";
import { type HubReplica, startHubReplica } from "../support/hub/server.ts";
import { skillMd } from "../support/hub/world.ts";

const PROFILE = "0123456789abcdefghjkmnpqrs";
const { signal } = new AbortController();

let replica: HubReplica;
beforeAll(async () => {
  replica = await startHubReplica();
  replica.github.commit("a/b", { "skills/pdf/SKILL.md": skillMd("pdf") });
  replica.skillsSh.add("a/b/pdf", { "SKILL.md": skillMd("pdf") });
  replica.clawhub.add("pdf", "1.0.0", { "SKILL.md": skillMd("pdf") });
  replica.pages["/pdf/SKILL.md"] = skillMd("pdf");
});
afterAll(() => replica.stop());

function open(patch: object, bucket = createMemoryBucket({ clock: systemClock })) {
  const settings = parseSettings(JSON.stringify(patch));
  if (!settings.ok) throw new Error(settings.failure.message);
  const outbound = createOutbound({ fetch, clock: systemClock, policy: readPolicy({}, settings.value) });
  const cache = createListingCache({ bucket, profile: PROFILE });
  return {
    bucket,
    sources: createHubSources({ outbound, clock: systemClock, cache, settings: settings.value, githubToken: null }),
  };
}

async function fetchOf(sources: ReturnType<typeof open>["sources"], text: string) {
  const ref = parseIdentifier(text);
  if (!ref.ok) return ref;
  const source: HubSource = sources[ref.value.source as "url"];
  return source.fetch(ref.value, signal);
}

describe("the sources of a deployment", () => {
  it("ask the servers that its operator names, though they are inside", async () => {
    const { sources } = open(replica.settings);
    for (const text of ["a/b/skills/pdf", "skills-sh:a/b/pdf", "clawhub:pdf", `${replica.site}/pdf/SKILL.md`])
      expect(await fetchOf(sources, text)).toMatchObject({
        ok: true,
        value: { files: { "SKILL.md": skillMd("pdf") } },
      });
  });

  it("do not let an address of a person reach the operator's server", async () => {
    const { sources } = open({ hub: replica.settings.hub });
    const inside = `${replica.settings.hub.github!.apiBase}/repos/a/b/commits/HEAD`;
    for (const text of [`url:${inside}`, `well-known:${inside}`, `url:${replica.site}/pdf/SKILL.md`])
      expect(await fetchOf(sources, text)).toMatchObject({ ok: false, failure: { code: "url_refused" } });
  });

  it("keep a list in R2 under the profile, and ask again where it cannot be read", async () => {
    const { bucket, sources } = open(replica.settings);
    const first = await sources.github.list!("a/b", signal);
    expect(first.ok && first.value.map(({ ref }) => formatRef(ref))).toEqual(["a/b/skills/pdf"]);
    const { objects } = await bucket.list({ prefix: `p/${PROFILE}/hub/listing/` });
    expect(objects).toHaveLength(1);
    replica.github.state.log.length = 0;
    expect(await open(replica.settings, bucket).sources.github.list!("a/b", signal)).toEqual(first);
    expect(replica.github.state.log).toEqual([]);
    await bucket.put(objects[0]!.key, '{"v":99}');
    expect(await sources.github.list!("a/b", signal)).toEqual(first);
    expect(replica.github.state.log.length).toBeGreaterThan(0);
  });
});
