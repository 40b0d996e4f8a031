// Which model a provider is asked for when only its key is given. Read by routing.ts. Pure data.
export const DEFAULT_MODELS = { anthropic: "claude-sonnet-5-5", openai: "gpt-6.1-terra" } as const;
