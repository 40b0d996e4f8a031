// Tools and policies over HTTP: what is listed, what is refused, and that a session obeys from its next message on.
import { beforeAll, expect, it } from "vitest";
import { type Answer, START_MS, ask as askApi, createProfile } from "../api-calls.ts";

interface ToolAnswer extends Answer {
  body: any;
}

const ask = askApi as (...asked: Parameters<typeof askApi>) => Promise<ToolAnswer>;

function expectProblem(answer: ToolAnswer, status: number, code: string): void {
  expect([answer.status, answer.body.code]).toEqual([status, code]);
}

beforeAll(async () => void (await createProfile()), START_MS);

it("lists tools with reasons, and switches some off for all sessions", async () => {
  const { key } = await createProfile();
  const before = await ask("GET", "/v1/tools", { key });
  expect(before.body.settings).toEqual({});
  const find = (answer: typeof before, name: string) =>
    answer.body.tools.find((tool: { name: string }) => tool.name === name);
  expect(find(before, "read_file")).toEqual({ name: "read_file", toolset: "files", available: true });
  expect(find(before, "process")).toMatchObject({ available: false, reason: expect.stringContaining("exec host") });
  const put = await ask("PUT", "/v1/tools", { key, body: { disabled: ["files"] } });
  expect(find(put, "read_file")).toMatchObject({ available: false, reason: expect.stringContaining("PUT /v1/tools") });

  const { body: created } = await ask("POST", "/v1/sessions", {
    key,
    body: { learning: "off", tools: { disabled: ["todo"] } },
  });
  const listed = await ask("GET", `/v1/tools?session=${created.session}`, { key });
  expect(find(listed, "todo")).toMatchObject({ available: false, reason: expect.stringContaining("this session") });
  const unknown = await ask("GET", "/v1/tools?session=01J00000000000000000000000", { key });
  expectProblem(unknown, 404, "session_not_found");
});

it("refuses a mistyped tool, and names the near one", async () => {
  const { key } = await createProfile();
  const answer = await ask("PUT", "/v1/tools", { key, body: { disabled: ["web_serch"] } });
  expectProblem(answer, 400, "tool_unknown");
  expect(answer.body.detail).toContain("`web_search`");
  expectProblem(await ask("POST", "/v1/sessions", { key, body: { tools: { only: ["nope"] } } }), 400, "tool_unknown");
  const { body: created } = await ask("POST", "/v1/sessions", { key });
  const patched = await ask("PATCH", `/v1/sessions/${created.session}`, {
    key,
    body: { tools: { disabled: ["tod"] } },
  });
  expectProblem(patched, 400, "tool_unknown");
  const others = ["mcp-later", "mem0_search", "honcho_ask"];
  expect((await ask("PUT", "/v1/tools", { key, body: { disabled: others } })).status).toBe(200);
});

it("keeps policies by id, for one profile only", async () => {
  const [own, other] = [await createProfile(), await createProfile()];
  const policy = { hook: "pre_tool_call", tool: "terminal", arguments: { command: "*rm*" }, decision: "deny" };
  expect(await ask("PUT", "/v1/policies/no-rm", { key: own.key, body: policy })).toMatchObject({
    status: 200,
    body: { id: "no-rm", policy },
  });
  expect((await ask("GET", "/v1/policies", { key: own.key })).body).toEqual({ policies: [{ id: "no-rm", policy }] });
  expect((await ask("GET", "/v1/policies", { key: other.key })).body).toEqual({ policies: [] });
  expectProblem(await ask("DELETE", "/v1/policies/no-rm", { key: other.key }), 404, "setting_not_found");
  expectProblem(await ask("PUT", "/v1/policies/No%20Rm", { key: own.key, body: policy }), 400, "bad_policy_id");
  const wrong = { ...policy, decision: "maybe" };
  expectProblem(await ask("PUT", "/v1/policies/x", { key: own.key, body: wrong }), 400, "body_invalid");
  expect((await ask("DELETE", "/v1/policies/no-rm", { key: own.key })).status).toBe(204);
  expectProblem(await ask("DELETE", "/v1/policies/no-rm", { key: own.key }), 404, "setting_not_found");
});
