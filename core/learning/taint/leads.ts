// Where a text leads: addresses, hosts, numbers that one calls or pays to. Two spellings of one place give the same lead:
// look-alike letters, signs without width, brackets around dots, quotes and case count for nothing. Called by the taint rules
// for what was read and for what is to be kept. Pure; linear in the text.
import { toViews } from "../../skills/scanner/views.ts";
import { toRendered } from "./rendered.ts";

export interface Lead {
  kind: "address" | "number";
  /** As it is looked for in what `toSearchable` gives; of a number its digits. */
  text: string;
  /** A whole host, or the domain it belongs to. */
  isHost?: true;
  /** A name with dots, such as a setting's, that ends as few hosts do. */
  isUnsure?: true;
}

/** The text, and whatever is written in it in another way: base64, percent signs, letters that nobody sees. */
export function readingsOf(text: string): string[] {
  return toViews(text).views.map((view) => view.text);
}

/** One spelling of what readers take for the same. */
export function toSearchable(reading: string): string {
  return toRendered(reading)
    .toLowerCase()
    .replace(/\bh(?:xx|\*\*|tt)ps?(?=:|\[:)/g, "http")
    .replace(/\[:\]|\[:\/\/\]/g, (sign) => sign.slice(1, -1))
    .replace(/(?<=:)\\{2}(?=\w)/g, "//")
    .replace(/(?<=[\w:])\\+(?=\w)/g, "/")
    .replace(/(?<=[\p{L}\p{N}]) \. (?=\p{L})/gu, ".")
    .replace(/\s?(?:[[({<]\s?(?:\.|dot|punkt|point|punto)\s?[\])}>]|(?<=[a-z0-9-] )dot(?= [a-z0-9-]))\s?/g, ".")
    .replace(/\s?[[({<]\s?(?:@|at)\s?[\])}>]\s?/g, "@")
    .replace(/["'`‘’“”«»\\]/g, "")
    .replace(/\s+/g, " ");
}

/** Ends of names that are files rather than hosts, unless something before them says otherwise. */
const FILE_ENDS =
  /\.(?:md|txt|csv|tsv|json5?|jsonl|ya?ml|toml|ini|cfg|conf|env|log|xml|html?|css|scss|m?[jt]sx?|cjs|py|ipynb|rb|go|rs|java|kt|cs|cpp|hpp|php|sql|db|lock|ps1|bat|cmd|exe|dll|tar|gz|tgz|zip|pdf|docx?|xlsx?|pptx?|png|jpe?g|gif|svg|sh|pl|awk|sed|bak|tmp|out|dat|parquet|avro|proto|wasm|map|spec|min|service|target|socket|timer|mount)$/;
/** Ends of files that are ends of hosts too: several names before them make a host. */
const EITHER = /\.(?:sh|zip|md|py|rs|pl|app|mov|php|java|cs|js|ts)$/;
const ADDRESSES: RegExp[] = [
  /\b[a-z][a-z0-9+.-]{1,15}:\/\/(?:\{\{[^{}\s]{1,40}\}\}|[^\s<>|)\]}]){1,500}/g,
  /(?<![\p{L}\p{N}_.+-])[\p{L}\p{N}_.+-]+@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){0,6}/gu,
  /(?<![\p{L}\p{N}_.@/-])(?:[\p{L}\p{N}][\p{L}\p{N}-]{0,62}(?<!-)\.){1,8}(?:xn--[a-z0-9-]{2,59}|\p{L}{2,13})(?::\d{2,5})?(?![\p{L}\p{N}-]|\.\p{L})/gu,
  /(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?::\d{2,5})?(?![\w.])/g,
  /(?<![\w:])(?:[0-9a-f]{1,4}:){3,7}:?[0-9a-f]{1,4}(?![\w:])/g,
  /\blocalhost:\d{2,5}\b/g,
];
type LeadSigns = Pick<Lead, "isHost" | "isUnsure">;
type Add = (kind: Lead["kind"], piece: string, signs?: LeadSigns) => void;

/** Of any reading of a text, each once. */
export function leadsOf(text: string, readings = readingsOf(text)): Lead[] {
  const found = new Map<string, Lead>();
  const add: Add = (kind, piece, signs) => {
    const trimmed = piece.trim().replace(/(?<![.,;:!?)\]}>])[.,;:!?)\]}>]+$/, "");
    const same = found.get(`${kind} ${trimmed}`);
    if (trimmed.length > 2) found.set(`${kind} ${trimmed}`, { ...same, kind, text: trimmed, ...signs });
  };
  for (const reading of readings) {
    const searchable = toSearchable(reading);
    addAddresses(searchable, add);
    for (const number of numbersIn(searchable)) add("number", number);
  }
  return [...found.values()];
}

