// Each kind of invalid request has its own problem code.
import { beforeAll, describe, expect, it } from "vitest";
import { FIXED } from "../../core/limits.ts";
import worker from "../../workers/api/index.ts";
import { START_MS, type Answer, ask, createProfile, createSession, env, expectProblem, fetchApi } from "./api-calls.ts";

const ABSENT = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
let key: string;
let session: string;

beforeAll(async () => {
  ({ key } = await createProfile());
  session = await createSession(key);
}, START_MS);

const json = { "content-type": "application/json" };

describe("a body", () => {
  it("with invalid JSON is refused", async () => {
    for (const body of ["{", '{"text":']) {
      const answer = await ask("POST", "/v1/sessions", { key, body, headers: json });
      expectProblem(answer, 400, "json_malformed", "Malformed JSON");
    }
  });

  it("with a wrong content type is refused", async () => {
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/xml"]) {
      const answer = await ask("POST", "/v1/sessions", { key, body: "a=b", headers: { "content-type": type } });
      expectProblem(answer, 415, "content_type_unsupported", "Unsupported content type");
    }
  });

  it("with an unknown field is refused with the field's name", async () => {
    const answer = await ask("POST", "/v1/sessions", { key, body: { learnign: "off" } });
    const message = 'Unrecognized key: "learnign"';
    expectProblem(answer, 400, "field_unknown", "Unknown field", { errors: [{ in: "json", path: "", message }] });
  });

  it("behind an address that Cloudflare would not let through is refused", async () => {
    const answer = await ask("GET", `/v1/sessions?after=${"x".repeat(16_384)}`, { key });
    expectProblem(answer, 414, "url_too_long", "Address too long");
  });

  it("with wrong values is refused with the path of each", async () => {
    const answer = await ask("POST", "/v1/sessions", { key, body: { learning: "maybe", title: 5 } });
    expect(answer.body).toMatchObject({ status: 400, code: "body_invalid" });
    const { errors } = answer.body as { errors: { path: string }[] };
    expect(errors.map(({ path }) => path)).toEqual(["learning", "title"]);
    for (const body of [{}, { text: "" }, { text: 7 }, [], "null"]) {
      const refused = await ask("POST", `/v1/sessions/${session}/messages`, { key, body, headers: json });
      expect(refused.body).toMatchObject({ status: 400, code: "body_invalid" });
    }
  });

  it("over the limit is refused, with or without a declared length", async () => {
    const text = "x".repeat(FIXED.messageBytes);
    const declared = await ask("POST", `/v1/sessions/${session}/messages`, { key, body: { text } });
    expectProblem(declared, 413, "body_too_large", "Body too large");
    const piece = new TextEncoder().encode("x".repeat(1 << 16));
    let left = FIXED.messageBytes / (1 << 16) + 1;
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (left-- > 0) controller.enqueue(piece);
        else controller.close();
      },
    });
    const streamed = await ask("POST", `/v1/sessions/${session}/messages`, { key, body: stream, headers: json });
    expectProblem(streamed, 413, "body_too_large", "Body too large");
  });

  it("with a message that no provider would accept is refused before it enters the session's prompts", async () => {
    const post = (text: string) => ask("POST", `/v1/sessions/${session}/messages`, { key, body: { text } });
    expectProblem(await post(" \n\t"), 400, "body_invalid", "Invalid body");
    expectProblem(await post("half \ud83d of one"), 422, "bad_text", "Text that cannot be stored");
    expect((await ask("GET", `/v1/sessions/${session}/entries`, { key })).body).toEqual({ entries: [] });
  });

  it("for a file has the size limit of files", async () => {
    const maxFileBytes = 2_000_000;
    const settings = { ...env, TALARIA_SETTINGS: JSON.stringify({ turn: { maxFileBytes } }) };
    const put = async (bytes: number): Promise<Answer> => {
      const headers = { authorization: `Bearer ${key}` };
      const body = new Uint8Array(bytes);
      const url = `https://talaria.test/v1/sessions/${session}/files/a.bin`;
      const response = await worker.fetch(new Request(url, { method: "PUT", headers, body }), settings);
      return { status: response.status, headers: response.headers, body: await response.json() };
    };
    expectProblem(await put(maxFileBytes + 1), 413, "file_too_large", "File too large");
    expect(await put(maxFileBytes)).toMatchObject({ status: 201, body: { path: "a.bin", size: maxFileBytes } });
  });
});

