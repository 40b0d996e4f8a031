// A training job from the request to its model, against a service that follows docs/TRAINING.md: lost answers, a service that lies
// about states, hostile answers, and each row of the table of transitions.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { Result } from "../../core/errors.ts";
import { type CreateTrainingJob, type TrainingJob, TrainingState } from "../../core/schemas/training.ts";
import { createHttpTrainingService } from "../../core/training/http-service.ts";
import { STATUS_EVERY_MS, changeJob, nextStatusAt, toJobInfo } from "../../core/training/job.ts";
import { LOCKED_FIELDS, findLocked, toLockedConfig } from "../../core/training/locked-fields.ts";
import {
  type TrainingDeps,
  ensureCreated,
  readResults,
  readStatus,
  sendData,
  startJob,
  stopJob,
} from "../../core/training/run-job.ts";
import type { TrajectoryPage, TrajectoryPlace } from "../../core/schemas/trajectories.ts";
import { TRANSITIONS, type Transition } from "../../core/training/transitions.ts";
import { parseTrainingEnv } from "../../core/training/training-env.ts";
import { createTrainingRows } from "../../durable-objects/training/training-rows.ts";
import { createNodeSql } from "../support/bindings/node-sql.ts";
import {
  TRAINING_TOKEN,
  TRAINING_URL,
  type TrainingDouble,
  createTrainingDouble,
  toDouble,
} from "../support/training.ts";

const REQUEST: CreateTrainingJob = {
  ...{ baseModel: "Qwen/Qwen3-8B", format: "sharegpt", filter: { rated: "up" } },
  config: { "env.group_size": 8 },
};
const SESSION = "0".repeat(26);
const page = (lines: string[], next: TrajectoryPlace | null): TrajectoryPage => ({
  ...{ lines, next, redactions: {}, leftOut: {} },
});
const FIRST = page(['{"conversations":[1]}', '{"conversations":[2]}'], { in: "sessions", after: SESSION });
const LAST = page(['{"conversations":[3]}'], null);
const PAGES: Record<string, TrajectoryPage> = { "": FIRST, [SESSION]: page([], { in: "skills" }), skills: LAST };
const textOf = ({ lines }: TrajectoryPage) => lines.map((line) => `${line}\n`).join("");
const HOUR_MS = 3_600_000;

let now: number;
let double: TrainingDouble;
let rows: ReturnType<typeof createTrainingRows>;
let id: string;

beforeEach(() => {
  now = 1_000_000_000_000;
  double = createTrainingDouble();
  rows = createTrainingRows(createNodeSql());
  id = valueOf(rows.begin({ request: REQUEST, key: null, hash: "0".repeat(64) }, now)).id;
});

function deps(over: Partial<TrainingDeps> = {}): TrainingDeps {
  return {
    service: createHttpTrainingService({ baseUrl: TRAINING_URL, token: TRAINING_TOKEN }, toDouble(double)),
    change: async (change) => rows.change(id, change, now),
    readPage: async (_asked, place) => ({
      ok: true,
      value: PAGES[place.in === "skills" ? "skills" : (place.after ?? "")]!,
    }),
    signal: new AbortController().signal,
    ...over,
  };
}

const job = (): TrainingJob => valueOf(rows.read(id));
const created = () => ensureCreated(job(), deps());
async function whole() {
  while (valueOf(await sendData(job(), deps())).dataset.next);
}
async function started() {
  await whole();
  return startJob(job(), deps());
}
function later(ms = HOUR_MS) {
  now += ms;
}
async function reported(state: TrainingState) {
  later();
  double.jobs[0]!.state = state;
  return valueOf(await readStatus(job(), deps()));
}

