// The routes of roles and of the list of boards, and the plans of cards, over the real bindings.
import type { CardDetail } from "../../../core/schemas/board/card-api.ts";
import type { Card } from "../../../core/schemas/board/card.ts";
import { beforeAll, describe, expect, it } from "vitest";
import { OPERATOR, START_MS, ask, createProfile, env, expectProblem } from "../api-calls.ts";

let profile: string;
let key: string;
beforeAll(async () => void ({ profile, key } = await createProfile()), START_MS);

describe("a role", () => {
  it("is stored, listed, replaced and deleted", async () => {
    const role = { description: "Writes.", personality: "concise", skills: ["reading-logs"], maxTokens: 5_000 };
    const stored = { ...role, name: "writer" };
    expect(await ask("PUT", "/v1/roles/writer", { key, body: role })).toMatchObject({ status: 200, body: stored });
    expect((await ask("GET", "/v1/roles", { key })).body).toEqual({ roles: [stored] });
    await ask("PUT", "/v1/roles/writer", { key, body: { tools: { disabled: ["web"] } } });
    const replaced = { name: "writer", description: "", skills: [], tools: { disabled: ["web"] } };
    expect((await ask("GET", "/v1/roles/writer", { key })).body).toEqual(replaced);
    expect((await ask("DELETE", "/v1/roles/writer", { key })).status).toBe(204);
    expectProblem(await ask("GET", "/v1/roles/writer", { key }), 404, "role_not_found", "No such role");
    expectProblem(await ask("DELETE", "/v1/roles/writer", { key }), 404, "role_not_found", "No such role");
  });
  it("names only what there is", async () => {
    for (const [body, status, code] of [
      [{ personality: "nobody" }, 422, "unknown_personality"],
      [{ model: "nobody:none" }, 422, "unknown_model"],
      [{ tools: { disabled: ["no_such_tool"] } }, 400, "tool_unknown"],
      [{ budget: 3 }, 400, "field_unknown"],
    ] as const) {
      const answer = await ask("PUT", "/v1/roles/wrong", { key, body });
      expect([answer.status, (answer.body as { code: string }).code]).toEqual([status, code]);
    }
    expect((await ask("GET", "/v1/roles", { key })).body).toEqual({ roles: [] });
  });
  it("may have a personality of the profile's own", async () => {
    await ask("PUT", "/v1/personalities/own", { key, body: { text: "Speak plainly." } });
    expect((await ask("PUT", "/v1/roles/own", { key, body: { personality: "own" } })).status).toBe(200);
  });
});

