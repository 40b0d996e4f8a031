// Converts bytes to strings and back, in the encodings that just-bash asks for. Called by workspace.ts and mount.ts.
// Pure.
import { fromBase64, fromLatin1, toBase64, toLatin1 } from "../schemas/base64.ts";
import type { BufferEncoding, FileContent } from "just-bash/browser";

export type Encoding = BufferEncoding | { encoding?: BufferEncoding | null };

export function readEncoding(options: Encoding | undefined): BufferEncoding {
  return (typeof options === "string" ? options : options?.encoding) ?? "utf8";
}

export function encode(content: FileContent, encoding: BufferEncoding): Uint8Array {
  if (typeof content !== "string") return content;
  if (encoding === "utf8" || encoding === "utf-8") return new TextEncoder().encode(content);
  if (encoding === "base64") return fromBase64(content);
  if (encoding === "hex") return Uint8Array.from(content.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  return fromLatin1(content);
}

export function decode(bytes: Uint8Array, encoding: BufferEncoding): string {
  if (encoding === "utf8" || encoding === "utf-8")
    return new TextDecoder("utf-8", { fatal: false, ignoreBOM: true }).decode(bytes);
  if (encoding === "base64") return toBase64(bytes);
  if (encoding === "hex") return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return toLatin1(bytes);
}

/** The pieces one after the other. */
export function concatBytes(pieces: Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}