function valueOf<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.failure.code}: ${result.failure.message}`);
  return result.value;
}
const codeOf = <T>(result: Result<T>) => (result.ok ? "ok" : result.failure.code);

describe("a training job", () => {
  it("goes from the request over the dataset to a model with its evaluation before and after", async () => {
    await started();
    expect(double.jobs[0]).toMatchObject({
      state: "starting",
      body: { v: 1, baseModel: REQUEST.baseModel, config: REQUEST.config, locked: toLockedConfig(REQUEST.baseModel) },
    });
    expect([...double.jobs[0]!.data.values()]).toEqual([textOf(FIRST), textOf(LAST)]);
    expect(await reported("running")).toMatchObject({ state: "running", progress: { step: 5, totalSteps: 2_500 } });
    expect(await reported("completed")).toMatchObject({ state: "completed", endedAt: now });
    const done = toJobInfo(valueOf(await readResults(job(), deps())));
    expect(done.dataset).toMatchObject({ parts: 2, examples: 3, sha256: double.jobs[0]!.started!.dataset });
    const evaluation = { before: { accuracy: 0.41 }, after: { accuracy: 0.57 } };
    const model = { name: `Qwen/Qwen3-8B+${id}`, base: "Qwen/Qwen3-8B", adapter: "adapter-of-job-1", job: id };
    expect(rows.models()).toEqual([{ v: 1, ...model, dataset: done.dataset.sha256, evaluation, at: now }]);
    const asked = double.requests.length;
    expect(valueOf(await readResults(job(), deps())).results).toEqual({ adapter: "adapter-of-job-1", evaluation });
    expect(double.requests.length).toBe(asked);
    expect(rows.models()).toHaveLength(1);
  });

  it("is begun once for each key, and another request with that key is refused", () => {
    const asked = { request: REQUEST, key: "a".repeat(64), hash: "b".repeat(64) };
    const first = valueOf(rows.begin(asked, now));
    expect(valueOf(rows.begin(asked, now + 1))).toEqual(first);
    expect(codeOf(rows.begin({ ...asked, hash: "c".repeat(64) }, now))).toBe("idempotency_conflict");
  });

  it("is refused beside ten that have not ended", () => {
    const asked = { request: REQUEST, key: null, hash: "b".repeat(64) };
    for (let n = 1; n < 10; n++) valueOf(rows.begin(asked, now + n));
    expect(codeOf(rows.begin(asked, now))).toBe("too_many_training_jobs");
    valueOf(rows.change(id, { do: "stop" }, now));
    expect(codeOf(rows.begin(asked, now))).toBe("ok");
  });

  it("is forgotten 90 days after its last change, and its model is not", async () => {
    await started();
    await reported("completed");
    await readResults(job(), deps());
    rows.tidy(now + 90 * 24 * HOUR_MS);
    expect(rows.list()).toHaveLength(1);
    rows.tidy(now + 90 * 24 * HOUR_MS + 1);
    expect([rows.list(), rows.models().length]).toEqual([[], 1]);
  });

  it("cannot be started before the whole dataset was sent, or without an example", async () => {
    await sendData(job(), deps());
    expect(codeOf(await startJob(job(), deps()))).toBe("training_data_missing");
    id = valueOf(rows.begin({ request: REQUEST, key: null, hash: "" }, now)).id;
    await sendData(job(), deps({ readPage: async () => ({ ok: true, value: page([], null) }) }));
    expect(job().dataset).toEqual({ parts: [], next: null });
    expect(codeOf(await startJob(job(), deps()))).toBe("training_data_missing");
  });

  it("gets no data after it was stopped", async () => {
    valueOf(await created());
    valueOf(await stopJob(job(), deps()));
    const asked = double.requests.length;
    expect(codeOf(await sendData(job(), deps()))).toBe("training_state");
    expect(double.requests.length).toBe(asked);
  });

  it("gets no data when the profile has not consented", async () => {
    const refusal = { ok: false as const, failure: { code: "trajectories_not_allowed", message: "No." } };
    expect(codeOf(await sendData(job(), deps({ readPage: async () => refusal })))).toBe("trajectories_not_allowed");
    expect(double.jobs[0]!.data.size).toBe(0);
  });

  it("takes a page once when two clients send it at the same time", async () => {
    await created();
    await Promise.all([sendData(job(), deps()), sendData(job(), deps())]);
    expect(job().dataset.parts).toHaveLength(1);
  });
});

describe("a crash or a lost answer", () => {
  const steps = [
    ["create", created],
    ["data", whole],
    ["start", started],
    ["stop", async () => (valueOf(await started()), stopJob(job(), deps()))],
  ] as const;

  it.each(steps)("at the step %s is made good by the same request", async (_name, run) => {
    await run();
    const [{ op, ...expected }, once] = [job(), structuredClone(double.jobs)];
    for (let lost = 0; ; lost++) {
      double = createTrainingDouble();
      rows = createTrainingRows(createNodeSql());
      id = valueOf(rows.begin({ request: REQUEST, key: null, hash: "" }, now)).id;
      const seen = double.requests.length + lost;
      let lostOne = false;
      double.answerWith(() => {
        if (double.requests.length === seen + 1 && !lostOne) {
          lostOne = true;
          double.loseNext();
        }
        return null;
      });
      for (let tries = 0; tries < 3; tries++) await run().catch(() => null);
      expect({ ...job(), id: expected.id }).toEqual({ ...expected, op: job().op });
      expect(double.jobs.map((one) => ({ ...one, op: "" }))).toEqual(once.map((one) => ({ ...one, op: "" })));
      if (!lostOne) break;
    }
    expect(op).not.toBe("");
  });

  it("after the service answered and before the answer was stored leaves no second job", async () => {
    const dies = deps({ change: () => Promise.reject(new Error("killed")) });
    await expect(ensureCreated(job(), dies)).rejects.toThrow("killed");
    await created();
    expect([double.jobs.length, job().service]).toEqual([1, "job-1"]);
  });

  it("between upload and row sends a page that has changed meanwhile as its own part, and only the noted one is trained", async () => {
    await created();
    await expect(sendData(job(), deps({ change: () => Promise.reject(new Error("killed")) }))).rejects.toThrow();
    const changed = page(['{"conversations":[9]}'], null);
    await sendData(job(), deps({ readPage: async () => ({ ok: true, value: changed }) }));
    await startJob(job(), deps());
    expect(double.jobs[0]!.data.size).toBe(2);
    expect(double.jobs[0]!.started!.parts).toEqual([job().dataset.parts[0]!.sha256]);
  });
});

describe("the status", () => {
  it("is asked for at most every 30 minutes, whoever asks and whatever the service answers", async () => {
    await started();
    const asked = () => double.requests.filter((route) => route === "GET /v1/jobs/job-1").length;
    expect(nextStatusAt(job())).toBe(now + STATUS_EVERY_MS);
    later(STATUS_EVERY_MS - 1);
    double.jobs[0]!.state = "running";
    expect(valueOf(await readStatus(job(), deps())).state).toBe("starting");
    expect(asked()).toBe(0);
    later(1);
    await Promise.all(Array.from({ length: 5 }, () => readStatus(job(), deps())));
    expect([asked(), job().state]).toEqual([1, "running"]);
    later();
    double.answerWith(() => new Response(null, { status: 503, headers: { "retry-after": "1" } }));
    expect(codeOf(await readStatus(job(), deps()))).toBe("training_unreachable");
    expect(valueOf(await readStatus(job(), deps())).state).toBe("running");
    expect(asked()).toBe(2);
  });

  it("of a job that is new or has ended is not asked for", async () => {
    await created();
    expect(valueOf(await readStatus(job(), deps())).state).toBe("pending");
    await whole();
    await startJob(job(), deps());
    await reported("failed");
    later();
    expect(valueOf(await readStatus(job(), deps())).failure).toBe("The service gave no reason.");
    expect(double.requests.filter((route) => route.startsWith("GET"))).toHaveLength(1);
  });

  it("of a job that the service has lost ends it", async () => {
    await started();
    double.jobs.length = 0;
    later();
    expect(valueOf(await readStatus(job(), deps()))).toMatchObject({ state: "failed" });
  });
});

describe("the table of transitions", () => {
  /** Brings a new job into the state. */
  async function bring(state: TrainingState) {
    if (state === "pending") return created();
    await started();
    if (state === "stopping") {
      double.answerWith((route) => (route.endsWith("/stop") ? Response.json({ state: "running" }) : null));
      await stopJob(job(), deps());
      double.answerWith(null);
    } else if (state !== "starting") await reported(state);
    return job();
  }
  async function cause({ to, cause: by, when }: Transition) {
    if (by === "stop") {
      double.answerWith((route) => (route.endsWith("/stop") ? Response.json({ state: "stopping" }) : null));
      return stopJob(job(), deps());
    }
    if (by === "start") return started();
    if (when.includes("refused")) {
      double.jobs.length = 0;
      return sendData(job(), deps());
    }
    return reported(to);
  }

  it.each(TRANSITIONS.map((row) => [row.from ?? "nothing", row.to, row.cause, row] as const))(
    "from %s to %s by %s",
    async (from, to, _cause, row) => {
      if (row.from !== null && !(from === "pending" && to === "stopped")) {
        await bring(row.from);
        expect(job().state).toBe(from);
      }
      if (row.from !== null) await cause(row);
      expect(job()).toMatchObject({ state: to, contradiction: null });
    },
  );

  it("is that of docs/TRAINING.md", () => {
    const document = readFileSync(join(import.meta.dirname, "../../docs/TRAINING.md"), "utf8");
    const shown = TRANSITIONS.map(
      ({ from, to, cause: by, when }) => `| ${from ?? "–"} | ${to} | \`${by}\` | ${when} |`,
    );
    const [, table = ""] = document.split("| from | to | cause | when |\n|---|---|---|---|\n");
    expect(table.split("\n\n")[0]!.split("\n")).toEqual(shown);
  });

  const states = TrainingState.options;
  const allowed = (from: string, to: string) =>
    TRANSITIONS.some((row) => row.from === from && row.to === to && row.cause === "report");
  const lies = (["starting", "running", "stopping"] as const).flatMap((from) =>
    states.filter((to) => to !== from && !allowed(from, to)).map((to) => [from, to] as const),
  );

  it.each(lies)("keeps a job that is %s when the service says %s", async (from, to) => {
    await bring(from);
    const said = await reported(to);
    const isLate = from === "stopping" && to !== "failed";
    expect(said).toMatchObject({
      state: from,
      contradiction: isLate ? null : `The service said "${to}" of a job that is ${from}.`,
    });
  });

  it.each(["completed", "failed", "stopped"] as const)("leaves a job that is %s for nothing", async (state) => {
    await bring(state);
    const before = job();
    for (const to of states) rows.change(id, { do: "report", to: "ask", said: { state: to } }, now + 1);
    rows.change(id, { do: "stop" }, now + 1);
    rows.change(id, { do: "fail", why: "x" }, now + 1);
    expect(job()).toEqual(before);
    const unfinished = { ...before, dataset: { ...before.dataset, next: { in: "skills" } as const } };
    expect(codeOf(changeJob(unfinished, { do: "add_part", at: 2, part: null, next: null }, now))).toBe(
      "training_state",
    );
  });
});