describe("a parameter", () => {
  it.each([
    ["GET", "/v1/sessions/nope", "bad_session_id"],
    ["GET", `/v1/sessions/${ABSENT.toLowerCase()}`, "bad_session_id"],
    ["GET", "/v1/reviews?session=nope", "bad_session_id"],
    ["GET", "/v1/reviews?limit=0", "query_invalid"],
    ["GET", "/v1/reviews?limit=1000", "query_invalid"],
    ["GET", "/v1/reviews?limit=10&limit=10", "query_invalid"],
    ["GET", "/v1/reviews/nope", "bad_review_id"],
    ["GET", "/v1/learning/journey?about=nothing", "query_invalid"],
    ["GET", "/v1/learning/journey?limit=51", "query_invalid"],
    ["GET", "/v1/learning/graph?skills=201", "query_invalid"],
    ["GET", `/v1/reviews/${ABSENT}.${"1".repeat(2_000)}-9`, "bad_review_id"],
    ["GET", `/v1/reviews/${ABSENT}.1-9%2Fjob`, "bad_review_id"],
    ["GET", "/v1/skills/Bad%20Name", "bad_skill_name"],
    ["GET", "/v1/skills/a--b", "bad_skill_name"],
    ["GET", `/v1/skills/${"a".repeat(65)}`, "bad_skill_name"],
    ["GET", "/v1/skills/..%2Fother", "bad_skill_name"],
    ["GET", "/v1/skills/x/revisions/0", "bad_revision"],
    ["GET", "/v1/skills/x/revisions/one", "bad_revision"],
    ["GET", "/v1/memory?store=secrets", "bad_memory_store"],
    ["DELETE", `/v1/memory/secrets/${"0".repeat(64)}`, "bad_memory_store"],
    ["DELETE", "/v1/memory/user/nope", "bad_memory_id"],
    ["POST", "/v1/memory/user/nope/purge", "bad_memory_id"],
    ["GET", "/v1/curator/runs/yesterday", "bad_run_id"],
    ["POST", "/v1/curator/run?dryRun=perhaps", "query_invalid"],
    ["POST", "/v1/curator/run?dryrun=1", "query_invalid"],
    ["POST", "/v1/curator/run?consolidate=perhaps", "query_invalid"],
    ["POST", "/v1/curator/runs/yesterday/rollback", "bad_run_id"],
    ["DELETE", "/v1/keys/nope", "bad_key_id"],
    ["GET", "/v1/training/jobs/nope", "bad_training_job"],
    ["GET", "/v1/experiments/nope", "bad_experiment_id"],
    ["GET", `/v1/experiments/${ABSENT.toLowerCase()}`, "bad_experiment_id"],
    ["POST", "/v1/experiments/..%2Fother/stop", "bad_experiment_id"],
    ["GET", `/v1/experiments/${ABSENT}/runs/nope`, "bad_replay_id"],
    ["GET", "/v1/experiments?skill=a--b", "bad_skill_name"],
    ["POST", "/v1/skills/a--b/replay", "bad_skill_name"],
  ])("with an invalid value has its own code: %s %s answers %s", async (method, path, code) => {
    const answer = await ask(method, path, { key });
    expect(answer.body).toMatchObject({ status: 400, code, type: `urn:talaria:problem:${code}` });
    expect(answer.status).toBe(400);
  });

  it("in a header has its own code too", async () => {
    const path = `/v1/sessions/${session}`;
    const post = (value: string) =>
      ask("POST", `${path}/messages`, { key, body: { text: "hi" }, headers: { "idempotency-key": value } });
    for (const value of ["k".repeat(256), "with space"]) {
      expect((await post(value)).body).toMatchObject({ status: 400, code: "bad_idempotency_key" });
    }
    const events = await ask("GET", `${path}/events`, { key, headers: { "last-event-id": "7" } });
    expect(events.body).toMatchObject({ status: 400, code: "bad_event_id" });
    expect((await ask("GET", `${path}/events?after=x`, { key })).body).toMatchObject({ code: "query_invalid" });
    expect((await ask("GET", `${path}/entries?after=-1`, { key })).body).toMatchObject({ code: "query_invalid" });
  });
});

