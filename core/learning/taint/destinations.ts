// Finds the destinations in a text: addresses, hosts, and numbers to call or pay to. Different spellings of one place give the
// same destination: look-alike letters, zero-width characters, brackets around dots, quotes and case are normalised. Called by
// the taint rules, both for content and for texts to be kept. Pure; linear in the text.
import { toViews } from "../../skills/scanner/views.ts";
import { toRendered } from "./rendered.ts";

export interface Destination {
  kind: "address" | "number";
  /** An address in the spelling of `toSearchable`, so that it can be found in searchable text. Of a number, the digits only. */
  text: string;
  /** A whole host name, or the domain of one. */
  isHost?: true;
  /** Either a host or a dotted name such as `core.editor`: few hosts have this ending. */
  isUnsure?: true;
}

/** The text itself, then its decoded forms: base64, percent encoding, invisible characters. */
export function decodeReadings(text: string): string[] {
  return toViews(text).views.map((view) => view.text);
}

/** One spelling for everything that readers see as the same. */
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

/** Endings of file names. A name that ends so is a file, unless it has a scheme or an `@`. See also `FILE_OR_HOST_ENDINGS`. */
const FILE_ENDINGS =
  /\.(?:md|txt|csv|tsv|json5?|jsonl|ya?ml|toml|ini|cfg|conf|env|log|xml|html?|css|scss|m?[jt]sx?|cjs|py|ipynb|rb|go|rs|java|kt|cs|cpp|hpp|php|sql|db|lock|ps1|bat|cmd|exe|dll|tar|gz|tgz|zip|pdf|docx?|xlsx?|pptx?|png|jpe?g|gif|svg|sh|pl|awk|sed|bak|tmp|out|dat|parquet|avro|proto|wasm|map|spec|min|service|target|socket|timer|mount)$/;
/** Endings of both files and hosts: with two or more labels before the ending, the name counts as a host. */
const FILE_OR_HOST_ENDINGS = /\.(?:sh|zip|md|py|rs|pl|app|mov|php|java|cs|js|ts)$/;
const ADDRESSES: RegExp[] = [
  /\b[a-z][a-z0-9+.-]{1,15}:\/\/(?:\{\{[^{}\s]{1,40}\}\}|[^\s<>|)\]}]){1,500}/g,
  /(?<![\p{L}\p{N}_.+-])[\p{L}\p{N}_.+-]+@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){0,6}/gu,
  /(?<![\p{L}\p{N}_.@/-])(?:[\p{L}\p{N}][\p{L}\p{N}-]{0,62}(?<!-)\.){1,8}(?:xn--[a-z0-9-]{2,59}|\p{L}{2,13})(?::\d{2,5})?(?![\p{L}\p{N}-]|\.\p{L})/gu,
  /(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?::\d{2,5})?(?![\w.])/g,
  /(?<![\w:])(?:[0-9a-f]{1,4}:){3,7}:?[0-9a-f]{1,4}(?![\w:])/g,
  /\blocalhost:\d{2,5}\b/g,
];
type DestinationTraits = Pick<Destination, "isHost" | "isUnsure">;
type AddDestination = (kind: Destination["kind"], piece: string, traits?: DestinationTraits) => void;

/** Each destination once, from all readings of the text. */
export function destinationsIn(text: string, readings = decodeReadings(text)): Destination[] {
  const found = new Map<string, Destination>();
  const add: AddDestination = (kind, piece, traits) => {
    const trimmed = piece.trim().replace(/(?<![.,;:!?)\]}>])[.,;:!?)\]}>]+$/, "");
    const same = found.get(`${kind} ${trimmed}`);
    if (trimmed.length > 2) found.set(`${kind} ${trimmed}`, { ...same, kind, text: trimmed, ...traits });
  };
  for (const reading of readings) {
    const searchable = toSearchable(reading);
    addAddresses(searchable, add);
    for (const number of numbersIn(searchable)) add("number", number);
  }
  return [...found.values()];
}

