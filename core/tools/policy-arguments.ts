// What a policy compares of a call's arguments: each as it was written, and what it stands for, so that a list or another spelling of an
// address evades no policy. Paths: policy-paths.ts. Used by policies.ts. Pure.
import { isObject } from "../unknown-object.ts";
import { pathsOfPatch, spellPath } from "./policy-paths.ts";

/** The argument as text, or every argument for `*`. An absent argument is none. */
export function readArguments(args: unknown, name: string): string[] {
  return name === "*" ? listTexts(args) : findValues(args, name).map(toText);
}

/** Further texts that stand for the argument: items of a list, an address as it is requested; for `*` also the paths of a call. */
export function listSpellings(name: string, args: unknown): string[] {
  const lists = name === "*" ? [] : findValues(args, name).filter(Array.isArray);
  const items = lists.flatMap(listTexts);
  const addresses = [...readArguments(args, name), ...items].flatMap(toPlainAddress);
  return [...items, ...addresses, ...(name === "*" ? listPaths(args) : [])];
}

function listPaths(args: unknown): string[] {
  const [path, patch] = [fieldOf(args, "path"), fieldOf(args, "patch")];
  const named = [path, ...(typeof patch === "string" ? pathsOfPatch(patch) : [])];
  return named.flatMap((one) => (typeof one === "string" ? spellPath(one) : []));
}

/** `HTTPS://EXAMPLE.com.:443/a` as `https://example.com/a`. */
function toPlainAddress(text: string): string[] {
  const url = /^\s*https?:/i.test(text) ? URL.parse(text) : null;
  if (!url) return [];
  const { href } = url;
  let host = url.hostname;
  while (host.endsWith(".")) host = host.slice(0, -1);
  url.hostname = host;
  return [href, url.href];
}

/** Of the field that the name's dots lead to, and of the field with this whole name. */
function findValues(args: unknown, name: string): unknown[] {
  const inside = name.split(".").reduce<unknown>(fieldOf, args);
  const whole = name.includes(".") ? fieldOf(args, name) : undefined;
  return [inside, whole].filter((value) => value !== undefined);
}

function fieldOf(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function listTexts(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(listTexts);
  return isObject(value) ? Object.values(value).flatMap(listTexts) : [toText(value)];
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}
