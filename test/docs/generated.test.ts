// docs/CONFIGURATION.md and docs/API.md are what `npm run docs` writes, and describe all there is.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { DEFAULTS } from "../../core/limits.ts";
import { toConfigurationPage } from "../../scripts/docs/configuration-page.ts";
import { DOOR_PROBLEMS } from "../../scripts/stack/network/door-problems.ts";
import { MODEL_SECRETS, PLAIN_VARS } from "../../scripts/stack/worker-vars.ts";
import { PROBLEMS } from "../../workers/api/problems.ts";

const root = resolve(import.meta.dirname, "../..");

describe("npm run docs", () => {
  it("would change no committed file", () => {
    const { status, stdout, stderr } = spawnSync("node", ["scripts/run.mjs", "scripts/docs.ts", "--check"], {
      ...{ cwd: root, encoding: "utf8" },
    });
    expect([status, stdout, stderr]).toEqual([0, "", ""]);
  });
});

describe("docs/CONFIGURATION.md", () => {
  const page = toConfigurationPage();

  it("has every setting of core/limits.ts with its default", () => {
    const shown = [...page.matchAll(/^\| `([a-zA-Z]+(?:\.[\w-]+)?)` \| `([^`]+)` \| ./gm)].map(([, key, value]) => [
      key,
      value,
    ]);
    const real = Object.entries(DEFAULTS).flatMap(([group, settings]) =>
      typeof settings === "string"
        ? [[group, JSON.stringify(settings)]]
        : Object.entries(settings).map(([key, value]) => [`${group}.${key}`, JSON.stringify(value)]),
    );
    expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(real));
  });

  it("names every variable that reaches a Worker", () => {
    const named = [...page.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)].map(([, name]) => name);
    expect([...MODEL_SECRETS, ...PLAIN_VARS].filter((name) => !named.includes(name))).toEqual([]);
  });
});

describe("docs/API.md", () => {
  it("lists every error code of the api Worker and of the local proxy once, with a title in sentence case", () => {
    const page = readFileSync(resolve(root, "docs/API.md"), "utf8");
    const errors = page.slice(page.indexOf("\n## Error codes"));
    const listed = [...errors.matchAll(/^\| (\d{3}) \| `(\w+)` \| (.+) \|$/gm)].map(
      ([, status, code, title]) => [code, [Number(status), title]] as const,
    );
    expect(Object.fromEntries(listed)).toEqual({ ...PROBLEMS, ...DOOR_PROBLEMS });
    expect(listed.length).toBe(Object.keys(PROBLEMS).length + Object.keys(DOOR_PROBLEMS).length);
    expect(listed.filter(([, [, title]]) => !/^[A-Z]/.test(String(title)))).toEqual([]);
  });

  it("says of every route what it does and who may call it", () => {
    const page = readFileSync(resolve(root, "docs/API.md"), "utf8");
    const [beforeErrors] = page.split("\n## Error codes");
    const routes = beforeErrors!.split(/^### /m).slice(1);
    expect(routes.length).toBeGreaterThan(50);
    const shape =
      /^\w+\n\n`[A-Z]+ \/\S*` — (?:anyone|operator|(?:operator or )?profile: (?:read|write|admin))\n\n[A-Z`].*\n\n- /;
    expect(routes.filter((route) => !shape.test(route))).toEqual([]);
  });
});
