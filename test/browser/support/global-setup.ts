// Starts what all tests in a browser share: one stack of the real Workers on the rehearsal model, a second model that takes its time, an exec
// host, and one Chromium. Stops all at the end.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";
import { readOperatorToken } from "../../../scripts/stack/local-state.ts";
import { startStack } from "../../../scripts/stack/stack.ts";
import { selectWorkerVars } from "../../../scripts/stack/worker-vars.ts";
import { findChromium } from "../../../scripts/chromium.ts";
import { startPacedModel } from "./paced-model.ts";
import { SETTINGS } from "./settings.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The stack's address, its operator token, and where playwright-core connects to Chromium. */
    browserStack: { url: string; operator: string; chromium: string };
  }
}

const ARGS = [
  // Chromium's own sandbox needs rights that root and containers lack.
  "--no-sandbox",
  "--disable-dev-shm-usage",
  // No process in reserve and none for graphics: opening a page then takes three quarters of the processor's time.
  "--renderer-process-limit=1",
  "--disable-gpu",
];

export default async function startBrowserStack(project: TestProject): Promise<() => Promise<void>> {
  const { path, missing } = findChromium();
  if (path === undefined) throw new Error(missing);
  const stateDir = mkdtempSync(join(tmpdir(), "talaria-browser-"));
  const operator = readOperatorToken(stateDir);
  const shell = mkdtempSync(join(tmpdir(), "talaria-shell-"));
  const paced = await startPacedModel();
  const vars = {
    ...selectWorkerVars({}, operator),
    OLLAMA_BASE_URL: paced.url,
    TALARIA_SETTINGS: JSON.stringify(SETTINGS),
  };
  const [stack, server] = await Promise.all([
    startStack({ stateDir, vars, shell }),
    chromium.launchServer({ executablePath: path, args: ARGS }),
  ]);
  project.provide("browserStack", { url: stack.url, operator, chromium: server.wsEndpoint() });
  return async () => {
    await Promise.all([stack.stop(), server.close(), paced.close()]);
    for (const folder of [stateDir, shell]) rmSync(folder, { recursive: true, force: true });
  };
}