describe("hostile answers", () => {
  const answers: [string, () => Response][] = [
    ["a huge one", () => new Response("[".repeat(1 << 20))],
    ["one that is no JSON", () => new Response("<html>")],
    ["an array", () => Response.json([])],
    ["an unknown state", () => Response.json({ id: "job-1", state: "resting" })],
    ["an id with a path", () => Response.json({ id: "../../v1/jobs/job-2", state: "pending" })],
    ["an id of 300 characters", () => Response.json({ id: "a".repeat(300), state: "pending" })],
    ["a new job that runs", () => Response.json({ id: "job-1", state: "running" })],
    [
      "a redirect",
      () => new Response(null, { status: 302, headers: { location: "https://elsewhere.example/v1/jobs" } }),
    ],
    [
      "a redirect into the network",
      () => new Response(null, { status: 307, headers: { location: "http://127.0.0.1/" } }),
    ],
    ["an empty one", () => new Response(null, { status: 204 })],
    ["a refusal without a form", () => new Response("no", { status: 422 })],
  ];

  it.each(answers)("are not believed: %s", async (_name, answer) => {
    double.answerWith(() => answer());
    expect(codeOf(await created())).toBe("training_garbled");
    expect(job()).toMatchObject({ state: "pending", service: null });
    expect(double.requests).toHaveLength(1);
  });

  it("about the token name the variable and not the token", async () => {
    double.answerWith(() => new Response(null, { status: 401 }));
    const refused = await created();
    expect(refused).toMatchObject({ failure: { code: "training_service_locked" } });
    expect(JSON.stringify(refused)).not.toContain(TRAINING_TOKEN);
  });

  it("that refuse a job end it, with their words on one short line", async () => {
    const message = `Too\nlarge: ${"x".repeat(1_000)}`;
    double.answerWith(() => Response.json({ code: "bad", message }, { status: 422 }));
    expect(codeOf(await created())).toBe("training_refused");
    expect(job().state).toBe("failed");
    expect(job().failure).toMatch(/^The training service refused: Too large: x+…$/);
  });

  it("about results that name another dataset or base model note no model", async () => {
    await started();
    await reported("completed");
    const fair = { baseModel: REQUEST.baseModel, dataset: double.jobs[0]!.started!.dataset, adapter: { id: "a" } };
    for (const forged of [{ dataset: "0".repeat(64) }, { baseModel: "other" }]) {
      double.answerWith(() => Response.json({ ...fair, ...forged }));
      expect(codeOf(await readResults(job(), deps()))).toBe("training_contradicted");
    }
    const forms = [{ adapter: { id: "javascript:alert(1) x" } }, { evaluation: { before: { a: "1" }, after: {} } }];
    for (const forged of forms) {
      double.answerWith(() => Response.json({ ...fair, ...forged }));
      expect(codeOf(await readResults(job(), deps()))).toBe("training_garbled");
    }
    expect(rows.models()).toEqual([]);
    double.answerWith(() => Response.json({ ...fair, adapter: null }));
    expect(valueOf(await readResults(job(), deps())).results).toEqual({ adapter: null, evaluation: null });
    expect(rows.models()).toEqual([]);
  });

  it("about a part that was not sent are not believed", async () => {
    await created();
    double.answerWith(() => Response.json({ sha256: "0".repeat(64) }));
    expect(codeOf(await sendData(job(), deps()))).toBe("training_garbled");
    expect(job().dataset.parts).toEqual([]);
  });
});

