// GET /v1/search over real objects: what a turn's end puts into the Archive is found there, by its own profile alone.
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { SearchResult } from "../../../core/schemas/api.ts";
import { dayOf } from "../../../core/schemas/ids.ts";
import { memoryId } from "../../../core/schemas/memory.ts";
import { toUlid } from "../../support/ulid.ts";
import { START_MS, ask, createProfile, createSession, env, expectProblem, fetchApi } from "../api-calls.ts";

const DAY_MS = 24 * 60 * 60_000;
let key: string;
let session: string;

const search = async (query: string, asked = key): Promise<SearchResult[]> => {
  const { status, body } = await ask("GET", `/v1/search?${query}`, { key: asked });
  expect(status).toBe(200);
  return (body as { results: SearchResult[] }).results;
};

async function say(owner: string, of: string, text: string): Promise<void> {
  const headers = { accept: "text/event-stream" };
  await (await fetchApi("POST", `/v1/sessions/${of}/messages`, { key: owner, body: { text }, headers })).text();
}

/** The outbox sends a turn's messages after its answer. */
const indexed = (query: string, asked: string) =>
  vi.waitFor(async () => expect(await search(query, asked)).not.toEqual([]), { timeout: 20_000, interval: 100 });

beforeAll(async () => {
  ({ key } = await createProfile());
  session = await createSession(key);
  await say(key, session, "The kilns in the old pottery fire at 1260 degrees. <b>Remember</b> zirconium.");
  await indexed("q=zirconium", key);
}, START_MS);

describe("GET /v1/search", () => {
  it("finds a message by its words, with the words' places and links to session and turn", async () => {
    const found = await search("q=pottery+kiln&role=user");
    expect(found).toHaveLength(1);
    const [{ snippet, links, at, ...result }] = found as [SearchResult];
    expect(result).toEqual({ session, title: expect.any(String), turn: `${session}-1`, entry: 1, role: "user" });
    expect(dayOf(at)).toBe(dayOf(Date.now()));
    expect(snippet.text).toContain("<b>Remember</b>");
    expect(snippet.highlights.map(({ from, to }) => snippet.text.slice(from, to))).toEqual(["kilns", "pottery"]);
    expect(links).toEqual({
      session: `/v1/sessions/${session}`,
      turn: `/v1/sessions/${session}/events?turn=1`,
      entry: `/v1/sessions/${session}/entries?after=0`,
    });
    expect((await ask("GET", links.session, { key })).status).toBe(200);
    expect(await (await fetchApi("GET", links.turn, { key })).text()).toContain("turn_start");
    const { entries } = (await ask("GET", links.entry, { key })).body as { entries: { n: number; kind: string }[] };
    expect(entries[0]).toMatchObject({ n: 1, kind: "user" });
  });

  it("filters by role and by days, both included, and limits the results", async () => {
    const day = (shift: number) => dayOf(Date.now() + shift * DAY_MS);
    expect(await search("q=zirconium&role=tool")).toEqual([]);
    expect(await search(`q=zirconium&from=${day(-1)}&to=${day(1)}`)).not.toEqual([]);
    expect(await search(`q=zirconium&to=${day(-2)}`)).toEqual([]);
    expect(await search(`q=zirconium&from=${day(2)}`)).toEqual([]);
    expect(await search("q=zirconium&limit=1")).toHaveLength(1);
  });

  it("finds nothing for a query without words, and never fails because of one", async () => {
    const hostile = [
      "???",
      "the",
      '"',
      "(",
      "NEAR(",
      "a* OR",
      "words:x",
      "%27; DROP TABLE message",
      "%00",
      "%ED%A0%80",
    ];
    for (const query of hostile) expect(await search(`q=${query}`)).toEqual([]);
  });

  it("refuses values that it does not take", async () => {
    const queries = ["", "q=", "q=a&limit=0", "q=a&limit=51", "q=a&limit=x", "q=a&role=system", "q=a&from=2026-02-30"];
    for (const query of [...queries, "q=a&to=1", "q=a&page=2", `q=${"a".repeat(1_001)}`]) {
      const { status, body } = await ask("GET", `/v1/search?${query}`, { key });
      expect([query, status, (body as { code: string }).code]).toEqual([query, 400, "query_invalid"]);
    }
    const swapped = await ask("GET", "/v1/search?q=a&from=2026-02-02&to=2026-02-01", { key });
    expectProblem(swapped, 400, "query_invalid", "Invalid query");
    expectProblem(await ask("GET", "/v1/search?q=a"), 401, "key_missing", "No key");
  });

  it("shows no profile what another one said, and nothing of a deleted session", async () => {
    const other = await createProfile();
    const theirs = await createSession(other.key);
    await say(other.key, theirs, "Our secret word is orchid.");
    await indexed("q=orchid", other.key);
    expect(await search("q=orchid")).toEqual([]);
    expect(await search("q=zirconium", other.key)).toEqual([]);
    expect((await ask("DELETE", `/v1/sessions/${theirs}`, { key: other.key })).status).toBe(204);
    expect(await search("q=orchid", other.key)).toEqual([]);
  });

  it("names no missing year when all can be searched", async () => {
    expect((await ask("GET", "/v1/search?q=zirconium", { key })).body).toMatchObject({ missing: [] });
  });

  it("finds a purged fact no more, nor when its session says it again, and a second purge works without the text", async () => {
    const { profile, key: owner } = await createProfile();
    const fact = "The vault of the orchid house opens with 4711.";
    const path = `/v1/memory/user/${memoryId(fact)}/purge`;
    const own = await createSession(owner);
    await say(owner, own, fact);
    await indexed("q=orchid", owner);
    expect((await ask("POST", "/v1/memory", { key: owner, body: { store: "user", content: fact } })).status).toBe(201);
    expect((await ask("POST", path, { key: owner })).status).toBe(200);
    expect(await search("q=orchid", owner)).toEqual([]);

    await say(owner, own, `Zebras graze. ${fact}`);
    await say(owner, own, "Giraffes drink.");
    await indexed("q=giraffes", owner);
    expect(await search("q=orchid+vault+zebras", owner)).toEqual([]);

    // A session that began long after the purge may say it again.
    const later = toUlid(Date.now() + 60 * 60_000, "A");
    await env.ACCOUNT.getByName(profile).registerSession({ session: later, title: "", learning: "on", createdAt: 1 });
    const messages = [{ n: 1, role: "user" as const, at: Date.now(), text: `Again: ${fact}` }];
    await env.ARCHIVE.getByName(profile).putMessages({ session: later, turn: 1, messages });
    expect(await search("q=orchid", owner)).toHaveLength(1);
    expect(await ask("POST", path, { key: owner })).toMatchObject({ status: 200, body: { deleted: 0 } });
    expect(await search("q=orchid", owner)).toEqual([]);
  });
});
