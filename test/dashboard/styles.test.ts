// The styles of the page: once loaded they hold for every page, so a name has one rule, in one file.
import { globSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const FILES = globSync("dashboard/styles/*.css");
const SOURCES = globSync("dashboard/**/*.{ts,tsx,html}")
  .map((path) => readFileSync(path, "utf8"))
  .join("\n");

/** Names of classes whose rule begins a line, alone. */
function readNames(path: string): string[] {
  return [
    ...new Set([...readFileSync(path, "utf8").matchAll(/^\.([a-z][a-z0-9-]*)(?=,$| \{$)/gm)].map(([, name]) => name!)),
  ];
}

it("gives a class its rule in one file", () => {
  const places = Map.groupBy(
    FILES.flatMap((path) => readNames(path).map((name) => ({ name, path }))),
    ({ name }) => name,
  );
  expect([...places.values()].filter((of) => of.length > 1).map((of) => of[0]!.name)).toEqual([]);
});

it("has no rule for a class that nothing uses", () => {
  // Some names are put together: `badge-${tone}`.
  const isUsed = (name: string) =>
    new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(SOURCES) || SOURCES.includes(`${name.replace(/[^-]+$/, "")}\${`);
  const names = FILES.flatMap(readNames).filter((name) => !name.startsWith("hljs-"));
  expect(names.filter((name) => !isUsed(name))).toEqual([]);
});