describe("a missing resource", () => {
  it.each([
    ["GET", `/v1/sessions/${ABSENT}`, "session_not_found", "No such session"],
    ["GET", `/v1/sessions/${ABSENT}/entries`, "session_not_found", "No such session"],
    ["GET", `/v1/sessions/${ABSENT}/events`, "session_not_found", "No such session"],
    ["GET", `/v1/sessions/${ABSENT}/files`, "session_not_found", "No such session"],
    ["GET", `/v1/sessions/${ABSENT}/files/a`, "session_not_found", "No such session"],
    ["DELETE", `/v1/sessions/${ABSENT}/files/a`, "session_not_found", "No such session"],
    ["GET", `/v1/sessions/${ABSENT}/images/${"0".repeat(64)}`, "session_not_found", "No such session"],
    ["POST", `/v1/sessions/${ABSENT}/stop`, "session_not_found", "No such session"],
    ["GET", "/v1/skills/absent", "skill_not_found", "No such skill"],
    ["GET", "/v1/skills/absent/revisions", "skill_not_found", "No such skill"],
    ["GET", "/v1/skills/absent/evidence", "skill_not_found", "No such skill"],
    ["GET", "/v1/skills/absent/revisions/1", "revision_not_found", "No such revision"],
    ["POST", "/v1/skills/absent/archive", "skill_not_found", "No such skill"],
    ["DELETE", `/v1/memory/user/${"0".repeat(64)}`, "memory_not_found", "No such memory entry"],
    ["POST", `/v1/memory/user/${"0".repeat(64)}/purge`, "memory_not_found", "No such memory entry"],
    ["GET", `/v1/reviews/${ABSENT}.1-9`, "review_not_found", "No such review"],
    ["GET", "/v1/curator/runs/20260101T000000Z-abcd", "run_pending", "No report yet"],
    ["POST", "/v1/curator/runs/20260101T000000Z-abcd/rollback", "run_pending", "No report yet"],
    ["POST", "/v1/skills/absent/adopt", "skill_not_found", "No such skill"],
    ["GET", "/v1/training/jobs/trn_000000000000", "training_job_not_found", "No such training job"],
    ["GET", `/v1/experiments/${ABSENT}`, "experiment_not_found", "No such experiment"],
    ["POST", `/v1/experiments/${ABSENT}/stop`, "experiment_not_found", "No such experiment"],
    ["GET", `/v1/experiments/${ABSENT}/runs/${ABSENT}`, "experiment_not_found", "No such experiment"],
  ])("answers its own 404: %s %s", async (method, path, code, title) => {
    expectProblem(await ask(method, path, { key }), 404, code, title);
  });

  it("answers 404 to a message for a missing session", async () => {
    const answer = await ask("POST", `/v1/sessions/${ABSENT}/messages`, { key, body: { text: "hi" } });
    expectProblem(answer, 404, "session_not_found", "No such session");
    const put = await ask("PUT", `/v1/sessions/${ABSENT}/files/a`, { key, body: "x" });
    expectProblem(put, 404, "session_not_found", "No such session");
  });

  it("includes another profile's session", async () => {
    const other = await createProfile();
    const answer = await ask("GET", `/v1/sessions/${session}`, { key: other.key });
    expectProblem(answer, 404, "session_not_found", "No such session");
    expect((await ask("GET", "/v1/sessions", { key: other.key })).body).toEqual({ sessions: [] });
  });
});

