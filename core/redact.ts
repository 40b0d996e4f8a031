// Redacts secrets of known shapes from texts that are stored for a review or summarised. Called on a whole job and on each text
// of a compaction. Pure. Best effort: a secret of an unknown shape gets through, which is why a job also expires.

/** Most specific first: keys of known makers are labelled before the general shapes apply. */
const SHAPES: { kind: string; pattern: RegExp; keep?: number }[] = [
  { kind: "private key", pattern: /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g },
  { kind: "Talaria key", pattern: /\btal_[0-9a-z]{26}_[0-9A-Za-z]{16,}/g },
  { kind: "Talaria sign-in code", pattern: /\btlink_[0-9a-z]{26}_[0-9A-Za-z]{16,}/g },
  { kind: "Talaria library code", pattern: /\btlib_[0-9a-z]{26}_[0-9A-Za-z]{16,}/g },
  { kind: "Anthropic key", pattern: /\bsk-ant-[\w-]{16,}/g },
  { kind: "Stripe key", pattern: /\b(?:sk|rk|pk)_(?:live|test)_[0-9A-Za-z]{10,}|\bwhsec_[\w+/=]{16,}/g },
  { kind: "OpenAI key", pattern: /\bsk-(?!ant-)[\w-]{16,}/g },
  { kind: "GitHub token", pattern: /\b(?:gh[pousr]_[0-9A-Za-z]{20,}|github_pat_\w{20,})/g },
  { kind: "GitLab token", pattern: /\bglpat-[\w-]{16,}/g },
  { kind: "Slack token", pattern: /\bxox[a-z]-[\w-]{10,}|\bxapp-[\w-]{10,}/g },
  { kind: "Slack webhook", pattern: /https:\/\/hooks\.slack\.com\/services\/[\w/]+/g },
  { kind: "AWS key", pattern: /\b(?:AKIA|ASIA|AROA|AIDA)[0-9A-Z]{16}\b/g },
  { kind: "Google key", pattern: /\bAIza[\w-]{30,}|\bya29\.[\w-]{20,}|\bGOCSPX-[\w-]{20,}/g },
  { kind: "npm token", pattern: /\bnpm_[0-9A-Za-z]{30,}/g },
  { kind: "Telegram token", pattern: /\b\d{8,10}:AA[\w-]{30,}/g },
  { kind: "bearer token", pattern: /\b(?:bearer|basic)\s+(?!\[redacted)[\w.~+/=-]{16,}/gi },
  // Credentials in the authority of a URL: the user name is kept, the password is not.
  {
    kind: "password",
    pattern: /((?<=[a-z0-9+.-]):\/\/[^\s:/@]{0,100}:)(?!\[redacted)[^\s/@]{1,500}(?=@)/gi,
    keep: 1,
  },
];

// Every repetition is bounded, because the text comes from outside and may be crafted to be slow.
const SECRET_NAME =
  "[\\w-]{0,40}(?:password|passwd|passphrase|pwd|secret|api[_-]?key|access[_-]?key|private[_-]?key|auth[_-]?token|access[_-]?token|refresh[_-]?token|credential)s?";
/** `name = value`, `"name": "value"`, `--name value`: the name is kept, so that a lesson stays readable. */
const ASSIGNMENT = new RegExp(
  `(\\b${SECRET_NAME}["']?\\s{0,4}[:=]\\s{0,4}|--${SECRET_NAME}[ =])(?:(["'])(?!\\[redacted)[^"'\\n]{4,500}\\2|(?!\\[redacted|[$<{("'])[^\\s"',;)}]{6,})`,
  "gi",
);
/** A bare `token` is an ordinary word in prose; only a long value makes it a secret. */
const TOKEN_ASSIGNMENT = /(\btoken["']?\s{0,4}[:=]\s{0,4}["']?)(?!\[redacted)[\w.~+/=-]{16,}/gi;
const SECRET_KEY = new RegExp(`^(?:${SECRET_NAME}|token)$`, "i");

/** Three runs of characters joined by dots. A match begins where a run does, so the text is read once. */
const DOTTED = /(?<![\w-])[\w-]{11,}\.[\w-]{8,}\.[\w-]*/g;

/** A JWT is the whole text, or what follows a hyphen in the first run. */
function redactJwt(dotted: string): string {
  const begins = /(?<![^-])eyJ[\w-]{8}/.exec(dotted.slice(0, dotted.indexOf(".")));
  return begins ? `${dotted.slice(0, begins.index)}[redacted JWT]` : dotted;
}

/** Each secret becomes `[redacted <kind>]`. Idempotent. */
export function redactText(text: string): string {
  let clean = text.replace(DOTTED, redactJwt);
  for (const { kind, pattern, keep } of SHAPES) {
    clean = clean.replace(pattern, keep ? `$${keep}[redacted ${kind}]` : `[redacted ${kind}]`);
  }
  return clean.replace(ASSIGNMENT, "$1[redacted secret]").replace(TOKEN_ASSIGNMENT, "$1[redacted secret]");
}

/** Where a text has secrets: lines from 1, each once, with the kind of its first. For a person who is to take them out. */
export function findSecrets(text: string): { line: number; kind: string }[] {
  const jwts = [...text.matchAll(DOTTED)].filter(([dotted]) => redactJwt(dotted) !== dotted);
  const found = [
    ...jwts.map(({ index }) => ({ index, kind: "JWT" })),
    ...SHAPES.flatMap(({ kind, pattern }) => [...text.matchAll(pattern)].map(({ index }) => ({ index, kind }))),
    ...[ASSIGNMENT, TOKEN_ASSIGNMENT].flatMap((pattern) =>
      [...text.matchAll(pattern)].map(({ index }) => ({ index, kind: "secret" })),
    ),
  ];
  const kinds = new Map<number, string>();
  // Sorted by place; of one place the most specific is first.
  for (const { index, kind } of found.toSorted((a, b) => a.index - b.index)) {
    const line = text.slice(0, index).split("\n").length;
    if (!kinds.has(line)) kinds.set(line, kind);
  }
  return [...kinds].map(([line, kind]) => ({ line, kind }));
}

/** Redacts every string in plain data. A string under a key like `password` is replaced whole. */
export function redactDeep<T>(value: T): T {
  return redactValue(value) as T;
}

function redactValue(value: unknown): unknown {
  if (typeof value === "string") return redactText(value);
  if (Array.isArray(value)) return value.map(redactValue);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const isSecret = typeof item === "string" && item !== "" && SECRET_KEY.test(key);
      return [redactText(key), isSecret && !item.startsWith("[redacted ") ? "[redacted secret]" : redactValue(item)];
    }),
  );
}
