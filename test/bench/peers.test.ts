// The lockfile of bench:turn's peer keeps the same promises as the product's.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";

const read = (name: string) =>
  JSON.parse(readFileSync(resolve(import.meta.dirname, "../../bench/peers", name), "utf8"));
const { packages } = read("package-lock.json") as {
  packages: Record<string, { version?: string; resolved?: string; optionalDependencies?: Record<string, string> }>;
};

it("names no registry, so that it installs from any", () => {
  expect(Object.keys(packages).length).toBeGreaterThan(20);
  expect(Object.entries(packages).filter(([, { resolved }]) => resolved)).toEqual([]);
});

it("holds every dependency at the exact version asked for", () => {
  const asked = (read("package.json") as { dependencies: Record<string, string> }).dependencies;
  const locked = Object.keys(asked).map((name) => [name, packages[`node_modules/${name}`]?.version]);
  expect(Object.fromEntries(locked)).toEqual(asked);
});

it("holds the packages of every platform, without which npm ci refuses it", () => {
  const missing = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
    Object.keys(optionalDependencies).filter((name) => !(`node_modules/${name}` in packages)),
  );
  expect(missing).toEqual([]);
});
