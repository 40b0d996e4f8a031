// What the Workers are given from outside: one list, read by start, demo, chaos and deploy. Knows names, never values.

/** Variables of the caller's environment that reach all three Workers. */
export const MODEL_SECRETS = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"] as const;
export const PLAIN_VARS = [
  "ANTHROPIC_BASE_URL",
  "OPENAI_BASE_URL",
  "OPENAI_MODEL",
  "TALARIA_MODEL",
  "TALARIA_SETTINGS",
] as const;

/** What of `env` a Worker gets, beside the operator's token. Empty values count as absent. */
export function workerVars(
  env: Record<string, string | undefined>,
  operatorToken: string,
  names: readonly string[] = [...MODEL_SECRETS, ...PLAIN_VARS],
): Record<string, string> {
  const given = names.flatMap((name) => {
    const value = env[name]?.trim();
    return value ? [[name, value] as const] : [];
  });
  return { ...Object.fromEntries(given), TALARIA_OPERATOR_TOKEN: operatorToken };
}
