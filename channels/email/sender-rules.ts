// Who wrote an e-mail, by what the receiving server found out, and which messages are a machine's. Called by channels/email.ts. Pure.
// RFC 8601 (Authentication-Results), RFC 3834 (automatic answers).
import { type Header, type Mailbox, readAuthor, valuesOf } from "./headers.ts";

interface Finding {
  method: string;
  result: string;
  /** `header.from`, `header.d`, `smtp.mailfrom`, in lower case. */
  properties: Map<string, string>;
}

/** Header of our own answers: another Talaria does not answer them. */
export const OWN_HEADER = "x-talaria-channel";

/**
 * The author, if the receiving server proved the domain. `server`: its name in `Authentication-Results`. Senders can write such headers too:
 * only the topmost one counts, and it must stand above the second `Received`.
 */
export function provenAuthor(headers: readonly Header[], server: string): Mailbox | null {
  const author = readAuthor(headers);
  const results = author && readResults(headers, server);
  return author && results && isProved(author.domain, results) ? author : null;
}

function readResults(headers: readonly Header[], server: string): Finding[] | null {
  let hops = 0;
  for (const [name, value] of headers) {
    if (name === "received" && ++hops > 1) return null;
    if (name === "authentication-results") return parseResults(value, server);
  }
  return null;
}

/** DMARC decides where the domain has it. Else a signature, or the sending server, must be of the author's domain. */
function isProved(domain: string, findings: readonly Finding[]): boolean {
  const dmarc = findings.filter(({ method }) => method === "dmarc");
  if (dmarc.some(({ result }) => result !== "pass" && result !== "none")) return false;
  if (dmarc.some(({ result }) => result === "pass")) {
    return dmarc.every(({ result, properties }) => result !== "pass" || properties.get("header.from") === domain);
  }
  return findings.some(({ method, result, properties }) => {
    if (result !== "pass") return false;
    if (method === "dkim") return isOf(domain, properties.get("header.d") ?? domainOf(properties.get("header.i")));
    return method === "spf" && isOf(domain, domainOf(properties.get("smtp.mailfrom")));
  });
}

/** The domain itself, or one above it: a domain below it may belong to anybody. */
function isOf(domain: string, proved: string | undefined): boolean {
  if (proved === undefined || !proved.includes(".")) return false;
  return domain === proved || domain.endsWith(`.${proved}`);
}

function domainOf(address: string | undefined): string | undefined {
  return address?.slice(address.lastIndexOf("@") + 1);
}

/** `null`: another server wrote it, or it is not well formed. */
export function parseResults(value: string, server: string): Finding[] | null {
  const parts = splitResults(value);
  const [id, version = "1"] = (parts?.[0] ?? "").trim().toLowerCase().split(/\s+/);
  if (!parts || id !== server.toLowerCase() || version !== "1") return null;
  return parts.slice(1).flatMap((part): Finding[] => {
    const words = part.trim().toLowerCase().split(/\s+/);
    const [method, result] = (words[0] ?? "").split("=");
    if (!method || !result) return [];
    const properties = new Map<string, string>();
    for (const word of words.slice(1)) {
      const equals = word.indexOf("=");
      const name = word.slice(0, equals);
      // The first one counts: nobody adds another behind it.
      if (equals > 0 && !properties.has(name)) properties.set(name, word.slice(equals + 1));
    }
    return [{ method: method.split("/")[0]!, result, properties }];
  });
}

/** At the semicolons, without comments, and with the quotes taken off. `null`: a quote or a comment does not end. */
function splitResults(value: string): string[] | null {
  const parts = [""];
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < value.length; at++) {
    const char = value[at]!;
    if (char === "\\" && (isQuoted || depth > 0)) {
      at++;
    } else if (char === '"' && depth === 0) {
      isQuoted = !isQuoted;
    } else if (isQuoted) {
      // What a sender chose, such as an address, may not look like a property of its own.
      parts[parts.length - 1] += /[\s;=]/.test(char) ? "_" : char;
    } else if (char === "(") {
      depth++;
    } else if (char === ")") {
      if (--depth < 0) return null;
    } else if (depth === 0) {
      if (char === ";") parts.push("");
      else parts[parts.length - 1] += char;
    }
  }
  return depth === 0 && !isQuoted ? parts : null;
}

const MACHINE_NAMES = /^(?:mailer-daemon|postmaster|no-?reply|do-?not-?reply|bounces?)(?:[+@-]|$)/;
const MACHINE_HEADERS = [
  "list-id",
  "list-post",
  "list-help",
  "x-autoreply",
  "x-autorespond",
  "x-autoresponder",
  "x-loop",
];

/** A bounce, an automatic answer, a list: nobody waits for a reply, and one could begin a loop. `envelopeFrom`: "" for a bounce. */
export function isOfMachine(headers: readonly Header[], author: Mailbox, envelopeFrom: string): boolean {
  const has = (name: string) => valuesOf(headers, name).length > 0;
  const word = (name: string) => valuesOf(headers, name).map((value) => value.toLowerCase().split(/[\s;]/)[0] ?? "");
  return (
    envelopeFrom === "" ||
    MACHINE_NAMES.test(author.address) ||
    word("auto-submitted").some((value) => value !== "no") ||
    word("precedence").some((value) => ["bulk", "list", "junk", "auto_reply"].includes(value)) ||
    word("content-type").includes("multipart/report") ||
    MACHINE_HEADERS.some(has) ||
    has(OWN_HEADER)
  );
}
