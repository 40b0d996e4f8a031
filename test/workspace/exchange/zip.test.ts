// A workspace goes out as a zip and comes back in, and hostile archives change nothing.
import fc from "fast-check";
import { type Zippable, zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { type Workspace, createWorkspace, migrateWorkspace } from "../../../core/workspace/workspace.ts";
import { createZipStream } from "../../../core/workspace/exchange/export-zip.ts";
import { createNodeSql } from "../../support/bindings/node-sql.ts";
import { createTestClock } from "../../support/clock.ts";
import { handMadeZip } from "../../support/skills/hand-made-zip.ts";
import { runs } from "../../support/thorough.ts";

function create({ maxFileBytes = 1 << 20, maxBytes = 4 << 20 } = {}) {
  const sql = createNodeSql();
  migrateWorkspace(sql);
  const workspace = createWorkspace({ sql, clock: createTestClock(), maxFileBytes, maxBytes, turn: () => 1 });
  const rows = () =>
    sql
      .run<{ parent: string; name: string; content: string | null }>("SELECT * FROM file_node ORDER BY parent, name")
      .map((row) => ({ ...row }));
  return { workspace, sql, rows };
}

async function pack(workspace: Workspace): Promise<Uint8Array> {
  return new Uint8Array(await new Response(createZipStream(workspace.snapshot()) as BodyInit).arrayBuffer());
}

const encode = (text: string) => new TextEncoder().encode(text);
const textOf = (workspace: Workspace, path: string) => new TextDecoder().decode(workspace.read(path)!);
const UNIX = (type: number, mode: number) => ({ os: 3, attrs: ((type | mode) << 16) >>> 0 });
const LINK = 0o120000;

describe("a workspace as a zip", () => {
  test("comes back with bytes, folders, links, modes and times to the second", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            path: fc.array(fc.constantFrom("a", "b", "ü", "c d", "x\\y"), { minLength: 1, maxLength: 3 }),
            bytes: fc.uint8Array({ maxLength: 3_000 }),
            mode: fc.integer({ min: 0, max: 0o777 }),
            seconds: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
            kind: fc.constantFrom("file", "folder", "link"),
          }),
          { maxLength: 8 },
        ),
        async (entries) => {
          const { workspace, rows } = create();
          for (const { path, bytes, mode, seconds, kind } of entries) {
            const place = `/${path.join("/")}`;
            try {
              if (kind === "file") await workspace.writeFile(place, bytes);
              else if (kind === "folder") await workspace.mkdir(place, { recursive: true });
              else await workspace.symlink(path.at(-1)!, place);
              await workspace.chmod(place, mode);
              await workspace.utimes(place, new Date(0), new Date(seconds * 1_000));
            } catch {
              // Two entries need the same name.
            }
          }
          const copy = create();
          copy.workspace.putAsPrincipal("before.txt", encode("is replaced"));
          expect(copy.workspace.importZip(await pack(workspace), true)).toMatchObject({ ok: true });
          const plain = (all: ReturnType<typeof rows>) =>
            all.map((row) => ({
              ...row,
              writer: null,
              mtime: Math.floor(Number((row as Record<string, unknown>).mtime) / 1_000),
            }));
          expect(plain(copy.rows())).toEqual(plain(rows()));
        },
      ),
      { numRuns: runs(60) },
    );
  });

  test("is the owner's writing when it comes in, and can be undone", async () => {
    const { workspace } = create();
    workspace.putAsAgent("mine.txt", encode("agent"));
    const made = workspace.importZip(zipSync({ "mine.txt": encode("owner"), "d/new.txt": encode("n") }), false);
    expect(made).toEqual({ ok: true, value: { files: 2, bytes: 6, undo: 2 } });
    expect(workspace.list()).toEqual([
      { path: "d/new.txt", size: 1, writer: "principal" },
      { path: "mine.txt", size: 5, writer: "principal" },
    ]);
    workspace.checkpoints.restore(2);
    expect(workspace.list()).toEqual([{ path: "mine.txt", size: 5, writer: "own" }]);
  });

  test("with replace nothing else is left, and without it the rest stays", () => {
    const { workspace } = create();
    workspace.putAsPrincipal("old/x", encode("x"));
    expect(workspace.importZip(zipSync({ a: encode("1") }), false).ok).toBe(true);
    expect(workspace.list().map(({ path }) => path)).toEqual(["a", "old/x"]);
    expect(workspace.importZip(zipSync({ b: encode("2") }), true).ok).toBe(true);
    expect(workspace.list().map(({ path }) => path)).toEqual(["b"]);
  });

  test("sizes may follow the data, as streaming programs write them", () => {
    const { workspace } = create();
    expect(
      workspace.importZip(handMadeZip([{ name: "a", body: "one", deflate: true, descriptor: true }]), true).ok,
    ).toBe(true);
    expect(textOf(workspace, "a")).toBe("one");
  });

  test("names that differ in case stay apart", () => {
    const { workspace } = create();
    expect(workspace.importZip(zipSync({ Readme: encode("1"), README: encode("2") }), true).ok).toBe(true);
    expect([textOf(workspace, "Readme"), textOf(workspace, "README")]).toEqual(["1", "2"]);
  });

  test("a link stays a link and leads nowhere outside", () => {
    const { workspace } = create();
    const zip = zipSync({ way: [encode("/etc/passwd"), UNIX(LINK, 0o777)] } as unknown as Zippable);
    expect(workspace.importZip(zip, false).ok).toBe(true);
    expect(workspace.read("way")).toBeNull();
  });

  test("nothing is packed before the stream is read, and a file that changed meanwhile ends it with an error", async () => {
    const { workspace, sql } = create();
    workspace.putAsAgent(
      "a.bin",
      new Uint8Array(600_000).map((_, i) => i * 7919),
    );
    const stream = createZipStream(workspace.snapshot());
    workspace.remove("a.bin");
    workspace.checkpoints.deleteAll();
    expect(sql.run("SELECT count(*) AS parts FROM file_part")).toEqual([{ parts: 0 }]);
    await expect(new Response(stream as BodyInit).arrayBuffer()).rejects.toThrow("the file changed while it was read");
  });
});

