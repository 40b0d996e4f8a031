// `talaria export --trajectories` in this process against a fake API: what becomes of its file.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type Handler, startFakeApi } from "../../support/fake-api.ts";
import { ask, talaria } from "../../support/run-talaria.ts";
import { createTempFolders } from "../../support/temp-folders.ts";

const tempFolder = createTempFolders();

it("two exports to one path at once do not mix", async () => {
  const folder = tempFolder();
  const file = join(folder, "t.jsonl");
  let meet = () => {};
  const both = new Promise<void>((resolve) => (meet = resolve));
  const first: Handler = async (response) => {
    await both;
    response.writeHead(200).end('"first"\n');
  };
  const second: Handler = (response) => {
    meet();
    response.writeHead(200).end('"second"\n');
  };
  await using api = await startFakeApi([first, second]);
  const run = () => talaria(["export", "--trajectories", file], { url: api.url });
  const done = await Promise.all([run(), run()]);
  expect(done.map(({ code }) => code)).toEqual([0, 0]);
  expect(readFileSync(file, "utf8")).toMatch(/^"(?:first|second)"\n$/);
  expect(readdirSync(folder)).toEqual(["t.jsonl"]);
});

it.each([
  ["the profile", ["export", "-"]],
  ["conversations", ["export", "--trajectories=-"]],
])("%s: stdout is refused with what to do", async (_, args) => {
  expect(await ask(args, [])).toMatchObject({ code: 2, requests: [], stderr: expect.stringContaining("Name a file.") });
  expect(existsSync("-")).toBe(false);
});
