// What `talaria doctor` says of this machine, with each thing broken in turn.
import { chmodSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkLocal, checkPort } from "../../../cli/doctor/local-checks.ts";
import { createTempFolders } from "../../support/temp-folders.ts";

const tempFolder = createTempFolders();
const PLENTY = 2 * 1024 ** 3;

/** A healthy `.talaria`. */
function makeHome() {
  const home = tempFolder();
  mkdirSync(join(home, "state", "data"), { recursive: true, mode: 0o700 });
  const accessFile = join(home, "local.json");
  const access = { url: "http://127.0.0.1:8787", profile: "p", key: "tal_p_secret" };
  writeFileSync(accessFile, JSON.stringify(access), { mode: 0o600 });
  return { home, accessFile };
}

function check(place: { home: string; accessFile: string }, more: { nodeVersion?: string; free?: number } = {}) {
  const { nodeVersion = "v24.1.0", free = PLENTY } = more;
  const lines = checkLocal({ ...place, nodeVersion, freeBytes: () => free });
  for (const { state, fix } of lines) expect(fix !== undefined).toBe(state !== "ok");
  return Object.fromEntries(lines.map(({ check: name, state, found }) => [name, `${state}: ${found}`]));
}

describe("talaria doctor, on this machine", () => {
  it("finds nothing wrong where nothing is", () => {
    const place = makeHome();
    expect(check(place)).toEqual({
      Node: "ok: v24.1.0",
      "state folder": `ok: ${join(place.home, "state")}`,
      disk: "ok: 2,048 MB free",
      "key file": `ok: ${place.accessFile}`,
    });
  });

  it("fails for a Node that is too old", () => {
    expect(check(makeHome(), { nodeVersion: "v20.11.0" })).toMatchObject({ Node: "fail: v20.11.0" });
  });

  it("warns of a disk that is nearly full and fails for a full one", () => {
    expect(check(makeHome(), { free: 500 * 1024 ** 2 })).toMatchObject({ disk: "warn: 500 MB free" });
    expect(check(makeHome(), { free: 1024 ** 2 })).toMatchObject({ disk: "fail: 1 MB free" });
  });

  it("warns where other users can enter the state folder or read the key", () => {
    const place = makeHome();
    chmodSync(join(place.home, "state"), 0o755);
    chmodSync(place.accessFile, 0o644);
    expect(check(place)).toMatchObject({
      "state folder's mode": "warn: other users can enter it",
      "key file": `warn: other users can read ${place.accessFile}`,
    });
  });

  it("quotes a path with a space in the command that mends it", () => {
    const place = makeHome();
    const accessFile = join(place.home, "the local.json");
    renameSync(place.accessFile, accessFile);
    chmodSync(accessFile, 0o644);
    const lines = checkLocal({ home: place.home, accessFile, nodeVersion: "v24.1.0", freeBytes: () => PLENTY });
    expect(lines.at(-1)!.fix).toBe(`Run chmod 600 '${accessFile}'`);
  });

  it.skipIf(process.getuid?.() === 0)("fails for a part of the state that cannot be written", () => {
    const place = makeHome();
    const data = join(place.home, "state", "data");
    chmodSync(data, 0o500);
    expect(check(place)).toMatchObject({ "state folder": `fail: ${data}: EACCES` });
    chmodSync(data, 0o700);
  });

  it("warns without a state folder and a key file, and fails for a broken one, without telling the key", () => {
    const empty = tempFolder();
    expect(check({ home: empty, accessFile: join(empty, "local.json") })).toEqual({
      Node: "ok: v24.1.0",
      "state folder": `warn: ${join(empty, "state")} is missing`,
      "key file": `warn: ${join(empty, "local.json")} is missing`,
    });
    const place = makeHome();
    writeFileSync(place.accessFile, '{"url":"http://127.0.0.1:8787","key":"tal_secr');
    const broken = check(place)["key file"]!;
    expect(broken).toMatch(/^fail: .*cannot be read as JSON/);
    expect(broken).not.toContain("tal_secr");
  });
});

describe("the port, where no server answers", () => {
  it("is free, or used by a program, or on another machine", async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    expect(await checkPort(url)).toMatchObject({ state: "fail", found: `${port} cannot be used (EADDRINUSE)` });
    await new Promise((resolve) => server.close(resolve));
    expect(await checkPort(url)).toMatchObject({ state: "ok", found: `${port} is free` });
    expect(await checkPort("https://talaria.example")).toMatchObject({ state: "ok" });
  });
});
