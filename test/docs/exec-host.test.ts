// docs/EXEC-HOST.md names every route, code and limit that the exec host has, and no other.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../exec-host/limits.ts";
import { PROBLEMS } from "../../exec-host/problem.ts";
import { ROUTES } from "../../exec-host/routes.ts";

const document = readFileSync(join(resolve(import.meta.dirname, "../../docs"), "EXEC-HOST.md"), "utf8");

describe("docs/EXEC-HOST.md", () => {
  it("has every route", () => {
    const listed = [...document.matchAll(/^\| `((?:GET|POST) \/v1\/[^`]+)` \|/gm)].map((match) => match[1]);
    expect(listed).toEqual(Object.keys(ROUTES));
  });

  it("has every code with its status", () => {
    const rows = [...document.matchAll(/^\| (\d{3}) \| (.+) \|$/gm)];
    const listed = rows.flatMap(([, status, codes]) =>
      [...codes!.matchAll(/`(\w+)`/g)].map((match) => [match[1], Number(status)]),
    );
    expect(Object.fromEntries(listed)).toEqual(PROBLEMS);
  });

  it("has the values of the limits", () => {
    const [, limits = ""] = document.split("**Limits**");
    const shown = (value: number) => limits.includes(value.toLocaleString("en-US"));
    const { bodyBytes, writeBytes, readBytes, commandBytes, headBytes, tailBytes, backgroundTailBytes } = LIMITS;
    const sizes = [bodyBytes, writeBytes, readBytes].map((bytes) => `${bytes >> 20} MiB`);
    const small = [commandBytes, headBytes, tailBytes, backgroundTailBytes].map((bytes) => `${bytes >> 10} KiB`);
    const times = [LIMITS.timeoutMs, LIMITS.maxTimeoutMs, LIMITS.graceMs, LIMITS.waitMs, LIMITS.searchMs];
    const named = [...sizes, ...small, ...times.map((ms) => `${ms / 1_000} s`)];
    expect(named.filter((text) => !limits.includes(text))).toEqual([]);
    const counts = [LIMITS.running, LIMITS.runningInBackground, LIMITS.keptOutputs, LIMITS.ops, LIMITS.pathParts];
    expect([...counts, LIMITS.scannedEntries, LIMITS.connections].filter((count) => !shown(count))).toEqual([]);
  });
});