function addAddresses(searchable: string, add: AddDestination): void {
  const forms = /[.:@]/.test(searchable) ? ADDRESSES : [];
  for (const form of forms) {
    for (const { 0: match, index } of searchable.matchAll(form)) {
      const bare = withoutScheme(match);
      const host = bare
        .replace(/^[^@/]*@/, "")
        .replace(/[/?#:][^]*$/, "")
        .replace(/(?<![.,;])[.,;]+$/, "");
      const isBare = bare === match && !bare.includes("@");
      // The version of a package: `left-pad@1.3.0`.
      if (/@v?\d{1,5}(?:\.\d{1,5}){0,2}\.?$/.test(match)) continue;
      // A function call is not a host: `os.getcwd()`.
      if (isBare && searchable[index + match.length] === "(") continue;
      if (isBare && (isFile(host) || !host.includes("."))) {
        if (/^localhost:|^[0-9a-f]*:[0-9a-f:]+$/.test(bare)) add("address", bare);
        continue;
      }
      const hasHostEnding = !isBare || HOST_ENDINGS.test(host);
      const isUnsure = !hasHostEnding && bare === host && !COUNTRY.test(host);
      const traits: DestinationTraits = {
        ...(isUnsure && { isUnsure }),
        ...(hasHostEnding && !/[{}$*]/.test(bare) && { isHost: true }),
      };
      add("address", bare.replace(/\/$/, ""), isUnsure ? traits : {});
      for (const domain of domainsOf(host)) add("address", domain, traits);
    }
  }
  // An IPv4 address may be written as one number: 3232235777 is 192.168.1.1.
  for (const [, number] of searchable.matchAll(/(?<![\w.])(0x[0-9a-f]{8}|[1-9]\d{8,9})(?![\w.]|:\/)/g)) {
    const value = Number(number);
    if (value > 0xff_ff_ff && value <= 0xff_ff_ff_ff) {
      add("address", [24, 16, 8, 0].map((bits) => (value / 2 ** bits) & 0xff).join("."));
    }
  }
}

/** Endings that show a dotted name to be a host when it has neither a scheme nor an `@`. */
const HOST_ENDINGS =
  /^\d+(?:\.\d+){3}$|(?:^|\.)xn--|\.(?:com|org|net|edu|gov|info|biz|dev|app|io|ai|cloud|online|site|tech|shop|store|xyz|top|club|live|link|click|page|space|website|example|test|invalid|internal|local|onion|(?:co|com|org|ac|gov)\.[a-z]{2})$|^www\./;

const COUNTRY = /\.\p{L}{2}$/u;

const NUMBER_DIGITS = 7;
const NUMBERS =
  /(?<![\w.,-])(?:[a-z]{2}\d{2}(?: ?[a-z0-9]{4}){2,7}(?: ?[a-z0-9]{1,3})?|(?:\+|00)?\(?\d(?:[ ()/-]{0,2}\d){6,18})(?![\w]|[.,-]\d)/g;
const DATES =
  /^(?:19|20)\d\d[-/ ]?[01]\d[-/ ]?[0-3]\d(?:[ t-]\d.*)?$|^[0-3]?\d([-/ ])[0-3]?\d\1(?:19|20)\d\d$|^[1-9]0+$/;

/** The digits of phone and account numbers, in any grouping. Dates and round numbers do not count. */
export function numbersIn(searchable: string): string[] {
  return [...searchable.matchAll(NUMBERS)]
    .filter(([match]) => !DATES.test(match))
    .map(([match]) => match.replace(/\D/g, ""))
    .filter((digits) => digits.length >= NUMBER_DIGITS);
}

/** The part of a number that does not change when a country code is added. */
export function toLocalNumber(digits: string): string {
  return digits.slice(-NUMBER_DIGITS);
}

function isFile(name: string): boolean {
  return FILE_ENDINGS.test(name) && !(FILE_OR_HOST_ENDINGS.test(name) && name.split(".").length > 2);
}

function withoutScheme(address: string): string {
  return address.replace(/^[a-z][a-z0-9+.-]{1,15}:\/\/(?:www\.)?/, "");
}

/** The host and its domain: another host of the same domain leads to the same people. */
function domainsOf(host: string): string[] {
  const labels = host.split(".");
  if (labels.length < 2 || /^\d+$/.test(labels.at(-1)!)) return [host];
  const isShort = labels.at(-1)!.length === 2 && labels.at(-2)!.length <= 3;
  return [host, labels.slice(isShort ? -3 : -2).join(".")];
}

/** Whether a searchable text has the destination as a whole word, not inside a longer one. */
export function containsDestination(searchable: string, { text }: Destination): boolean {
  for (let at = searchable.indexOf(text); at >= 0; at = searchable.indexOf(text, at + 1)) {
    const before = searchable[at - 1] ?? " ";
    const after = searchable[at + text.length] ?? " ";
    if (!/[\p{L}\p{N}_]/u.test(before) && !/[\p{L}\p{N}_]/u.test(after)) return true;
  }
  return false;
}

/** Well-known registries and documentation sites, on which a stranger cannot publish arbitrary pages. */
const PUBLISHERS =
  /^(?:[\w-]+\.)*(?:pypi\.org|python\.org|pythonhosted\.org|pytorch\.org|npmjs\.(?:org|com)|yarnpkg\.com|nodejs\.org|crates\.io|rust-lang\.org|rubygems\.org|golang\.org|go\.dev|maven\.org|debian\.org|ubuntu\.com|gnu\.org|kernel\.org|apache\.org|mozilla\.org|letsencrypt\.org|w3\.org|ietf\.org|postgresql\.org)(?![\w.-])/;

/** `address`: in the spelling of `destinationsIn`. */
export function isPublisher(address: string): boolean {
  return PUBLISHERS.test(address);
}
