// Temporary folders of one test file, deleted when it ends. Call at the top of the file; the returned function creates a new folder
// per call.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

export function createTempFolders(): () => string {
  const root = mkdtempSync(join(tmpdir(), "talaria-test-"));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  return () => mkdtempSync(join(root, "f-"));
}
