// The conformance kit of the workspace. It runs over SQLite in Node and inside a Durable Object.
import { describe, expect, test } from "vitest";
import type { Clock, Sql } from "../../core/ports.ts";
import { type Workspace, createWorkspace, migrateWorkspace } from "../../core/workspace/workspace.ts";
import { runShell } from "../../core/tools/shell/shell.ts";
import { type TestClock, createTestClock } from "../support/clock.ts";

interface Bench {
  sql: Sql;
  clock: TestClock;
  workspace: Workspace;
  /** Opens another workspace over the same tables, as after an eviction. */
  reopen(): Workspace;
  /** Runs a command in a new shell and returns its standard output, errors and status. */
  shell(command: string): Promise<string>;
}

/** `withSql` lends an empty database for as long as `work` runs. */
export function describeWorkspace(withSql: (work: (sql: Sql) => Promise<void>) => Promise<void>): void {
  function onBench(work: (bench: Bench) => Promise<void>, maxFileBytes = 2 << 20, maxBytes = 4 << 20) {
    return () => withSql((sql) => work(createBench(sql, maxFileBytes, maxBytes)));
  }

  describe("a workspace for its owner", () => {
    test(
      "a file put by the owner is listed and read back",
      onBench(async ({ workspace, reopen }) => {
        const stored = workspace.putAsPrincipal("data/a.csv", bytes("x;1\n"));
        expect(stored).toEqual({ ok: true, value: { path: "data/a.csv", size: 4 } });
        expect(reopen().list()).toEqual([{ path: "data/a.csv", size: 4, writer: "principal" }]);
        expect(textOf(reopen().read("./data//a.csv"))).toBe("x;1\n");
        expect(textOf(reopen().read("/work/data/a.csv"))).toBe("x;1\n");
      }),
    );

    test(
      "files are listed in the order of their paths",
      onBench(async ({ workspace }) => {
        for (const path of ["b", "a/z", "a.txt", "a/b/c"]) workspace.putAsPrincipal(path, bytes(""));
        expect(workspace.list().map((file) => file.path)).toEqual(["a.txt", "a/b/c", "a/z", "b"]);
      }),
    );

    test.each([
      ["", "A path is needed"],
      ["  ", "A path is needed"],
      ["../a", "leads out of the workspace"],
      ["a/../../b", "leads out of the workspace"],
      ["/work/../etc/passwd", "leads out of the workspace"],
      ["/etc/passwd", "outside the workspace"],
      ["/workshop/a", "outside the workspace"],
      ["a\0b", "contains a NUL"],
      ["a\ud800", "contains a NUL or half of a surrogate pair"],
      ["é".repeat(513), "longer than 1024 bytes"],
      [".", "illegal operation on a directory"],
    ])("the path %j is refused", async (path, words) => {
      await onBench(async ({ workspace }) => {
        const refused = workspace.putAsPrincipal(path, bytes("x"));
        expect(refused).toEqual({ ok: false, failure: { code: "bad_path", message: expect.stringContaining(words) } });
        expect([workspace.read(path), workspace.remove(path), workspace.list()]).toEqual([null, false, []]);
      })();
    });

    test(
      "a path that stays inside may contain `..`",
      onBench(async ({ workspace }) => {
        workspace.putAsPrincipal("a/../b.txt", bytes("x"));
        expect(workspace.list()).toEqual([{ path: "b.txt", size: 1, writer: "principal" }]);
      }),
    );

    test(
      "removing a folder removes its contents and frees the space",
      onBench(async ({ workspace, sql }) => {
        workspace.putAsPrincipal("a/b/c.txt", bytes("cc"));
        workspace.putAsPrincipal("ab.txt", bytes("b"));
        expect(workspace.remove("a")).toBe(true);
        expect(workspace.remove("a")).toBe(false);
        expect(workspace.list()).toEqual([{ path: "ab.txt", size: 1, writer: "principal" }]);
        expect(
          sql.run<{ data: Uint8Array }>("SELECT data FROM file_part").map(({ data }) => textOf(new Uint8Array(data))),
        ).toEqual(["b"]);
      }),
    );

    test(
      "a folder cannot become a file, nor a file a folder",
      onBench(async ({ workspace }) => {
        workspace.putAsPrincipal("a/b", bytes("x"));
        expect(workspace.putAsPrincipal("a", bytes("y"))).toMatchObject({ ok: false, failure: { code: "bad_path" } });
        expect(workspace.putAsPrincipal("a/b/c", bytes("y"))).toMatchObject({
          ok: false,
          failure: { code: "bad_path" },
        });
        expect(workspace.list()).toEqual([{ path: "a/b", size: 1, writer: "principal" }]);
      }),
    );
  });

  describe("the writer of a file", () => {
    test(
      "the agent's write makes the owner's file its own",
      onBench(async ({ workspace }) => {
        workspace.putAsPrincipal("notes.md", bytes("a"));
        expect(workspace.putAsAgent("notes.md", bytes("bc"))).toEqual({
          ok: true,
          value: { path: "notes.md", size: 2, created: false },
        });
        expect(workspace.list()).toEqual([{ path: "notes.md", size: 2, writer: "own" }]);
      }),
    );

    test.each(["echo b >> f", "sed -i s/a/b/ f", "mv f g && mv g f", "mv d e", "cp f g && rm f"])(
      "after %j no text of the agent counts as the owner's",
      async (command) => {
        await onBench(async ({ workspace, shell }) => {
          workspace.putAsPrincipal("f", bytes("a\n"));
          workspace.putAsPrincipal("d/f", bytes("a\n"));
          const untouched = command.includes("d") && command.startsWith("mv d") ? "f" : "d/f";
          await shell(command);
          const owned = workspace.list().filter((file) => file.writer === "principal");
          expect(owned).toEqual([{ path: untouched, size: 2, writer: "principal" }]);
        })();
      },
    );

    test(
      "a file that the owner puts replaces a link",
      onBench(async ({ workspace, shell }) => {
        await shell("echo agent > real; ln -s real AGENTS.md");
        workspace.putAsPrincipal("AGENTS.md", bytes("owner"));
        expect(workspace.list()).toEqual([
          { path: "AGENTS.md", size: 5, writer: "principal" },
          { path: "real", size: 6, writer: "content" },
        ]);
      }),
    );

    test(
      "the owner's put does not follow a folder that is a link",
      onBench(async ({ workspace, shell }) => {
        await shell("mkdir real; ln -s real docs");
        expect(workspace.putAsPrincipal("docs/a.md", bytes("x"))).toMatchObject({
          ok: false,
          failure: { code: "bad_path" },
        });
        expect(workspace.list()).toEqual([]);
      }),
    );
  });

  describe("quotas", () => {
    test(
      "a file over the limit is refused and the old one stays",
      onBench(
        async ({ workspace }) => {
          workspace.putAsPrincipal("a", bytes("small"));
          expect(workspace.putAsPrincipal("a", new Uint8Array(101))).toEqual({
            ok: false,
            failure: {
              code: "file_too_large",
              message: "'a': file too large (101 bytes; a file may have 100). Make it smaller, or split it.",
            },
          });
          expect(textOf(workspace.read("a"))).toBe("small");
        },
        100,
        250,
      ),
    );

    test(
      "a full workspace refuses files with a message, and accepts them again once there is room",
      onBench(
        async ({ workspace }) => {
          workspace.putAsPrincipal("a", new Uint8Array(100));
          workspace.putAsPrincipal("b", new Uint8Array(100));
          expect(workspace.putAsAgent("deep/c", new Uint8Array(51))).toEqual({
            ok: false,
            failure: {
              code: "workspace_full",
              message: "'deep/c': no space left on device (200 of 250 bytes are used; remove files first).",
            },
          });
          expect(workspace.putAsAgent("b", new Uint8Array(10))).toMatchObject({ ok: true });
          expect(workspace.putAsAgent("deep/c", new Uint8Array(51))).toMatchObject({ ok: true });
          const refused = workspace.putAsAgent("d", new Uint8Array(100));
          expect(refused.ok ? "" : refused.failure.message).toContain("161 of 250 bytes");
        },
        100,
        250,
      ),
    );

    test(
      "the shell obeys them too, and a failed copy leaves nothing",
      onBench(
        async ({ shell, workspace }) => {
          workspace.putAsPrincipal("d/a", new Uint8Array(100));
          workspace.putAsPrincipal("d/b", new Uint8Array(100));
          expect(await shell("seq 1 60 > big")).toContain("EFBIG: file too large (171 bytes; a file may have 100)");
          expect(await shell("cp -r d e; echo $?")).toContain("ENOSPC: no space left on device (");
          const used = workspace.list().reduce((sum, file) => sum + file.size, 0);
          const refused = workspace.putAsAgent("f", new Uint8Array(100));
          expect(refused.ok ? "" : refused.failure.message).toContain(`${used} of 250 bytes`);
          expect(await shell("while true; do echo 12345678 >> log; done")).toContain(
            "ENOSPC: no space left on device (",
          );
        },
        100,
        250,
      ),
    );
  });

  describe("a workspace as a file system", () => {
    test(
      "a file of several parts is read back whole after appends and overwrites",
      onBench(async ({ workspace, sql }) => {
        const big = Uint8Array.from({ length: (1 << 20) + 77 }, (_, i) => i % 251);
        await workspace.writeFile("/big", big);
        for (const piece of [new Uint8Array(0), bytes("tail"), new Uint8Array(600_000).fill(7)]) {
          await workspace.appendFile("/big", piece);
        }
        const whole = new Uint8Array(big.length + 4 + 600_000).fill(7);
        whole.set(big);
        whole.set(bytes("tail"), big.length);
        expect(sameBytes(await workspace.readFileBuffer("/big"), whole)).toBe(true);
        expect(sql.run<{ n: number }>("SELECT max(length(data)) AS n FROM file_part")[0]?.n).toBe(512 << 10);
        await workspace.writeFile("/big", "short");
        expect(textOf(workspace.read("big"))).toBe("short");
        expect(sql.run("SELECT count(*) AS n FROM file_part")).toEqual([{ n: 1 }]);
      }),
    );

    test(
      "appending to a file that ends with a full part starts a new part",
      onBench(async ({ workspace, sql }) => {
        await workspace.writeFile("/a", new Uint8Array(512 << 10));
        await workspace.appendFile("/a", "x");
        expect(sql.run("SELECT length(data) AS n FROM file_part ORDER BY n DESC")).toEqual([
          { n: 512 << 10 },
          { n: 1 },
        ]);
      }),
    );

    test(
      "text can be written and read in each encoding",
      onBench(async ({ workspace }) => {
        const written: [string, string, "utf8" | "latin1" | "base64" | "hex"][] = [
          ["/u", "\ufeffé", "utf8"],
          ["/l", "é\xff", "latin1"],
          ["/b", "AP/+", "base64"],
          ["/h", "00fffe", "hex"],
        ];
        for (const [path, text, encoding] of written) {
          await workspace.writeFile(path, text, encoding);
          expect(await workspace.readFile(path, { encoding })).toBe(text);
        }
        expect(Array.from(await workspace.readFileBuffer("/l"))).toEqual([0xe9, 0xff]);
        expect(Array.from(await workspace.readFileBuffer("/b"))).toEqual([0, 0xff, 0xfe]);
      }),
    );

    test(
      "folders move with all their contents, whatever characters their names have",
      onBench(async ({ shell, workspace }) => {
        const out = await shell(
          "mkdir -p 'a b/😀' ; echo 1 > 'a b/😀/x'; echo 2 > 'a b/y'; echo 3 > 'a b0'; mv 'a b' c; cat c/😀/x c/y 'a b0'",
        );
        expect(out).toBe("1\n2\n3\n");
        expect(workspace.list().map((file) => file.path)).toEqual(["a b0", "c/y", "c/😀/x"]);
        expect(workspace.read("a b/y")).toBeNull();
      }),
    );

    test(
      "moves follow the rules of rename",
      onBench(async ({ shell }) => {
        await shell("mkdir -p full/in empty; echo f > file; echo g > full/in/g");
        expect(await shell("mv full full/in/deeper; echo $?")).toMatch(/1\n$/);
        expect(await shell("mv file missing/x; echo $?")).toMatch(/1\n$/);
        expect(await shell("mv file full/in/g; cat full/in/g; mv full empty; find . | sort")).toBe(
          "f\n.\n./empty\n./empty/full\n./empty/full/in\n./empty/full/in/g\n",
        );
      }),
    );

    test(
      "a rename onto a folder that is not empty is refused",
      onBench(async ({ workspace }) => {
        for (const path of ["/a", "/b"]) await workspace.mkdir(path);
        await workspace.writeFile("/b/x", "1");
        await workspace.writeFile("/f", "2");
        await expect(workspace.mv("/a", "/b")).rejects.toThrow("ENOTEMPTY");
        await expect(workspace.mv("/f", "/b")).rejects.toThrow("EISDIR");
        await expect(workspace.mv("/a", "/f")).rejects.toThrow("ENOTDIR");
        await expect(workspace.mv("/b", "/b/c")).rejects.toThrow("EINVAL");
        await workspace.mv("/b", "/a");
        expect(workspace.list().map((file) => file.path)).toEqual(["a/x", "f"]);
      }),
    );

    test(
      "a move or name that makes a path too long is refused",
      onBench(async ({ workspace }) => {
        const name = "n".repeat(500);
        await workspace.mkdir("/a");
        await workspace.writeFile(`/a/${name}`, "1");
        await workspace.mkdir(`/${name}`);
        await workspace.mkdir(`/${name}/m`);
        await expect(workspace.mv("/a", `/${name}/m/${"o".repeat(100)}`)).rejects.toThrow("ENAMETOOLONG");
        await expect(workspace.writeFile(`/${name}/${"p".repeat(600)}`, "")).rejects.toThrow("ENAMETOOLONG");
        expect(workspace.list().map((file) => file.path)).toEqual([`a/${name}`]);
      }),
    );

    test(
      "links are followed inside the workspace and never outside it",
      onBench(async ({ shell, workspace }) => {
        await shell(
          "mkdir d; echo one > d/f; ln -s d/f rel; ln -s /work/d abs; ln -s ../work/d/f around; ln -s /etc/passwd out",
        );
        expect(await shell("cat rel abs/f around; readlink abs; cd abs; pwd -P")).toBe(
          "one\none\none\n/work/d\n/work/d\n",
        );
        expect(await shell("cat out; echo two > abs/g; cat d/g")).toBe("cat: out: No such file or directory\ntwo\n");
        expect(textOf(workspace.read("rel"))).toBe("one\n");
        expect(workspace.read("out")).toBeNull();
        expect(await shell("ln -s loop loop; cat loop; rm abs rel; cat d/f")).toContain("one\n");
      }),
    );

    test(
      "a copy of a folder keeps links and modes",
      onBench(async ({ shell }) => {
        await shell("mkdir d; echo 'echo hi' > d/run.sh; chmod 755 d/run.sh; ln -s run.sh d/go");
        expect(await shell("cp -r d e; readlink e/go; stat -c %a e/run.sh; ./e/run.sh")).toBe("run.sh\n755\nhi\n");
      }),
    );

    test(
      "a folder that is not empty needs -r to be removed",
      onBench(async ({ shell }) => {
        await shell("mkdir -p d/e; echo 1 > d/f");
        expect(await shell("rmdir d; rm d; echo $?; rm -r d; ls; rm none; rm -f none; echo $?")).toMatch(/1\n.*0\n$/s);
        expect(await shell("ls -a")).not.toContain("d\n");
      }),
    );

    test(
      "hard links are refused with a message",
      onBench(async ({ shell }) => {
        expect(await shell("echo 1 > a; ln a b; echo $?")).toContain("hard links are not supported");
      }),
    );

    test(
      "file times come from the injected clock",
      onBench(async ({ workspace, clock }) => {
        await workspace.writeFile("/a", "1");
        const first = clock.now();
        clock.advance(5_000);
        expect((await workspace.stat("/a")).mtime.getTime()).toBe(first);
        await workspace.appendFile("/a", "2");
        expect(await workspace.stat("/a")).toEqual({
          isFile: true,
          isDirectory: false,
          isSymbolicLink: false,
          mode: 0o644,
          size: 2,
          mtime: new Date(first + 5_000),
          identity: "/a",
        });
        await workspace.utimes("/a", new Date(0), new Date(1_000));
        expect((await workspace.stat("/a")).mtime).toEqual(new Date(1_000));
      }),
    );

    test(
      "an error in the middle of a write leaves the file unchanged",
      onBench(async ({ sql, clock }) => {
        const broken = createWorkspace({
          sql: failingAt(sql, "INSERT INTO file_part", 2),
          clock,
          maxFileBytes: 2 << 20,
          maxBytes: 4 << 20,
        });
        await broken.writeFile("/a", "old"); // the first insert
        await expect(broken.writeFile("/a", new Uint8Array(700_000))).rejects.toThrow("disk on fire");
        const sound = createWorkspace({ sql, clock, maxFileBytes: 2 << 20, maxBytes: 4 << 20 });
        expect(textOf(sound.read("a"))).toBe("old");
      }),
    );
  });
}

function createBench(sql: Sql, maxFileBytes: number, maxBytes: number): Bench {
  migrateWorkspace(sql);
  migrateWorkspace(sql);
  const clock = createTestClock();
  const reopen = () => openWorkspace(sql, clock, maxFileBytes, maxBytes);
  return { sql, clock, workspace: reopen(), reopen, shell: (command) => runCommand(reopen(), command) };
}

function openWorkspace(sql: Sql, clock: Clock, maxFileBytes: number, maxBytes: number): Workspace {
  return createWorkspace({ sql, clock, maxFileBytes, maxBytes });
}

async function runCommand(workspace: Workspace, command: string): Promise<string> {
  const { signal } = new AbortController();
  const { stdout, stderr } = await runShell(command, { workspace, signal, timeoutMs: 5_000 });
  return stderr + stdout;
}

function failingAt(sql: Sql, start: string, nth: number): Sql {
  let seen = 0;
  return {
    run(query, ...values) {
      if (query.startsWith(start) && ++seen === nth) throw new Error("disk on fire");
      return sql.run(query, ...values);
    },
    transaction: (work) => sql.transaction(work),
  };
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function textOf(content: Uint8Array | null): string | null {
  return content && new TextDecoder().decode(content);
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
