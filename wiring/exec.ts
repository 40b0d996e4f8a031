// Opens the exec host of a deployment for one profile. Called by the Session.
import { type Result, ok } from "../core/errors.ts";
import type { Outbound } from "../core/outbound/outbound.ts";
import { createExecClient } from "../core/tools/host/exec-client.ts";
import { type ExecEnv, mayUseExec, parseExecEnv } from "../core/tools/host/exec-env.ts";
import type { ExecHost } from "../core/tools/host/exec-host.ts";

/** `null`: there is none, or the profile may not use it. Failures: those of `parseExecEnv`. */
export function openExecHost(
  env: ExecEnv,
  profile: string,
  outbound: Pick<Outbound, "request">,
): Result<ExecHost | null> {
  const config = parseExecEnv(env);
  if (!config.ok) return config;
  return ok(mayUseExec(config.value, profile) ? createExecClient({ ...config.value, outbound }) : null);
}
