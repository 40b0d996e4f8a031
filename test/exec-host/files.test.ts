// Files of the exec host, against its real process: what it reads and writes, and every way out of its folder.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type RunningHost, startExecHost } from "../support/exec-host.ts";

let host: RunningHost;
let count = 0;

beforeAll(async () => {
  host = await startExecHost();
});
afterAll(() => host.end());
beforeEach(() => {
  for (const folder of [host.folder, host.beside]) {
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
  }
  writeFileSync(join(host.beside, "secret"), "SECRET");
});

const inside = (path: string) => join(host.folder, path);
const base64 = (text: string) => Buffer.from(text).toString("base64");
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const read = (path: string, more: object = {}) => host.call("POST /v1/files/read", { path, ...more });
const write = (path: string, text: string, more: object = {}) =>
  host.call("POST /v1/files/write", { op: `w:${++count}`, path, base64: base64(text), ...more });
const textOf = (reply: { body: { base64: string } }) => Buffer.from(reply.body.base64, "base64").toString();

describe("reading", () => {
  test("returns pieces with the size of the whole", async () => {
    writeFileSync(inside("a.txt"), "0123456789");
    expect((await read("a.txt", { offset: 2, length: 3 })).body).toEqual({
      path: "a.txt",
      size: 10,
      offset: 2,
      length: 3,
      base64: base64("234"),
    });
    expect((await read("a.txt", { offset: 10 })).body).toMatchObject({ length: 0 });
  });

  test("of a huge sparse file costs no more than its piece", async () => {
    writeFileSync(inside("sparse"), "");
    truncateSync(inside("sparse"), 2 ** 40);
    const { body } = await read("sparse", { offset: 2 ** 40 - 4 });
    expect(body).toMatchObject({ size: 2 ** 40, length: 4, base64: "AAAAAA==" });
    expect(await read("sparse", { length: (1 << 20) + 1 })).toMatchObject({ body: { code: "request_malformed" } });
  });

  test("follows links inside the folder, relative or absolute, and says where they lead", async () => {
    mkdirSync(inside("d/e"), { recursive: true });
    writeFileSync(inside("d/e/f"), "found");
    symlinkSync("../d/e", inside("d/up"));
    symlinkSync(inside("d/e/f"), inside("abs"));
    symlinkSync("abs", inside("chain"));
    for (const path of ["d/up/f", "abs", "chain", "d/e/../e/f", `${host.folder}/d/e/f`, "./d//e/f"]) {
      const reply = await read(path);
      expect([path, reply.body.path, reply.body.base64 && textOf(reply)]).toEqual([path, "d/e/f", "found"]);
    }
  });

  test("of what is not a regular file does not hang", async () => {
    execFileSync("mkfifo", [inside("pipe")]);
    symlinkSync("pipe", inside("to-pipe"));
    for (const path of ["pipe", "to-pipe", ""]) {
      expect(await read(path)).toMatchObject({ status: 409, body: { code: "not_a_file" } });
    }
    expect(await write("pipe", "x")).toMatchObject({ status: 409, body: { code: "not_a_file" } });
    expect(await write("pipe", "x", { append: true })).toMatchObject({ body: { code: "not_a_file" } });
  });

  test("lists a folder by pages, and names links as links", async () => {
    for (const name of ["b", "a", "ü", "日本"]) writeFileSync(inside(name), name);
    symlinkSync("/etc/passwd", inside("link"));
    mkdirSync(inside("folder"));
    const { body } = await host.call("POST /v1/files/list", { limit: 4 });
    const rest = (await host.call("POST /v1/files/list", { after: body.next })).body;
    const shown = [...body.entries, ...rest.entries].map((entry: { name: string; kind: string }) => [
      entry.name,
      entry.kind,
    ]);
    expect(shown).toEqual([
      ["a", "file"],
      ["b", "file"],
      ["folder", "folder"],
      ["link", "link"],
      ["ü", "file"],
      ["日本", "file"],
    ]);
    expect(rest).not.toHaveProperty("next");
    expect((await host.call("POST /v1/files/stat", { path: "ü" })).body).toMatchObject({
      kind: "file",
      size: 2,
      mode: 0o644,
    });
  });
});

