// What `npm start` prints once it serves, and the link in it.
import { describe, expect, it } from "vitest";
import { type Greeting, makeSignInCode, writeGreeting } from "../../scripts/stack/greeting.ts";
import { answerJson, answerProblem, startFakeApi } from "../support/fake-api.ts";

const CODE = "tlink_p_s";
const GREETING: Greeting = {
  ...{ url: "http://127.0.0.1:8787", publicUrl: undefined, code: CODE, profile: "p", model: "rehearsal" },
  ...{ access: ".talaria/local.json", log: ".talaria/state/stack.log", folder: undefined },
};
const lines = (more: Partial<Greeting> = {}) => writeGreeting({ ...GREETING, ...more }).split("\n");

describe("the greeting of npm start", () => {
  it("says where it listens, then the page with a link that signs in once", () => {
    expect(lines().slice(0, 5)).toEqual([
      "Talaria is listening on http://127.0.0.1:8787",
      "Page: http://127.0.0.1:8787/ (sign in once with http://127.0.0.1:8787/#/sign-in/tlink_p_s)",
      "Model: rehearsal (no model key is set; see docs/CONFIGURATION.md)",
      "Profile: p (its key is in .talaria/local.json)",
      "Log: .talaria/state/stack.log",
    ]);
  });

  it("names the public address of the page, and the local one for commands", () => {
    const text = writeGreeting({ ...GREETING, publicUrl: "https://talaria.example:8443" });
    const link = "https://talaria.example:8443/#/sign-in/tlink_p_s";
    expect(text.split("\n")[1]).toBe(`Page: https://talaria.example:8443/ (sign in once with ${link})`);
    expect(text).toContain("curl -s http://127.0.0.1:8787/v1/sessions");
  });

  it("names the page without a link if the key cannot make one", () => {
    expect(lines({ code: null })[1]).toBe("Page: http://127.0.0.1:8787/ (sign in with the key)");
  });

  it("asks for the code with the key of the local profile", async () => {
    await using api = await startFakeApi([
      answerJson(201, { code: CODE, expiresAt: 1 }),
      answerProblem(403, "scope_missing"),
    ]);
    expect([await makeSignInCode(api.url, "tal_key"), await makeSignInCode(api.url, "tal_key")]).toEqual([CODE, null]);
    const [request] = api.requests;
    expect([request!.method, request!.path, request!.headers.authorization]).toEqual([
      ...["POST", "/v1/sign-in-links", "Bearer tal_key"],
    ]);
  });
});
