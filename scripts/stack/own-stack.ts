// A stack with a state folder of its own, removed afterwards, and one profile: for commands that try the running product. Without a model
// key, so the rehearsal model answers. Called by fuzz.ts, conformance-mcp.ts and conformance-skills.ts.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createClient } from "../../cli/connection/client.ts";
import { readOperatorToken } from "./local-state.ts";
import { onStopSignal } from "./processes.ts";
import { startStack } from "./stack.ts";
import { selectWorkerVars } from "./worker-vars.ts";

export interface OwnStack {
  url: string;
  profile: string;
  key: string;
  /** Creates another profile. */
  createProfile(): Promise<{ profile: string; key: string }>;
}

/** `name` is a part of the folder's name. `env`: variables of the Workers. */
export async function withOwnStack<T>(
  name: string,
  work: (stack: OwnStack) => Promise<T>,
  env: Record<string, string> = {},
): Promise<T> {
  const stateDir = mkdtempSync(join(tmpdir(), `talaria-${name}-`));
  const abort = new AbortController();
  onStopSignal(() => abort.abort());
  try {
    const token = readOperatorToken(stateDir);
    const stack = await startStack({ stateDir, vars: selectWorkerVars(env, token), signal: abort.signal });
    try {
      const createProfile = () => createClient({ url: stack.url, key: token }).createProfile();
      return await work({ url: stack.url, ...(await createProfile()), createProfile });
    } finally {
      await stack.stop();
    }
  } finally {
    rmSync(stateDir, { recursive: true, force: true });
  }
}