describe("a board", () => {
  it("is made once, listed, and erased with an admin key", async () => {
    const made = await ask("PUT", "/v1/boards/main", { key });
    expect(made).toMatchObject({ status: 200, body: { name: "main", createdAt: expect.any(Number) } });
    expect((await ask("PUT", "/v1/boards/main", { key })).body).toEqual(made.body);
    expect((await ask("GET", "/v1/boards", { key })).body).toEqual({ boards: [made.body] });
    const { body: weak } = await ask("POST", "/v1/keys", { key, body: { scopes: ["read", "write"] } });
    const answer = await ask("DELETE", "/v1/boards/main", { key: (weak as { key: string }).key });
    expectProblem(answer, 403, "scope_missing", "The key may not do this");
    expect((await ask("DELETE", "/v1/boards/main", { key })).status).toBe(204);
    expect((await ask("GET", "/v1/boards", { key })).body).toEqual({ boards: [] });
    const { body: absent } = await ask("GET", "/v1/boards/absent/cards", { key });
    expect(absent).toMatchObject({ code: "board_not_found", detail: expect.stringContaining("PUT /v1/boards/absent") });
    const blank = [
      ["/v1/boards/main/cards", { title: " " }, "`title`: it is empty"],
      ["/v1/boards/main/cards", { title: "a\nb" }, "`title`: it is one line"],
      ["/v1/boards/main/cards/c000000000000/comments", { text: " " }, "`text`: it is empty"],
      ["/v1/boards/main/cards/c000000000000/assign", { assignee: "Ada" }, '{"role": NAME}'],
      ["/v1/jobs", { name: "n", schedule: "hourly", prompt: " " }, "`prompt`: it is empty"],
    ] as const;
    for (const [path, body, words] of blank) {
      const { body: refused } = await ask("POST", path, { key, body });
      expect(refused, path).toMatchObject({ code: "body_invalid", detail: expect.stringContaining(words) });
    }
    expectProblem(await ask("DELETE", "/v1/boards/main", { key }), 404, "board_not_found", "No such board");
  });
  it("takes a key of a request for that request alone", async () => {
    const { key: other } = await createProfile();
    const post = (path: string, body: object) =>
      ask("POST", `/v1/boards/main/cards${path}`, { key: other, body, headers: { "idempotency-key": "k" } });
    const { body: card } = await post("", { title: "one", triage: true });
    expect((await post("", { title: "one", triage: true })).body).toEqual(card);
    expectProblem(
      await post("", { title: "two" }),
      409,
      "op_reused",
      "Idempotency key already used for something else",
    );
    expect((await post(`/${(card as Card).id}/cancel`, { reason: "no" })).body).toMatchObject({ code: "op_reused" });
  });
  it("has at most twenty beside it", async () => {
    const { key: other } = await createProfile();
    for (let n = 0; n < 20; n++) expect((await ask("PUT", `/v1/boards/b${n}`, { key: other })).status).toBe(200);
    expectProblem(await ask("PUT", "/v1/boards/more", { key: other }), 409, "too_many_boards", "Too many boards");
    expect((await ask("PUT", "/v1/boards/b3", { key: other })).status).toBe(200);
  });
  it("goes with its profile", async () => {
    await ask("PUT", "/v1/boards/last", { key });
    const deleted = await ask("DELETE", `/v1/profiles/${profile}?confirm=${profile}`, { key: OPERATOR });
    expect(deleted.status).toBe(204);
    expect(await env.AGENDA.getByName(profile).listBoards()).toEqual([]);
    expect(await env.AGENDA.getByName(profile).addBoard("late" as never)).toMatchObject({
      failure: { code: "profile_gone" },
    });
  });
});

describe("a plan, by the model of rehearsal", () => {
  it("specifies a rough card and divides another, whose parts come before it, and books the calls", async () => {
    const { key } = await createProfile();
    const post = (path: string, body: object = {}) => ask("POST", `/v1/boards/main/cards${path}`, { key, body });
    const assignee = { person: "ann" }; // nobody is dispatched
    const rough = (await post("", { title: "csv pls", body: "the boss wants it", triage: true, assignee }))
      .body as Card;
    expect(await post(`/${rough.id}/specify`)).toMatchObject({
      status: 200,
      body: {
        status: "ready",
        title: "csv pls",
        asked: { title: "csv pls", body: "the boss wants it", isOwners: true },
      },
    });
    expect(await post(`/${rough.id}/specify`)).toMatchObject({ status: 409, body: { code: "bad_transition" } });
    const large = (await post("", { title: "a shop", triage: true, assignee })).body as Card;
    expect(await post(`/${large.id}/decompose`)).toMatchObject({ status: 200, body: { status: "todo", divided: 2 } });
    expect(await post(`/${large.id}/decompose`)).toMatchObject({ status: 200, body: { status: "todo", divided: 2 } });
    const { parents } = (await ask("GET", `/v1/boards/main/cards/${large.id}`, { key })).body as CardDetail;
    expect(parents.map(({ title, status }) => [title, status]).toSorted()).toEqual([
      ["Check the work: a shop", "todo"],
      ["Do the work: a shop", "ready"],
    ]);
    const { lines } = (await ask("GET", "/v1/usage?by=kind", { key })).body as {
      lines: { key: string; calls: number }[];
    };
    expect(lines.find((line) => line.key === "plan")).toMatchObject({ calls: 2 });
  });
});
