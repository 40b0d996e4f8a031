// The environment variables that name an exec host. Read by the Session, by the API and by the scripts that pass variables on. Pure.
// No failure contains the token.
import { type Result, err, ok } from "../../errors.ts";

export const EXEC_SECRETS = ["TALARIA_EXEC_TOKEN"] as const;
export const EXEC_VARIABLES = ["TALARIA_EXEC_URL", "TALARIA_EXEC_PROFILES"] as const;

/** What an operator may set. An empty variable counts as absent. */
export type ExecEnv = { [Name in (typeof EXEC_SECRETS)[number] | (typeof EXEC_VARIABLES)[number]]?: string };

export interface ExecConfig {
  /** Without a trailing slash. */
  baseUrl: string;
  token: string;
  /** Profiles whose sessions may use the machine; `null`: all. */
  profiles: string[] | null;
}

/** `null`: there is no exec host. Failures: `bad_exec_url`, `exec_token_missing`. */
export function parseExecEnv(env: ExecEnv): Result<ExecConfig | null> {
  const given = env.TALARIA_EXEC_URL?.trim() ?? "";
  const token = env.TALARIA_EXEC_TOKEN?.trim() ?? "";
  if (given === "") return ok(null);
  const url = URL.parse(given);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
    return err(
      "bad_exec_url",
      "TALARIA_EXEC_URL must be the address of an exec host, such as http://127.0.0.1:8790. Fix or unset it.",
    );
  }
  if (!/^[\x21-\x7e]{16,500}$/.test(token)) {
    return err(
      "exec_token_missing",
      "TALARIA_EXEC_URL is set, so TALARIA_EXEC_TOKEN must hold the token of that exec host, of 16 characters or more.",
    );
  }
  const profiles = (env.TALARIA_EXEC_PROFILES ?? "").split(/[\s,]+/).filter((name) => name !== "");
  return ok({ baseUrl: url.href.replace(/\/$/, ""), token, profiles: profiles.includes("*") ? null : profiles });
}

/** A profile may use the machine only if the operator named it, because the holder of its key may then run commands there. */
export function mayUseExec(config: ExecConfig | null, profile: string): config is ExecConfig {
  return config !== null && (config.profiles === null || config.profiles.includes(profile));
}
