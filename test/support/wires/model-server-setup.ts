// Starts one model server for all test files of a run. Tests get its address with `inject("modelServer")`.
import type { TestProject } from "vitest/node";
import { startModelServer } from "./model-server.ts";

declare module "vitest" {
  interface ProvidedContext {
    modelServer: string;
  }
}

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startModelServer();
  project.provide("modelServer", server.url);
  return () => server.close();
}
