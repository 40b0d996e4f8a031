// Names of the environment variables that the Workers receive: one list for start, demo, chaos and deploy. Holds no values. A test
// compares it with the variables that the Workers read.

/** Variables of each provider that TALARIA_MODEL can name. */
const PROVIDERS: Record<string, { secret: string; plain?: string[] }> = {
  gateway: { secret: "CLOUDFLARE_AI_TOKEN", plain: ["CLOUDFLARE_ACCOUNT_ID", "CLOUDFLARE_GATEWAY_ID"] },
  cloudflare: { secret: "CLOUDFLARE_AI_TOKEN", plain: ["CLOUDFLARE_ACCOUNT_ID", "CLOUDFLARE_GATEWAY_ID"] },
  openrouter: { secret: "OPENROUTER_API_KEY", plain: ["OPENROUTER_REFERER"] },
  gemini: { secret: "GEMINI_API_KEY" },
  mistral: { secret: "MISTRAL_API_KEY" },
  bedrock: { secret: "AWS_BEARER_TOKEN_BEDROCK", plain: ["AWS_REGION"] },
  deepseek: { secret: "DEEPSEEK_API_KEY" },
  moonshot: { secret: "MOONSHOT_API_KEY" },
  zai: { secret: "ZAI_API_KEY" },
  together: { secret: "TOGETHER_API_KEY" },
  nvidia: { secret: "NVIDIA_API_KEY" },
  xai: { secret: "XAI_API_KEY" },
  groq: { secret: "GROQ_API_KEY" },
  cerebras: { secret: "CEREBRAS_API_KEY" },
  fireworks: { secret: "FIREWORKS_API_KEY" },
  huggingface: { secret: "HF_TOKEN" },
  ollama: { secret: "OLLAMA_API_KEY", plain: ["OLLAMA_BASE_URL"] },
  llamacpp: { secret: "LLAMACPP_API_KEY", plain: ["LLAMACPP_BASE_URL"] },
  vllm: { secret: "VLLM_API_KEY", plain: ["VLLM_BASE_URL"] },
  lmstudio: { secret: "LMSTUDIO_API_KEY", plain: ["LMSTUDIO_BASE_URL"] },
};

/** Variables of each memory provider that TALARIA_MEMORY_PROVIDER can name. */
const MEMORY_PROVIDERS: Record<string, { secret: string; plain: string[] }> = {
  mem0: { secret: "MEM0_API_KEY", plain: ["MEM0_BASE_URL"] },
  honcho: { secret: "HONCHO_API_KEY", plain: ["HONCHO_BASE_URL", "HONCHO_WORKSPACE"] },
  supermemory: { secret: "SUPERMEMORY_API_KEY", plain: ["SUPERMEMORY_BASE_URL"] },
  hindsight: { secret: "HINDSIGHT_API_KEY", plain: ["HINDSIGHT_BASE_URL"] },
  openviking: { secret: "OPENVIKING_API_KEY", plain: ["OPENVIKING_BASE_URL", "OPENVIKING_ACCOUNT"] },
};

/** Variables that choose a model for a slot. */
const MODEL_CHOICES = [
  "TALARIA_MODEL",
  "TALARIA_MODEL_REVIEW",
  "TALARIA_MODEL_CURATION",
  "TALARIA_MODEL_COMPACTION",
  "TALARIA_MODEL_TITLE",
  "TALARIA_MODEL_APPROVAL",
  "TALARIA_MODEL_JUDGE",
  "TALARIA_MODEL_VISION",
  "TALARIA_MODEL_GOAL",
  "TALARIA_MODEL_PLAN",
  "TALARIA_MODEL_REPLAY",
];

/** Variables of the caller's environment that reach all three Workers. */
export const MODEL_SECRETS: readonly string[] = [
  ...new Set(["ANTHROPIC_API_KEY", "OPENAI_API_KEY", ...Object.values(PROVIDERS).map(({ secret }) => secret)]),
];
export const PLAIN_VARS: readonly string[] = [
  ...new Set([
    ...[
      "ANTHROPIC_BASE_URL",
      "OPENAI_BASE_URL",
      "OPENAI_MODEL",
      "TALARIA_SETTINGS",
      "TALARIA_PUBLIC_PROFILE",
      ...MODEL_CHOICES,
    ],
    ...Object.values(PROVIDERS).flatMap(({ plain = [] }) => plain),
  ]),
];

