// Checkpoints and whole workspaces over HTTP.
import { runInDurableObject } from "cloudflare:test";
import { unzipSync, zipSync } from "fflate";
import { beforeAll, describe, expect, it } from "vitest";
import { START_MS, ask, createProfile, createSession, env, expectProblem, fetchApi } from "../api-calls.ts";

let profile: string;
let key: string;
beforeAll(async () => void ({ profile, key } = await createProfile()), START_MS);

async function setUp() {
  const session = await createSession(key);
  const path = `/v1/sessions/${session}`;
  const put = (name: string, body: string) => ask("PUT", `${path}/files/${name}`, { key, body });
  const files = async () => {
    const { body } = await ask("GET", `${path}/files`, { key });
    return (body as { files: { path: string; writer: string }[] }).files.map((file) => `${file.path} ${file.writer}`);
  };
  /** As if a turn had run and ended. Call first: the object remembers the newest turn. */
  const endTurn = (n: number) =>
    runInDurableObject(env.SESSION.getByName(`${profile}/${session}`), (object, state) => {
      state.storage.sql.exec("INSERT INTO turn VALUES(?, 'done', NULL, 1, 1, 1, ?, 5, 6, NULL, NULL)", n, STATS);
      void object;
    });
  return { session, path, put, files, endTurn };
}
const STATS =
  '{"modelCalls":1,"toolCalls":0,"failedCalls":0,"usage":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0}}';

const importZip = (path: string, method: string, zip: Uint8Array) =>
  ask(method, `${path}/workspace`, {
    key,
    body: zip as unknown as string,
    headers: { "content-type": "application/zip" },
  });

describe("a workspace over HTTP", () => {
  it("goes out as a zip and comes back in, replacing or adding", async () => {
    const { path, put, files } = await setUp();
    await put("a/b.txt", "one");
    const out = await fetchApi("GET", `${path}/workspace`, { key });
    expect(out.headers.get("content-type")).toBe("application/zip");
    expect(Object.keys(unzipSync(new Uint8Array(await out.arrayBuffer())))).toEqual(["a/", "a/b.txt"]);
    const added = await importZip(path, "POST", zipSync({ "c.txt": new Uint8Array([1]) }));
    expect([added.status, added.body]).toEqual([200, { files: 1, bytes: 1, undo: 1 }]);
    expect(await files()).toEqual(["a/b.txt principal", "c.txt principal"]);
    await importZip(path, "PUT", zipSync({ "d.txt": new Uint8Array([1]) }));
    expect(await files()).toEqual(["d.txt principal"]);
    expectProblem(
      await importZip(path, "PUT", zipSync({ "../e": new Uint8Array([1]) })),
      400,
      "bad_path",
      "Invalid path",
    );
    expect(await files()).toEqual(["d.txt principal"]);
    expect((await ask("POST", `${path}/checkpoints/1/restore`, { key })).body).toMatchObject({ restored: 1, undo: 3 });
    expect(await files()).toEqual(["a/b.txt principal"]);
  });
});

describe("checkpoints over HTTP", () => {
  it("are listed, read, restored once by a key, and deleted", async () => {
    const { path, put, files, endTurn } = await setUp();
    await endTurn(1);
    await put("a.txt", "one\n");
    await importZip(path, "POST", zipSync({ "b.txt": new Uint8Array([1]) }));
    await put("a.txt", "two\n");
    const list = await ask("GET", `${path}/checkpoints`, { key });
    const at = expect.any(Number) as number;
    expect(list.body).toEqual({
      checkpoints: [
        { n: 2, turn: 1, at, kind: "import", files: 2, bytes: 4 },
        { n: 1, turn: 1, at, kind: "turn", files: 1, bytes: 0 },
      ],
    });
    const unknown = await ask("GET", `${path}/checkpoints/2?path=c.txt`, { key });
    expectProblem(unknown, 404, "file_not_found", "No such file");
    const read = await ask("GET", `${path}/checkpoints/2?path=a.txt`, { key });
    expect(read.body).toMatchObject({
      changes: [
        { path: "a.txt", change: "changed" },
        { path: "b.txt", change: "added" },
      ],
      diff: expect.stringContaining("-one\n+two\n"),
    });
    const restore = (n: number | string) =>
      ask("POST", `${path}/checkpoints/${n}/restore`, { key, headers: { "idempotency-key": "k" } });
    const restored = await restore(2);
    expect([restored.status, restored.body]).toEqual([
      200,
      {
        ...{ restored: 2, undo: 3 },
        changes: [
          { path: "a.txt", change: "changed" },
          { path: "b.txt", change: "removed" },
        ],
      },
    ]);
    expect((await restore(2)).body).toEqual(restored.body);
    expectProblem(await restore(1), 409, "idempotency_conflict", "Idempotency key already used for another request");
    expect(await restore("x")).toMatchObject({ status: 400, body: { code: "bad_checkpoint" } });
    expect((await ask("DELETE", `${path}/checkpoints`, { key })).body).toEqual({ deleted: 3 });
    expectProblem(
      await ask("GET", `${path}/checkpoints/1`, { key }),
      404,
      "checkpoint_not_found",
      "No such checkpoint",
    );
    expect(await files()).toEqual(["a.txt principal"]);
  });
});
