// What `npm start` keeps over restarts: one token and one key, readable by this user only, and the same profile even if the
// key is lost.
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { openLocalAccess, readOperatorToken } from "../../scripts/stack/local-state.ts";
import { readIfThere } from "../../scripts/stack/private-file.ts";
import { type Handler, answerJson, answerProblem, startFakeApi } from "../support/fake-api.ts";
import { createTempFolders } from "../support/temp-folders.ts";

const tempFolder = createTempFolders();
const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);
const profileOf = (n: number) => `${n}`.repeat(26);
const made = (n: number, key = `tal_${profileOf(n)}_${n}`) => ({ profile: profileOf(n), key });
const newKey = (n: number) =>
  answerJson(201, {
    id: "key_000000000000",
    label: "npm start",
    scopes: ["admin"],
    createdAt: 1,
    ...made(n, `tal_${profileOf(n)}_new`),
  });
const known: Handler = answerJson(200, { keys: [] });
const unknown: Handler = answerProblem(401, "key_unknown");

/** A folder for successive starts: each finds the files of the earlier ones. */
function createHome() {
  const home = tempFolder();
  const [file, stateDir] = [join(home, "local.json"), join(home, "state")];
  mkdirSync(stateDir);
  const said: string[] = [];
  return {
    file,
    stateDir,
    said,
    start: (url: string) => openLocalAccess({ file, stateDir, url, token: "token", say: (line) => said.push(line) }),
    read: () => JSON.parse(readFileSync(file, "utf8")) as unknown,
    files: () => readdirSync(home).filter((name) => name !== "state"),
  };
}

/** Writes a database in the form of Miniflare's files. */
function fillDatabase(file: string, sql: string): void {
  mkdirSync(dirname(file), { recursive: true });
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}
function storeObject(stateDir: string, key: string, uploaded: number): void {
  fillDatabase(
    join(stateDir, "data/v3/r2/miniflare-R2BucketObject/bucket.sqlite"),
    `CREATE TABLE IF NOT EXISTS _mf_objects (key, uploaded); INSERT INTO _mf_objects VALUES ('${key}', ${uploaded})`,
  );
}
function addSession(stateDir: string): void {
  fillDatabase(
    join(stateDir, "data/v3/do/talaria-api-Account/account.sqlite"),
    "CREATE TABLE keys (id); CREATE TABLE session (id); INSERT INTO session VALUES ('01AAA')",
  );
}

describe("the operator's token of a state folder", () => {
  it("is created once, readable by this user only", () => {
    const folder = tempFolder();
    const token = readOperatorToken(folder);
    expect(token).toMatch(/^[0-9a-f]{64}$/);
    expect(readOperatorToken(folder)).toBe(token);
    expect(readOperatorToken(tempFolder())).not.toBe(token);
    expect(modeOf(join(folder, "operator-token"))).toBe("600");
  });

  it("is created again if it is truncated, but not if it is unreadable", () => {
    const folder = tempFolder();
    writeFileSync(join(folder, "operator-token"), "abc123");
    expect(readOperatorToken(folder)).toMatch(/^[0-9a-f]{64}$/);
    const other = tempFolder();
    mkdirSync(join(other, "operator-token"));
    expect(() => readOperatorToken(other)).toThrow("EISDIR");
  });
});

