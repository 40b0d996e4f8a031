// Nothing but a person's request reaches training: no source of the agent's side imports it, no tool is named after it, and every
// route needs an admin credential and is noted in the audit log.
import { readFileSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { TOOLSETS } from "../../core/tools/toolsets.ts";
import { AUDITED_ROUTES } from "../../workers/api/auth/audited-routes.ts";

const root = resolve(import.meta.dirname, "../..");
/** Everything that may know of training. */
const MAY_KNOW = [
  /^core\/training\//,
  /^core\/schemas\/training\.ts$/,
  /^durable-objects\/(?:(?:account|account-tables)\.ts$|training\/)/,
  /^workers\/api\/(?:env|index)\.ts$/,
  /^workers\/api\/training\//,
  /^wiring\/outbound\.ts$/,
];

it("no tool, job, board, channel, session or MCP tool imports a part of training", () => {
  const folders = ["core", "channels", "durable-objects", "stores", "wiring", "workers"];
  const files = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts"))
      .map((path) => join(folder, path)),
  );
  expect(files.length).toBeGreaterThan(500);
  const knowing = files.filter((path) => {
    const text = readFileSync(join(root, path), "utf8");
    return /from "[^"]*training[^"]*"|\.trainingDesk\(|\/v1\/training/.test(text);
  });
  expect(knowing.length).toBeGreaterThan(5);
  expect(knowing.filter((path) => !MAY_KNOW.some((allowed) => allowed.test(path)))).toEqual([]);
});

it("no tool is named after it", () => {
  expect(
    Object.entries(TOOLSETS)
      .flat(2)
      .filter((name) => /train|tinker|atropos|adapter/.test(name)),
  ).toEqual([]);
});

it("every changing route is noted as an act of an admin", () => {
  const acts = Object.values(AUDITED_ROUTES).filter(({ act }) => act.startsWith("training_"));
  expect(acts.map(({ isAdmin }) => isAdmin)).toEqual([true, true, true, true, true]);
});
