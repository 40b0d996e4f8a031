// Runs over HTTP: begun once for a key, read, listed, streamed, stopped, steered and answered. The model is rehearsal, which asks the
// person something when a message begins with "ask me:".
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { RunInfo } from "../../../core/schemas/run.ts";
import { START_MS, ask, createProfile, expectProblem, fetchApi } from "../api-calls.ts";

let key: string;
beforeAll(async () => {
  ({ key } = await createProfile());
}, START_MS);

const begin = (body: object, headers = {}) => ask("POST", "/v1/runs", { key, body, headers });
const read = async (run: string) => (await ask("GET", `/v1/runs/${run}`, { key })).body as RunInfo;
const untilState = (run: string, state: string) =>
  vi.waitFor(
    async () => {
      const info = await read(run);
      expect(info.state).toBe(state);
      return info;
    },
    { timeout: 20_000, interval: 50 },
  );

describe("a run", () => {
  it("begins a session of its own and ends with an answer, its usage and its events", async () => {
    const { status, body, headers } = await begin({ input: "Hello!", title: "Greeting" });
    const { run, session } = body as RunInfo;
    expect([status, headers.get("location")]).toEqual([202, `/v1/runs/${run}`]);
    const done = await untilState(run, "done");
    expect(done).toMatchObject({ run, session, turn: `${session}-1`, reason: "answer", stats: { modelCalls: 1 } });
    expect(done.answer!.length).toBeGreaterThan(0);
    const events = await (await fetchApi("GET", `/v1/runs/${run}/events`, { key })).text();
    expect(events).toMatch(/^id: 1\.0\nevent: turn_start/);
    const last = /id: ([\d.]+)\nevent: turn_end/.exec(events)![1]!;
    const after = { "last-event-id": `${last.split(".")[0]}.0` };
    const rest = await (await fetchApi("GET", `/v1/runs/${run}/events`, { key, headers: after })).text();
    expect([rest.includes("turn_start"), rest.includes("turn_end")]).toEqual([false, true]);
    const { runs } = (await ask("GET", "/v1/runs?limit=1", { key })).body as { runs: RunInfo[] };
    expect(runs).toMatchObject([{ run, state: "done", answer: null }]);
  });

  it("is begun once for a key: the same body is the same run, another is refused", async () => {
    const headers = { "idempotency-key": "nightly" };
    const first = (await begin({ input: "Hello!" }, headers)).body as RunInfo;
    expect((await begin({ input: "Hello!" }, headers)).body).toMatchObject({ run: first.run, turn: first.turn });
    const other = await begin({ input: "Something else." }, headers);
    expect(other).toMatchObject({ status: 409, body: { code: "idempotency_conflict" } });
  });

  it("waits for a person with the question in words, and goes on with the answer", async () => {
    const { run } = (await begin({ input: "ask me: which colour?" })).body as RunInfo;
    const waits = await untilState(run, "waiting");
    expect(waits.waiting).toMatchObject({ for: "clarify", question: { for: "clarify" } });
    expect(waits.waiting!.text).toContain("colour");
    const approve = (body: object, id = "") => ask("POST", `/v1/runs/${run}/approve${id}`, { key, body });
    expect(await approve({ answer: "Blue" }, `?approval=${"0".repeat(20)}`)).toMatchObject({ status: 404 });
    expect((await approve({ answer: "Blue" })).status).toBe(200);
    await untilState(run, "done");
    expect(await approve({ answer: "Red" })).toMatchObject({ status: 409, body: { code: "run_not_waiting" } });
  });

  it("takes a message while it works, and none once it has ended", async () => {
    const { run, session } = (await begin({ input: "ask me: which colour?" })).body as RunInfo;
    await untilState(run, "waiting");
    const steer = () => ask("POST", `/v1/runs/${run}/steer`, { key, body: { text: "Green" } });
    expect(await steer()).toMatchObject({ status: 202, body: { run, turn: `${session}-2` } });
    await untilState(run, "done");
    expect(await steer()).toMatchObject({ status: 409, body: { code: "turn_not_running" } });
  });

  it("stops alone: the run behind it in the same session begins", async () => {
    const first = (await begin({ input: "ask me: which colour?" })).body as RunInfo;
    await untilState(first.run, "waiting");
    const second = (await begin({ input: "Hello!", session: first.session })).body as RunInfo;
    expect(second.state).toBe("queued");
    const stopped = await ask("POST", `/v1/runs/${first.run}/stop`, { key });
    expect(stopped.body).toMatchObject({ state: "stopped", reason: "stopped" });
    await untilState(second.run, "done");
  });

  it("is gone with its session, and unknown to other profiles", async () => {
    const { run, session } = (await begin({ input: "Hello!" })).body as RunInfo;
    await untilState(run, "done");
    const stranger = await ask("GET", `/v1/runs/${run}`, { key: (await createProfile()).key });
    expectProblem(stranger, 404, "run_not_found", "No such run");
    await ask("DELETE", `/v1/sessions/${session}`, { key });
    expectProblem(await ask("GET", `/v1/runs/${run}`, { key }), 404, "run_not_found", "No such run");
  });

  it("that its session refuses takes no place and leaves its key free", async () => {
    const headers = { "idempotency-key": "for-nobody" };
    const absent = { input: "Hello!", session: "01ARZ3NDEKTSV4RRFFQ69G5FAV" };
    expect(await begin(absent, headers)).toMatchObject({ status: 404, body: { code: "session_not_found" } });
    expect((await begin({ input: "Hello!" }, headers)).status).toBe(202);
    const mixed = await begin({ ...absent, title: "No" });
    expect(mixed).toMatchObject({ status: 400, body: { code: "body_invalid" } });
  });
});
