// Replaces secrets and personal ids in what leaves for training, and counts the names that a file has then. A personal value becomes `[email k7q2d]`: the same value has
// the same name in every line, and the name says nothing without the profile's salt. Secrets are found by core/redact.ts. Called on the
// entries of a session before a trajectory is read from them, so that arguments and results stay JSON. Best effort: names and addresses
// of people have no form that code can find. Pure. Linear in the length of the text: every repetition is bounded.
import { SECRET_KINDS, redactDeep, redactText } from "../redact.ts";
import { isObject } from "../unknown-object.ts";
import { sha256Hex } from "../schemas/learning/digest.ts";
import type { Entry, Part } from "../schemas/entry.ts";
import type { RedactionReport } from "../schemas/trajectories.ts";

export interface RedactorOptions {
  /** Random, of the profile. */
  salt: string;
  /** The profile's own id. */
  profile: string;
  /** Ids of chats and people of the profile's channels. */
  known?: readonly string[];
}

export interface Redactor {
  text(text: string): string;
  /** Every string in plain data, keys too. */
  deep<T>(value: T): T;
  entry(entry: Entry): Entry;
}

interface Shape {
  kind: string;
  pattern: RegExp;
  /** Whether what has the form is one. */
  accepts?(found: string): boolean;
}

const SESSION_OR_RUN = /(?<![0-9A-Za-z])0[0-9A-HJKMNP-TV-Z]{25}(?![0-9A-Za-z])/g;
/** `logo@2x.png` */
const IMAGE_FILE = /@[\d.]+x\.[a-z]+$/i;
/** The most specific first. */
const SHAPES: Shape[] = [
  {
    kind: "email",
    pattern: /[\p{L}\p{N}._%+-]{1,64}(?:@|＠|%40)[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}/gu,
    accepts: (found) => /\p{L}$/u.test(found) && !IMAGE_FILE.test(found),
  },
  {
    kind: "iban",
    pattern:
      /(?<![0-9A-Za-z])[A-Z]{2}\d{2}(?:[ \u00a0-]?[0-9A-Z]{4}){2,7}(?:[ \u00a0-]?[0-9A-Z]{1,4})?(?![0-9A-Za-z])/g,
    accepts: isIban,
  },
  { kind: "card", pattern: /(?<![\w.-])\d(?:[ \u00a0-]?\d){12,18}(?![\w-])/g, accepts: isCard },
  { kind: "ip", pattern: /(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.]*\d)/g, accepts: isPersonalIpv4 },
  { kind: "ip", pattern: /(?<![\w:.])(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{1,4}(?![\w:])/g, accepts: isPersonalIpv6 },
  { kind: "phone", pattern: /(?<![\w+＋])[+＋]\d(?:[\s()./\u2010\u2011-]{0,3}\d){7,14}(?![\w])/g },
  { kind: "phone", pattern: /(?<![\w.-])00[1-9]\d{0,2}[ /-]\d(?:[ /-]?\d){6,10}(?![\w.-]*\d)/g },
  { kind: "phone", pattern: /(?<![\w.-])(?:1[-. ])?(?:\(\d{3}\) ?|\d{3}[-. ])\d{3}[-. ]\d{4}(?![\w.-]*\d)/g },
  {
    kind: "phone",
    pattern: /(?<![\w.-])(?:\(0\d{1,4}\) ?|0\d{1,4}[ /-])\d{3,8}(?:[ -]?\d{2,4}){0,2}(?![\w.-]*\d)/g,
    accepts: isNationalPhone,
  },
  { kind: "phone", pattern: /(?<![\w.-])0[1-9](?:[ .-]\d\d){4}(?![\w.-]*\d)/g },
  { kind: "phone", pattern: /(?<![\w.-])\(\d{2}\) ?\d{4,5}-\d{4}(?![\w.-]*\d)/g },
  { kind: "session", pattern: SESSION_OR_RUN },
];