describe("an internal error", () => {
  it("answers with an id that the log contains, without a message or a stack", async () => {
    const logged: string[] = [];
    const real = console.error;
    console.error = (line: string) => void logged.push(line);
    try {
      const secret = "postgres://user:password@host";
      const SKILLS = {
        get() {
          throw new Error(secret);
        },
      } as unknown as R2Bucket;
      const headers = { authorization: `Bearer ${key}` };
      const response = await worker.fetch(new Request("https://talaria.test/v1/skills", { headers }), {
        ...env,
        SKILLS,
      });
      const body = (await response.json()) as { id: string };
      expectProblem({ status: 500, headers: response.headers, body }, 500, "internal", "Internal error", {
        id: body.id,
      });
      expect(JSON.stringify(body)).not.toMatch(/postgres|at .*\.ts|Error:/);
      expect(logged).toHaveLength(1);
      expect(JSON.parse(logged[0]!)).toMatchObject({ id: body.id, method: "GET", path: "/v1/skills" });
    } finally {
      console.error = real;
    }
  });

  it("of the platform that is transient asks the client to retry", async () => {
    const ACCOUNT = {
      getByName: () => ({ check: () => Promise.reject(Object.assign(new Error("reset"), { retryable: true })) }),
    } as unknown as typeof env.ACCOUNT;
    // The key must be new to this isolate: a cached key is not checked with the Account.
    const headers = { authorization: `Bearer tal_${"1".repeat(26)}_${"1".repeat(52)}` };
    const response = await worker.fetch(new Request("https://talaria.test/v1/keys", { headers }), { ...env, ACCOUNT });
    const answer = { status: response.status, headers: response.headers, body: await response.json() };
    expectProblem(answer, 503, "platform_busy", "Try again");
    expect(response.headers.get("retry-after")).toBe("5");
  });

  it("in the operator's settings is reported on every route", async () => {
    for (const path of ["/health", "/v1/sessions"]) {
      const headers = { authorization: `Bearer ${key}` };
      const request = new Request(`https://talaria.test${path}`, { headers });
      const response = await worker.fetch(request, { ...env, TALARIA_SETTINGS: '{"turn":{"maxStep":1}}' });
      const answer = { status: response.status, headers: response.headers, body: await response.json() };
      expectProblem(answer, 503, "bad_settings", "The configuration is wrong");
    }
  });
});

