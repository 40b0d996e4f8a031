// What no linter looks at: the lockfile, paths of one machine, and the few ways to time and network that lint cannot see.
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const SKIPPED = /^(node_modules|\.git|\.talaria|\.wrangler|dist)(\/|$)/;
const read = (path: string) => readFileSync(join(root, path), "utf8");

const files = readdirSync(root, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
  .filter((path) => !SKIPPED.test(path) && !path.includes("/node_modules/") && !path.includes(".wrangler/"));

const pathsWith = (paths: string[], pattern: RegExp) => paths.filter((path) => pattern.test(read(path)));

describe("the lockfile", () => {
  it("names no registry, so that it installs from any", () => {
    const { packages } = JSON.parse(read("package-lock.json")) as { packages: Record<string, { resolved?: string }> };
    expect(Object.keys(packages).length).toBeGreaterThan(50);
    expect(Object.entries(packages).filter(([, { resolved }]) => resolved)).toEqual([]);
  });

  it("holds every dependency of package.json at the exact version asked for", () => {
    const { packages } = JSON.parse(read("package-lock.json")) as { packages: Record<string, { version?: string }> };
    const manifest = JSON.parse(read("package.json")) as Record<string, Record<string, string>>;
    const asked = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies };
    // An alias, `npm:<package>@<version>`, is locked by its version.
    const exact = Object.entries(asked).map(([name, version]) => [name, version.replace(/^npm:.+@/, "")]);
    const locked = Object.keys(asked).map((name) => [name, packages[`node_modules/${name}`]?.version]);
    expect(Object.fromEntries(locked)).toEqual(Object.fromEntries(exact));
  });

  it("holds the packages of every platform, without which npm ci refuses it", () => {
    const { packages } = JSON.parse(read("package-lock.json")) as {
      packages: Record<string, { optionalDependencies?: Record<string, string> }>;
    };
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter((name) => !isLocked(packages, path, name)),
    );
    expect(missing).toEqual([]);
  });
});

/** As Node looks for it: beside the package, then in every node_modules above. */
function isLocked(packages: object, from: string, name: string): boolean {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("node_modules/") - 1))) {
    if (`${folder}${folder && "/"}node_modules/${name}` in packages) return true;
    if (folder === "") return false;
  }
}

describe("the sources", () => {
  const texts = files.filter((path) => /(\.(ts|mjs|js|md|json|toml|csv|txt)|run|LICENSE)$/.test(path));

  it("name no path of the machine they were written on", () => {
    // Put together here, so that this file names none itself.
    const homes = ["root", "home", "Users"].join("|");
    const machine = new RegExp(`(?<![\\w.~:<-])/(${homes})/\\w`);
    expect(pathsWith(texts, machine)).toEqual([]);
  });

  it("read the time and the network in core only through what was injected", () => {
    const core = files.filter((path) => /^core\/.*\.ts$/.test(path));
    expect(core.length).toBeGreaterThan(10);
    expect(pathsWith(core, /\bnew Date\(\)|(?<![.\w])Date\(\)|globalThis\.fetch\(/)).toEqual([]);
    // A line that defines a method of that name calls nothing.
    const METHOD = /^ *(?:async )?fetch\([\w,: ]*\)(?:: [^;]+;| \{)$/gm;
    const calling = core.filter((path) => /(?<![.\w"'`])fetch\(/.test(read(path).replaceAll(METHOD, "")));
    expect(calling.filter((path) => !/\bfetch: |[{,] fetch\b/.test(read(path)))).toEqual([]);
  });

  it("hold no secret in git: what start and deploy keep is ignored", () => {
    const ignored = execFileSync("git", ["check-ignore", ".talaria/local.json", ".talaria/deploy.json", ".dev.vars"], {
      cwd: root,
      encoding: "utf8",
    });
    expect(ignored.trim().split("\n")).toEqual([".talaria/local.json", ".talaria/deploy.json", ".dev.vars"]);
  });
});
