// Looks for texts that try to command the agent, carry data away, hide, or plant themselves. Called where a text from
// outside is about to become part of a prompt. Pure: a text gives findings, what follows from them is the caller's. It
// knows overt forms only; against the rest stand provenance and the tools' own limits.

export type ScanCategory = "override" | "exfiltration" | "hidden" | "encoded" | "persistence" | "control";

export interface Finding {
  /** Name of a row of the table below. */
  pattern: string;
  category: ScanCategory;
  /** `high`: keep the text out. `low`: common in honest texts too, worth a look. */
  severity: "high" | "low";
  /** From 1, in the text as it was given. */
  line: number;
}

interface Pattern extends Omit<Finding, "line"> {
  /** Global. Gaps are bounded, so that no text makes it slow. */
  form: RegExp;
  /** Where the form is looked for: the text as it is, or with look-alikes and invisible characters undone. */
  on: "raw" | "plain";
}

const SECRET_FILE = String.raw`(?:\.ssh\/|id_rsa|id_ed25519|\.aws\/credentials|\.netrc|\/etc\/shadow|\/etc\/passwd|\.env(?![.\w]))`;
/** The rest of an opening tag, and words right behind it: an empty box that a script fills hides nothing. */
const SHOWN_TEXT = String.raw`[^>]{0,200}>\s*[^<\s][^<]{15}`;
const PEOPLE = String.raw`(?:user|person|human|owner|operator|developer)`;
const RULES = String.raw`(?:instructions?|rules?|prompts?|directives?|guidelines?|polic(?:y|ies)|commands?|training|programming)`;

