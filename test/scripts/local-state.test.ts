// What `npm start` keeps: one token and one key over restarts, for this user's eyes only.
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { localAccess, operatorToken } from "../../scripts/local-state.ts";
import { type Handler, answerJson, startFakeApi } from "../support/fake-api.ts";
import { createTempFolders } from "../support/temp-folders.ts";

const tempFolder = createTempFolders();
const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);
const made = (n: number) => ({ profile: `${n}`.repeat(26), key: `tal_${n}` });
const known: Handler = answerJson(200, { sessions: [] });
const unknown: Handler = answerJson(401, { code: "key_unknown" });

describe("the operator's token of a state folder", () => {
  it("is made once and readable by this user only", () => {
    const folder = tempFolder();
    const token = operatorToken(folder);
    expect(token).toMatch(/^[0-9a-f]{64}$/);
    expect(operatorToken(folder)).toBe(token);
    expect(operatorToken(tempFolder())).not.toBe(token);
    expect(modeOf(join(folder, "operator-token"))).toBe("600");
  });
});

describe(".talaria/local.json", () => {
  it("holds a profile and its key from the first start, kept by later ones while the state knows the key", async () => {
    const file = join(tempFolder(), "new", "local.json");
    await using api = await startFakeApi([answerJson(201, made(1)), known, unknown, answerJson(201, made(2))]);
    const read = () => JSON.parse(readFileSync(file, "utf8")) as unknown;
    for (const expected of [made(1), made(1), made(2)]) {
      expect(await localAccess(file, api.url, "token")).toEqual({ url: api.url, ...expected });
      expect([read(), modeOf(file)]).toEqual([{ url: api.url, ...expected }, "600"]);
    }
    expect(api.requests.map(({ method, path, headers }) => [method, path, headers.authorization])).toEqual([
      ["POST", "/v1/profiles", "Bearer token"],
      ["GET", "/v1/sessions", "Bearer tal_1"],
      ["GET", "/v1/sessions", "Bearer tal_1"],
      ["POST", "/v1/profiles", "Bearer token"],
    ]);
  });

  it("follows the address of the start, and is never readable by others again", async () => {
    const file = join(tempFolder(), "local.json");
    writeFileSync(file, JSON.stringify({ url: "http://127.0.0.1:1", ...made(1) }), { mode: 0o644 });
    await using api = await startFakeApi([known]);
    expect(await localAccess(file, api.url, "token")).toEqual({ url: api.url, ...made(1) });
    expect([JSON.parse(readFileSync(file, "utf8")), modeOf(file)]).toEqual([{ url: api.url, ...made(1) }, "600"]);
  });

  it("is made anew when it is broken, and not at all when the API refuses", async () => {
    const file = join(tempFolder(), "local.json");
    writeFileSync(file, "{");
    await using api = await startFakeApi([answerJson(201, made(1)), unknown, answerJson(503, { code: "away" })]);
    expect(await localAccess(file, api.url, "token")).toEqual({ url: api.url, ...made(1) });
    await expect(localAccess(file, api.url, "token")).rejects.toThrow(/^POST \/v1\/profiles answered 503: /);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ url: api.url, ...made(1) });
  });
});
