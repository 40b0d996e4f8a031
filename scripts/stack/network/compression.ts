// Compresses what everybody may read, as Cloudflare's edge does for a deployment: the page, its files, the page of the API and
// /openapi.json. Called by door.ts. Never an answer of the API: it may be a stream, and a secret beside chosen text must not be compressed.
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream";
import { constants, createBrotliCompress, createGzip } from "node:zlib";

type Encoding = "br" | "gzip";

/** `headers` are those of the response, as name and value in turn. `encoding` is null for a body that stays as it is. */
interface Plan {
  encoding: Encoding | null;
  headers: string[];
}

const PUBLIC_PATH = /^\/(?:assets\/.*|docs(?:\/.*)?|openapi\.json|[\w-]+\.(?:svg|txt|webmanifest))?$/;
const TEXT = /^(?:text\/(?:html|css|javascript|plain)|application\/(?:json|manifest\+json)|image\/svg\+xml)\b/;
const IMMUTABLE = /\bimmutable\b/;
const KEPT_AS_IT_IS = /\b(?:no-transform|no-store|private)\b/;
/** A little slower than gzip's default, and a fifth smaller. The edge's own choice is near it. */
const BROTLI_QUALITY = 5;

/** Compressed files whose content never changes, by encoding and ETag: as many as the page has files. */
export type CompressedFiles = Map<string, Buffer>;

/** `null`: not a text that everybody may read. */
export function planCompression(
  { url = "", method, headers: asked }: Pick<IncomingMessage, "url" | "method" | "headers">,
  { statusCode, headers }: Pick<IncomingMessage, "statusCode" | "headers">,
  rawHeaders: string[],
): Plan | null {
  const path = url.split("?")[0]!;
  if (!(method === "GET" || method === "HEAD") || !PUBLIC_PATH.test(path)) return null;
  if (!(statusCode === 200 || statusCode === 304) || !isPublicText(headers)) return null;
  const varying = [...rawHeaders, "vary", "accept-encoding"];
  const encoding = asked.range === undefined ? chooseEncoding(asked["accept-encoding"]) : null;
  if (encoding === null) return { encoding, headers: varying };
  const changed = varying.flatMap((name, i) => (i % 2 === 0 ? withoutExactBytes(name, varying[i + 1]!) : []));
  return { encoding, headers: statusCode === 304 ? changed : [...changed, "content-encoding", encoding] };
}

function isPublicText(headers: IncomingHttpHeaders): boolean {
  const isKept = KEPT_AS_IT_IS.test(headers["cache-control"] ?? "");
  const isEncoded = headers["content-encoding"] !== undefined;
  return TEXT.test(headers["content-type"] ?? "") && !isKept && !isEncoded && headers["set-cookie"] === undefined;
}

/** The length is no longer known, and a strong ETag would claim the same bytes in every encoding. */
function withoutExactBytes(name: string, value: string): string[] {
  if (/^(?:content-length|accept-ranges)$/i.test(name)) return [];
  return /^etag$/i.test(name) && value.startsWith('"') ? [name, `W/${value}`] : [name, value];
}

/** Brotli where the client takes it, else gzip, else nothing. */
export function chooseEncoding(accepted: string | string[] | undefined): Encoding | null {
  const taken = String(accepted ?? "")
    .toLowerCase()
    .split(",")
    .map((one) => one.trim().split(/\s*;\s*/))
    .filter(([, quality]) => quality === undefined || Number(quality.replace(/^q=/, "")) > 0)
    .map(([name]) => name);
  return (["br", "gzip"] as const).find((encoding) => taken.includes(encoding)) ?? null;
}

/** Sends the body of `reply`, whose headers are already written. */
export function sendCompressed(
  reply: IncomingMessage,
  outgoing: ServerResponse,
  encoding: Encoding,
  files: CompressedFiles,
): void {
  const key = IMMUTABLE.test(reply.headers["cache-control"] ?? "") ? `${encoding} ${reply.headers.etag}` : null;
  const known = key === null ? undefined : files.get(key);
  if (known) {
    reply.resume();
    outgoing.end(known);
    return;
  }
  const encoder = encoding === "gzip" ? createGzip() : createBrotli();
  const pieces: Buffer[] = [];
  if (key !== null) encoder.on("data", (piece: Buffer) => pieces.push(piece));
  pipeline(reply, encoder, outgoing, (error) => {
    if (!error && key !== null) files.set(key, Buffer.concat(pieces));
  });
}

function createBrotli() {
  return createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } });
}
