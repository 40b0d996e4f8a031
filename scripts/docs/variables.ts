// What each environment variable means: the text of docs/CONFIGURATION.md. A variable that reaches a Worker and is not
// described here fails the generation. Variables of one model provider are in the table of providers instead. Pure data.

const SAME_FORM = "As `TALARIA_MODEL`, for";

export const VARIABLES: Readonly<Record<string, string>> = {
  ANTHROPIC_API_KEY: "Use Anthropic's Messages API.",
  ANTHROPIC_BASE_URL: "Another server that speaks the Messages API.",
  OPENAI_API_KEY:
    "Use OpenAI's Responses API. With `OPENAI_BASE_URL`: the key of that server, which speaks Chat Completions.",
  OPENAI_BASE_URL: "Any other server that speaks Chat Completions.",
  OPENAI_MODEL: "The model at `OPENAI_BASE_URL`, when `TALARIA_MODEL` is not set.",
  TALARIA_MODEL:
    "`anthropic:<id>`, `openai:<id>`, `openai-chat:<id>`, `<provider>:<id>` with a provider of the next table, or `rehearsal`. " +
    "Several, separated by commas, are tried in that order when one fails. Without it the keys decide; without a key rehearsal runs.",
  TALARIA_MODEL_REVIEW: `${SAME_FORM} reviews. Default: \`TALARIA_MODEL\`.`,
  TALARIA_MODEL_CURATION: `${SAME_FORM} curation. Default: \`TALARIA_MODEL\`.`,
  TALARIA_MODEL_COMPACTION: `${SAME_FORM} compaction. Default: \`TALARIA_MODEL\`.`,
  TALARIA_MODEL_TITLE: `${SAME_FORM} titles. Default: \`TALARIA_MODEL\`.`,
  TALARIA_MODEL_APPROVAL: `${SAME_FORM} approvals. Default: \`TALARIA_MODEL\`.`,
  TALARIA_MODEL_JUDGE:
    "A second judge of what a review writes: it reports each sentence that only a file, a page or a program asked for. Without it " +
    "rules alone decide. Use a capable model: one of 1.5 billion parameters held more honest sentences than wrong ones.",
  TALARIA_MODEL_VISION: `${SAME_FORM} looking at images: \`vision_analyze\`, and descriptions for a model that does not see. Default: \`TALARIA_MODEL\`, where it sees.`,
  TALARIA_MODEL_GOAL: `${SAME_FORM} judging goals (\`/goal\`) after each turn of their session. Default: \`TALARIA_MODEL\`.`,
  TALARIA_MODEL_PLAN: `${SAME_FORM} specifying and decomposing the cards of a board. Default: \`TALARIA_MODEL\`.`,
  TALARIA_MODEL_REPLAY: `${SAME_FORM} running earlier turns again, to try a skill. Default: \`TALARIA_MODEL\`.`,
  TALARIA_MEMORY_PROVIDER:
    "One external memory in addition to the built-in one: `mem0`, `honcho`, `supermemory`, `hindsight` or `openviking`. Several are refused at the start. Only the api Worker gets its variables.",
  MEM0_API_KEY: "The key of Mem0.",
  MEM0_BASE_URL: "Another address of Mem0.",
  HONCHO_API_KEY: "The key of Honcho.",
  HONCHO_BASE_URL: "Another address of Honcho.",
  HONCHO_WORKSPACE: "The workspace in Honcho. Default: `talaria`.",
  SUPERMEMORY_API_KEY: "The key of Supermemory.",
  SUPERMEMORY_BASE_URL: "Another address of Supermemory.",
  HINDSIGHT_API_KEY: "The key of Hindsight. A server of your own that checks no key accepts any value.",
  HINDSIGHT_BASE_URL: "Another address of Hindsight, such as a server of your own: `http://localhost:8888`.",
  OPENVIKING_API_KEY:
    "The `root_api_key` of an OpenViking server of your own, which must run with `auth_mode: trusted`: each profile is one of its users.",
  OPENVIKING_BASE_URL: "The address of that server. Default: this machine, port 1933.",
  OPENVIKING_ACCOUNT: "The account in OpenViking. Default: `talaria`.",
  TALARIA_EXEC_URL:
    "The address of an [exec host](EXEC-HOST.md), on which sessions with `backend: host` work. `npm start -- --shell FOLDER` starts one and sets it.",
  TALARIA_EXEC_TOKEN: "The token of that exec host. Only the api Worker gets it.",
  TALARIA_EXEC_PROFILES:
    "The profiles that may use the exec host, by id, separated by commas; `*` for all. The holder of a key of one may run commands there. Default: none; with `--shell` all.",
  TALARIA_TRAINING_URL:
    "The address of a [training service](TRAINING.md), which trains adapters when a person asks for it. Without it nothing is trained.",
  TALARIA_TRAINING_TOKEN: "The token of that training service. Only the api Worker gets it.",
  BRAVE_API_KEY: "`web_search` with Brave Search. Only the api Worker gets the variables of `web_search`.",
  TAVILY_API_KEY: "`web_search` with Tavily.",
  EXA_API_KEY: "`web_search` with Exa.",
  SEARXNG_URL: "`web_search` with a SearXNG of your own, which must allow JSON (`search.formats`).",
  TALARIA_PUBLIC_PROFILE: "The profile whose public skills are served at the host's root, under `/.well-known/`.",
  TALARIA_PUBLIC_URL:
    "The address at which your own proxy serves `npm start`, such as `https://talaria.example`. Any other host name except loopback is refused. Messaging platforms are told it, unless the setting `publicUrl` names another.",
  TALARIA_POLL_CHANNELS:
    "Set: channels whose platform can be polled (Telegram) are polled while there is no public address. `npm start` sets it.",
  TALARIA_SETTINGS: 'JSON: any part of the [settings](#settings), such as `{"review":{"afterModelCalls":5}}`.',
  TALARIA_OPERATOR_TOKEN:
    "Creates profiles and keys (`POST /v1/profiles`, `POST /v1/keys`). `npm start` generates it (`.talaria/state/operator-token`), and so does `npm run deploy`.",
  TALARIA_SEALING_KEY:
    "Seals the secrets that profiles store, such as tokens of other services; at least 16 characters. Only the api Worker gets it. Default: derived from the operator's token. After a change of either, stored secrets must be entered again.",
  TALARIA_ACCESS:
    'JSON: accepts the tokens of Cloudflare Access in place of keys, such as `{"issuer":"https://acme.cloudflareaccess.com","audience":"<AUD tag>","people":[{"email":"ann@acme.example","profile":"<id>","scopes":["read","write"]}]}`; [GUIDE](GUIDE.md#browsers) explains it.',
  TALARIA_URL: "Clients: the Talaria to talk to. Takes precedence over `.talaria/local.json`.",
  TALARIA_KEY: "Clients: the key to use. Takes precedence over `.talaria/local.json`.",
};

/** Variables that several providers share, or whose name does not say what they do. */
export const PROVIDER_NOTES: Readonly<Record<string, string>> = {
  openrouter: "`OPENROUTER_REFERER` is the address OpenRouter shows with your requests.",
  cloudflare: "`CLOUDFLARE_GATEWAY_ID` sends requests through a gateway.",
  gateway: "The gateway holds the providers' keys.",
  ollama: "Default address: this machine.",
  llamacpp: "Default address: this machine.",
  vllm: "Default address: this machine.",
  lmstudio: "Default address: this machine.",
};
