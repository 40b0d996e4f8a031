// Starts what all tests in a browser share: one stack of the real Workers on the rehearsal model, and one Chromium. Stops both at the end.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";
import { readOperatorToken } from "../../../scripts/stack/local-state.ts";
import { startStack } from "../../../scripts/stack/stack.ts";
import { selectWorkerVars } from "../../../scripts/stack/worker-vars.ts";
import { findChromium } from "../../../scripts/chromium.ts";
import { SETTINGS } from "./settings.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The stack's address, its operator token, and where playwright-core connects to Chromium. */
    browserStack: { url: string; operator: string; chromium: string };
  }
}

export default async function startBrowserStack(project: TestProject): Promise<() => Promise<void>> {
  const { path, missing } = findChromium();
  if (path === undefined) throw new Error(missing);
  const stateDir = mkdtempSync(join(tmpdir(), "talaria-browser-"));
  const operator = readOperatorToken(stateDir);
  const vars = { ...selectWorkerVars({}, operator), TALARIA_SETTINGS: JSON.stringify(SETTINGS) };
  const [stack, server] = await Promise.all([
    startStack({ stateDir, vars }),
    // Chromium's own sandbox needs rights that root and containers lack.
    chromium.launchServer({ executablePath: path, args: ["--no-sandbox", "--disable-dev-shm-usage"] }),
  ]);
  project.provide("browserStack", { url: stack.url, operator, chromium: server.wsEndpoint() });
  return async () => {
    await Promise.all([stack.stop(), server.close()]);
    rmSync(stateDir, { recursive: true, force: true });
  };
}