describe(".talaria/local.json", () => {
  it("has a profile and its key from the first start; later starts update only the address", async () => {
    const home = createHome();
    await using api = await startFakeApi([answerJson(201, made(1)), known]);
    for (let start = 1; start <= 2; start += 1) {
      expect(await home.start(api.url)).toEqual({ url: api.url, ...made(1) });
      expect([home.read(), modeOf(home.file)]).toEqual([{ url: api.url, ...made(1) }, "600"]);
    }
    writeFileSync(home.file, JSON.stringify({ url: "http://127.0.0.1:1", ...made(1) }), { mode: 0o644 });
    await using moved = await startFakeApi([known]);
    expect(await home.start(moved.url)).toEqual({ url: moved.url, ...made(1) });
    expect([home.read(), modeOf(home.file)]).toEqual([{ url: moved.url, ...made(1) }, "600"]);
    expect([home.said, home.files()]).toEqual([[], ["local.json"]]);
    expect(api.requests.map(({ method, path, headers }) => [method, path, headers.authorization])).toEqual([
      ["POST", "/v1/profiles", "Bearer token"],
      ["GET", "/v1/keys", `Bearer ${made(1).key}`],
    ]);
  });

  it.each([
    [
      "a key that was revoked",
      JSON.stringify({ url: "u", ...made(1) }),
      [unknown],
      "has a key that is no longer accepted",
    ],
    ["half a file", `{"url":"u","profile":"${profileOf(1).slice(0, 9)}`, [], "could not be read"],
    ["an empty file", "", [], "could not be read"],
    ["no JSON at all", "\u0000\u0000\u0000", [], "could not be read"],
  ])("gets a new key for the state's profile with the operator's token, given %s", async (_, text, before, why) => {
    const home = createHome();
    await using first = await startFakeApi([answerJson(201, made(1))]);
    await home.start(first.url);
    writeFileSync(home.file, text);
    await using api = await startFakeApi([...before, newKey(1)]);
    const access = { url: api.url, ...made(1, `tal_${profileOf(1)}_new`) };
    expect(await home.start(api.url)).toEqual(access);
    expect(home.read()).toEqual(access);
    const asked = api.requests.at(-1)!;
    expect([asked.method, asked.path, asked.headers.authorization]).toEqual(["POST", "/v1/keys", "Bearer token"]);
    expect(JSON.parse(asked.body)).toEqual({ profile: profileOf(1), label: "npm start" });
    expect(home.said).toEqual([
      `local.json ${why}: created a new key for profile ${profileOf(1)}. The old file is kept as local.json.old-1.`,
    ]);
    expect(readFileSync(`${home.file}.old-1`, "utf8")).toBe(text);
  });

  it("is kept as an old file each time it is replaced", async () => {
    const home = createHome();
    await using api = await startFakeApi([answerJson(201, made(1)), newKey(1), newKey(1), newKey(1)]);
    await home.start(api.url);
    for (const text of ["first", "second"]) {
      writeFileSync(home.file, text);
      await home.start(api.url);
    }
    writeFileSync(home.file, "");
    expect(
      ["local.json.old-1", "local.json.old-2"].map((name) => readFileSync(join(home.file, "..", name), "utf8")),
    ).toEqual(["first", "second"]);
  });

  it.each([
    [500, "internal"],
    [503, "bad_settings"],
    [403, "host_refused"],
    [429, "platform_busy"],
  ])("is unchanged when its key is answered %i, and the message says so", async (status, code) => {
    const home = createHome();
    await using first = await startFakeApi([answerJson(201, made(1))]);
    await home.start(first.url);
    const before = readFileSync(home.file, "utf8");
    await using api = await startFakeApi([answerProblem(status, code)]);
    const where = status >= 500 ? " See the Workers' log, stack.log in the state folder." : "";
    await expect(home.start(api.url)).rejects.toMatchObject({
      message: `GET /v1/keys answered ${status}: It is ${code}. (${code}) Nothing was changed. Fix this and start again.${where}`,
    });
    expect([readFileSync(home.file, "utf8"), home.files(), api.requests.length]).toEqual([before, ["local.json"], 1]);
  });

  it("is unchanged when no key can be created, and when it is unreadable", async () => {
    const home = createHome();
    writeFileSync(home.file, `{"profile":"${profileOf(1)}","key":`);
    await using api = await startFakeApi([answerProblem(409, "too_many_keys")]);
    await expect(home.start(api.url)).rejects.toThrow("POST /v1/keys answered 409");
    expect(home.files()).toEqual(["local.json"]);
    const other = createHome();
    mkdirSync(other.file);
    await expect(other.start(api.url)).rejects.toThrow("EISDIR");
  });

  it("gets its profile from a broken file, or from the state's storage if no file names one", async () => {
    const home = createHome();
    writeFileSync(home.file, `{"url":"x","key":"tal_${profileOf(3)}_abc`);
    await using api = await startFakeApi([newKey(3)]);
    expect((await home.start(api.url)).profile).toBe(profileOf(3));

    const bare = createHome();
    for (const [n, uploaded] of Object.entries({ 4: 1, 5: 3, 6: 2 })) {
      storeObject(bare.stateDir, `p/${profileOf(Number(n))}/active/2026-11-23`, uploaded);
    }
    await using second = await startFakeApi([newKey(5)]);
    expect((await bare.start(second.url)).profile).toBe(profileOf(5));
    expect(bare.said).toEqual([
      `local.json was missing: created a new key for profile ${profileOf(5)}. ` +
        `This state also holds ${profileOf(6)}, ${profileOf(4)}.`,
    ]);
  });

  it("gets another profile only if the state has none, and the message says so", async () => {
    const home = createHome();
    writeFileSync(home.file, JSON.stringify({ url: "u", ...made(1) }));
    await using api = await startFakeApi([unknown, answerProblem(404, "profile_not_found"), answerJson(201, made(2))]);
    expect((await home.start(api.url)).profile).toBe(profileOf(2));
    expect(home.said).toEqual([
      `Profile ${profileOf(1)} was deleted or never existed in this state: created ${profileOf(2)}. The old file is kept as local.json.old-1.`,
    ]);
  });

  it("has the profile of its key, and a profile.json with another profile is kept as an old file", async () => {
    const home = createHome();
    await using first = await startFakeApi([answerJson(201, made(1))]);
    await home.start(first.url);
    writeFileSync(home.file, JSON.stringify({ url: "u", profile: "foo", key: `tal_${profileOf(2)}_2` }));
    await using api = await startFakeApi([known]);
    expect((await home.start(api.url)).profile).toBe(profileOf(2));
    expect(home.said).toEqual([
      `profile.json named ${profileOf(1)}, but the key belongs to ${profileOf(2)}: rewritten. The old file is kept as profile.json.old-1.`,
    ]);
  });

  it.each([
    ["has an invalid key", { url: "", profile: "", key: "" }],
    ["has a key that no header can carry", { url: "u", profile: "p", key: "tal_é–x\ny" }],
  ])("is not replaced when it %s and nothing names the sessions' profile", async (_, text) => {
    const home = createHome();
    addSession(home.stateDir);
    writeFileSync(home.file, JSON.stringify(text));
    await using api = await startFakeApi([answerJson(201, made(2))]);
    await expect(home.start(api.url)).rejects.toThrow("Nothing was changed");
    expect(home.read()).toEqual(text);
  });

  it("never adopts another stored profile when its own was deleted, and never names deleted profiles", async () => {
    const home = createHome();
    await using first = await startFakeApi([answerJson(201, made(1))]);
    await home.start(first.url);
    for (const key of [`p/${profileOf(1)}/GONE`, `p/${profileOf(4)}/GONE`, `p/${profileOf(4)}/active/2026-11-23`]) {
      storeObject(home.stateDir, key, 1);
    }
    storeObject(home.stateDir, `p/${profileOf(5)}/active/2026-11-23`, 2);
    await using api = await startFakeApi([unknown, answerProblem(410, "profile_gone"), answerJson(201, made(2))]);
    expect((await home.start(api.url)).profile).toBe(profileOf(2));
    expect(home.said).toEqual([
      `Profile ${profileOf(1)} was deleted or never existed in this state: created ${profileOf(2)}. The old file is kept as local.json.old-1.`,
    ]);

    const bare = createHome();
    storeObject(bare.stateDir, `p/${profileOf(4)}/GONE`, 3);
    storeObject(bare.stateDir, `p/${profileOf(5)}/active/2026-11-23`, 2);
    await using second = await startFakeApi([newKey(5)]);
    expect((await bare.start(second.url)).profile).toBe(profileOf(5));
    expect(bare.said).toEqual([`local.json was missing: created a new key for profile ${profileOf(5)}.`]);
  });

  it.each([
    ["is missing", null, "cannot be read", `{"v":1,"profile":"1111`],
    ["cannot be read", `{"url":"u","pro`, "is missing", null],
    ["cannot be read", "", "cannot be read", ""],
  ])("is not replaced when it %s and nothing else names the sessions' profile", async (...given) => {
    const [problem, text, ownProblem, ownText] = given;
    const home = createHome();
    const ownFile = join(home.stateDir, "profile.json");
    addSession(home.stateDir);
    if (text !== null) writeFileSync(home.file, text);
    if (ownText !== null) writeFileSync(ownFile, ownText);
    const before = [home.files(), readdirSync(home.stateDir)];
    await using api = await startFakeApi([answerJson(201, made(2))]);
    await expect(home.start(api.url)).rejects.toThrow(
      `${home.file} ${problem} and ${ownFile} ${ownProblem}, so the profile of this state's sessions ` +
        `is unknown. Restore one of the two files, or move ${dirname(home.file)} away to start with a new state. Nothing was changed.`,
    );
    expect([[home.files(), readdirSync(home.stateDir)], api.requests.length]).toEqual([before, 0]);
    expect([text, ownText]).toEqual([home.file, ownFile].map((file) => readIfThere(file)));
  });

  it("is kept as an old file when damaged and replaced, and so is profile.json", async () => {
    const home = createHome();
    storeObject(home.stateDir, `p/${profileOf(5)}/active/2026-11-23`, 1);
    addSession(home.stateDir);
    writeFileSync(join(home.stateDir, "profile.json"), `{"v":1,"pro`);
    writeFileSync(home.file, "half");
    await using api = await startFakeApi([newKey(5)]);
    expect((await home.start(api.url)).profile).toBe(profileOf(5));
    expect(readFileSync(join(home.stateDir, "profile.json.old-1"), "utf8")).toBe(`{"v":1,"pro`);
    expect(readFileSync(`${home.file}.old-1`, "utf8")).toBe("half");
    expect(home.said).toEqual([
      `local.json could not be read: created a new key for profile ${profileOf(5)}. The old file is kept as local.json.old-1.`,
      "profile.json could not be read: rewritten. The old file is kept as profile.json.old-1.",
    ]);

    const empty = createHome();
    writeFileSync(empty.file, "half");
    await using second = await startFakeApi([answerJson(201, made(2))]);
    await empty.start(second.url);
    expect([readFileSync(`${empty.file}.old-1`, "utf8"), empty.said]).toEqual([
      "half",
      [
        `local.json could not be read, and this state has no profile: created ${profileOf(2)}. ` +
          "The old file is kept as local.json.old-1.",
      ],
    ]);
  });
});
