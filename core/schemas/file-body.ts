// A file of a skill as it is held in memory: text where its bytes are UTF-8, else the bytes. Stored are always the bytes, so
// that what was imported can be given back as it came. Pure.
import * as z from "zod";

export type FileBody = string | Uint8Array;

/** By path, `SKILL.md` among them, which is text. */
export type FileBodies = Record<string, FileBody>;

const utf8 = new TextEncoder();

/** Keeps a byte-order mark, and so every byte. */
export function toFileBody(bytes: Uint8Array): FileBody {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return bytes;
  }
}

export function toBytes(body: FileBody): Uint8Array {
  return typeof body === "string" ? utf8.encode(body) : body;
}

/** As JSON holds it: text, or the bytes in base64. */
export const FileContent = z.union([z.string(), z.strictObject({ base64: z.base64() })]);
export type FileContent = z.infer<typeof FileContent>;
export const FileContents = z.record(z.string(), FileContent);
export type FileContents = z.infer<typeof FileContents>;

export function toContents(files: FileBodies): FileContents {
  return mapFiles(files, (body) => (typeof body === "string" ? body : { base64: toBase64(body) }));
}

export function fromContents(files: FileContents): FileBodies {
  return mapFiles(files, (content) => (typeof content === "string" ? content : toFileBody(fromBase64(content.base64))));
}

function mapFiles<A, B>(files: Record<string, A>, map: (file: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(files).map(([path, file]) => [path, map(file)]));
}

function toBase64(bytes: Uint8Array): string {
  let letters = "";
  for (let at = 0; at < bytes.length; at += CHUNK) letters += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(letters);
}

/** More arguments than this one call does not take everywhere. */
const CHUNK = 8_192;

function fromBase64(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
}

/** The text of a file that must be one; empty for bytes and for what is missing. */
export function textOrEmpty(body: FileBody | undefined): string {
  return typeof body === "string" ? body : "";
}