describe("the API's description", () => {
  it("is OpenAPI 3.1 and names every route once, with readable file paths", async () => {
    const response = await fetchApi("GET", "/openapi.json");
    const document = (await response.json()) as { openapi: string; paths: Record<string, Record<string, unknown>> };
    expect(document.openapi).toBe("3.1.0");
    const routes = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(routes.toSorted()).toEqual(
      [
        "GET /health",
        "POST /v1/profiles",
        "POST /v1/doctor",
        "POST /v1/keys",
        "GET /v1/keys",
        "DELETE /v1/keys/{id}",
        "PATCH /v1/keys/{id}",
        "POST /v1/keys/{id}/rotate",
        "GET /v1/audit",
        "GET /v1/profiles/{profile}/quota",
        "PUT /v1/profiles/{profile}/quota",
        "POST /v1/sessions",
        "POST /v1/sessions/transcript",
        "GET /v1/sessions",
        "GET /v1/sessions/{session}",
        "POST /v1/sessions/{session}/messages",
        "GET /v1/sessions/{session}/events",
        "GET /v1/sessions/{session}/entries",
        "POST /v1/sessions/{session}/stop",
        "GET /v1/sessions/{session}/turns/{n}",
        "POST /v1/sessions/{session}/turns/{n}/rating",
        "GET /v1/sessions/{session}/turns/{n}/observation",
        "GET /v1/sessions/{session}/files",
        "PUT /v1/sessions/{session}/files/{path}",
        "GET /v1/sessions/{session}/files/{path}",
        "DELETE /v1/sessions/{session}/files/{path}",
        "GET /v1/sessions/{session}/images/{image}",
        "DELETE /v1/approvals/{allowance}",
        "DELETE /v1/sessions/{session}/allowances/{allowance}",
        "DELETE /v1/sessions/{session}/checkpoints",
        "GET /v1/approvals",
        ...["GET /v1/hub/search", "POST /v1/hub/inspect", "POST /v1/hub/install", "GET /v1/hub/skills"],
        ...["POST /v1/hub/check", "POST /v1/hub/audit", "POST /v1/hub/skills/{name}/update"],
        ...["PUT /v1/hub/skills/{name}/pin", "DELETE /v1/hub/skills/{name}"],
        ...["GET /v1/hub/taps", "PUT /v1/hub/taps/{tap}", "DELETE /v1/hub/taps/{tap}"],
        ...["PUT /v1/hub/github-token", "DELETE /v1/hub/github-token", "POST /v1/hub/publish"],
        "GET /v1/mcp/servers",
        "PUT /v1/mcp/servers/{server}",
        "PATCH /v1/mcp/servers/{server}",
        "DELETE /v1/mcp/servers/{server}",
        "POST /v1/mcp/servers/{server}/test",
        "POST /v1/mcp/servers/{server}/authorize",
        "GET /v1/sessions/{session}/allowances",
        "GET /v1/sessions/{session}/checkpoints",
        "GET /v1/sessions/{session}/checkpoints/{checkpoint}",
        "GET /v1/sessions/{session}/workspace",
        "POST /v1/sessions/{session}/checkpoints/{checkpoint}/restore",
        "POST /v1/sessions/{session}/workspace",
        "PUT /v1/approvals",
        "PUT /v1/sessions/{session}/workspace",
        "GET /v1/sessions/{session}/approvals",
        "GET /v1/sessions/{session}/approvals/{approval}",
        "POST /v1/sessions/{session}/approvals/{approval}",
        "GET /v1/sessions/{session}/children",
        "GET /v1/sessions/{session}/prompt",
        "GET /v1/sessions/{session}/socket",
        "GET /v1/skills",
        "GET /v1/skills/{name}",
        "PUT /v1/skills/{name}",
        "DELETE /v1/skills/{name}",
        "DELETE /v1/sessions/{session}",
        "DELETE /v1/profiles/{profile}",
        "GET /v1/skills/{name}/evidence",
        ...["POST /v1/skills/{name}/replay", "POST /v1/skills/try", "GET /v1/experiments"],
        ...["GET /v1/experiments/{experiment}", "POST /v1/experiments/{experiment}/stop"],
        "GET /v1/experiments/{experiment}/runs/{replay}",
        "GET /v1/skills/{name}/revisions",
        "GET /v1/skills/{name}/revisions/{rev}",
        "GET /v1/skills/{name}/revisions/{rev}/diff",
        "POST /v1/skills/{name}/revisions/{rev}/undo",
        "POST /v1/skills/{name}/purge",
        "POST /v1/skills/{name}/pin",
        "POST /v1/skills/{name}/archive",
        "POST /v1/skills/{name}/adopt",
        "POST /v1/skills/{name}/restore",
        "POST /v1/skills/import",
        "POST /v1/skills/import/preview",
        "GET /v1/skills/{name}/export",
        "POST /v1/skills/{name}/publish",
        ...["", "/p/{profile}"].flatMap((place) => [
          `GET ${place}/.well-known/agent-skills/index.json`,
          `GET ${place}/.well-known/agent-skills/{name}/{artifact}`,
          `GET ${place}/.well-known/skills/index.json`,
          `GET ${place}/.well-known/skills/{name}/{path}`,
        ]),
        ...["GET /v1/training/jobs", "POST /v1/training/jobs", "GET /v1/training/jobs/{training}"],
        ...["data", "start", "stop", "results"].map((step) => `POST /v1/training/jobs/{training}/${step}`),
        "GET /v1/training/models",
        "GET /v1/memory",
        "POST /v1/memory",
        "PUT /v1/memory/{store}/{memory}",
        "DELETE /v1/memory/{store}/{memory}",
        "POST /v1/memory/{store}/{memory}/purge",
        "GET /v1/pending",
        "GET /v1/pending/{pending}",
        "POST /v1/pending/{pending}",
        "GET /v1/reviews",
        "GET /v1/reviews/{review}",
        ...["GET /v1/learning", "GET /v1/learning/journey", "GET /v1/learning/graph"],
        "GET /v1/search",
        "GET /v1/usage",
        ...["POST /v1/runs", "GET /v1/runs", "GET /v1/runs/{run}", "GET /v1/runs/{run}/events"],
        ...["POST /v1/runs/{run}/stop", "POST /v1/runs/{run}/steer", "POST /v1/runs/{run}/approve"],
        ...["POST /v1/responses", "GET /v1/responses/{response}", "DELETE /v1/responses/{response}"],
        ...["POST /v1/messages", "POST /v1/messages/count_tokens"],
        ...["GET /v1/trajectories", "GET /v1/trajectories/consent", "PUT /v1/trajectories/consent"],
        ...["POST /v1/export", "GET /v1/export/{export}/part", "POST /v1/export/{export}/manifest"],
        ...["POST /v1/import", "GET /v1/import", "DELETE /v1/import"],
        ...["PUT /v1/import/parts/{part}", "POST /v1/import/commit"],
        ...["GET /v1/library", "POST /v1/library/invitations", "DELETE /v1/library/invitations/{invitation}"],
        ...["PATCH /v1/library/followers/{profile}", "DELETE /v1/library/followers/{profile}"],
        ...["POST /v1/library/following", "PATCH /v1/library/following/{profile}"],
        ...["DELETE /v1/library/following/{profile}", "GET /v1/library/following/{profile}/skills"],
        "POST /v1/library/following/{profile}/install",
        ...["POST /v1/hooks", "GET /v1/hooks", "GET /v1/hooks/{hook}", "DELETE /v1/hooks/{hook}"],
        ...["GET /v1/channels", "GET /v1/channels/{platform}", "PUT /v1/channels/{platform}"],
        ...["PATCH /v1/channels/{platform}", "DELETE /v1/channels/{platform}", "POST /v1/channels/{platform}/test"],
        "GET /v1/deliveries",
        ...["GET /v1/channels/{platform}/pairings", "POST /v1/channels/{platform}/pairings"],
        ...["DELETE /v1/channels/{platform}/pairings/{pairing}", "GET /v1/channels/{platform}/people"],
        ...["PUT /v1/channels/{platform}/people/{person}", "DELETE /v1/channels/{platform}/people/{person}"],
        ...["GET /v1/channels/{platform}/chats", "PATCH /v1/channels/{platform}/chats/{chat}"],
        ...["GET /v1/boards", "PUT /v1/boards/{board}", "DELETE /v1/boards/{board}"],
        "GET /v1/boards/{board}/cards",
        "POST /v1/boards/{board}/cards",
        "GET /v1/boards/{board}/cards/{card}",
        "PATCH /v1/boards/{board}/cards/{card}",
        "DELETE /v1/boards/{board}/cards/{card}",
        "PUT /v1/boards/{board}/cards/{card}/parents/{parent}",
        "DELETE /v1/boards/{board}/cards/{card}/parents/{parent}",
        "GET /v1/boards/{board}/cards/{card}/comments",
        "POST /v1/boards/{board}/cards/{card}/comments",
        "GET /v1/boards/{board}/cards/{card}/runs",
        "GET /v1/boards/{board}/events",
        "GET /v1/boards/{board}/stats",
        "PUT /v1/boards/{board}/cards/{card}/attachments/{attachment}",
        "POST /v1/boards/{board}/cards/{card}/attachments/{attachment}/fetch",
        "GET /v1/boards/{board}/cards/{card}/attachments/{attachment}",
        "DELETE /v1/boards/{board}/cards/{card}/attachments/{attachment}",
        "POST /v1/boards/{board}/cards/{card}/assign",
        "POST /v1/boards/{board}/cards/{card}/move",
        "POST /v1/boards/{board}/cards/{card}/promote",
        "POST /v1/boards/{board}/cards/{card}/start",
        "POST /v1/boards/{board}/cards/{card}/complete",
        "POST /v1/boards/{board}/cards/{card}/block",
        "POST /v1/boards/{board}/cards/{card}/unblock",
        "POST /v1/boards/{board}/cards/{card}/request-review",
        "POST /v1/boards/{board}/cards/{card}/request-changes",
        "POST /v1/boards/{board}/cards/{card}/heartbeat",
        "POST /v1/boards/{board}/cards/{card}/reclaim",
        "POST /v1/boards/{board}/cards/{card}/cancel",
        "POST /v1/boards/{board}/cards/{card}/archive",
        "POST /v1/boards/{board}/cards/{card}/specify",
        "POST /v1/boards/{board}/cards/{card}/decompose",
        ...["GET /v1/roles", "GET /v1/roles/{role}", "PUT /v1/roles/{role}", "DELETE /v1/roles/{role}"],
        ...["POST /v1/jobs", "GET /v1/jobs", "GET /v1/jobs/{job}", "PATCH /v1/jobs/{job}", "DELETE /v1/jobs/{job}"],
        ...["POST /v1/jobs/{job}/pause", "POST /v1/jobs/{job}/resume", "POST /v1/jobs/{job}/run"],
        ...["GET /v1/jobs/{job}/runs", "GET /v1/schedule"],
        ...["GET /v1/blueprints", "GET /v1/blueprints/{blueprint}", "POST /v1/blueprints/{blueprint}"],
        ...["GET /v1/suggestions", "POST /v1/suggestions/{suggestion}/accept"],
        "POST /v1/suggestions/{suggestion}/dismiss",
        ...["GET /v1/goals", "POST /v1/goals", "GET /v1/goals/{goal}", "POST /v1/goals/{goal}"],
        ...["GET /v1/sessions/{session}/goal", "PUT /v1/sessions/{session}/goal", "DELETE /v1/sessions/{session}/goal"],
        ...["POST /v1/webhooks", "GET /v1/webhooks", "GET /v1/webhooks/{webhook}", "PATCH /v1/webhooks/{webhook}"],
        ...["DELETE /v1/webhooks/{webhook}", "POST /v1/webhooks/{webhook}/rotate"],
        "GET /v1/webhooks/{webhook}/deliveries",
        ...["POST /v1/hooks/{hook}/test", "POST /v1/hooks/{hook}/rotate", "GET /v1/hooks/{hook}/deliveries"],
        ...[
          "GET /v1/tools",
          "PUT /v1/tools",
          "GET /v1/policies",
          "PUT /v1/policies/{policy}",
          "DELETE /v1/policies/{policy}",
        ],
        ...["GET /v1/personalities", "PUT /v1/personalities/{personality}", "DELETE /v1/personalities/{personality}"],
        ...["GET /v1/skill-settings", "PUT /v1/skill-settings"],
        ...["GET /v1/settings", "PATCH /v1/settings"],
        ...[
          "POST /v1/sign-in",
          "POST /v1/sign-in-links",
          "GET /v1/sign-in",
          "DELETE /v1/sign-in",
          "GET /v1/sign-ins",
          "DELETE /v1/sign-ins/{signIn}",
        ],
        ...["POST /v1/chat/completions", "GET /v1/models", "GET /v1/models/{model}", "POST /v1/models/{model}/test"],
        ...["PATCH /v1/sessions/{session}", "POST /v1/sessions/{session}/branch"],
        "GET /v1/curator",
        "POST /v1/curator/run",
        "POST /v1/curator/pause",
        "POST /v1/curator/resume",
        "POST /v1/curator/runs/{run}/rollback",
        "GET /v1/curator/runs",
        "GET /v1/curator/runs/{run}",
      ].toSorted(),
    );
    const again = await (await fetchApi("GET", "/openapi.json")).json();
    expect(again).toEqual(document);
  });
});

it("a refused body is read to its end, with a timeout if it stalls", async () => {
  const send = async (body: BodyInit) => {
    const headers = { authorization: "Bearer nope" };
    const request = new Request("https://talaria.test/v1/skills/import", { method: "POST", headers, body });
    const response = await worker.fetch(request, env);
    return [response.status, request.bodyUsed];
  };
  expect(await send(new Uint8Array(1 << 20))).toEqual([401, true]);
  expect(await send(new ReadableStream({ pull: () => new Promise(() => {}) }))).toEqual([401, true]);
});
