// Sends invalid queries and bodies to every route of the contract. Each route must answer as the contract says.
import { beforeAll, describe, expect, it } from "vitest";
import type { McpServer } from "../../core/schemas/profile/mcp.ts";
import { OPERATOR, START_MS, type Answer, ask, createProfile, env } from "./api-calls.ts";

interface Operation {
  operationId: string;
  security?: Record<string, string[]>[];
  parameters?: { name: string; in: string; schema?: object }[];
  requestBody?: { required?: boolean; content: Record<string, object> };
}

const VALUES: Record<string, string> = {
  goal: "0".repeat(16),
  blueprint: "reminder",
  suggestion: "0".repeat(16),
  session: "01ARZ3NDEKTSV4RRFFQ69G5FAV",
  name: "reading-logs",
  rev: "1",
  n: "1",
  store: "user",
  memory: "0".repeat(64),
  review: "01ARZ3NDEKTSV4RRFFQ69G5FAV.1-9",
  run: "20260101T000000Z-abcd",
  approval: "0".repeat(20),
  pending: "0".repeat(20),
  hook: "hook_000000000000",
  webhook: "events",
  board: "main",
  role: "writer",
  job: "brief",
  card: `c${"0".repeat(12)}`,
  parent: `c${"1".repeat(12)}`,
  attachment: "notes.md",
  platform: "telegram",
  pairing: "0".repeat(16),
  person: "7",
  chat: "0".repeat(32),
  id: "key_000000000000",
  path: "a.txt",
  artifact: "SKILL.md",
  image: "0".repeat(64),
  server: "every",
  export: `exp_${"0".repeat(26)}`,
  part: "0".repeat(64),
  model: "talaria",
  training: "trn_000000000000",
  ...{ experiment: "01ARZ3NDEKTSV4RRFFQ69G5FAX", replay: "01ARZ3NDEKTSV4RRFFQ69G5FAY" },
};

/** Routes of other APIs: their clients send fields that we do not know, and read errors of their own form. */
const COMPATIBLE = /^\/v1\/(?:chat|responses|messages)(?:\/|$)/;

interface Route {
  method: string;
  path: string;
  key: string;
  operation: Operation;
}

let routes: Route[];

beforeAll(async () => {
  const { profile, key } = await createProfile();
  const { body } = await ask("GET", "/openapi.json");
  const { paths } = body as { paths: Record<string, Record<string, Operation>> };
  const own = Object.entries(paths).filter(([path]) => !COMPATIBLE.test(path));
  routes = own.flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => {
      const values = { ...VALUES, profile, ...(path.startsWith("/v1/runs") && { run: VALUES.session! }) };
      const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => values[name as keyof typeof values]!);
      const { security = [] } = operation;
      const isOperators = security.length > 0 && security.every((scheme) => Object.hasOwn(scheme, "operator"));
      return { method: method.toUpperCase(), path: filled, key: isOperators ? OPERATOR : key, operation };
    }),
  );
}, START_MS);

const codeOf = (answer: Answer) => (answer.body as { code?: string } | null)?.code;

describe("every route of the contract", () => {
  it("refuses an unknown query field and names it", async () => {
    expect(routes.length).toBeGreaterThan(50);
    for (const { method, path, key } of [...routes, { method: "GET", path: "/openapi.json", key: OPERATOR }]) {
      const answer = await ask(method, `${path}?surprise=1`, { key });
      const { code, detail } = answer.body as { code: string; detail: string };
      expect({ method, path, status: answer.status, code }).toEqual({
        method,
        path,
        status: 400,
        code: "query_invalid",
      });
      expect(detail).toContain("surprise");
    }
  });

  it("has a distinct code for a missing body, an empty one, a wrong content type, invalid JSON and an unknown field", async () => {
    const json = { "content-type": "application/json" };
    const withBody = routes.filter(({ operation }) => operation.requestBody);
    expect(withBody.length).toBeGreaterThan(10);
    for (const { method, path, key, operation } of withBody) {
      const { required = false, content } = operation.requestBody!;
      const send = async (asked: object) => codeOf(await ask(method, path, { key, ...asked }));
      const at = { method, path };
      if (required) {
        expect({ ...at, code: await send({}) }).toEqual({ ...at, code: "body_missing" });
        expect({ ...at, code: await send({ body: "", headers: json }) }).toEqual({ ...at, code: "body_missing" });
      } else {
        for (const asked of [{}, { body: "" }, { body: "", headers: json }]) {
          expect(["body_missing", "json_malformed", "body_invalid"]).not.toContain(await send(asked));
        }
      }
      if (Object.keys(content).join() !== "application/json") continue;
      const text = { body: "a", headers: { "content-type": "text/plain" } };
      expect({ ...at, code: await send(text) }).toEqual({ ...at, code: "content_type_unsupported" });
      expect({ ...at, code: await send({ body: "{", headers: json }) }).toEqual({ ...at, code: "json_malformed" });
      // A body that is one of several forms is told apart by its first field.
      const form = operation.operationId === "changeGoal" ? { do: "pause" } : {};
      const unknown = await ask(method, path, { key, body: { ...form, surprise: 1 } });
      expect({ ...at, status: unknown.status }).toEqual({ ...at, status: 400 });
      expect(JSON.stringify(unknown.body)).toContain("surprise");
    }
  });

  it("accepts only a valid `limit` and a valid cursor where it lists", async () => {
    const limited = routes.filter(({ operation }) => operation.parameters?.some(({ name }) => name === "limit"));
    // A search has no pages.
    const lists = limited.filter(({ operation }) => !operation.operationId.startsWith("search"));
    expect(lists.map(({ operation }) => operation.operationId).sort()).toEqual([
      "listAllowances",
      "listApprovals",
      "listAudit",
      "listBoardEvents",
      "listBoards",
      "listCardRuns",
      "listCards",
      "listChannelDeliveries",
      "listChannelPeople",
      "listChats",
      "listCheckpoints",
      "listChildren",
      "listComments",
      "listCurationRuns",
      "listDeliveries",
      "listEntries",
      "listExperiments",
      "listFiles",
      "listGoals",
      "listHooks",
      "listHubSkills",
      "listJobRuns",
      "listJobs",
      "listJourney",
      "listKeys",
      "listMcpServers",
      "listMemory",
      "listModels",
      "listPending",
      "listPersonalities",
      "listPolicies",
      "listReviews",
      "listRoles",
      "listRunEntries",
      "listRuns",
      "listSessions",
      "listSignIns",
      "listSkillRevisions",
      "listSkills",
      "listTaps",
      "listTools",
      "listTrainedModels",
      "listTrainingJobs",
      "listWebhookDeliveries",
      "listWebhooks",
      "readApprovalPolicy",
      "readLearning",
      "readUsage",
    ]);
    for (const { path, key, operation } of lists) {
      expect(operation.parameters!.map(({ name }) => name)).toContain("after");
      for (const limit of ["0", "-1", "1.5", "x", "", "9999999"]) {
        const answer = await ask("GET", `${path}?limit=${limit}`, { key });
        expect({ path, limit, status: answer.status, code: codeOf(answer) }).toEqual({
          ...{ path, limit, status: 400, code: "query_invalid" },
        });
      }
    }
  });
});

