// A cached build is reused as long as every one of its source files is unchanged.
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { buildAlone, keepBuild, readInputs, restoreBuild } from "../../scripts/stack/build-cache.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "talaria-test-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const put = (path: string, text: string) => {
  mkdirSync(join(folder, path, ".."), { recursive: true });
  writeFileSync(join(folder, path), text);
};

/** Caches a build of a module that imports another module and a text. */
function cacheBuild({ began = Date.now() + 60_000, config = "{}" } = {}) {
  put("src/main.ts", "import './other.ts';");
  put("src/other.ts", "export {};");
  put("src/texts/words.md", "Words.");
  put("out/index.js", "built");
  put("out/0123-words.md", "Words.");
  const inputs = {
    "../../src/main.ts": { imports: [{ path: "../../src/other.ts" }, { path: "./0123-words.md" }] },
    "../../src/other.ts": { imports: [] },
  };
  put("built/api/metafile.json", JSON.stringify({ inputs }));
  keepBuild(
    { config, outdir: join(folder, "out"), inputs: readInputs(join(folder, "built/api/metafile.json")), began },
    join(folder, "cache"),
  );
}

const restore = (config = "{}") => restoreBuild(config, join(folder, "again"), join(folder, "cache"));

it("a cached build is reused with all its files", () => {
  expect(restore()).toBe(false);
  cacheBuild();
  expect(restore()).toBe(true);
  expect(readFileSync(join(folder, "again/index.js"), "utf8")).toBe("built");
  expect(readFileSync(join(folder, "again/0123-words.md"), "utf8")).toBe("Words.");
});

it.each(["src/main.ts", "src/other.ts", "src/texts/words.md"])(
  "a cached build is not reused once %s has changed or is deleted",
  (path) => {
    cacheBuild();
    put(path, "changed");
    expect(restore()).toBe(false);
    cacheBuild();
    rmSync(join(folder, path));
    expect(restore()).toBe(false);
  },
);

it("a damaged cached build is not reused", () => {
  cacheBuild();
  const [name] = readdirSync(join(folder, "cache"));
  put(`cache/${name}/out/index.js`, "bui");
  expect(restore()).toBe(false);
});

it("a cached build is not reused for another config", () => {
  cacheBuild();
  expect(restore('{"name":"other"}')).toBe(false);
});

it("a build is not cached if a source file changed during the build", () => {
  cacheBuild({ began: Date.now() - 60_000 });
  expect(restore()).toBe(false);
});

it("an unwritable cache neither fails the build nor is used", () => {
  cacheBuild();
  rmSync(join(folder, "cache"), { recursive: true });
  put("cache", "no folder");
  expect(() => cacheBuild()).not.toThrow();
  expect(restore()).toBe(false);
});

it("of builds of one config at once, the next one begins when the one before has ended, however it ended", async () => {
  const cache = join(folder, "cache");
  const seen: string[] = [];
  const build = (name: string, config = "{}") =>
    buildAlone(
      config,
      async () => {
        seen.push(`${name} begins`);
        await new Promise((done) => setTimeout(done, 100));
        seen.push(`${name} ends`);
        if (name === "a") throw new Error("it does not build");
      },
      cache,
    );
  const ended = await Promise.allSettled([build("a"), build("b")]);
  expect(ended.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
  expect(seen).toEqual(["a begins", "a ends", "b begins", "b ends"]);
  seen.length = 0;
  await Promise.all([build("c"), build("d", '{"other":true}')]);
  expect(seen.slice(0, 2)).toEqual(["c begins", "d begins"]);
});

it.each([
  ["whose process is dead", JSON.stringify({ pid: 4_000_000, startedAt: 1 })],
  ["without a process", ""],
])("a lock %s is not waited for", async (_, text) => {
  const cache = join(folder, "cache");
  let lock = "";
  await buildAlone("{}", async () => void (lock = readdirSync(cache)[0]!), cache);
  writeFileSync(join(cache, lock), text);
  utimesSync(join(cache, lock), 0, 0);
  expect(await buildAlone("{}", async () => "built", cache)).toBe("built");
  expect(readdirSync(cache)).toEqual([]);
});
