// GET /v1/audit: what is noted of which requests, and what is not.
import { beforeAll, describe, expect, it } from "vitest";
import type { AuditEntry } from "../../../core/schemas/keys/audit.ts";
import { AUDITED_ROUTES } from "../../../workers/api/auth/audited-routes.ts";
import { OPERATOR, START_MS, ask, createProfile, createSession, expectProblem, fetchApi } from "../api-calls.ts";

let profile = "";
let key = "";
beforeAll(async () => void ({ profile, key } = await createProfile()), START_MS);

const list = async (query = "", as = key) =>
  (await ask("GET", `/v1/audit${query}`, { key: as })).body as { entries: AuditEntry[]; next?: string };

const SKILL =
  "---\nname: tides\ndescription: Use when asked for the tide table of a harbour.\n---\n\n# Tides\n\nRead the table.\n";

describe("the audit log of a profile", () => {
  it("names what its keys and the operator changed, newest first, and nothing of the content", async () => {
    const session = await createSession(key);
    const made = (await ask("POST", "/v1/keys", { key: OPERATOR, body: { profile, label: "secret label" } })).body as {
      id: string;
      key: string;
    };
    const as = { key: made.key };
    await ask("PUT", "/v1/skills/tides", { ...as, body: { files: { "SKILL.md": SKILL } } });
    await ask("POST", "/v1/memory", { ...as, body: { store: "user", content: "Lives in Lisbon." } });
    await ask("PATCH", "/v1/settings", { ...as, body: { "turn.titles": false } });
    await ask("DELETE", `/v1/sessions/${session}`, as);
    await ask("DELETE", `/v1/keys/${made.id}`, { key });
    const { entries } = await list();
    expect(entries.map(({ by, act, target }) => [by, act, target])).toEqual([
      [expect.stringMatching(/^key_/), "key_revoke", made.id],
      [made.id, "session_delete", session],
      [made.id, "settings_change", "turn.titles"],
      [made.id, "memory_add", expect.stringMatching(/^\S+$/)],
      [made.id, "skill_put", "tides"],
      ["operator", "key_create", made.id],
      ["operator", "profile_create", profile],
    ]);
    const text = JSON.stringify(entries);
    for (const word of ["Lisbon", "secret label", made.key.slice(-52), "tide table"]) expect(text).not.toContain(word);
    const first = await list("?limit=3");
    expect(first.entries).toHaveLength(3);
    expect((await list(`?limit=200&after=${first.next}`)).entries).toEqual(entries.slice(3));
    expect((await list(`?key=${made.id}&act=skill_put`)).entries).toHaveLength(1);
  });

  it("notes no refusal, no reading and no daily work, and is the profile's own", async () => {
    const other = await createProfile();
    const session = await createSession(other.key);
    await ask("POST", `/v1/sessions/${session}/messages`, { key: other.key, body: { text: "hello" } });
    await ask("DELETE", "/v1/keys/key_000000000000", { key: other.key });
    await ask("PUT", "/v1/skills/tides", { key: other.key, body: { files: {} } });
    await ask("GET", "/v1/keys", { key: other.key });
    const { entries } = await list("", other.key);
    expect(entries.map(({ act }) => act)).toEqual(["profile_create"]);
  });

  it("notes facts that are written through MCP, and its answers stay out of caches, as all of a key do", async () => {
    const other = await createProfile();
    const tool = async (name: string, args: object) => {
      const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } };
      const headers = { accept: "application/json, text/event-stream" };
      return (await fetchApi("POST", "/mcp", { key: other.key, headers, body })).text();
    };
    const id = /[0-9a-f]{64}/.exec(await tool("add_memory", { store: "user", content: "Lives in Lisbon." }))![0];
    await tool("forget_memory", { store: "user", id });
    expect((await list("", other.key)).entries.map(({ act, target }) => [act, target])).toEqual([
      ["memory_forget", `user/${id}`],
      ["memory_add", id],
      ["profile_create", other.profile],
    ]);
    const session = await createSession(other.key);
    for (const path of ["/v1/audit", `/v1/sessions/${session}`, `/v1/sessions/${session}/files`, "/v1/nothing"]) {
      const answer = await ask("GET", path, { key: other.key });
      expect([path, answer.headers.get("cache-control")]).toEqual([path, "no-store"]);
    }
  });

  it("is for admins, and every row of its table is a route", async () => {
    const made = (await ask("POST", "/v1/keys", { key, body: { scopes: ["read", "write"] } })).body as { key: string };
    expectProblem(await ask("GET", "/v1/audit", { key: made.key }), 403, "scope_missing", "The key may not do this");
    expect((await ask("GET", "/v1/audit?act=DROP%20TABLE", { key })).body).toMatchObject({ code: "query_invalid" });
    const { paths } = (await ask("GET", "/openapi.json")).body as { paths: Record<string, Record<string, Route>> };
    const routes = Object.values(paths).flatMap((item) => Object.values(item));
    for (const [id, { isAdmin = false }] of Object.entries(AUDITED_ROUTES)) {
      const route = routes.find(({ operationId }) => operationId === id);
      expect([id, route !== undefined]).toEqual([id, true]);
      const needs = route!.security?.some((scheme) => scheme.operator || scheme.key?.includes("admin")) ?? false;
      expect([id, needs]).toEqual([id, isAdmin]);
    }
  });

  it("notes every route that changes something, except those that are listed here", async () => {
    const { paths } = (await ask("GET", "/openapi.json")).body as { paths: Record<string, Record<string, Route>> };
    const changing = Object.values(paths).flatMap((item) =>
      Object.entries(item).flatMap(([method, { operationId }]) => (method === "get" ? [] : operationId)),
    );
    expect(changing.toSorted()).toEqual([...Object.keys(AUDITED_ROUTES), ...NOT_AUDITED].toSorted());
  });
});

const NOT_AUDITED = [
  // Daily work.
  ...["createSession", "changeSession", "branchSession", "postMessage", "stopSession", "rateTurn"],
  "importTranscript",
  ...["createRun", "stopRun", "steerRun", "createChatCompletion", "createMessage", "createResponse", "deleteResponse"],
  ...["putFile", "deleteFile", "replaceWorkspace", "addToWorkspace", "restoreCheckpoint", "deleteCheckpoints"],
  ...["runCurator", "previewSkillImport", "inspectHub", "checkHub", "auditHub"],
  ...[
    "createCard",
    "changeCard",
    "deleteCard",
    "addComment",
    "attachToCard",
    "detachFromCard",
    "linkCard",
    "unlinkCard",
  ],
  ...["assignCard", "moveCard", "promoteCard", "startCard", "heartbeatCard", "blockCard", "unblockCard", "reclaimCard"],
  ...["completeCard", "requestCardReview", "requestCardChanges", "cancelCard", "archiveCard"],
  ...["specifyCard", "decomposeCard", "fetchToCard"],
  ...["createGoal", "changeGoal", "putSessionGoal", "clearSessionGoal", "runJob"],
  // Nothing is changed.
  ...["countMessageTokens", "runDoctor", "testModel", "testChannel", "testHook", "testMcpServer"],
  // A step of an import, which is noted when it begins and is committed.
  "putImportPart",
  // The log is deleted too.
  "deleteProfile",
];

interface Route {
  operationId: string;
  security?: Record<string, string[]>[];
}
