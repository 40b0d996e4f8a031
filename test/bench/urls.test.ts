// How bench:urls reads rows and counts, and that its figures come as one line of JSON.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { countWrong, judgeRows } from "../../bench/urls/measure.ts";
import { OWN_ROWS, readRows } from "../../bench/urls/rows.ts";

const folder = mkdtempSync(join(tmpdir(), "urls-"));
afterAll(() => rmSync(folder, { recursive: true }));

const LINES = [
  { url: "https://example.com/", expect: "allow" },
  { url: "https://example.org/", expect: "refuse" },
  { url: "http://127.1/", expect: "refuse", note: "other fields are ignored" },
  { url: "http://[::1]/", expect: "allow" },
  { url: "http://localhost/", expect: "allow" },
].map((row) => JSON.stringify(row));

function write(name: string, text: string | Uint8Array): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

const run = (...args: string[]) =>
  spawnSync(process.execPath, ["bench/urls.ts", ...args], {
    cwd: join(import.meta.dirname, "../.."),
    encoding: "utf8",
  });

test("every row of the fixture gets the answer it expects", async () => {
  const rows = readRows(OWN_ROWS);
  expect(rows.ok && (await judgeRows(rows.value)).filter(({ row, verdict }) => row.expect !== verdict)).toEqual([]);
});

test("wrong answers are counted by their direction", async () => {
  const rows = readRows(write("wrong.jsonl", LINES.join("\n")));
  expect(rows.ok && countWrong(await judgeRows(rows.value))).toEqual({
    total: 5,
    wronglyAllowed: 1,
    wronglyRefused: 2,
  });
});

test("the last line is the figures, and wrong rows are listed before it, from a plain or a gzip file", () => {
  const text = `\uFEFF${LINES.join("\r\n")}\n\n`;
  for (const file of [write("plain.jsonl", text), write("packed.gz", gzipSync(text))]) {
    const { stdout, status } = run("--data", file);
    const lines = stdout.trim().split("\n");
    expect(status).toBe(0);
    expect(lines).toHaveLength(4);
    expect(JSON.parse(lines.at(-1)!)).toEqual({ total: 5, wronglyAllowed: 1, wronglyRefused: 2 });
  }
});

test("a row that cannot be read is an error with its line, and no row is skipped", () => {
  for (const bad of ["{", "[]", '{"url":"a"}', '{"url":1,"expect":"allow"}', '{"url":"a","expect":"maybe"}']) {
    const { stderr, stdout, status } = run("--data", write("bad.jsonl", `${LINES[0]}\n\n${bad}\n`));
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("bad.jsonl, line 3: ");
  }
  expect(run("--data", join(folder, "missing")).stderr).toContain("cannot be read");
  expect(run("--data", write("damaged.gz", new Uint8Array([0x1f, 0x8b, 1]))).stderr).toContain("cannot be read");
  expect(run("--data", write("empty.jsonl", "\n")).stderr).toContain("has no rows");
});