describe("locked fields", () => {
  it("are refused in every spelling that a service may read as the field", () => {
    const names = Object.keys(LOCKED_FIELDS);
    expect(findLocked(names)).toEqual(names);
    const spelt = [
      "lora_rank",
      "trainer.lora_rank",
      "tinker.lorarank",
      "env.learning_rate",
      "slurm.nodes",
      "env.testing",
      "tinker.lora.rank",
      "tinker.lora_rank.value",
      "tinker_lora_rank",
      "openai.weight.x",
      "openai_timeout",
    ];
    expect(findLocked([...spelt, "timeout"])).toEqual([...spelt, "timeout"]);
    expect(findLocked(["env.group_size", "reward.weight", "env.timeout", "env.lora"])).toEqual([]);
  });

  it("have the values of the reference, with the job's own base model", () => {
    expect(toLockedConfig("my/model")).toMatchObject({
      ...{ "env.tokenizer_name": "my/model", "openai.model_name": "my/model", "tinker.lora_rank": 32 },
      ...{ "env.total_steps": 2_500, "tinker.learning_rate": 4e-5, slurm: false },
    });
    const document = readFileSync(join(import.meta.dirname, "../../docs/TRAINING.md"), "utf8");
    for (const [name, value] of Object.entries(toLockedConfig("the base model"))) {
      expect(document).toContain(
        `| \`${name}\` | ${typeof value === "string" && value.includes(" ") ? value : `\`${value}\``} |`,
      );
    }
  });
});

describe("the operator's variables", () => {
  it("name a service with its token, or are refused without showing it", () => {
    const url = "https://training.example/api/";
    expect(parseTrainingEnv({})).toEqual({ ok: true, value: null });
    expect(parseTrainingEnv({ TALARIA_TRAINING_URL: url, TALARIA_TRAINING_TOKEN: TRAINING_TOKEN })).toEqual({
      ok: true,
      value: { baseUrl: "https://training.example/api", token: TRAINING_TOKEN },
    });
    for (const wrong of ["training.example", "ftp://a.b", "https://u:p@a.b", "https://a.b?x=1"]) {
      expect(codeOf(parseTrainingEnv({ TALARIA_TRAINING_URL: wrong }))).toBe("bad_training_url");
    }
    const short = parseTrainingEnv({ TALARIA_TRAINING_URL: url, TALARIA_TRAINING_TOKEN: "short" });
    expect(codeOf(short)).toBe("training_token_missing");
    expect(JSON.stringify(short)).not.toContain("short ");
  });
});