/** Variables for the api Worker only: no other Worker calls a memory provider. */
export const MEMORY_SECRETS: readonly string[] = Object.values(MEMORY_PROVIDERS).map(({ secret }) => secret);
export const MEMORY_VARS: readonly string[] = [
  "TALARIA_MEMORY_PROVIDER",
  ...Object.values(MEMORY_PROVIDERS).flatMap(({ plain }) => plain),
];

/** The exec host: for the api Worker only, whose sessions use it. */
export const EXEC_SECRETS: readonly string[] = ["TALARIA_EXEC_TOKEN"];
export const EXEC_VARS: readonly string[] = ["TALARIA_EXEC_URL", "TALARIA_EXEC_PROFILES"];

/** The training service: for the api Worker only, which asks it for a person. */
export const TRAINING_SECRETS: readonly string[] = ["TALARIA_TRAINING_TOKEN"];
export const TRAINING_VARS: readonly string[] = ["TALARIA_TRAINING_URL"];

/** Seals what tenants give in confidence: for the api Worker only, which stores and uses it. */
export const SEALING_SECRETS: readonly string[] = ["TALARIA_SEALING_KEY"];

/** Variables for the api Worker only: no other Worker searches the web. */
export const SEARCH_SECRETS: readonly string[] = ["BRAVE_API_KEY", "TAVILY_API_KEY", "EXA_API_KEY"];
export const SEARCH_VARS: readonly string[] = ["SEARXNG_URL"];

/** Who may sign in through the operator's identity provider: for the api Worker only. It has no secret. */
export const ACCESS_VARS: readonly string[] = ["TALARIA_ACCESS"];

/** What messaging platforms are told, and whether those that can be are polled: for the api Worker only, which has the channels. */
export const CHANNEL_VARS: readonly string[] = ["TALARIA_PUBLIC_URL", "TALARIA_POLL_CHANNELS"];

/** Everything that only the api Worker gets, beside the operator's token. */
export const API_SECRETS: readonly string[] = [
  ...MEMORY_SECRETS,
  ...EXEC_SECRETS,
  ...TRAINING_SECRETS,
  ...SEARCH_SECRETS,
  ...SEALING_SECRETS,
];
export const API_VARS: readonly string[] = [
  ...MEMORY_VARS,
  ...EXEC_VARS,
  ...TRAINING_VARS,
  ...SEARCH_VARS,
  ...ACCESS_VARS,
  ...CHANNEL_VARS,
];

/**
 * The variables of `env` that a Worker receives, plus the operator's token. Empty values count as absent. Keys of providers that no
 * chosen model uses are left out: a shell often holds tokens of other programs.
 */
export function selectWorkerVars(
  env: Record<string, string | undefined>,
  operatorToken: string,
  names: readonly string[] = [...MODEL_SECRETS, ...PLAIN_VARS, ...API_SECRETS, ...API_VARS],
): Record<string, string> {
  const unused = listUnusedVariables(env);
  const given = names.flatMap((name) => {
    const value = unused.has(name) ? "" : env[name]?.trim();
    return value ? [[name, value] as const] : [];
  });
  return { ...Object.fromEntries(given), TALARIA_OPERATOR_TOKEN: operatorToken };
}

function listUnusedVariables(env: Record<string, string | undefined>): Set<string> {
  const specs = MODEL_CHOICES.flatMap((choice) => (env[choice] ?? "").split(","));
  const named = new Set(specs.map((spec) => spec.trim().split(":")[0]));
  const variables = (isNamed: boolean) =>
    Object.entries(PROVIDERS)
      .filter(([name]) => named.has(name) === isNamed)
      .flatMap(([, { secret, plain = [] }]) => [secret, ...plain]);
  const used = variables(true);
  const memories = (env.TALARIA_MEMORY_PROVIDER ?? "").split(",").map((name) => name.trim().toLowerCase());
  const unusedMemories = Object.entries(MEMORY_PROVIDERS)
    .filter(([name]) => !memories.includes(name))
    .flatMap(([, { secret, plain }]) => [secret, ...plain]);
  return new Set([...variables(false).filter((name) => !used.includes(name)), ...unusedMemories]);
}
