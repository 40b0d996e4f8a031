// Redacts secrets of known shapes from texts that are stored for a review or summarised. Called on a whole job and on each text
// of a compaction. Pure. Best effort: a secret of an unknown shape gets through, which is why a job also expires.

/** How keys of further makers begin, and what follows. One without a digit is an ordinary name. */
const MAKERS = [
  "(?:hf|gsk|r8|tvly|tvly-dev|fw|csk|nfp|ntn|sbp|lin_api|lin_oauth|rubygems|sntrys|sntryu|shp(?:at|ca|pa|ss)|do[opr]_v1|xai|pplx|NRAK)[_-](?=[A-Za-z]{0,40}\\d)[0-9A-Za-z]{20,}",
  "(?:pypi-A|(?:figd|nvapi|glsa|glc|dckr_pat|vercel_blob_rw|pscale_(?:tkn|pw|oauth)|sq0[a-z]{3}|PMAK|HRKU|CFPAT)[_-])(?=[\\w-]{0,40}\\d)[\\w-]{20,}",
  "(?:hv[sb]\\.|GR1348941)[\\w-]{20,}",
  "SG\\.[\\w-]{16,}\\.[\\w-]{16,}",
  "dp\\.(?:pt|st|ct|sa|scim|audit)\\.[0-9A-Za-z]{40,}",
  "sl\\.[\\w-]{60,}",
  "(?:EAAA|AT[AC]TT3)[\\w=-]{50,}",
  "(?:dapi|key-|AC|SK)[0-9a-f]{32}(?![0-9A-Za-z])",
  "secret_[0-9A-Za-z]{43}(?![0-9A-Za-z])",
  "pat[0-9A-Za-z]{14}\\.[0-9a-f]{64}",
  "AGE-SECRET-KEY-1[0-9A-Z]{50,}",
  "[MN][\\w-]{23,27}\\.[\\w-]{6,7}\\.[\\w-]{27,45}",
  "v1\\.0-[0-9a-f]{24}-[0-9a-f]{64,}",
  "(?:sdk|mob)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}",
];

