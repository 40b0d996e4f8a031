// What can be recognised of a text where it stands again: addresses, paths, commands, and words. Two spellings of one thing
// give the same fragment: look-alike letters, signs without width, brackets around dots, quotes and case count for nothing.
// Called by the taint rules for what was read and for what is to be kept. Pure; linear in the text.
import { toViews } from "../skills/scanner/views.ts";

export type FragmentKind = "address" | "path" | "command";

export interface Fragment {
  kind: FragmentKind;
  /** As it is looked for in what `toSearchable` gives. */
  text: string;
}

/** The text, and whatever is written in it in another way: base64, percent signs, letters that nobody sees. */
export function readingsOf(text: string): string[] {
  return toViews(text).views.map((view) => view.text);
}

/** One spelling of what readers take for the same. */
export function toSearchable(reading: string): string {
  return reading
    .toLowerCase()
    .replace(/\bh(?:xx|\*\*|tt)ps?(?=:|\[:)/g, "http")
    .replace(/\[:\]|\[:\/\/\]/g, (sign) => sign.slice(1, -1))
    .replace(/\s?(?:[[({<]\s?(?:\.|dot|punkt|point|punto)\s?[\])}>]|(?<=[a-z0-9-] )dot(?= [a-z0-9-]))\s?/g, ".")
    .replace(/\s?[[({<]\s?(?:@|at)\s?[\])}>]\s?/g, "@")
    .replace(/["'`‘’“”«»\\]/g, "")
    .replace(/\s+/g, " ");
}

/** Ends of names that are files rather than hosts, unless something before them says otherwise. */
const FILE_ENDS =
  /\.(?:md|txt|csv|tsv|json5?|jsonl|ya?ml|toml|ini|cfg|conf|env|log|xml|html?|css|scss|m?[jt]sx?|cjs|py|ipynb|rb|go|rs|java|kt|cs|cpp|hpp|php|sql|db|lock|ps1|bat|cmd|exe|dll|tar|gz|tgz|zip|pdf|docx?|xlsx?|pptx?|png|jpe?g|gif|svg|sh|pl|awk|sed|bak|tmp|out|dat|parquet|avro|proto|wasm|map|spec|min)$/;
/** Ends of files that are ends of hosts too: several names before them make a host. */
const EITHER = /\.(?:sh|zip|md|py|rs|pl|app|mov|php|java|cs|js|ts)$/;
/** Everybody has them, and nobody is led anywhere by them. */
const COMMON_PATHS =
  /^\/?(?:dev\/(?:null|stdin|stdout|stderr)|tmp|work|etc|usr|bin|usr\/bin\/env|bin\/(?:ba|z)?sh)\/?$/;
const ADDRESSES: RegExp[] = [
  /\b[a-z][a-z0-9+.-]{1,15}:\/\/[^\s<>|)\]}]{1,500}/g,
  /[\p{L}\p{N}_.+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){0,6}/gu,
  /(?<![\w.@/-])(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.){1,8}(?:xn--[a-z0-9-]{2,59}|\p{L}{2,24})(?::\d{2,5})?(?![\p{L}\p{N}-])/gu,
  /(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?::\d{2,5})?(?![\w.])/g,
  /(?<![\w:])(?:[0-9a-f]{1,4}:){3,7}:?[0-9a-f]{1,4}(?![\w:])/g,
  /\blocalhost:\d{2,5}\b/g,
];
const PATHS: RegExp[] = [
  /(?<![\p{L}\p{N}:./])(?:~|\.{1,2}|\$\{?\w{1,40}\}?)?\/[\p{L}\p{N}_.@+{}*-]{1,200}(?:\/[\p{L}\p{N}_.@+{}*-]{1,200}){0,30}\/?/gu,
  /(?<![\p{L}\p{N}:./@])[\p{L}\p{N}_.@+-]{1,100}(?:\/[\p{L}\p{N}_.@+{}*-]{1,200}){2,30}\/?/gu,
  /(?<![\p{L}\p{N}:./@])[\p{L}\p{N}_@+-]{1,100}\/[\p{L}\p{N}_@+-]{1,100}\.[a-z0-9]{1,8}\b/gu,
  /\b[a-z]:[\p{L}\p{N}_ .-]{0,3}\/[\p{L}\p{N}_./-]{2,200}/gu,
];

