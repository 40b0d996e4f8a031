// Splits a text into sentences of classified words. Called once per view; rules see sentences, never characters. Linear
// in the text: one token expression, one dictionary lookup per word, sentences of bounded length.
import { LEXICON, PHRASE_WORDS, type WordClass } from "./lexicon.ts";

/** A longer sentence is read in overlapping pieces. */
const MAX_TOKENS = 90;
const OVERLAP = 30;
const MAX_WORD_CHARS = 2_000;

export interface Token {
  /** Lower case, without accents. */
  word: string;
  /** Offset in the view. */
  at: number;
  /** Inside double quotes or backticks, where text is usually quoted rather than said. */
  isQuoted: boolean;
}

/** The place of a class in a sentence: first and last token. */
export interface ClassRange {
  from: number;
  to: number;
}

export interface Sentence {
  tokens: Token[];
  hits: Map<WordClass, ClassRange[]>;
  inFence: boolean;
  /** In a code fence of a programming language, where words rarely address the reader. */
  inCode: boolean;
  inTable: boolean;
  inList: boolean;
  /** The heading above, and the line before a list or fence (`lead`). */
  heading: string;
  lead: string;
  isAsked: boolean;
}

const TOKEN =
  /(?:https?|hxxps?|ftp|wss?):\/\/[^\s"'`<>|]{1,2000}|(?<![\p{L}\p{N}_.+-])[\p{L}\p{N}_.+-]{1,64}@[\p{L}\p{N}-]{1,64}(?:\.[\p{L}\p{N}-]{1,64}){1,6}|(?:~|\.{1,2}|\$\{?\w{1,40}\}?)?(?:[\\/]{1,2}[\p{L}\p{N}_.@+-]{1,200}){1,30}|\.[a-z][\w-]{1,40}(?:\/[\w.-]{1,80}){0,8}|[\p{L}\p{N}_](?:[\p{L}\p{M}\p{N}_'/.-]{0,200}[\p{L}\p{M}\p{N}_])?|[.!?…。！？;:]|["`“”„»«]|(?<![\p{L}\p{N}])'|'(?![\p{L}\p{N}])|[\p{L}]/giu;

/** `text` must be a view: normalised, with straight apostrophes. */
export function* toSentences(text: string): Generator<Sentence> {
  let sentence = emptySentence();
  let fence = "";
  let isCode = false;
  let heading = "";
  let lead = "";
  const begin = (line: string) => {
    const next = emptySentence();
    return Object.assign(next, {
      inFence: fence !== "",
      inCode: isCode,
      inTable: TABLE.test(line),
      inList: ITEM.test(line),
      heading,
      lead,
    });
  };
  for (let start = 0; start <= text.length;) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(start, end);
    const mark = /^[\s>]{0,12}(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark || fence || line.trim() === "" || BREAK.test(line)) {
      if (sentence.tokens.length > 0) yield finishSentence(sentence);
      sentence = begin(line);
    }
    if (mark && (fence === "" || mark.startsWith(fence))) {
      fence = fence ? "" : mark;
      isCode = fence !== "" && CODE_FENCE.test(line);
    } else {
      if (/^#{1,6}\s/.test(line) && !fence) heading = line.slice(0, 200).toLowerCase();
      let isQuoted = false;
      for (const match of line.matchAll(TOKEN)) {
        const [raw] = match;
        if (/^["`“”„»«']$/.test(raw)) {
          isQuoted = !isQuoted;
        } else if (/^[.!?…。！？;:]$/.test(raw)) {
          if (raw === "?") sentence.isAsked = true;
          // A colon, a semicolon or an ellipsis continues the sentence.
          const goesOn = raw === ":" || raw === ";" || isEllipsis(line, match.index);
          if (!goesOn && !isQuoted && sentence.tokens.length > 0) {
            yield finishSentence(sentence);
            sentence = begin(line);
          }
        } else {
          addToken(sentence, raw, start + match.index, isQuoted);
          if (sentence.tokens.length >= MAX_TOKENS) {
            yield finishSentence(sentence);
            sentence = { ...begin(line), tokens: sentence.tokens.slice(-OVERLAP) };
          }
        }
      }
      if (!fence && line.trim() !== "" && !ITEM.test(line) && !TABLE.test(line)) lead = line.slice(-300).toLowerCase();
    }
    start = end + 1;
  }
  if (sentence.tokens.length > 0) yield finishSentence(sentence);
}

