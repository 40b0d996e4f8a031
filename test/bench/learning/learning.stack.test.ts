// bench:learning's fast mode against the real stack: a few sessions through the Workers, over HTTP, store the same state as the same
// sessions in one process.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readParameters } from "../../../bench/learning/world/parameters.ts";
import { compareWithStack } from "../../../bench/learning/run/stack.ts";
import { createTempFolders } from "../../support/temp-folders.ts";
import { smallWorldFile } from "./learning-parameters.ts";
import { smallSurfaces } from "./learning-surfaces.ts";

const newFolder = createTempFolders();

it("stores the same skills, states, evidence and facts as the Workers do", async () => {
  const path = join(newFolder(), "parameters.json");
  writeFileSync(
    path,
    JSON.stringify(smallWorldFile({ "stream.sessions": 4, "labels.rating": 1, "labels.ratingDelaySessions": 2 })),
  );
  const read = readParameters(path);
  if (!read.ok) throw new Error(read.failure.message);
  const said: string[] = [];
  const run = await compareWithStack(read.value.cells.imports!, smallSurfaces(newFolder()), [1], (line) =>
    said.push(line),
  );
  expect(run.differences).toEqual([]);
  expect(Number(/(\d+) things stored/.exec(said.join("\n"))?.[1])).toBeGreaterThan(20);
});
