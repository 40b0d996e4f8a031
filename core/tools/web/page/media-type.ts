// What kind of document a reply is, by its content type, or by its first bytes where a server gives none or a generic one. Pure.

export type PageKind = "html" | "xml" | "json" | "markdown" | "text" | "pdf";

/** `null`: a kind that cannot be read as text. `contentType`: the whole header, or "". */
export function findKind(contentType: string, bytes: Uint8Array): PageKind | null {
  const type = contentType.split(";", 1)[0]!.trim().toLowerCase();
  const start = new TextDecoder("windows-1252").decode(bytes.subarray(0, 1_024)).trimStart();
  if (start.startsWith("%PDF-")) return "pdf";
  if (GENERIC_TYPES.has(type)) return sniff(start);
  if (type === "text/html" || type === "application/xhtml+xml") return "html";
  if (type === "application/pdf" || type === "application/x-pdf") return "pdf";
  if (type === "text/markdown" || type === "text/x-markdown") return "markdown";
  if (/^(?:application|text)\/(?:[\w.-]+\+)?json$|\/(?:x-ndjson|jsonl|json5)$/.test(type)) return "json";
  if (/^(?:application|text|image)\/(?:[\w.-]+\+)?xml$/.test(type)) return type.startsWith("image/") ? null : "xml";
  // Servers send Markdown, source code and even pages as plain text.
  if (type === "text/plain") return looksLikeHtml(start) ? "html" : "text";
  return type.startsWith("text/") || TEXT_TYPES.test(type) ? "text" : null;
}

const GENERIC_TYPES = new Set(["", "application/octet-stream", "binary/octet-stream", "application/x-download"]);
const TEXT_TYPES = /^application\/(?:javascript|ecmascript|x-javascript|typescript|x-sh|x-yaml|yaml|toml|sql|graphql)$/;

function sniff(start: string): PageKind | null {
  if (looksLikeHtml(start)) return "html";
  if (/^<\?xml|^<(?:rss|feed)[\s>]/i.test(start)) return "xml";
  // A NUL or another control character occurs in no text.
  return start === "" || /[\0-\x08\x0e-\x1a]/.test(start) ? null : "text";
}

function looksLikeHtml(start: string): boolean {
  return /^(?:<!--[^>]{0,300}-->\s*)?<(?:!doctype html|html|head|body)[\s>]/i.test(start);
}