const CODE_FENCE = /^[\s>]{0,12}[`~]{3,}\s{0,4}(?!text|txt|md|markdown|prompt|plain|none)[a-z]/i;
const ITEM = /^[\s>]{0,20}(?:[-*+•]|\d{1,3}[.)])\s/;
const TABLE = /^\s{0,8}\|/;
/** A line that does not continue the sentence before it. */
const BREAK = /^[\s>]{0,20}(?:(?:[-*+•]|\d{1,3}[.)])\s|#|\||<|>)|^\s{0,4}[\w.-]{1,40}:(?:\s|$)/;

/** Whether three dots mark an omission: the sentence continues in lower case. */
function isEllipsis(line: string, at: number): boolean {
  return (
    /^(?:\.{1,3}|…)["'`)]? {1,2}[\p{Ll}~/]/u.test(line.slice(at, at + 8)) &&
    /\.{3}|…/.test(line.slice(Math.max(0, at - 2), at + 3))
  );
}

function emptySentence(): Sentence {
  return {
    tokens: [],
    hits: new Map(),
    inFence: false,
    inCode: false,
    inTable: false,
    inList: false,
    heading: "",
    lead: "",
    isAsked: false,
  };
}

function addToken(sentence: Sentence, raw: string, at: number, isQuoted: boolean): void {
  const word = toWord(raw);
  const parts = word.includes("-") && !LEXICON.has(word) && !/[/.\\@:]/.test(word) ? word.split("-") : [word];
  for (const part of parts) if (part !== "") sentence.tokens.push({ word: part, at, isQuoted });
}

/** Lower case without accents, so that the lexicon needs each word once. */
function toWord(raw: string): string {
  const lower = raw.slice(0, MAX_WORD_CHARS).toLowerCase();
  return /^[\0-\x7F]*$/.test(lower)
    ? lower
    : lower
        .normalize("NFD")
        .replace(/[\u0300-\u036F]/g, "")
        .normalize("NFC");
}

function finishSentence(sentence: Sentence): Sentence {
  const { tokens, hits } = sentence;
  const put = (name: WordClass, from: number, to: number) => {
    const known = hits.get(name);
    if (known) known.push({ from, to });
    else hits.set(name, [{ from, to }]);
  };
  for (const [at, { word }] of tokens.entries()) {
    let phrase = "";
    const longest = PHRASE_WORDS.get(word) ?? 0;
    for (let words = 1; words <= longest && at + words <= tokens.length; words++) {
      phrase = words === 1 ? word : `${phrase} ${tokens[at + words - 1]!.word}`;
      for (const name of LEXICON.get(phrase) ?? []) put(name, at, at + words - 1);
    }
    for (const name of shapesOf(word, tokens[at + 1]?.word ?? "")) put(name, at, at);
  }
  return sentence;
}

const SECRET_PATH =
  /(?:\.ssh(?:\/|$)|id_(?:rsa|ed25519|ecdsa|dsa)(?!\.pub)|\.aws\/(?:credentials|config)|\.netrc|\.pgpass|\.npmrc|\.pypirc|\.git-credentials|\.kube\/config|\.docker\/config|\.gnupg|\/etc\/(?:shadow|passwd)|wallet\.dat|keystore|keychain|login\s?data|google\/chrome|mozilla\/firefox|auth-profiles?\.json|credentials?\.(?:json|ya?ml|txt)|secrets?\.(?:json|ya?ml|env|txt)|\.config\/gh\/hosts)/;