/** Of any reading of a text, each once. */
export function fragmentsOf(text: string): Fragment[] {
  const found = new Map<string, Fragment>();
  const add = (kind: FragmentKind, piece: string) => {
    const trimmed = piece.trim().replace(/[.,;:!?)\]}>]+$/, "");
    if (trimmed.length > 2) found.set(`${kind} ${trimmed}`, { kind, text: trimmed });
  };
  for (const reading of readingsOf(text)) {
    const searchable = toSearchable(reading);
    for (const form of ADDRESSES) {
      for (const [match] of searchable.matchAll(form)) {
        const bare = withoutScheme(match);
        const host = bare
          .replace(/^[^@/]*@/, "")
          .replace(/[/?#:].*$/, "")
          .replace(/[.,;]+$/, "");
        if (bare === match && !bare.includes("@") && (isFile(host) || !host.includes("."))) {
          if (/^localhost:|^[0-9a-f]*:[0-9a-f:]+$/.test(bare)) add("address", bare);
          continue;
        }
        add("address", bare.replace(/\/$/, ""));
        for (const domain of domainsOf(host)) add("address", domain);
      }
    }
    // What a URL holds is no path of its own.
    const rest = searchable.replace(ADDRESSES[0]!, " ");
    for (const form of PATHS) {
      for (const [match] of rest.matchAll(form)) {
        const path = match.replace(/[.,;:]+$/, "").replace(/^\.\//, "");
        if (!COMMON_PATHS.test(path) && /\p{L}/u.test(path)) add("path", path);
      }
    }
    for (const command of commandsIn(reading)) add("command", toSearchable(command));
  }
  return [...found.values()];
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

/** Programs whose names are no words of a language. */
const PROGRAMS =
  "curl|wget|sudo|su|npm|npx|pnpm|yarn|pip|pip3|pipx|uvx?|git|gh|ssh|scp|sftp|rsync|chmod|chown|docker|podman|kubectl|terraform|helm|psql|mysql|sqlite3|awk|sed|grep|rg|jq|python3?|bash|zsh|powershell|pwsh|iwr|rm|mv|cp|tar|unzip|gpg|openssl|nc|netcat|crontab|systemctl|apt|apt-get|brew|cargo|bun|deno|aws|gcloud|az|wrangler|xargs|eval|telnet|ftp|nslookup|dig";
const IN_PROSE = new RegExp(
  `(?<![\\w-])(?:${PROGRAMS})\\s+(?:-{1,2}[\\w-]+|[\\w./:@=~$"'{}*-]{2,})(?:\\s+(?:[|&>]{1,2}\\s*\\S{1,200}|-{1,2}[\\w-]\\S{0,100}|\\S{0,200}[/:=@~$"'|>]\\S{0,200}))*`,
  "gi",
);
const IS_COMMAND = new RegExp(
  `^(?:[$#>] )?(?:${PROGRAMS})\\b|\\s-{1,2}\\w|[|&;<>=$*]|\\s(?:~|\\.{1,2})?/\\w|^\\./|\\.(?:sh|py|js|ts)\\b`,
  "i",
);

/** Lines of code, what stands between backticks and looks like one, and what begins with the name of a program. */
function commandsIn(text: string): string[] {
  const commands: string[] = [];
  let fence = false;
  for (const line of text.split("\n")) {
    if (/^\s*(?:`{3,}|~{3,})/.test(line)) fence = !fence;
    else if (fence || /^\s*\$ \S/.test(line)) commands.push(line);
    for (const [, span] of line.matchAll(/`([^`\n]{3,400})`/g)) if (IS_COMMAND.test(span!)) commands.push(span!);
    for (const [match] of line.matchAll(IN_PROSE)) commands.push(match);
  }
  const whole = commands.map(bare);
  const pieces = commands.flatMap((command) => command.split(/\s*(?:\|\||&&|[|;])\s*/)).map(bare);
  const isLong = (least: number) => (command: string) =>
    command.split(/\s+/).length >= least && /\p{L}{2}/u.test(command);
  return [...whole.filter(isLong(2)), ...pieces.filter(isLong(PIECE_WORDS))];
}

/** A piece of a longer command says less than one that stands alone. */
const PIECE_WORDS = 3;

/** Without a prompt before it and a full stop behind it. */
function bare(command: string): string {
  return command.replace(/^\s*(?:[$#>]\s+)?|\s*[.,:;]?\s*$/g, "");
}

/** Whether a searchable text holds a fragment as a whole, not as a piece of a longer word. */
export function holds(searchable: string, { text }: Fragment): boolean {
  for (let at = searchable.indexOf(text); at >= 0; at = searchable.indexOf(text, at + 1)) {
    const before = searchable[at - 1] ?? " ";
    const after = searchable[at + text.length] ?? " ";
    if (!/[\p{L}\p{N}_]/u.test(before) && !/[\p{L}\p{N}_]/u.test(after)) return true;
  }
  return false;
}