/** What was put in the place of a value, in a finished line. */
const REPLACED = /\[(?:redacted ([^\]\n"]{1,40})|(email|iban|card|ip|phone|session|person) [0-9a-v]{5}|(profile))\]/g;
/** A word that could be an id of a platform. */
const WORD = /[\p{L}\p{N}_.@:+#-]{3,200}/gu;
/** A run that is short enough to be one value. */
const BASE64 = /(?<![\w+/=-])[A-Za-z0-9+/]{24,600}={0,2}(?![\w+/=-])/g;
const ENCODED = "encoded secret";
/** What may stand beside an id: `<@U012>`, `tg:-100123:5`, `user_U012.` */
const BARE_ID = /-?[\p{L}\p{N}]{3,200}/gu;
const NAME_CHARS = 5;

/** Without the signs before and after an id. A leading hyphen is part of it: a group's id may be negative. */
function withoutSigns(word: string): string {
  let [from, to] = [0, word.length];
  while (from < to && ".:#+".includes(word[from]!)) from++;
  while (to > from && ".:#+-".includes(word[to - 1]!)) to--;
  return word.slice(from, to);
}

export function createRedactor({ salt, profile, known = [] }: RedactorOptions): Redactor {
  const ids = new Set(known.filter((id) => id.length >= 3).map((id) => id.toLowerCase()));
  const isKnown = (id: string) => ids.has(id.toLowerCase());
  const name = (kind: string, value: string): string => {
    const hash = BigInt(`0x${sha256Hex(`${salt} ${kind} ${value.toLowerCase()}`).slice(0, 12)}`).toString(32);
    return `[${kind} ${hash.padStart(NAME_CHARS, "0").slice(-NAME_CHARS)}]`;
  };

  /** An id may have signs in it, and there may be signs around it. */
  function person(word: string): string {
    if (isKnown(word)) return name("person", word);
    const bare = withoutSigns(word);
    if (isKnown(bare)) return word.replace(bare, () => name("person", bare));
    return word.replace(BARE_ID, (id) => {
      if (isKnown(id)) return name("person", id);
      const unsigned = id.replace(/^-/, "");
      return isKnown(unsigned) ? id.replace(unsigned, () => name("person", unsigned)) : id;
    });
  }

  function personal(text: string): string {
    let clean = text.replaceAll(profile, "[profile]");
    if (ids.size > 0) clean = clean.replace(WORD, person);
    for (const { kind, pattern, accepts } of SHAPES) {
      clean = clean.replace(pattern, (found: string) => (accepts && !accepts(found) ? found : name(kind, found)));
    }
    return clean;
  }

  const text = (given: string): string => personal(redactText(given).replace(BASE64, redactEncoded));

  /** Secrets by the names of their fields first, then every string. */
  const deep = <T>(value: T): T =>
    mapStrings(redactDeep(value), (one) => personal(one.replace(BASE64, redactEncoded))) as T;

  /** JSON stays JSON. */
  function jsonText(given: string): string {
    try {
      return JSON.stringify(deep(JSON.parse(given)));
    } catch {
      return text(given);
    }
  }

  const parts = (given: Part[], isJson: boolean) =>
    given.map((part) => ({ ...part, text: isJson ? jsonText(part.text) : text(part.text) }));

  function entry(given: Entry): Entry {
    switch (given.kind) {
      case "tool":
        return { ...given, parts: parts(given.parts, true), call: { ...given.call, args: deep(given.call.args) } };
      case "compaction":
        return { ...given, parts: parts(given.parts, given.method === "prune") };
      case "assistant": {
        const { answer } = given;
        const calls = answer.calls.map((call) => ({ ...call, args: deep(call.args) }));
        const reasoning = answer.reasoning === undefined ? {} : { reasoning: text(answer.reasoning) };
        return { ...given, parts: parts(given.parts, false), answer: { ...answer, calls, ...reasoning } };
      }
      case "user": {
        const images = given.images?.map((image) => ({ ...image, ...(image.name && { name: text(image.name) }) }));
        return { ...given, parts: parts(given.parts, false), ...(images && { images }) };
      }
      default:
        return { ...given, parts: parts(given.parts, false) };
    }
  }

  return { text, deep, entry };
}

/** How often each kind of value was replaced in these lines. */
export function countRedactions(lines: readonly string[]): RedactionReport {
  const counts = new Map<string, number>();
  for (const line of lines) {
    for (const [, secret, personal, profile] of line.matchAll(REPLACED)) {
      const kind = secret ?? personal ?? profile!;
      // Anybody may write `[redacted nonsense]`. The report is sent in a header, so it has our kinds only.
      if (secret !== undefined && secret !== ENCODED && !SECRET_KINDS.has(secret)) continue;
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
  }
  return Object.fromEntries([...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** What a line of base64 says, if it is text with a secret: `kubectl get secret -o yaml`. */
function redactEncoded(found: string): string {
  try {
    const decoded = atob(found);
    return redactText(decoded) === decoded ? found : `[redacted ${ENCODED}]`;
  } catch {
    return found; // not base64
  }
}

/** A number that is an id or a card becomes a text. */
function mapStrings(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (typeof value === "number") {
    const written = String(value);
    const changed = change(written);
    return changed === written ? value : changed;
  }
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [change(key), mapStrings(item, change)]));
}

/** ISO 13616: the remainder by 97 is 1. */
function isIban(found: string): boolean {
  const plain = found.replace(/[ \u00a0-]/g, "");
  if (plain.length < 15 || plain.length > 34) return false;
  let rest = 0;
  for (const char of plain.slice(4) + plain.slice(0, 4)) {
    for (const digit of parseInt(char, 36).toString()) rest = (rest * 10 + Number(digit)) % 97;
  }
  return rest === 1;
}

/** ISO/IEC 7812: lengths of Visa; Mastercard and Mir; American Express; Diners; JCB; Discover, UnionPay and Maestro. */
const ISSUED =
  /^(?:4(?:\d{12}|\d{15}|\d{18})|(?:5[1-5]|2[2-7])\d{14}|3[47]\d{13}|3(?:0[0-5]|[689]\d)\d{11}|35\d{14}|6\d{15,18}|5[06-8]\d{14,17})$/;

/** Of an issuer, with the sum of Luhn. */
function isCard(found: string): boolean {
  const digits = found.replace(/\D/g, "");
  if (!ISSUED.test(digits)) return false;
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    sum += i % 2 === 0 ? digit : digit > 4 ? digit * 2 - 9 : digit * 2;
  }
  return sum % 10 === 0;
}

/** A number without the code of a country: `0644 0755 0700` is longer than any. */
function isNationalPhone(found: string): boolean {
  const { length } = found.replace(/\D/g, "");
  return length >= 9 && length <= 11;
}

/** Not this machine itself, not a mask, and not an address of many or of no one. */
function isPersonalIpv4(found: string): boolean {
  const bytes = found.split(".").map(Number);
  return bytes.every((byte) => byte <= 255) && bytes[0] !== 127 && bytes[0] !== 0 && bytes[0]! < 224;
}

/** A time of day such as `10:30:00` has the same form with fewer than four groups. */
function isPersonalIpv6(found: string): boolean {
  const groups = found.split(":");
  const isShort = found.includes("::");
  if (found.split("::").length > 2) return false;
  return found !== "::1" && (groups.length === 8 || (isShort && groups.length >= 4)) && /[0-9a-f]/i.test(found);
}