/** Hosts of the local machine or network. A cloud's metadata service is not one of them. */
const NEAR_HOST =
  /:\/\/(?:localhost|127\.|0\.0\.0\.0|\[::1|(?!metadata\b)[\w-]{1,63}(?:\.[\w-]{1,63}){0,4}\.(?:internal|corp|lan|local|intranet|home\.arpa)(?![\w.-]))/;
const ENV_FILE = /(?:^|\/)\.env(?:\.(?!example|sample|template|dist)\w+)?$/;
const AGENT_FILE =
  /(?:^|\/)(?:agents?|claude|soul|gemini|memory|heartbeat|identity|tools|copilot-instructions)\.md$|\.cursorrules|\.cursor\/rules|\.windsurfrules|\.clinerules|\.?mcp(?:_?config)?\.json|claude_desktop_config|\.claude(?:\/|$)|\.(?:hermes|openclaw|talaria|codex)\//;
const STARTUP_FILE =
  /\.(?:bashrc|zshrc|profile|bash_profile|bash_login|zprofile|zshenv|bash_aliases)\b|^crontab$|\/cron\.(?:d|daily|hourly)|authorized_keys|launchagents|launchdaemons|\/systemd\/|\.git\/hooks|rc\.local|\/?etc\/sudoers|^sudoers$|config\.fish|sitecustomize|autostart|\\currentversion\\run/;
const PASTE_HOST =
  /:\/\/(?:[\w-]+\.)*(?:pastebin\.com|glot\.io|rentry\.(?:co|org)|hastebin\.com|paste\.ee|dpaste\.(?:com|org)|ghostbin\.\w+|transfer\.sh|0x0\.st|termbin\.com|gist\.githubusercontent\.com|bit\.ly|tinyurl\.com|is\.gd|t\.ly|cutt\.ly|webhook\.site|requestbin\.\w+|pipedream\.net|ngrok(?:-free)?\.(?:io|app|dev)|trycloudflare\.com|oast\.\w+|interact\.sh|burpcollaborator\.net|file\.io|anonfiles\.com|catbox\.moe)/;

const SCHEME = /^(?:https?|hxxps?|ftp|wss?):\/\//;
const SCRIPT_FILE = /\.(?:sh|py|ps1|js|exe|bat|cmd|bin|msi|pl|rb|vbs|scr|dmg|pkg|apk|jar|elf|zip)(?:[?#)]|$)/;
const IP_ADDRESS = /^(?:\d{1,3}\.){3}\d{1,3}(?:\/|$)/;
const NEAR_IP_ADDRESS = /^(?:127\.|0\.0\.0\.0|10\.|192\.168\.)/;
/** A host name without a scheme, perhaps with a path. */
const HOST_NAME =
  /^(?:[a-z\d-]+\.)+(?:com|net|org|io|dev|xyz|ru|cn|top|site|online|tools|app|example|test|info|me|co|cc|tk)(?:\/\S*)?$/;

function addressShapesOf(word: string): WordClass[] {
  if (SCHEME.test(word)) return NEAR_HOST.test(word) ? [] : urlShapesOf(word);
  if (/^[^@\s]+@[^@\s]+\.\p{L}{2,}$/u.test(word)) return ["EMAIL"];
  if (IP_ADDRESS.test(word) && !NEAR_IP_ADDRESS.test(word)) return ["URL"];
  return HOST_NAME.test(word) ? ["URL"] : [];
}

function urlShapesOf(url: string): WordClass[] {
  const shapes: WordClass[] = ["URL"];
  if (SCRIPT_FILE.test(url)) shapes.push("SCRIPT_URL");
  if (/:\/\/(?:\d{1,3}\.){3}\d{1,3}(?!\d)/.test(url)) shapes.push("BARE_HOST_URL");
  if (PASTE_HOST.test(url)) shapes.push("PASTE_URL");
  if (/[?&]\w{1,40}=$/.test(url)) shapes.push("OPEN_URL");
  return shapes;
}

/** `next`: the word after it. */
function shapesOf(word: string, next: string): WordClass[] {
  if (
    word.length < 4 ||
    !/[\d/.@\\$]|^crontab$|^sudoers$|^autostart$|keychain|commit|checkout|authorized_keys/.test(word)
  )
    return [];
  const shapes = addressShapesOf(word);
  if (SECRET_PATH.test(word)) shapes.push("SECRET_PATH");
  if (ENV_FILE.test(word)) shapes.push("ENV_FILE");
  if (
    /^(?:\/tmp|\/var\/tmp|\/dev\/shm)\/|^(?:~|\/\w+)?(?:\/\w+){0,3}\/\.(?!config|local|ssh|git|github|vscode|npm|cargo|talaria|hermes|claude)\w+\/\w/.test(
      word,
    )
  )
    shapes.push("TMP_PATH");
  if (!shapes.includes("URL") && AGENT_FILE.test(word)) shapes.push("AGENT_FILE");
  if (STARTUP_FILE.test(word)) shapes.push("STARTUP_FILE");
  if (/authorized_keys/.test(word)) shapes.push("LOGIN_FILE");
  if (
    /^0x[\da-f]{8,}$|^(?:bc1|[13])[a-z\d]{25,}$|^[a-z]{2}\d{8,}/.test(word) ||
    (/^[a-z]{2}\d{2}$/.test(word) && /^(?:\d{4}|[a-z]{4}|[a-z]\d{3})$/.test(next))
  ) {
    shapes.push("ACCOUNT");
  }
  if (/^[$€£]?\d[\d,.]*(?:eth|btc|usd|usdt|eur|sol)?$/.test(word)) shapes.push("AMOUNT");
  return shapes;
}
