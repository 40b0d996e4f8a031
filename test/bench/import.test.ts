// bench:import on its fixture: each row is imported, or refused for the reason that it was written for.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { importRow } from "../../bench/import/measure.ts";
import { toImportLine } from "../../bench/import/report.ts";
import { readRows } from "../../bench/import/rows.ts";

it("imports skills with a name and a description, and gives a reason for each refusal", async () => {
  const rows = readRows();
  if (!rows.ok) throw new Error(rows.failure.message);
  const outcomes = await Promise.all(rows.value.map(importRow));
  expect(Object.fromEntries(outcomes.flatMap(({ path, reason }) => (reason ? [[path, reason]] : [])))).toEqual({
    "none/SKILL.md": "bad_skill_md: no_frontmatter",
    "mute/SKILL.md": "bad_skill_md: no_description",
    "huge/SKILL.md": "bad_skill_md: too_large",
  });
  expect(JSON.parse(toImportLine(outcomes))).toEqual({
    total: 15,
    imported: 12,
    refused: 3,
    crashed: 0,
    roundTripDiffers: 0,
    refusedWithoutReason: 0,
  });
});

it("counts crashes, differences and refusals without a reason separately", () => {
  const line = toImportLine([
    { path: "a", outcome: "crashed", message: "thrown", warnings: [], differs: [] },
    { path: "b", outcome: "imported", warnings: [], differs: ["zip"] },
    { path: "c", outcome: "refused", reason: "bad_path", message: "", warnings: [], differs: [] },
  ]);
  expect(JSON.parse(line)).toEqual({
    total: 3,
    imported: 1,
    refused: 1,
    crashed: 1,
    roundTripDiffers: 1,
    refusedWithoutReason: 1,
  });
});

it("reads JSON lines, plain or gzip by their first bytes, and names an invalid line", () => {
  const folder = mkdtempSync(join(tmpdir(), "talaria-rows-"));
  try {
    const write = (bytes: string | Uint8Array) => {
      writeFileSync(join(folder, "rows"), bytes);
      return readRows(join(folder, "rows"));
    };
    const row = { path: "a/SKILL.md", text: "x" };
    for (const text of [`${JSON.stringify(row)}\n\n`, gzipSync(`${JSON.stringify(row)}\n`)]) {
      expect(write(text)).toEqual({ ok: true, value: [row] });
    }
    expect(write(`${JSON.stringify(row)}\n{"path":1}`)).toMatchObject({
      failure: { message: expect.stringMatching(/^Line 2 /) },
    });
    expect(readRows(join(folder, "absent"))).toMatchObject({ failure: { code: "bad_data" } });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
