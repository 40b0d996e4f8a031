// A file of a skill in memory: text where its bytes are UTF-8, otherwise the bytes. The stores always hold the bytes, so that
// an import can be exported unchanged. Pure.
import * as z from "zod";
import { fromBase64, toBase64 } from "./base64.ts";

export type FileBody = string | Uint8Array;

/** By path. Includes `SKILL.md`, which is text. */
export type FileBodies = Record<string, FileBody>;

const utf8 = new TextEncoder();

/** Keeps a byte-order mark, so that every byte survives. */
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

/** The JSON form: text, or the bytes in Base64. */
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

/** The text of a file, or an empty text for bytes and for a missing file. */
export function textOrEmpty(body: FileBody | undefined): string {
  return typeof body === "string" ? body : "";
}

/** The body at a path. Files may have names of inherited properties, such as `constructor`. */
export function bodyAt(files: FileBodies, path: string): FileBody | undefined {
  return Object.hasOwn(files, path) ? files[path] : undefined;
}

/** Two missing bodies are the same. */
export function isSameBody(a: FileBody | undefined, b: FileBody | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined || typeof a === "string" || typeof b === "string") return false;
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}

export function areSameFiles(a: FileBodies, b: FileBodies): boolean {
  const paths = Object.keys(a);
  return paths.length === Object.keys(b).length && paths.every((path) => isSameBody(a[path], bodyAt(b, path)));
}