describe("a list", () => {
  it("continues exactly where the previous page ended", async () => {
    const { profile, key } = await createProfile();
    for (let n = 0; n < 5; n++) await ask("POST", "/v1/sessions", { key });
    for (let n = 0; n < 5; n++)
      await ask("POST", "/v1/memory", { key, body: { store: "user", content: `Fact ${n}.` } });
    const account = env.ACCOUNT.getByName(profile);
    for (let n = 0; n < 5; n++) {
      await account.allow({ id: `${n}`.repeat(20), kind: "exact", key: `rm ${n}`, at: 1_000 - n });
      const policy = { hook: "pre_tool_call", tool: "terminal", decision: "ask" };
      const server = { v: 1, kind: "remote", shown: "https://example.com", target: "0", sealed: "", secretNames: [] };
      await ask("PUT", `/v1/policies/p${n}`, { key, body: policy });
      await ask("POST", "/v1/keys", { key, body: {} });
      await ask("POST", "/v1/hooks", { key, body: { url: `https://example.com/${n}`, events: ["turn.ended"] } });
      await ask("POST", "/v1/webhooks", { key, body: { name: `events-${n}`, scheme: "github" } });
      await ask("PUT", `/v1/boards/b${n}`, { key });
      await ask("PUT", `/v1/roles/r${n}`, { key, body: {} });
      await ask("POST", "/v1/jobs", { key, body: { name: `j${n}`, schedule: "every 1d", prompt: "Say hi." } });
      await ask("PUT", `/v1/hub/taps/t${n}`, { key, body: { source: `team/skills-${n}` } });
      await account.putSetting("mcp", `s${n}`, server as unknown as McpServer);
    }
    const { session } = (await ask("POST", "/v1/sessions", { key })).body as { session: string };
    for (const [path, field, atLeast] of [
      ["/v1/sessions", "sessions", 6],
      ["/v1/memory", "entries", 5],
      ["/v1/skills", "skills", 2],
      ["/v1/approvals", "allowances", 5],
      [`/v1/sessions/${session}/allowances`, "allowances", 5],
      ["/v1/policies", "policies", 5],
      ["/v1/keys", "keys", 6],
      ["/v1/hooks", "hooks", 5],
      ["/v1/webhooks", "webhooks", 5],
      ["/v1/boards", "boards", 5],
      ["/v1/roles", "roles", 5],
      ["/v1/jobs", "jobs", 5],
      ["/v1/mcp/servers", "servers", 5],
      ["/v1/hub/taps", "taps", 5],
      ["/v1/personalities", "personalities", 2],
      ["/v1/tools", "tools", 5],
      ["/v1/models", "data", 2],
      ["/v1/audit", "entries", 5],
      ["/v1/learning/journey", "events", 5],
    ] as const) {
      const whole = ((await ask("GET", path, { key })).body as Record<string, unknown[]>)[field]!;
      expect({ path, items: whole.length >= atLeast }).toEqual({ path, items: true });
      const paged: unknown[] = [];
      for (let after: string | undefined = ""; after !== undefined;) {
        const query: string = after === "" ? "limit=1" : `limit=1&after=${encodeURIComponent(after)}`;
        const body = (await ask("GET", `${path}?${query}`, { key })).body as { next?: string } & Record<
          string,
          unknown[]
        >;
        expect(body[field]!.length).toBeLessThanOrEqual(1);
        paged.push(...body[field]!);
        after = body.next;
      }
      expect(paged).toEqual(whole);
    }
  });
});
