// A turn, its observation and its rating by a person, over HTTP, with the real session, Archive and buckets.
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { TurnObservation } from "../../../core/schemas/api.ts";
import type { TurnInfo } from "../../../core/schemas/run.ts";
import type { Entry } from "../../../core/schemas/entry.ts";
import type { Observation, TurnSignature } from "../../../core/schemas/learning/learning.ts";
import { ProfileId } from "../../../core/schemas/ids.ts";
import { openSession } from "../../../workers/api/sessions/session-rpc.ts";
import { START_MS, ask, createProfile, createSession, env, expectProblem, fetchApi } from "../api-calls.ts";

let profile: string;
let key: string;
beforeAll(async () => void ({ profile, key } = await createProfile()), START_MS);

async function setUp() {
  const session = await createSession(key);
  await ask("PUT", `/v1/sessions/${session}/files/prices.csv`, { key, body: "name,price\na,1\nb,2\nc,6\n" });
  const turns = `/v1/sessions/${session}/turns`;
  const say = async (text: string) => {
    const headers = { accept: "text/event-stream" };
    await (await fetchApi("POST", `/v1/sessions/${session}/messages`, { key, body: { text }, headers })).text();
  };
  await say("What is the mean of `price` in `prices.csv`?");
  return {
    session,
    turns,
    say,
    rate: (n: number | string, body: unknown) => ask("POST", `${turns}/${n}/rating`, { key, body }),
    read: async (n: number) => (await ask("GET", `${turns}/${n}/observation`, { key })).body as TurnObservation,
    entries: async () => {
      const { body } = await ask("GET", `/v1/sessions/${session}/entries`, { key });
      return (body as { entries: Entry[] }).entries;
    },
    archived: async (): Promise<TurnSignature[]> =>
      (await env.ARCHIVE.getByName(profile).turnsOf({ limit: 100 })).filter((turn) => turn.session === session),
  };
}

const LIKE_IT = { skill: "unknown", words: "The mean of `weight`.", before: Number.MAX_SAFE_INTEGER, limit: 5 };

/** The outbox runs after the answer. */
const soon = { timeout: 10_000, interval: 20 };

describe("a finished turn", () => {
  it("is shown with its observation and trace, and is stored in the Archive", async () => {
    const { session, read, archived } = await setUp();
    await vi.waitUntil(async () => (await read(1)).observation, soon);
    const { body } = await ask("GET", `/v1/sessions/${session}/prompt`, { key });
    expect(body).toMatchObject({
      epoch: 1,
      sections: expect.arrayContaining([{ name: "day", characters: 26, tokens: expect.any(Number) }]),
    });
    const { n, observation, trace, replayability } = await read(1);
    expect([n, replayability]).toEqual([1, { replayable: true }]);
    expect(await env.ARCHIVE.getByName(profile).findSimilarTurns(LIKE_IT)).toEqual([`${session}-1`]);
    const described = await openSession(env, ProfileId.parse(profile), session).describeTurn({ entry: 1 });
    expect(described).toMatchObject({ turn: `${session}-1`, replayability, exit: "success", accepted: null });
    expect(observation).toMatchObject({ v: 2, turn: `${session}-1`, judge: "exit", outcome: "success" });
    expect(trace).toHaveLength(observation!.steps);
    expect(trace.at(-1)?.answer).toContain("3");
    expect(trace.flatMap(({ calls }) => calls)).toHaveLength(observation!.toolCalls);
    expect(await archived()).toMatchObject([{ turn: `${session}-1`, outcome: "success", heldOut: false }]);
  });

  it("is shown with its answer, and with why it cannot be run again", async () => {
    const { turns, say } = await setUp();
    const show = async (n: number) => (await ask("GET", `${turns}/${n}`, { key })).body as TurnInfo;
    const first = await show(1);
    expect(first).toMatchObject({ turn: expect.stringMatching(/-1$/), state: "done", end: "answer", replayable: true });
    expect(first.answer).toContain("3");
    expect([first.startedAt! <= first.endedAt!, first.stats.modelCalls > 0]).toEqual([true, true]);
    expect(Object.keys(first)).not.toContain("reason");
    await say("/undo");
    expect(await show(1)).toMatchObject({ replayable: false, reason: "not_ended", why: "It was taken back." });
    expect(await show(2)).toMatchObject({ state: "done", replayable: false, reason: "not_answered" });
  });

  it("can be rated, rated the same again, and rated differently", async () => {
    const { rate, read, entries, archived } = await setUp();
    const correction = "The median was wanted.";
    const down = await rate(1, { rating: "down", correction });
    expect([down.status, down.body]).toMatchObject([200, { outcome: "failure", judge: "rating" }]);
    await vi.waitUntil(async () => (await read(1)).observation?.corrections?.length, soon);
    const [note, ...more] = (await entries()).filter((entry) => entry.kind === "note" && entry.code === "rating");
    expect([note?.parts.at(-1), more]).toEqual([{ source: "principal", text: correction }, []]);
    await vi.waitUntil(async () => (await archived())[0]?.judge === "rating", soon);

    const again = (await rate(1, { rating: "down", correction: `  ${correction} ` })).body as Observation;
    expect(again.judgements?.filter(({ judge }) => judge === "rating")).toHaveLength(1);
    const up = (await rate(1, { rating: "up" })).body as Observation;
    expect(up).toMatchObject({ outcome: "success", judge: "rating" });
    expect(up.judgements?.filter(({ judge }) => judge === "rating")).toHaveLength(2);
  });

  it("answers an error for an unknown turn, a bad number or an unknown rating", async () => {
    const { rate, turns } = await setUp();
    expectProblem(await rate(9, { rating: "up" }), 404, "turn_not_found", "No such turn");
    expect((await rate("first", { rating: "up" })).body).toMatchObject({ status: 400, code: "bad_turn" });
    expect((await rate(0, { rating: "up" })).body).toMatchObject({ status: 400, code: "bad_turn" });
    expect((await rate(1, { rating: "fine" })).body).toMatchObject({ status: 400, code: "body_invalid" });
    expect((await rate(1, { rating: "up", stars: 5 })).body).toMatchObject({ status: 400, code: "field_unknown" });
    expect((await rate(1, { rating: "down", correction: " " })).body).toMatchObject({ code: "body_invalid" });
    for (const route of ["", "/observation"]) {
      expectProblem(await ask("GET", `${turns}/9${route}`, { key }), 404, "turn_not_found", "No such turn");
    }
    const stranger = await createProfile();
    for (const answer of [
      await ask("GET", `${turns}/1`, { key: stranger.key }),
      await ask("GET", `${turns}/1/observation`, { key: stranger.key }),
      await ask("POST", `${turns}/1/rating`, { key: stranger.key, body: { rating: "up" } }),
    ]) {
      expectProblem(answer, 404, "session_not_found", "No such session");
    }
  });
});