describe("no path leaves the folder", () => {
  const ways = [
    "../beside/secret",
    "deep/../../beside/secret",
    "/etc/passwd",
    "BESIDE/secret",
    "out/secret",
    "file",
    "far",
    "deep/x/secret",
  ];

  test.each(ways)("%s", async (way) => {
    symlinkSync(host.beside, inside("out"));
    symlinkSync("../beside/secret", inside("file"));
    symlinkSync("out/secret", inside("far"));
    mkdirSync(inside("deep"));
    symlinkSync("../../beside", inside("deep/x"));
    const path = way.replace("BESIDE", host.beside);
    for (const route of ["read", "stat", "list", "search"]) {
      const reply = await host.call(`POST /v1/files/${route}`, { path, ...(route === "search" && { pattern: "." }) });
      expect([route, reply.status, reply.body.code]).toEqual([route, 403, "outside_folder"]);
    }
    for (const append of [false, true]) {
      const reply = await write(path, "overwritten", { append });
      expect(reply.status).toBeGreaterThanOrEqual(400);
      expect(["outside_folder", "path_malformed", "link_refused"]).toContain(reply.body.code);
    }
    expect(readFileSync(join(host.beside, "secret"), "utf8")).toBe("SECRET");
  });

  test("not even a prefix of its name", async () => {
    writeFileSync(`${host.folder}-twin`, "SECRET");
    expect(await read(`${host.folder}-twin`)).toMatchObject({ status: 403, body: { code: "outside_folder" } });
  });

  test("searches pass links by", async () => {
    symlinkSync(host.beside, inside("out"));
    symlinkSync("../beside/secret", inside("file"));
    writeFileSync(inside("mine"), "SECRET too");
    const { body } = await host.call("POST /v1/files/search", { pattern: "SECRET" });
    expect(body).toEqual({ lines: ["mine:1:SECRET too"], truncated: false, skipped: [] });
  });

  test("a link that is swapped in all the time is never followed out", async () => {
    // `turn` is a folder at one moment, and a link out at the next.
    const script =
      "while :; do rm -rf turn; ln -s ../beside turn; rm turn; mkdir turn; echo inside > turn/secret; done";
    await host.call("POST /v1/commands", { op: "swap", command: script, background: true });
    const seen = new Set<string>();
    const replies: string[] = [];
    const isMet = () => replies.includes("outside_folder") && seen.has("link_refused");
    const began = Date.now();
    while (Date.now() < began + 500 || (!isMet() && Date.now() < began + 10_000)) {
      const got = await read("turn/secret");
      replies.push(got.body.code ?? textOf(got).trim());
      const put = await write("turn/secret", "inside");
      seen.add(put.body.code ?? "written");
    }
    expect((await host.call("POST /v1/commands/swap/kill", {})).body).toMatchObject({ reason: "killed" });
    expect(readFileSync(join(host.beside, "secret"), "utf8")).toBe("SECRET");
    expect(replies).not.toContain("SECRET");
    expect(replies).not.toContain("path_malformed"); // a link that is gone when it is read says nothing about the path
    expect(isMet()).toBe(true);
  });

  test.each([
    ["with NUL", "a\0b"],
    ["of half a character", "a\ud800"],
    ["with a name that is too long", "n".repeat(300)],
    ["that is too long", "a/".repeat(2_500)],
    ["with too many parts", "a/".repeat(300)],
  ])("a path %s is refused", async (_what, path) => {
    for (const reply of [await read(path), await write(`${path}x`, "x")]) {
      expect(reply.status).toBeGreaterThanOrEqual(400);
      expect(["path_malformed", "request_malformed"]).toContain(reply.body.code);
    }
  });

  test("links in a circle end", async () => {
    symlinkSync("b", inside("a"));
    symlinkSync("a", inside("b"));
    expect(await read("a")).toMatchObject({ body: { code: "link_refused" } });
  });

  test("a folder that is a link itself, or is moved, is still the one that was named", async () => {
    symlinkSync(host.folder, join(host.beside, "link-to-folder"));
    const other = await startExecHost({ folder: join(host.beside, "link-to-folder") });
    writeFileSync(inside("here"), "yes");
    expect((await other.call("GET /v1/health")).body.folder).toBe(host.folder);
    renameSync(host.folder, `${host.folder}-moved`);
    mkdirSync(host.folder);
    const reply = await other.call("POST /v1/files/read", { path: "here" });
    rmSync(host.folder, { recursive: true });
    renameSync(`${host.folder}-moved`, host.folder);
    expect(textOf(reply)).toBe("yes");
    await other.end();
  });
});

