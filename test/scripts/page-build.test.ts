// The build of the page: whole at every moment, and written only when it has changed.
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { buildPage } from "../../scripts/dashboard/build.ts";
import { createTempFolders } from "../support/temp-folders.ts";

const tempFolder = createTempFolders();

it("several builds at once leave one whole page and nothing beside it", async () => {
  const folder = tempFolder();
  const page = join(folder, "page");
  await Promise.all([buildPage(page), buildPage(page), buildPage(page)]);
  expect(readdirSync(folder)).toEqual(["page"]);
  expect(readdirSync(page)).toEqual(expect.arrayContaining(["_headers", "assets", "docs", "index.html"]));
  expect(readdirSync(join(page, "docs")).sort()).toEqual(["swagger-ui-bundle.js", "swagger-ui.css"]);
  const html = readFileSync(join(page, "index.html"), "utf8");
  const named = [...html.matchAll(/\/assets\/([^"]+)/g)].map((match) => match[1]!);
  expect(named.length).toBeGreaterThan(0);
  expect(readdirSync(join(page, "assets"))).toEqual(expect.arrayContaining(named));
  expect(readdirSync(join(page, "assets")).filter((name) => name.endsWith(".map"))).toEqual([]);
});

it("a page that is already there is not written again, and one that differs is replaced", async () => {
  const page = join(tempFolder(), "page");
  mkdirSync(page);
  writeFileSync(join(page, "of-an-earlier-version.js"), "");
  await buildPage(page);
  expect(readdirSync(page)).not.toContain("of-an-earlier-version.js");
  const { ino } = statSync(page);
  await buildPage(page);
  expect(statSync(page).ino).toBe(ino);
  writeFileSync(join(page, "index.html"), "damaged");
  await buildPage(page);
  expect(readFileSync(join(page, "index.html"), "utf8")).toContain("<title>Talaria</title>");
});
