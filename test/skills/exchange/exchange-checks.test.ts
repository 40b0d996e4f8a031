// Checks are part of an exported skill: packed, unpacked or exported strictly, they run unchanged.
import { expect, it } from "vitest";
import { pack } from "../../../core/skills/exchange/archive.ts";
import { readArchive } from "../../../core/skills/exchange/import.ts";
import { makeStrictCopy } from "../../../core/skills/exchange/strict.ts";
import { checkStandard } from "../../../core/skills/format/standard.ts";
import { script } from "../../checks/hostile.ts";
import { runChecks } from "../../support/quickjs.ts";
import { skillMd } from "../skill-md.ts";

const files = {
  ...script("js", `console.log(readFile("in.txt").trim())`, "^ok$", { files: { "in.txt": "ok\n" } }),
  "SKILL.md": skillMd().replace(
    "  category: ops\n",
    `  category: ops\n  talaria.contract.tools: "read_file@0a1b2c3d"\n`,
  ),
};

it.each(["zip", "tar.gz"] as const)("checks survive export as a %s byte for byte", async (kind) => {
  const read = readArchive(pack(kind, files, "reading-logs"));
  expect(read).toMatchObject({ ok: true, value: { name: "reading-logs", files, warnings: [] } });
  expect(read.ok && (await runChecks(read.value.files))).toMatchObject([{ check: "checks/a.json", ok: true }]);
});

it("checks survive a strict export, which follows the standard", async () => {
  const strict = makeStrictCopy("reading-logs", files);
  if (!strict.ok) throw new Error(strict.failure.message);
  expect(strict.value).toEqual({ files, warnings: [] });
  expect(checkStandard(strict.value.files["SKILL.md"] as string, "reading-logs")).toEqual([]);
  expect(await runChecks(strict.value.files)).toMatchObject([{ ok: true }]);
});
