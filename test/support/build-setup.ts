// Builds the product's Workers before the tests of stacks, so that the tests, which begin at the same time, find them in the cache.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bundleProduct } from "../../scripts/stack/bundle.ts";

export default async function build(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "talaria-built-"));
  await bundleProduct(folder).finally(() => rmSync(folder, { recursive: true, force: true }));
}