describe("an archive that is refused changes nothing", () => {
  const zipped = (files: Record<string, unknown>) => zipSync(files as Zippable);
  const cases: [what: string, zip: () => Uint8Array, code: string, words: string][] = [
    ["that is not a zip", () => encode("hello, this is not a zip file at all"), "bad_archive", "incomplete"],
    [
      "with a program before it",
      () => handMadeZip([{ name: "a", body: "x" }], { before: encode("#!/bin/sh\n") }),
      "bad_archive",
      "begins with other bytes",
    ],
    [
      "with a program and no entry",
      () => handMadeZip([], { before: encode("#!/bin/sh\n") }),
      "bad_archive",
      "begins with other bytes",
    ],
    ["with a path that climbs", () => zipped({ "a/../../b": encode("x") }), "bad_path", "leads out"],
    ["with an absolute path", () => zipped({ "/etc/passwd": encode("x") }), "bad_path", "absolute"],
    ["with a Windows path", () => zipped({ "..\\b": encode("x") }), "bad_path", "backslash"],
    ["with a NUL in a name", () => zipped({ "a\0b": encode("x") }), "bad_path", "NUL"],
    ["with an empty name", () => zipped({ "a//b": encode("x") }), "bad_path", "empty name"],
    ["with a long path", () => zipped({ ["x".repeat(1_100)]: encode("x") }), "bad_path", "too long"],
    [
      "with the same path in two spellings",
      () => zipped({ "a/b": encode("x"), "a/./b": encode("y") }),
      "bad_path",
      "twice",
    ],
    ["with a file below a file", () => zipped({ a: encode("x"), "a/b": encode("y") }), "bad_path", "is not a folder"],
    [
      "with a file below a link",
      () => zipped({ a: [encode("d"), UNIX(LINK, 0o777)], "a/b": encode("y") }),
      "bad_path",
      "is not a folder",
    ],
    ["with an encrypted entry", () => handMadeZip([{ name: "a", body: "x", flags: 1 }]), "bad_archive", "is encrypted"],
    [
      "with a duplicate name",
      () =>
        handMadeZip([
          { name: "a", body: "x" },
          { name: "a", body: "y" },
        ]),
      "bad_path",
      "twice",
    ],
    [
      "whose size is a lie",
      () => handMadeZip([{ name: "a", body: "x".repeat(90), deflate: true, size: 3 }]),
      "bad_archive",
      "",
    ],
    ["with a device", () => zipped({ a: [encode(""), UNIX(0o020000, 0o644)] }), "bad_archive", "not a plain file"],
    ["with a file larger than allowed", () => zipped({ a: noise((1 << 20) + 1) }), "file_too_large", "a file may have"],
    [
      "that is larger than the workspace",
      () => zipped(Object.fromEntries([..."abcde"].map((name) => [name, noise(900_000)]))),
      "archive_too_large",
      "larger than",
    ],
    ["with a file where a folder is", () => zipped({ old: encode("x") }), "bad_path", "a folder is there"],
    ["with a folder where a file is", () => zipped({ "old/x/": new Uint8Array() }), "bad_path", "a file is there"],
  ];
  test.each(cases)("%s", (_what, zip, code, words) => {
    const { workspace, rows, sql } = create();
    workspace.putAsPrincipal("old/x", encode("old"));
    const before = rows();
    const refused = workspace.importZip(zip(), false);
    expect(refused).toMatchObject({ ok: false, failure: { code, message: expect.stringContaining(words) } });
    expect(rows()).toEqual(before);
    expect(sql.run("SELECT count(*) AS parts FROM file_part")).toEqual([{ parts: 1 }]);
  });

  test("with a broken checksum in its last entry, which is found after the others were written", () => {
    const { workspace, rows } = create();
    const zip = zipSync({ a: encode("one"), z: [encode("two"), { level: 0 }] });
    const at = zip.findIndex((_, i) => new TextDecoder().decode(zip.subarray(i, i + 3)) === "two");
    zip[at] = 0x54;
    expect(workspace.importZip(zip, false)).toMatchObject({ failure: { code: "bad_archive" } });
    expect(rows()).toEqual([]);
  });

  test("that grows more than two hundred times to more than 10 MB", () => {
    const { workspace, rows } = create({ maxBytes: 50 << 20, maxFileBytes: 10 << 20 });
    const zip = zipSync({ a: new Uint8Array(6 << 20), b: new Uint8Array(6 << 20) });
    expect(workspace.importZip(zip, false)).toMatchObject({ failure: { code: "archive_too_large" } });
    expect(rows()).toEqual([]);
  });

  test("with more files and folders than fit, before any is written", () => {
    const { workspace, sql } = create();
    sql.run(`WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 19990)
      INSERT INTO file_node SELECT '/', n, 'file', 420, 0, 0, NULL, 'own', '' FROM i`);
    const run = sql.run;
    const written: string[] = [];
    sql.run = (query, ...values) => {
      if (query.startsWith("INSERT INTO file_")) written.push(query);
      return run(query, ...values);
    };
    const zip = zipSync(Object.fromEntries([..."0123456789"].map((name) => [`d/${name}`, encode(name)])));
    expect(workspace.importZip(zip, false)).toMatchObject({
      failure: { code: "workspace_full", message: expect.stringContaining("'d/9': no space left on device (20000") },
    });
    expect(written).toEqual([]);
    expect(workspace.importZip(zip, true)).toMatchObject({ ok: true });
  });

  test("that does not fit beside what is there", () => {
    const { workspace, rows } = create({ maxBytes: 1_000 });
    workspace.putAsPrincipal("old", new Uint8Array(700));
    const before = rows();
    expect(workspace.importZip(zipSync({ a: noise(500) }), false)).toMatchObject({
      failure: { code: "workspace_full" },
    });
    expect(rows()).toEqual(before);
    expect(workspace.importZip(zipSync({ a: noise(500) }), true).ok).toBe(true);
  });
});

/** Bytes that do not compress. */
function noise(length: number): Uint8Array {
  let state = 1;
  return Uint8Array.from({ length }, () => (state = (state * 48_271) % 2_147_483_647) & 255);
}