/** Most specific first: keys of known makers are labelled before the general shapes apply. */
const SHAPES: { kind: string; pattern: RegExp; keep?: number }[] = [
  {
    kind: "private key",
    pattern: /-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|$)/g,
  },
  { kind: "Talaria key", pattern: /\btal_[0-9a-z]{26}_[0-9A-Za-z]{16,}/g },
  { kind: "Talaria sign-in code", pattern: /\btlink_[0-9a-z]{26}_[0-9A-Za-z]{16,}/g },
  { kind: "Talaria library code", pattern: /\btlib_[0-9a-z]{26}_[0-9A-Za-z]{16,}/g },
  { kind: "Anthropic key", pattern: /\bsk-ant-[\w-]{16,}/g },
  { kind: "Stripe key", pattern: /\b(?:sk|rk|pk)_(?:live|test)_[0-9A-Za-z]{10,}|\bwhsec_[\w+/=]{16,}/g },
  { kind: "OpenAI key", pattern: /\bsk-(?!ant-)(?=[\w-]{0,60}\d|[A-Za-z]{16})[\w-]{16,}/g },
  { kind: "GitHub token", pattern: /\b(?:gh[pousr]_[0-9A-Za-z]{20,}|github_pat_\w{20,})/g },
  { kind: "GitLab token", pattern: /\bglpat-[\w-]{16,}/g },
  { kind: "Slack token", pattern: /\bxox[a-z]-[\w-]{10,}|\bxapp-[\w-]{10,}/g },
  { kind: "Slack webhook", pattern: /https:\/\/hooks\.slack\.com\/services\/[\w/]+/g },
  { kind: "AWS key", pattern: /\b(?:AKIA|ASIA|AROA|AIDA)[0-9A-Z]{16}\b/g },
  { kind: "Google key", pattern: /\bAIza[\w-]{30,}|\bya29\.[\w-]{20,}|\bGOCSPX-[\w-]{20,}/g },
  { kind: "npm token", pattern: /\bnpm_[0-9A-Za-z]{30,}/g },
  { kind: "Telegram token", pattern: /\b\d{8,10}:AA[\w-]{30,}/g },
  { kind: "service key", pattern: new RegExp(`(?<![0-9A-Za-z])(?:${MAKERS.join("|")})`, "g") },
  {
    kind: "webhook",
    pattern: /https:\/\/(?:discord(?:app)?\.com\/api\/webhooks|[\w.-]{1,100}webhook\.office\.com)\/[\w@/-]+/g,
  },
  // A word of lower-case letters is prose: "basic understanding".
  {
    kind: "bearer token",
    pattern: /\b(?:[Bb]earer|[Bb]asic|BEARER|BASIC)\s+(?!\[redacted)(?=[a-z.~+/-]{0,300}[\dA-Z=_])[\w.~+/=-]{16,}/g,
  },
  {
    kind: "secret",
    pattern: /(\bauthorization["']?\s{0,4}[:=]\s{0,4}["']?token\s{1,4})(?!\[redacted)[\w.~+/=-]{16,}/gi,
    keep: 1,
  },
  { kind: "secret", pattern: /(\bcookie\s{0,4}:\s{0,4}[\w.-]{1,60}=)(?!\[redacted)[^\s;,"'[\]]{12,}/gi, keep: 1 },
  // Passwords on command lines, in XML, in .netrc and in a sentence.
  {
    kind: "password",
    pattern: /(\bcurl\b[^\n|;]{0,200}\s(?:-u|--user)[ =]["']?[^\s:"']{1,100}:)(?![$[])[^\s"']{3,200}/g,
    keep: 1,
  },
  { kind: "password", pattern: /(\bsshpass\s{1,4}-p\s{0,4}["']?)(?![$[])[^\s"']{3,200}/g, keep: 1 },
  { kind: "password", pattern: /(\bmysql(?:dump|admin)?\s(?:[^\n|;]{0,200}\s)?-p)(?![$[])[^\s"']{3,200}/g, keep: 1 },
  { kind: "password", pattern: /(<[\w:-]{0,40}password>)(?!\[redacted)[^<\s]{4,200}(?=<\/)/gi, keep: 1 },
  { kind: "password", pattern: /(\blogin\s{1,9}\S{1,100}\s{1,9}password\s{1,9})(?!\[redacted)\S{3,200}/g, keep: 1 },
  {
    kind: "password",
    pattern:
      /(\bpass(?:word|phrase|wort)\s{1,4}(?:is|was|ist|lautet)\s{0,4}:?\s{0,4}["'`]?)(?=[^\s\d]{0,40}\d)(?=[^\sA-Za-z]{0,40}[A-Za-z])[^\s"'`[\]]{6,200}/gi,
    keep: 1,
  },
  // Credentials in the authority of a URL: the user name is kept, the password is not.
  {
    kind: "password",
    pattern: /((?<=[a-z0-9+.-]):\/\/[^\s:/@]{0,100}:)(?!\[redacted)[^\s/@]{1,500}(?=@)/gi,
    keep: 1,
  },
];

// Every repetition is bounded, because the text comes from outside and may be crafted to be slow.
const SECRET_NAME =
  "[\\w-]{0,40}(?:password|passwd|passphrase|passwort|kennwort|pwd|secret|account[_-]?key|api[_-]?key|access[_-]?key|private[_-]?key|auth[_-]?token|access[_-]?token|refresh[_-]?token|credential)s?";
/** What is no secret: a variable, a call, an item, a path, stars, a type. */
const NO_VALUE =
  "\\[redacted|[$<{(\"'\\\\*]|process\\.env\\b|import\\.meta\\b|[A-Za-z_]\\w{0,40}(?:\\.\\w{1,40}){0,4}[([]|[~/][\\w./-]{0,200}(?:\\s|$)|(?:string|str|boolean|required|optional|undefined|inherit|include|same-origin)\\b";
/** `name = value`, `"name": "value"`, `--name value`: the name is kept, so that a lesson stays readable. Quotes may be escaped. */
const ASSIGNMENT = new RegExp(
  `(\\b${SECRET_NAME}\\\\{0,3}["']?\\s{0,4}[:=]\\s{0,4}|--${SECRET_NAME}[ =])(?:(["']{3}|\\\\{0,3}["'])(?!\\[redacted)[^"'\\n]{4,500}\\2|(?!${NO_VALUE})[^\\s"',;)}]{6,})`,
  "gi",
);
/** A bare `token` is an ordinary word in prose; only a long value makes it a secret. */
const TOKEN_ASSIGNMENT = /(\btoken["']?\s{0,4}[:=]\s{0,4}["']?)(?!\[redacted)[\w.~+/=-]{16,}/gi;
/** `MY_SERVICE_TOKEN=…`. A name without a digit is code: `page_token = encode_page_token`. */
const NAMED_TOKEN =
  /(\b\w{1,40}[_-]token["']?\s{0,4}[:=]\s{0,4}["']?)(?!\[redacted)(?=[^\s\d]{0,200}\d)[\w.~+/=-]{16,}/gi;
const SECRET_KEY = new RegExp(`^(?:${SECRET_NAME}|token)$`, "i");

const ASSIGNMENTS = [ASSIGNMENT, TOKEN_ASSIGNMENT, NAMED_TOKEN];
/** Everything that may stand in `[redacted <kind>]`. */
export const SECRET_KINDS: ReadonlySet<string> = new Set([...SHAPES.map(({ kind }) => kind), "JWT", "secret"]);

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
  return ASSIGNMENTS.reduce((done, pattern) => done.replace(pattern, "$1[redacted secret]"), clean);
}

/** Where a text has secrets: lines from 1, each once, with the kind of its first. For a person who is to take them out. */
export function findSecrets(text: string): { line: number; kind: string }[] {
  const jwts = [...text.matchAll(DOTTED)].filter(([dotted]) => redactJwt(dotted) !== dotted);
  const found = [
    ...jwts.map(({ index }) => ({ index, kind: "JWT" })),
    ...SHAPES.flatMap(({ kind, pattern }) => [...text.matchAll(pattern)].map(({ index }) => ({ index, kind }))),
    ...ASSIGNMENTS.flatMap((pattern) => [...text.matchAll(pattern)].map(({ index }) => ({ index, kind: "secret" }))),
  ];
  const kinds = new Map<number, string>();
  let line = 1;
  let lineEnd = text.indexOf("\n");
  // Sorted by place, so that lines are counted once; of one place the most specific is first.
  for (const { index, kind } of found.toSorted((a, b) => a.index - b.index)) {
    for (; lineEnd >= 0 && lineEnd < index; lineEnd = text.indexOf("\n", lineEnd + 1)) line++;
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