export const PATTERNS: readonly Pattern[] = [
  plain("override", "high", {
    ignore_instructions: [
      String.raw`\b(?:ignore|disregard|forget|override|bypass|stop\s+following|do\s+not\s+follow)\b[^.\n]{0,30}\b(?:previous|prior|above|earlier|preceding|your|system|original)\b[^.\n]{0,30}\b${RULES}\b`,
      String.raw`\b(?:ignore|disregard|forget)\s+(?:all|any|every|everything)\s+(?:instructions?|directives?|(?:you|that)\s+(?:were|was|have\s+been)\s+told)`,
    ],
    role_hijack: [
      String.raw`\byou\s+are\s+(?:now|no\s+longer)\s+(?:(?:an?|the)\s+)?(?:DAN\b|unrestricted|uncensored|unfiltered|evil|jailbroken|bound|restricted|subject\s+to|in\s+(?:developer|maintenance|god|admin|debug|jailbreak)\s+mode)`,
      String.raw`\bdo\s+anything\s+now\b`,
      String.raw`\b(?:act|behave|respond|pretend|operate)\b[^.\n]{0,60}\b(?:without|no)\s+(?:any\s+)?(?:restrictions?|ethical|moral|safety|filters?|censorship)\b`,
      String.raw`\b(?:developer|god|jailbreak|DAN)\s+mode\s+(?:enabled|activated|is\s+on|output)\b`,
    ],
    chat_markup: [
      String.raw`<\|(?:im_start|im_end|system|start_header_id)\|>`,
      String.raw`<<SYS>>|\[\/?INST\]|<\/?system>`,
    ],
    hide_from_person: [
      String.raw`\b(?:do\s+not|don't|never)\s+(?:tell|inform|notify|alert)\s+(?:the\s+|this\s+to\s+the\s+)?${PEOPLE}\b`,
      String.raw`\bwithout\s+(?:telling|informing|notifying|alerting)\s+(?:the\s+)?${PEOPLE}\b`,
    ],
    leak_prompt: [
      String.raw`\b(?:reveal|print|output|repeat|include|paste|leak|send|pass)\b[^.\n]{0,40}\b(?:full\s+|hidden\s+|your\s+|entire\s+){1,2}(?:system\s+)?(?:prompt|instructions)\b`,
    ],
  }),
  plain("exfiltration", "high", {
    upload_secret: [
      String.raw`\b(?:curl|wget|nc|ncat)\b[^\n]{0,200}(?:-d|--data[\w-]*|-F|--form|-T|--upload-file|--post-(?:file|data))[ =]?[^\n]{0,60}(?:\$\((?:env|printenv|set)\b|\$\(\s*cat\b|@?~?\/?[\w./-]{0,40}${SECRET_FILE})`,
      String.raw`(?:\b(?:env|printenv)\b|${SECRET_FILE})[^\n|]{0,60}\|[^\n]{0,80}\b(?:curl|wget|nc|ncat)\b`,
    ],
    secret_in_address: [
      String.raw`https?:\/\/[^\s)"'<>{}$]{1,200}[?&]\w{1,40}=(?:\$\((?:cat|env|printenv|whoami)|<[^>\n]{0,60}(?:summary|conversation|memory|secret|prompt)[^>\n]{0,40}>|\{[^}\n]{0,60}(?:base64|conversation|profile|secret|memory)[^}\n]{0,60}\})`,
    ],
    read_secret: [
      String.raw`\b(?:cat|less|head|tail|base64|xxd|strings)\s+(?:-\S+\s+)?[~\w./-]{0,60}(?:\.ssh\/id_\w+(?!\w|\.pub)|id_(?:rsa|ed25519)(?!\w|\.pub)|\.aws\/credentials|\.netrc|\/etc\/shadow|\.env(?![.\w]))`,
    ],
    send_secret: [
      String.raw`\b(?:send|upload|post|forward|e?mail|exfiltrate|leak|transmit)\b[^.\n]{0,60}\b(?:api\s+keys?|passwords?|private\s+keys?|ssh\s+keys?|credentials|secrets|environment\s+variables)\b[^.\n]{0,40}\b(?:to|at|via)\s+(?:https?:|\S+@\S|(?:the|my|this|our)\s+\S+)`,
    ],
    send_conversation: [
      String.raw`\b(?:send|forward|post|upload|append|copy)\b[^.\n]{0,60}\b(?:conversation|chat\s+history|everything\s+you\s+know|system\s+prompt|outgoing\s+mail|session\s+transcript)\b[^\n]{0,80}(?:https?:\/\/|\S+@\S+\.\w|\bto\s+it\b)`,
    ],
  }),
  raw("hidden", "high", {
    tag_characters: [String.raw`[\u{E0001}-\u{E007F}]{2,}`],
    zero_width_text: [String.raw`(?:[\p{L}\p{N}][\u200B\u200C\u200D\u2060\uFEFF]+){3,}`],
    selector_run: [String.raw`[\u{FE00}-\u{FE0F}\u{E0100}-\u{E01EF}]{4,}`],
    spaced_letters: [String.raw`(?:(?<![\p{L}\p{N}])\p{L} {1,3}){20,}`],
    bidi_override: [String.raw`[\u202D\u202E]`],
    hidden_element: [
      String.raw`<\w+[^>]{0,200}\bstyle\s*=\s*["'][^"']{0,200}(?:display\s*:\s*none|visibility\s*:\s*hidden|(?:font-size|opacity)\s*:\s*0(?![.\d]))${SHOWN_TEXT}`,
      String.raw`<\w+[^>]{0,200}\bstyle\s*=\s*["'](?=[^"']{0,200}(?<![-\w])color\s*:\s*(?:white|#fff))[^"']{0,200}background(?:-color)?\s*:\s*(?:white|#fff)${SHOWN_TEXT}`,
    ],
    orders_in_comment: [
      String.raw`<!--(?:(?!-->)[\s\S]){0,400}?\b(?:(?:assistant|agent|ai|llm|model|system)\s*:|you\s+(?:must|should|will)\s+(?:now\s+)?(?:run|execute|fetch|send|ignore)|(?:run|execute)\s+\x60|curl\s|wget\s)`,
    ],
  }),
  plain("encoded", "high", {
    decode_to_shell: [
      String.raw`\bbase64\s+(?:-d|-D|--decode)\b[^\n]{0,80}\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b`,
      String.raw`\beval\b[^\n]{0,40}\bbase64\s+(?:-d|-D|--decode)\b`,
      String.raw`\b(?:exec|eval)\s*\([^\n]{0,60}(?:b64decode|atob|fromhex)\b`,
      String.raw`\bpowershell\b[^\n]{0,60}\s-e(?:nc|ncodedcommand)?\s+[A-Za-z0-9+/=]{20}`,
    ],
    decode_and_follow: [
      String.raw`\b(?:decode|rot13|base64|un-?scramble)\b[^.\n]{0,40}\b(?:and|then)\s+(?:follow|obey|execute|run|do)\b`,
    ],
  }),
  plain("persistence", "high", {
    planted_profile: [
      String.raw`(?:\b(?:curl|wget)\b|\b(?:ba)?sh\s+-c\b|\bpython3?\s+-c\b|\bbase64\b|\/dev\/tcp)[^\n]{0,120}\.(?:bashrc|zshrc|profile|bash_profile|zprofile|zshenv)\b`,
    ],
    planted_key: [String.raw`(?:>>?|\btee\b)[^\n]{0,60}authorized_keys\b`],
    planted_job: [
      String.raw`\*\s+\*\s+\*\s+\*\s[^\n]{0,120}\b(?:curl|wget)\b[^\n]{0,120}\|\s*(?:ba|z|da)?sh\b`,
      String.raw`(?:\b(?:curl|wget|base64)\b)[^\n]{0,120}\|\s*crontab\b`,
    ],
    self_replication: [
      String.raw`\b(?:add|insert|copy|repeat|include|paste)\s+(?:this|these)\s+(?:paragraph|instructions?|rules?|text|section)\b[^.\n]{0,60}\b(?:to|in|into)\s+(?:every|each|all|other|any)\b`,
      String.raw`\balways\s+add\s+this\s+paragraph\b`,
    ],
  }),
  plain("persistence", "low", {
    rewrites_instructions: [
      String.raw`\b(?:edit|modify|overwrite|replace|append\s+to)\b[^.\n]{0,40}(?:\bAGENTS\.md|\bCLAUDE\.md|\bSOUL\.md|\.cursorrules|\.talaria\.md)\b`,
    ],
  }),
  plain("control", "high", {
    reverse_shell: [String.raw`\/dev\/tcp\/\S`, String.raw`\b(?:nc|ncat)\b[^\n]{0,60}\s-e\s*\/?\w*\/?(?:ba)?sh\b`],
  }),
  plain("control", "low", {
    remote_to_shell: [String.raw`\b(?:curl|wget)\b[^\n|]{0,200}\|\s*(?:sudo\s+)?(?:(?:ba|z|da)?sh|python3?)\b`],
    skips_approval: [
      String.raw`\b(?:skip|disable|bypass|turn\s+off)\b[^.\n]{0,30}\b(?:approval|permission|security|safety|sandbox)\b`,
    ],
  }),
].flat();