function addAddresses(searchable: string, add: Add): void {
  for (const form of /[.:@]/.test(searchable) ? ADDRESSES : []) {
    for (const { 0: match, index } of searchable.matchAll(form)) {
      const bare = withoutScheme(match);
      const host = bare
        .replace(/^[^@/]*@/, "")
        .replace(/[/?#:][^]*$/, "")
        .replace(/(?<![.,;])[.,;]+$/, "");
      const isBare = bare === match && !bare.includes("@");
      // A version of a package.
      if (/@v?\d{1,5}(?:\.\d{1,5}){0,2}\.?$/.test(match)) continue;
      // What is called is no host.
      if (isBare && searchable[index + match.length] === "(") continue;
      if (isBare && (isFile(host) || !host.includes("."))) {
        if (/^localhost:|^[0-9a-f]*:[0-9a-f:]+$/.test(bare)) add("address", bare);
        continue;
      }
      const isKnownEnd = !isBare || HOST_ENDS.test(host);
      const isUnsure = !isKnownEnd && bare === host && !COUNTRY.test(host);
      const signs: LeadSigns = {
        ...(isUnsure && { isUnsure }),
        ...(isKnownEnd && !/[{}$*]/.test(bare) && { isHost: true }),
      };
      add("address", bare.replace(/\/$/, ""), isUnsure ? signs : {});
      for (const domain of domainsOf(host)) add("address", domain, signs);
    }
  }
  for (const [, number] of searchable.matchAll(/(?<![\w.])(0x[0-9a-f]{8}|[1-9]\d{8,9})(?![\w.]|:\/)/g)) {
    const value = Number(number);
    if (value > 0xff_ff_ff && value <= 0xff_ff_ff_ff) {
      add("address", [24, 16, 8, 0].map((bits) => (value / 2 ** bits) & 0xff).join("."));
    }
  }
}

/** What shows a name with dots to be a host, where nothing else does. */
const HOST_ENDS =
  /^\d+(?:\.\d+){3}$|(?:^|\.)xn--|\.(?:com|org|net|edu|gov|info|biz|dev|app|io|ai|cloud|online|site|tech|shop|store|xyz|top|club|live|link|click|page|space|website|example|test|invalid|internal|local|onion|(?:co|com|org|ac|gov)\.[a-z]{2})$|^www\./;

const COUNTRY = /\.\p{L}{2}$/u;

const NUMBER_DIGITS = 7;
const NUMBERS =
  /(?<![\w.,-])(?:[a-z]{2}\d{2}(?: ?[a-z0-9]{4}){2,7}(?: ?[a-z0-9]{1,3})?|(?:\+|00)?\(?\d(?:[ ()/-]{0,2}\d){6,18})(?![\w]|[.,-]\d)/g;
const DAYS =
  /^(?:19|20)\d\d[-/ ]?[01]\d[-/ ]?[0-3]\d(?:[ t-]\d.*)?$|^[0-3]?\d([-/ ])[0-3]?\d\1(?:19|20)\d\d$|^[1-9]0+$/;

/** Digits of what one calls or pays to, however they are set; days and round numbers are none. */
export function numbersIn(searchable: string): string[] {
  return [...searchable.matchAll(NUMBERS)]
    .filter(([match]) => !DAYS.test(match))
    .map(([match]) => match.replace(/\D/g, ""))
    .filter((digits) => digits.length >= NUMBER_DIGITS);
}

/** The part of a number that is the same with the country before it and without. */
export function toLocalNumber(digits: string): string {
  return digits.slice(-NUMBER_DIGITS);
}

function isFile(name: string): boolean {
  return FILE_ENDS.test(name) && !(EITHER.test(name) && name.split(".").length > 2);
}

function withoutScheme(address: string): string {
  return address.replace(/^[a-z][a-z0-9+.-]{1,15}:\/\/(?:www\.)?/, "");
}

/** The host, and the domain it belongs to: who names another host of it leads to the same people. */
function domainsOf(host: string): string[] {
  const labels = host.split(".");
  if (labels.length < 2 || /^\d+$/.test(labels.at(-1)!)) return [host];
  const isShort = labels.at(-1)!.length === 2 && labels.at(-2)!.length <= 3;
  return [host, labels.slice(isShort ? -3 : -2).join(".")];
}

/** Whether a searchable text holds a lead as a whole, not as a piece of a longer word. */
export function holds(searchable: string, { text }: Lead): boolean {
  for (let at = searchable.indexOf(text); at >= 0; at = searchable.indexOf(text, at + 1)) {
    const before = searchable[at - 1] ?? " ";
    const after = searchable[at + text.length] ?? " ";
    if (!/[\p{L}\p{N}_]/u.test(before) && !/[\p{L}\p{N}_]/u.test(after)) return true;
  }
  return false;
}

/** Registries and documentation that everybody uses, and where nobody puts what they like. */
const PUBLISHERS =
  /^(?:[\w-]+\.)*(?:pypi\.org|python\.org|pythonhosted\.org|pytorch\.org|npmjs\.(?:org|com)|yarnpkg\.com|nodejs\.org|crates\.io|rust-lang\.org|rubygems\.org|golang\.org|go\.dev|maven\.org|debian\.org|ubuntu\.com|gnu\.org|kernel\.org|apache\.org|mozilla\.org|letsencrypt\.org|w3\.org|ietf\.org|postgresql\.org)(?![\w.-])/;

/** Of an address as `leadsOf` gives it. */
export function isPublisher(address: string): boolean {
  return PUBLISHERS.test(address);
}
