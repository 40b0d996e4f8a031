// GET /v1/usage over HTTP: a turn that its session booked, queries, and isolation between profiles.
import { beforeAll, describe, expect, it } from "vitest";
import type { SessionDetail } from "../../../core/schemas/api.ts";
import { dayOf } from "../../../core/schemas/ids.ts";
import { UsageReport } from "../../../core/schemas/usage.ts";
import { START_MS, ask, createProfile, createSession, env, expectProblem, fetchApi } from "../api-calls.ts";

const DAY_MS = 24 * 60 * 60_000;
const SESSION = "01ARZ3NDEKTSV4RRFFQ69G5FAA";
let owner: { profile: string; key: string };
beforeAll(async () => void (owner = await createProfile()), START_MS);

const get = (query = "", key = owner.key) => ask("GET", `/v1/usage${query}`, { key });
const usage = { input: 10, output: 20, cacheRead: 0, cacheWrite: 0, reasoning: 5 };
const counts = { calls: 1, tokens: 30, ...usage };
const EMPTY = {
  calls: 0,
  tokens: 0,
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  reasoning: 0,
  usd: 0,
  sources: {},
};

async function book(profile: string, id: string, at: number, usdMicros: number): Promise<void> {
  const line = { kind: "turn", model: "m:a", source: "catalog", calls: 1, usage, usdMicros } as const;
  await env.ACCOUNT.getByName(profile).book({ id, session: SESSION, at, lines: [line] });
}

describe("GET /v1/usage", () => {
  it("reports a finished turn and its title, with the same figures as the session", async () => {
    const { key } = await createProfile();
    const session = await createSession(key);
    const headers = { accept: "text/event-stream" };
    const said = await fetchApi("POST", `/v1/sessions/${session}/messages`, { key, body: { text: "Hello" }, headers });
    await said.text();
    let report: UsageReport;
    do {
      report = UsageReport.parse((await get("?by=session", key)).body);
    } while (report.totals.calls < 2); // the title is booked shortly after the answer
    const detail = (await ask("GET", `/v1/sessions/${session}`, { key })).body as SessionDetail;
    expect(report.lines.map(({ key: of, calls, tokens }) => [of, calls, tokens])).toEqual([
      [session, 2, detail.usage.tokens],
    ]);
    expect(detail).toMatchObject({ title: "Hello", usage: { calls: 2, usd: report.totals.usd } });
    const kinds = (await get("?by=kind", key)).body as UsageReport;
    expect(kinds.lines.map(({ key: of, calls }) => [of, calls])).toEqual([
      ["title", 1],
      ["turn", 1],
    ]);
    expect((await ask("GET", "/v1/sessions", { key })).body).toMatchObject({ sessions: [{ session, title: "Hello" }] });
  });

  it("defaults to the last 30 days by day, and follows the query", async () => {
    const { profile, key } = await createProfile();
    const now = Date.now();
    const [today, first] = [dayOf(now), dayOf(now - 29 * DAY_MS)];
    await book(profile, `${SESSION}-1`, now, 1_500_001);
    await book(profile, `${SESSION}-2`, now - 29 * DAY_MS, 7);
    await book(profile, `${SESSION}-3`, now - 30 * DAY_MS, 1);
    const of = (usd: number, calls = 1) => ({ usd, sources: { catalog: { calls, usd } } });
    const both = { calls: 2, tokens: 60, input: 20, output: 40, cacheRead: 0, cacheWrite: 0, reasoning: 10 };
    expect((await get("", key)).body).toEqual({
      ...{ from: first, to: today, by: "day" },
      totals: { ...both, ...of(1.500008, 2) },
      lines: [
        { key: first, ...counts, ...of(0.000007) },
        { key: today, ...counts, ...of(1.500001) },
      ],
      grants: [],
    });
    const lines = async (query: string) =>
      ((await get(query, key)).body as UsageReport).lines.map((line) => [line.key, line.calls]);
    expect(await lines("?by=model")).toEqual([["m:a", 2]]);
    expect(await lines("?by=kind&from=2000-01-01&to=2000-01-02")).toEqual([]);
    expect(await lines(`?by=session&from=${dayOf(now - 30 * DAY_MS)}&to=${first}`)).toEqual([[SESSION, 2]]);
    expect(await lines(`?to=${dayOf(now - 30 * DAY_MS)}`)).toEqual([[dayOf(now - 30 * DAY_MS), 1]]);
  });

  it("divides each line by kind or by model when it is asked to", async () => {
    const { profile, key } = await createProfile();
    const now = Date.now();
    await book(profile, `${SESSION}-1`, now, 5);
    const line = { kind: "title", model: "m:b", source: "none", calls: 2, usage, usdMicros: 0 } as const;
    await env.ACCOUNT.getByName(profile).book({ id: `${SESSION}-2`, session: SESSION, at: now, lines: [line] });
    const parts = async (split: string) => {
      const { lines } = (await get(`?split=${split}`, key)).body as UsageReport;
      return lines.map((day) => day.parts!.map((part) => [part.key, part.calls, part.tokens, part.usd]));
    };
    expect(await parts("kind")).toEqual([
      [
        ["title", 2, 30, 0],
        ["turn", 1, 30, 0.000005],
      ],
    ]);
    expect(await parts("model")).toEqual([
      [
        ["m:a", 1, 30, 0.000005],
        ["m:b", 2, 30, 0],
      ],
    ]);
  });

  it("lists the unspent grants of reviews", async () => {
    const { profile, key } = await createProfile();
    const now = Date.now();
    const grant = { tokens: 600, usdMicros: 250_000, expiresAt: now + DAY_MS };
    const review = `${SESSION}.1-9`;
    const request = { review, session: SESSION, now, perProfileMs: 0, urgent: true, day: { tokens: 0, usdMicros: 0 } };
    await env.ACCOUNT.getByName(profile).reserveReview({ ...request, grant });
    const { totals, grants } = (await get("", key)).body as UsageReport;
    expect([totals, grants]).toEqual([
      EMPTY,
      [{ review, session: SESSION, state: "open", tokens: 600, usd: 0.25, reservedAt: now, expiresAt: now + DAY_MS }],
    ]);
  });

  it("shows a profile only its own ledger", async () => {
    await book(owner.profile, `${SESSION}-1`, Date.now(), 1);
    const { key } = await createProfile();
    expect(((await get("", key)).body as UsageReport).totals).toEqual(EMPTY);
    expect((await get("", "tal_nobody")).status).toBe(401);
  });

  it("names the fault of an invalid query", async () => {
    const wrong = [
      "?by=week",
      "?from=yesterday",
      "?from=2026-02-30",
      "?to=2026-13-01",
      "?from=2026-01-01&from=x",
      "?form=2026-01-01",
    ];
    for (const query of wrong) {
      expect([query, (await get(query)).body]).toMatchObject([query, { status: 400, code: "query_invalid" }]);
    }
    for (const query of ["?from=2026-01-02&to=2026-01-01", "?from=2999-01-01", "?from=2020-01-01&to=2026-01-01"]) {
      expectProblem(await get(query), 400, "query_invalid", "Invalid query");
    }
    expect((await get("?from=2026-01-02&to=2026-01-01")).body).toMatchObject({
      detail: "`from` (2026-01-02) is after `to` (2026-01-01). Swap them.",
    });
  });
});
