// POST /v1/models/{model}/test over HTTP.
import { beforeAll, describe, expect, it } from "vitest";
import { START_MS, ask, createProfile } from "../api-calls.ts";

let owner: { profile: string; key: string };
beforeAll(async () => void (owner = await createProfile()), START_MS);

const test = (model: string, key = owner.key) => ask("POST", `/v1/models/${model}/test`, { key });

describe("the test of a model", () => {
  it("says that rehearsal is a stand-in, and is refused while another one rests", async () => {
    expect(await test("rehearsal")).toMatchObject({
      status: 200,
      body: { lines: [{ check: "models", state: "warn" }], spent: { modelCalls: 0, tokens: 0, usd: 0 } },
    });
    expect(await test("rehearsal")).toMatchObject({ status: 429, body: { code: "doctor_busy" } });
  });

  it("knows no model that no kind of work has", async () => {
    expect(await test("openai%3Agpt-0")).toMatchObject({ status: 404, body: { code: "model_not_found" } });
  });

  it("takes an admin key, since no budget counts its calls", async () => {
    const made = await ask("POST", "/v1/keys", { key: owner.key, body: { scopes: ["read", "write"] } });
    const { key } = made.body as { key: string };
    expect(await test("rehearsal", key)).toMatchObject({ status: 403, body: { code: "scope_missing" } });
  });
});
