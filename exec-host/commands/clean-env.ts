// The environment of commands: the host's own, without what looks like a secret. Pure.

/** Parts of the names of variables that hold secrets, as in hermes-agent's execute_code. */
const SECRET_NAME = /KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|AUTH/i;
/** Addresses with a password, such as `postgres://me:pass@host/db`. */
const ADDRESS_WITH_PASSWORD = /:\/\/[^/\s:@]{0,200}:[^/\s@]{1,200}@/;

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