/** In the order of the lines; of one pattern only the first place. */
export function scanText(text: string): Finding[] {
  const found = new Map<string, Finding>();
  for (const view of viewsOf(text)) {
    for (const { form, on, ...row } of PATTERNS) {
      if (!view.takes.includes(on) || found.has(row.pattern)) continue;
      const at = view.text.search(form);
      if (at < 0 || (view.isDecoded && row.severity === "low")) continue;
      found.set(row.pattern, { ...row, line: view.line + countLines(view.text, at) });
    }
  }
  return [...found.values()].sort((a, b) => a.line - b.line || (a.pattern < b.pattern ? -1 : 1));
}

interface View {
  text: string;
  takes: readonly Pattern["on"][];
  /** Where it begins in the given text. */
  line: number;
  isDecoded: boolean;
}

/** The text, the text as a reader takes it, and whatever in it is written in base64 or in invisible letters. */
function* viewsOf(text: string): Generator<View> {
  yield { text, takes: ["raw"], line: 1, isDecoded: false };
  const undone = toPlain(text);
  yield { text: undone, takes: ["plain"], line: 1, isDecoded: false };
  for (const match of text.matchAll(/[\u{E0020}-\u{E007E}]{4,}/gu)) {
    const letters = Array.from(match[0], (tag) => String.fromCodePoint(tag.codePointAt(0)! - 0xe0000)).join("");
    yield { text: letters, takes: ["plain"], line: 1 + countLines(text, match.index), isDecoded: true };
  }
  for (const match of undone.matchAll(/[A-Za-z0-9+/]{40,8000}={0,2}/g)) {
    const decoded = fromBase64(match[0]);
    if (decoded === null) continue;
    yield { text: decoded, takes: ["plain"], line: 1 + countLines(undone, match.index), isDecoded: true };
  }
}

const INVISIBLE = /[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF\u{E0000}-\u{E007F}]/gu;
/** Cyrillic and Greek letters that look like Latin ones, in pairs. */
const LOOK_ALIKES = new Map(
  Array.from("аaеeоoрpсcхxуyіiјjѕsԁdһhВBЕEАAОOРPСCТTНHМMКKοoαaνvιi".matchAll(/(.)(.)/gu), (pair) => [
    pair[1]!,
    pair[2]!,
  ]),
);

function toPlain(text: string): string {
  const letters = text.normalize("NFKC").replace(INVISIBLE, "");
  return letters.replace(/[\u0370-\u052F]/g, (letter) => LOOK_ALIKES.get(letter) ?? letter);
}

/** `null` for what is no text in base64. */
function fromBase64(blob: string): string | null {
  const whole = blob.slice(0, blob.length - (blob.replace(/=+$/, "").length % 4 === 1 ? 1 : 0));
  try {
    const bytes = Uint8Array.from(atob(whole), (letter) => letter.charCodeAt(0));
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
    return /[\0-\x08\x0E-\x1F]/.test(text) ? null : text;
  } catch {
    return null; // not base64, or not text
  }
}

function countLines(text: string, end: number): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < end; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}

type Forms = Record<string, string[]>;

function plain(category: ScanCategory, severity: Finding["severity"], forms: Forms): Pattern[] {
  return toPatterns(category, severity, forms, "plain");
}

function raw(category: ScanCategory, severity: Finding["severity"], forms: Forms): Pattern[] {
  return toPatterns(category, severity, forms, "raw");
}

function toPatterns(category: ScanCategory, severity: Finding["severity"], forms: Forms, on: Pattern["on"]): Pattern[] {
  return Object.entries(forms).map(([pattern, sources]) => ({
    pattern,
    category,
    severity,
    on,
    form: new RegExp(sources.join("|"), "iu"),
  }));
}
