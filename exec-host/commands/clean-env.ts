// The environment of commands: the host's own, without what looks like a secret. Pure.

/** Parts of the names of variables that hold secrets: those of hermes-agent's execute_code, `MYSQL_PWD`, `GITHUB_PAT`, `SENTRY_DSN`. */
const SECRET_NAME = /KEY|TOKEN|SECRET|PASS|[A-Z]_PWD|CREDENTIAL|AUTH|COOKIE|WEBHOOK|_DSN|(?:^|_)PAT(?:_|$)/i;
/** Addresses with a password, such as `postgres://me:pass@host/db`, or with a token, such as `https://ghp_16C7e4@github.com`. */
const ADDRESS_WITH_PASSWORD = /:\/\/[^/\s:@]{0,200}:[^/\s@]{1,500}@|https?:\/\/[^/\s@]{1,500}@/i;

export function withoutSecrets(env: NodeJS.ProcessEnv): Record<string, string> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      !SECRET_NAME.test(entry[0]) &&
      !entry[0].toUpperCase().startsWith("TALARIA_") &&
      !ADDRESS_WITH_PASSWORD.test(entry[1]),
  );
  return Object.fromEntries(kept);
}
