// Patches one file of an installed package. Called by scripts/patch-*.mjs. Idempotent; the original is kept beside the file. Throws when
// the installed version differs from the patched one. Needs no package.
import { createHash } from "node:crypto";
import { closeSync, existsSync, openSync, readFileSync, readSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** `modules`: a node_modules folder. Of a patch, `from` must occur exactly once, `pattern` exactly `times` times. */
export function patchPackage(modules, { file, patches, name, script }) {
  const mark = `/* patched ${createHash("sha256").update(JSON.stringify(patches)).digest("hex").slice(0, 16)} */`;
  const path = join(modules, file);
  const original = `${path}.orig`;
  if (!existsSync(path)) return; // not installed; the code that needs it will report that
  if (readHead(path, mark.length) === mark) return;
  const installed = readFileSync(path, "utf8");
  let text = installed.startsWith("/* patched ") ? readFileSync(original, "utf8") : installed;
  replaceFile(original, text);
  for (const { why, from, pattern, times = 1, to } of patches) {
    const found = pattern ? (text.match(new RegExp(pattern, "g"))?.length ?? 0) : text.split(from).length - 1;
    if (found !== times) throw new Error(`${name} has changed at a patched place (${why}). Update ${script}.`);
    text = pattern ? text.replace(new RegExp(pattern, "g"), to) : text.replace(from, () => to);
  }
  replaceFile(path, `${mark}\n${text}`);
}

/** Before every command, so a file of megabytes is not read. */
function readHead(path, length) {
  const head = Buffer.alloc(length);
  const file = openSync(path);
  try {
    return head.toString("latin1", 0, readSync(file, head, 0, length, 0));
  } finally {
    closeSync(file);
  }
}

/** Replaces the file instead of its contents: package managers hard-link files of their cache into node_modules. */
function replaceFile(path, text) {
  writeFileSync(`${path}.${process.pid}`, text);
  renameSync(`${path}.${process.pid}`, path);
}
