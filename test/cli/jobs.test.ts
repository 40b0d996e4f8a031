// `talaria jobs`, against a fake API: what it requests, prints and refuses.
import { describe, expect, it, test } from "vitest";
import { answerJson, answerProblem } from "../support/fake-api.ts";
import { ask, talaria } from "../support/run-talaria.ts";

const JOB = {
  ...{
    id: "j0123456789ab",
    name: "say-hi",
    schedule: "every weekday at 8",
    timeZone: "Europe/Berlin",
    prompt: "Say hi.",
  },
  ...{ skills: [], contextFrom: [], deliver: null, gate: null, repeat: null, failure: {}, author: { by: "owner" } },
  ...{ understood: "every weekday at 08:00", createdAt: 1, changedAt: 1, nextAt: 1_767_682_800_000, paused: null },
  ...{ finishedAt: null, failures: 0, retry: null, ran: 0, due: 1_767_682_800_000, running: null },
};
const RUN = {
  ...{
    id: "r0123456789ab",
    job: JOB.id,
    name: "say-hi",
    trigger: "manual",
    slot: 1,
    state: "completed",
    session: null,
  },
  ...{
    turn: null,
    claimedAt: 1_767_682_800_000,
    startedAt: 1,
    endedAt: 2,
    outcome: "answered",
    output: "Hi.",
    error: null,
  },
  ...{ tokens: 7, delivery: { state: "none", to: null, tries: 0, error: null } },
};
const LINE = "say-hi: every weekday at 08:00 (Europe/Berlin). Next run: 2026-01-06 08:00.";

describe("talaria jobs", () => {
  it("adds one by a phrase, with another name if there is such a job, and never twice", async () => {
    const add = [
      "jobs",
      "add",
      "every",
      "weekday",
      "at",
      "8:",
      "Say",
      "hi.",
      "--zone",
      "Europe/Berlin",
      "--deliver",
      "home",
    ];
    const done = await ask(add, [answerProblem(409, "job_exists"), answerJson(201, JOB)]);
    const bodies = done.requests.map((request) => JSON.parse(request.slice("POST /v1/jobs ".length)) as object);
    const asked = {
      schedule: "every weekday at 8",
      timeZone: "Europe/Berlin",
      prompt: "Say hi.",
      deliver: { to: "home" },
    };
    expect(bodies).toMatchObject([
      { ...asked, name: "say-hi" },
      { ...asked, name: "say-hi-2" },
    ]);
    const quoted = await ask(["jobs", "add", "every weekday at 8: Say hi."], [answerJson(201, JOB)]);
    expect(quoted.requests[0]).toContain('"prompt":"Say hi."');
    expect(done).toMatchObject({ code: 0, stdout: `Made. ${LINE}\nIts answers stay with its runs.\n`, stderr: "" });
    const named = await ask([...add, "--name", "brief"], [answerProblem(409, "job_exists")]);
    expect(named).toMatchObject({ code: 3, stderr: "It is job_exists. (job_exists)\n" });
  });

  it("lists them and their runs as tables", async () => {
    const { stdout, requests } = await ask(["jobs"], [answerJson(200, { jobs: [JOB] })]);
    expect([requests, stdout]).toEqual([["GET /v1/jobs"], expect.stringMatching(/say-hi +every weekday at 08:00/)]);
    const runs = await ask(["jobs", "runs", "say-hi"], [answerJson(200, { runs: [RUN] })]);
    expect(runs.requests).toEqual(["GET /v1/jobs/say-hi/runs"]);
    expect(runs.stdout).toMatch(/manual +completed +answered +none +Hi\./);
  });

  test.each([
    [
      ["show", "say-hi"],
      { job: JOB, runs: [RUN] },
      "GET /v1/jobs/say-hi",
      `${LINE}\nIts answers stay with its runs.\n\nSay hi.`,
    ],
    [["pause", "say-hi", "Away."], JOB, 'POST /v1/jobs/say-hi/pause {"why":"Away."}', LINE],
    [["resume", "say-hi"], JOB, "POST /v1/jobs/say-hi/resume", LINE],
    [["change", "say-hi", "every", "2h"], JOB, 'PATCH /v1/jobs/say-hi {"schedule":"every 2h"}', `Changed. ${LINE}`],
    [["change", "say-hi", "hourly"], JOB, 'PATCH /v1/jobs/say-hi {"schedule":"hourly"}', `Changed. ${LINE}`],
    [
      ["change", "say-hi", "every 2h: Say ho."],
      JOB,
      'PATCH /v1/jobs/say-hi {"schedule":"every 2h","prompt":"Say ho."}',
      `Changed. ${LINE}`,
    ],
    [["run", "say-hi"], RUN, "POST /v1/jobs/say-hi/run", "A run of say-hi has begun"],
  ])("%j asks for it and says what became of it", async (args, answer, request, text) => {
    const done = await ask(["jobs", ...args], [answerJson(200, answer)]);
    expect(done).toMatchObject({ code: 0, requests: [request] });
    expect(done.stdout).toContain(text);
    const json = await ask(["jobs", ...args, "--json"], [answerJson(200, answer)]);
    expect(JSON.parse(json.stdout)).toEqual(answer);
  });

  it("removes one after a question", async () => {
    const done = await ask(["jobs", "remove", "say-hi", "-y"], [answerJson(204, undefined)]);
    expect(done).toMatchObject({ code: 0, requests: ["DELETE /v1/jobs/say-hi"], stdout: "say-hi is removed.\n" });
    const no = await ask(["jobs", "remove", "say-hi"], [], { typed: "n", columns: 80 });
    expect(no.requests).toEqual([]);
  });

  test.each([
    [["add", "every", "day"], "Write it as `add SCHEDULE: TASK`."],
    [["add", "every day:", "Say hi.", "--name", "A b"], "--name takes 1 to 64 characters"],
    [["show"], "Write it as `talaria jobs show NAME`."],
    [["show", "Über"], "'Über' is not the name of a job."],
  ])("refuses %j with code 2 and says what to write", async (args, sentence) => {
    const { code, stderr } = await talaria(["jobs", ...args], { url: "http://127.0.0.1:9" });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(sentence) });
  });
});
