// What is known about models by the beginning of their ids: a context window, and which model a provider is asked for when
// nobody says. An open list: an id that is not here works, with the default window. Pure data.

/** Providers `TALARIA_MODEL` may name, and the model each stands for when only a key is given. */
export const DEFAULT_MODELS = { anthropic: "claude-sonnet-5-5", openai: "gpt-6.1-terra" } as const;

export const DEFAULT_CONTEXT_TOKENS = 200_000;

/** From the type declarations and model pages of October and November 2026. The longest prefix wins. */
const CONTEXT_TOKENS: Record<string, number> = {
  "claude-opus-5": 1_000_000,
  "claude-sonnet-5": 1_000_000,
  "claude-haiku-5": 1_000_000,
  "claude-fable-5": 1_000_000,
  "claude-mythos-5": 1_000_000,
  "claude-": 200_000,
  "gpt-6": 272_000,
  "gpt-5": 272_000,
  "gpt-oss": 128_000,
  "gemini-": 1_000_000,
  "mistral-large-4": 1_000_000,
  "mistral-": 128_000,
  "devstral-": 128_000,
  "codestral-": 128_000,
  "glm-5.3-flash": 1_000_000,
};

/** Tokens a model can read and write in one call. A gateway's prefix (`anthropic/…`, `@cf/openai/…`) is not looked at. */
export function contextTokens(modelId: string): number {
  const id = modelId.slice(modelId.lastIndexOf("/") + 1).toLowerCase();
  const prefixes = Object.keys(CONTEXT_TOKENS).filter((prefix) => id.startsWith(prefix));
  const longest = prefixes.sort((a, b) => b.length - a.length)[0];
  return longest === undefined ? DEFAULT_CONTEXT_TOKENS : CONTEXT_TOKENS[longest]!;
}
