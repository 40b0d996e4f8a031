// Folders of one test file, gone when it ends. Call at the top of the file; the answer makes a new folder at each call.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

export function createTempFolders(): () => string {
  const root = mkdtempSync(join(tmpdir(), "talaria-test-"));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  return () => mkdtempSync(join(root, "f-"));
}
