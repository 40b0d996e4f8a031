// A skill as it is being edited: its files as typed, and the revision they began from. Pure.
import { ProblemError } from "../data/api.ts";
import { type Files, SKILL_MD } from "./files.ts";
import type { Detail } from "./words.ts";

export interface Draft {
  name: string;
  files: Files;
  /** As they were when the editing began. */
  original: Files;
  /** The revision that was edited; 0: none. */
  base: number;
}

export function toDraft({ name, head, files }: Detail): Draft {
  return { name, files, original: files, base: head?.rev ?? 0 };
}

export function newDraft(): Draft {
  const text = `---
name: 
description: Use when …
---

## When to use

## Steps

## Pitfalls

## Verify
`;
  return { name: "", files: { [SKILL_MD]: text }, original: { [SKILL_MD]: text }, base: 0 };
}

export function isChanged({ files, original }: Draft): boolean {
  return JSON.stringify(sorted(files)) !== JSON.stringify(sorted(original));
}

function sorted(files: Files): [string, Files[string]][] {
  return Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** A path under which a new file can be typed; what is wrong with it, in words. */
export function checkNewPath(path: string, files: Files): string | null {
  if (path === "") return "Give the file a path, such as references/details.md.";
  if (Object.hasOwn(files, path)) return "There is a file of this path already.";
  if (path.startsWith("/") || path.endsWith("/") || /(?:^|\/)\.{1,2}(?:\/|$)|[\\\0]/.test(path)) {
    return "A path is relative, without . and .. in it.";
  }
  return null;
}

/** A browser's text field knows `\n` only: a file with the line ends of Windows keeps them. */
export function keepLineEnds(before: string, typed: string): string {
  return before.includes("\r\n") ? typed.replaceAll("\n", "\r\n") : typed;
}

/** Puts a name that was typed into a frontmatter that has none. */
export function nameText(text: string, name: string): string {
  return text.replace(/^name:[ \t]*$/m, () => `name: ${name}`);
}

/** Where an error of the API belongs: to a file, to the name, or to the whole (`null`). */
export function placeOf(error: unknown, files: Files): string | null {
  if (!(error instanceof ProblemError)) return null;
  const { code, detail } = error.problem;
  if (code === "bad_skill_name" || code === "companion_name") return NAME_FIELD;
  const named = Object.keys(files)
    .filter((path) => detail.includes(path))
    .sort((a, b) => b.length - a.length)[0];
  if (["bad_path", "bad_text", "too_large"].includes(code)) return named ?? null;
  return code === "bad_skill_md" ? SKILL_MD : null;
}

/** In place of a path. */
export const NAME_FIELD = "\0name";
