// Finds what the texts of a package reach: hosts of addresses, and variables that are read. Pure; reads untrusted texts in linear time.
import { type FileBodies, textOrEmpty } from "../../schemas/file-body.ts";

const ADDRESS = /\b(?:https?|wss?|ftps?|sftp|ssh|git):\/\/(?:\[[0-9a-f:.]{2,45}\])?[^\s"'`<>()[\]{}\\|^]{0,300}/gi;

/** Of addresses in any file that is text, as a client reads them: without a user's name, and a number as the address that it is. */
export function findHosts(files: FileBodies): string[] {
  return collect(files, ADDRESS, ([address]) => {
    // Other schemes are not normalised.
    const host = URL.parse(address.replace(/^[a-z]+/i, "http"))?.hostname ?? "";
    return /^[\w.:[\]-]+$/.test(host) ? host : undefined;
  });
}

const VARIABLE = new RegExp(
  [
    String.raw`\b(?:process\.env|import\.meta\.env|os\.environ|Deno\.env|ENV)(?:\??\.get\(|\??\.|\[)\s{0,4}["'\x60]?([A-Z_][A-Z0-9_]{2,99})\b`,
    String.raw`\bgetenv\(\s{0,4}["']([A-Z_][A-Z0-9_]{2,99})\b`,
    String.raw`\$(?:\{|env:)?([A-Z][A-Z0-9_]{2,99})\b`,
  ].join("|"),
  "g",
);
/** They say nothing of a secret. */
const USUAL = new Set(["HOME", "PATH", "PWD", "USER", "SHELL", "TMPDIR", "LANG", "ARGUMENTS"]);

/** Names of environment variables that a script or a shell would read. */
export function findVariables(files: FileBodies): string[] {
  return collect(files, VARIABLE, ([, ...names]) => names.find((name) => name !== undefined && !USUAL.has(name)));
}

/** Sorted, each once. */
function collect(files: FileBodies, form: RegExp, toItem: (match: RegExpExecArray) => string | undefined): string[] {
  const found = new Set<string>();
  for (const body of Object.values(files)) {
    for (const match of textOrEmpty(body).matchAll(form)) {
      const item = toItem(match);
      if (item !== undefined) found.add(item);
    }
  }
  return [...found].sort();
}
