// Every failure that can reach the API has its own problem code. A forgotten one would become "internal error".
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { err, ok } from "../../core/errors.ts";
import { AppError, answerProblem, isProblemCode, unwrap } from "../../workers/api/problems.ts";

const ROOT = join(import.meta.dirname, "../..");
/** Files that create the failures which handlers unwrap. */
const SOURCES = [
  /^core\/session\/(open-engine|accept-message|session-info)\.ts$/,
  /^core\/session\/files\/.*\.ts$/,
  /^core\/session\/images\/take-images\.ts$/,
  /^core\/images\/check-image\.ts$/,
  /^core\/workspace\/.*\.ts$/,
  /^core\/skills\/format\/validate\.ts$/,
  /^core\/skills\/history\.ts$/,
  /^core\/skills\/exchange\/(import|archive|archive-failure|paths)\.ts$/,
  /^stores\/skills\/skill-.*\.ts$/,
  /^core\/tools\/approval\/pending-desk\.ts$/,
  /^durable-objects\/account(-hooks)?\.ts$/,
  /^core\/experiments\/experiments\.ts$/,
  /^core\/hooks\/judge-hook-url\.ts$/,
  /^workers\/api\/.*\.ts$/,
];

function codesOf(file: string): string[] {
  const source = readFileSync(join(ROOT, file), "utf8");
  return [...source.matchAll(/\berr\(\s*"([a-z_]+)"/g)].map((match) => match[1]!);
}

describe("failures that reach the API", () => {
  const files = ["core", "stores", "durable-objects", "workers/api"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .map((name) => `${folder}/${name}`)
      .filter((file) => SOURCES.some((source) => source.test(file))),
  );
  it("come from files that match every pattern in SOURCES", () => {
    expect(SOURCES.filter((source) => !files.some((file) => source.test(file)))).toEqual([]);
  });
  const found = files.flatMap((file) => codesOf(file).map((code) => ({ file, code })));

  it("are found in the files that create them", () => {
    const codes = new Set(found.map(({ code }) => code));
    const known = ["session_not_found", "idempotency_conflict", "bad_path", "workspace_full", "bad_skill_md", "busy"];
    expect(known.filter((code) => !codes.has(code))).toEqual([]);
  });

  it("each have a problem with the same code", () => {
    expect(found.filter(({ code }) => !isProblemCode(code))).toEqual([]);
  });

  it("say in a header when to try again", () => {
    const wait = (facts?: Record<string, unknown>) =>
      answerProblem(new AppError("hub_rate_limited", "Later.", facts && { facts }), {
        req: { path: "/" },
      } as never).headers.get("retry-after");
    expect([wait(), wait({ retryAfterSeconds: 7 }), wait({ retryAfterMs: 30_001 })]).toEqual(["5", "7", "31"]);
  });

  it("keep their message and their facts", () => {
    expect(unwrap(ok(3))).toBe(3);
    const refused = () => unwrap(err("busy", "Too many writers.", { skill: "a" }));
    expect(refused).toThrow(new AppError("busy", "Too many writers.", { facts: { skill: "a" } }));
    expect(() => unwrap(err("never_heard_of", "x"))).toThrow(
      "this failure code has no problem code: never_heard_of: x",
    );
  });
});