describe("writing", () => {
  test("makes folders, replaces whole files, keeps the mode, and leaves nothing beside", async () => {
    expect((await write("new/folder/a.sh", "one")).body).toEqual({ path: "new/folder/a.sh", size: 3, created: true });
    chmodSync(inside("new/folder/a.sh"), 0o755);
    expect((await write("new/folder/a.sh", "two!")).body).toEqual({ path: "new/folder/a.sh", size: 4, created: false });
    expect(statSync(inside("new/folder/a.sh")).mode & 0o777).toBe(0o755);
    expect(readdirSync(inside("new/folder"))).toEqual(["a.sh"]);
  });

  test("appends once for one op, and remembers it", async () => {
    const append = { op: `w:${++count}`, path: "log", base64: base64("x"), append: true };
    await write("log", "");
    const replies = [await host.call("POST /v1/files/write", append), await host.call("POST /v1/files/write", append)];
    expect(replies.map(({ body }) => body)).toEqual([1, 2].map(() => ({ path: "log", size: 1, created: false })));
    expect((await host.call("POST /v1/files/write", { ...append, attach: true })).body).toMatchObject({ size: 1 });
    expect(readFileSync(inside("log"), "utf8")).toBe("x");
    expect(await write("log", "y", { attach: true })).toMatchObject({ status: 404, body: { code: "op_unknown" } });
  });

  test("is refused when the file is not what the writer has seen", async () => {
    await write("a", "old");
    expect(await write("a", "new", { expect: sha256("other") })).toMatchObject({
      status: 409,
      body: { code: "file_changed" },
    });
    expect(await write("a", "new", { expect: null })).toMatchObject({ body: { code: "file_changed" } });
    expect(await write("b", "new", { expect: sha256("old") })).toMatchObject({ body: { code: "file_changed" } });
    expect((await write("a", "new", { expect: sha256("old") })).status).toBe(200);
    expect((await write("b", "new", { expect: null })).status).toBe(200);
    expect(readFileSync(inside("a"), "utf8") + readFileSync(inside("b"), "utf8")).toBe("newnew");
  });

  test("does not go through a link, even to a place inside, and names it", async () => {
    writeFileSync(inside(".env"), "KEY=1");
    symlinkSync(".env", inside("notes"));
    expect(await write("notes", "KEY=2")).toMatchObject({ body: { code: "link_refused", target: ".env" } });
    expect(readFileSync(inside(".env"), "utf8")).toBe("KEY=1");
  });

  test("does not change a file outside through a hard link", async () => {
    linkSync(join(host.beside, "secret"), inside("hard"));
    expect(await write("hard", "+", { append: true })).toMatchObject({ status: 409, body: { code: "hard_linked" } });
    expect((await write("hard", "replaced")).status).toBe(200);
    expect(readFileSync(join(host.beside, "secret"), "utf8")).toBe("SECRET");
  });

  test("that is too large, or that the user may not do, changes nothing", async () => {
    expect(await write("big", "x".repeat((8 << 20) + 1))).toMatchObject({
      status: 413,
      body: { code: "file_too_large" },
    });
    expect(await write("folder/", "x")).toMatchObject({ status: 200, body: { path: "folder" } });
    expect(await write("folder/below", "x")).toMatchObject({ body: { code: "not_a_folder" } });
    expect(await write("", "x")).toMatchObject({ body: { code: "not_a_file" } });
    expect(existsSync(inside("big"))).toBe(false);
  });
});

describe("searching", () => {
  test("finds lines and names, by path and glob, in the order of the names", async () => {
    mkdirSync(inside("src/.git"), { recursive: true });
    writeFileSync(inside("src/a.ts"), "one\nTwo two\n");
    writeFileSync(inside("src/b.md"), "two");
    writeFileSync(inside("src/.git/c"), "two");
    writeFileSync(inside("src/bin"), "two\0");
    const search = (more: object) => host.call("POST /v1/files/search", more).then(({ body }) => body.lines);
    expect(await search({ pattern: "two", ignoreCase: true })).toEqual(["src/a.ts:2:Two two", "src/b.md:1:two"]);
    expect(await search({ pattern: "two", path: "src", paths: "\\.md$" })).toEqual(["src/b.md:1:two"]);
    expect(await search({ pattern: "\\.ts$", mode: "names" })).toEqual(["src/a.ts"]);
    expect(await search({ pattern: "two", path: "src/.git" })).toEqual(["src/.git/c:1:two"]);
  });

  test("ends a pattern that takes for ever, and serves others meanwhile", async () => {
    writeFileSync(inside("a"), `${"a".repeat(40)}!`);
    const began = Date.now();
    const slow = host.call("POST /v1/files/search", { pattern: "^(a+)+$" });
    await pause(200);
    expect((await host.call("GET /v1/health")).status).toBe(200);
    expect(Date.now() - began).toBeLessThan(3_000);
    expect(await slow).toMatchObject({ status: 422, body: { code: "search_limit" } });
    expect(Date.now() - began).toBeLessThan(8_000);
  }, 20_000);

  test("answers a malformed pattern with what is wrong", async () => {
    expect(await host.call("POST /v1/files/search", { pattern: "(" })).toMatchObject({
      body: { code: "pattern_malformed" },
    });
  });
});
