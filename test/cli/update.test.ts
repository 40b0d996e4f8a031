// `talaria update`: starts the launcher of its own checkout, in a checkout only. The update itself is tested in test/update/.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { EXIT } from "../../cli/command-line/exit-codes.ts";
import type { FlagValues, VerbCall } from "../../cli/command-line/verb.ts";
import { update } from "../../cli/verbs/update.ts";
import { createTempFolders } from "../support/temp-folders.ts";
import { writeIn } from "../support/update/small-checkout.ts";

const newFolder = createTempFolders();
const notes: string[] = [];
const run = (root: string, flags: FlagValues) => {
  const output = { note: (line: string) => notes.push(line) };
  return update.actions[0]!.run({ words: [], flags, home: join(root, ".talaria"), output } as unknown as VerbCall);
};

it("says how to update a copy that is not a checkout", async () => {
  const root = newFolder();
  expect(await run(root, {})).toBe(EXIT.failed);
  expect(notes.join()).toContain(`${root} is not a git checkout. Clone the repository`);
});

it("starts the update of its checkout with the same flags, and ends with its exit code", async () => {
  const root = newFolder();
  const launcher = `import { writeFileSync } from "node:fs"; writeFileSync("args", process.argv.slice(2).join(" ")); process.exit(10);`;
  writeIn(root, { ".git/HEAD": "", "scripts/run.mjs": launcher });
  expect(await run(root, { check: true, to: "main" })).toBe(EXIT.newer);
  expect(readFileSync(join(root, "args"), "utf8")).toBe("scripts/update.ts --check --to main");
});
