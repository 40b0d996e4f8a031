// Sends invalid queries and bodies to every route of the contract. Each route must answer as the contract says.
import { beforeAll, describe, expect, it } from "vitest";
import { OPERATOR, START_MS, type Answer, ask, createProfile } from "./api-calls.ts";

interface Operation {
  operationId: string;
  security?: Record<string, string[]>[];
  parameters?: { name: string; in: string; schema?: object }[];
  requestBody?: { required?: boolean; content: Record<string, object> };
}

const VALUES: Record<string, string> = {
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
  id: "key_000000000000",
  path: "a.txt",
  artifact: "SKILL.md",
  image: "0".repeat(64),
  server: "every",
  export: `exp_${"0".repeat(26)}`,
  part: "0".repeat(64),
  model: "talaria",
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
      const unknown = await ask(method, path, { key, body: { surprise: 1 } });
      expect({ ...at, status: unknown.status }).toEqual({ ...at, status: 400 });
      expect(JSON.stringify(unknown.body)).toContain("surprise");
    }
  });

  it("accepts only a valid `limit` and a valid cursor where it lists", async () => {
    const limited = routes.filter(({ operation }) => operation.parameters?.some(({ name }) => name === "limit"));
    // A search has no pages, and all models are on one.
    const whole = new Set(["searchMessages", "listModels"]);
    const lists = limited.filter(({ operation }) => !whole.has(operation.operationId));
    expect(lists.map(({ operation }) => operation.operationId).sort()).toEqual([
      "listAllowances",
      "listApprovals",
      "listAudit",
      "listCheckpoints",
      "listChildren",
      "listCurationRuns",
      "listDeliveries",
      "listEntries",
      "listFiles",
      "listHooks",
      "listKeys",
      "listMcpServers",
      "listMemory",
      "listPending",
      "listPersonalities",
      "listPolicies",
      "listReviews",
      "listRuns",
      "listSessions",
      "listSignIns",
      "listSkillRevisions",
      "listSkills",
      "listTools",
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
    const { key } = await createProfile();
    for (let n = 0; n < 5; n++) await ask("POST", "/v1/sessions", { key });
    for (let n = 0; n < 5; n++)
      await ask("POST", "/v1/memory", { key, body: { store: "user", content: `Fact ${n}.` } });
    for (const [path, field] of [
      ["/v1/sessions", "sessions"],
      ["/v1/memory", "entries"],
      ["/v1/skills", "skills"],
    ] as const) {
      const whole = ((await ask("GET", path, { key })).body as Record<string, unknown[]>)[field]!;
      const paged: unknown[] = [];
      for (let after: string | undefined = ""; after !== undefined;) {
        const query: string = after === "" ? "limit=2" : `limit=2&after=${encodeURIComponent(after)}`;
        const body = (await ask("GET", `${path}?${query}`, { key })).body as { next?: string } & Record<
          string,
          unknown[]
        >;
        expect(body[field]!.length).toBeLessThanOrEqual(2);
        paged.push(...body[field]!);
        after = body.next;
      }
      expect(paged).toEqual(whole);
    }
  });
});
