// A training service as docs/TRAINING.md describes it, as one function from a request to a response. It trains nothing: a job moves on
// when the test says so. It can be told to lie, to lose an answer, or to say something else.
import { createOutbound } from "../../core/outbound/outbound.ts";
import { sha256Hex } from "../../core/schemas/learning/digest.ts";
import type { TrainingState } from "../../core/schemas/training.ts";

export const TRAINING_TOKEN = "token-of-the-training-service";
export const TRAINING_URL = "https://training.example/api";

export interface DoubleJob {
  id: string;
  op: string;
  body: { baseModel: string; format: string; config: object; locked: object };
  state: TrainingState;
  data: Map<string, string>;
  started: { parts: string[]; dataset: string } | null;
}

export function createTrainingDouble() {
  const jobs: DoubleJob[] = [];
  /** Method and path of each request that had the token. */
  const requests: string[] = [];
  let override: ((route: string) => Response | null) | null = null;
  let loses = false;

  async function answer(request: Request): Promise<Response> {
    const route = `${request.method} ${new URL(request.url).pathname.replace(/^\/api/, "")}`;
    if (request.headers.get("authorization") !== `Bearer ${TRAINING_TOKEN}`) {
      return problem(401, "unauthorized", "Wrong token.");
    }
    requests.push(route);
    const other = override?.(route) ?? null;
    if (other) return other;
    const reply = await carryOut(route, request);
    if (!loses) return reply;
    loses = false;
    throw new TypeError("the connection broke");
  }

  async function carryOut(route: string, request: Request): Promise<Response> {
    const op = request.headers.get("idempotency-key");
    if (route === "POST /v1/jobs") {
      const known = jobs.find((job) => job.op === op);
      if (known) return Response.json({ id: known.id, state: known.state });
      const body = await request.json<DoubleJob["body"]>();
      const job: DoubleJob = {
        id: `job-${jobs.length + 1}`,
        op: op!,
        body,
        state: "pending",
        data: new Map(),
        started: null,
      };
      jobs.push(job);
      return Response.json({ id: job.id, state: job.state }, { status: 201 });
    }
    const [, method, id, rest = ""] = /^(\w+) \/v1\/jobs\/([^/]+)(.*)$/.exec(route) ?? [];
    const job = jobs.find((one) => one.id === id);
    if (!job) return problem(404, "not_found", "No such job.");
    switch (`${method} ${rest.replace(/\/data\/.*/, "/data")}`) {
      case "PUT /data": {
        const lines = await request.text();
        const sha256 = sha256Hex(lines);
        if (sha256 !== op || rest !== `/data/${sha256}`) return problem(422, "bad_hash", "The hash is wrong.");
        job.data.set(sha256, lines);
        return Response.json({ sha256 });
      }
      case "POST /start": {
        const asked = await request.json<NonNullable<DoubleJob["started"]>>();
        if (!asked.parts.every((part) => job.data.has(part))) return problem(422, "missing", "A part is missing.");
        job.started ??= asked;
        if (job.state === "pending") job.state = "starting";
        return Response.json({ state: job.state });
      }
      case "POST /stop":
        if (job.state !== "completed" && job.state !== "failed") job.state = "stopped";
        return Response.json({ state: job.state });
      case "GET ":
        return Response.json({ state: job.state, progress: { step: 5, totalSteps: 2_500 } });
      case "GET /results":
        return Response.json({
          ...{ baseModel: job.body.baseModel, dataset: job.started?.dataset, adapter: { id: `adapter-of-${job.id}` } },
          evaluation: { before: { accuracy: 0.41 }, after: { accuracy: 0.57 } },
        });
      default:
        return problem(404, "not_found", "No such route.");
    }
  }

  return {
    jobs,
    requests,
    answer,
    /** The next answer is lost on its way, after its request was carried out. */
    loseNext: (): void => void (loses = true),
    /** Answers instead of the service; `null` lets it answer. */
    answerWith: (instead: ((route: string) => Response | null) | null): void => void (override = instead),
  };
}

export type TrainingDouble = ReturnType<typeof createTrainingDouble>;

/** The way out, whose only server is the double. */
export function toDouble({ answer }: TrainingDouble) {
  return createOutbound({
    fetch: (input, init) => answer(new Request(input, init)),
    clock: {
      now: Date.now,
      sleep: (_ms, signal) => new Promise((done) => signal?.addEventListener("abort", () => done())),
    },
    policy: { ports: [], allow: [], configured: [new URL(TRAINING_URL).origin] },
  });
}

function problem(status: number, code: string, message: string): Response {
  return Response.json({ code, message }, { status });
}
