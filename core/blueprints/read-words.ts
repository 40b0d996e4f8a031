// Reads the words after `/blueprint NAME`: `slot=value slot="a value" …`. A value goes on to the next name of a slot, so that quotes are seldom
// needed. Pure; linear in the text's length.
import { type Result, err, ok } from "../errors.ts";

/** `names`: of slots, and other words that take a value. Failure: `slots_invalid`. */
export function readSlotWords(text: string, names: readonly string[]): Result<Record<string, string>> {
  const values: Record<string, string> = {};
  const usage = `Write it as slot=value. Slots: ${names.join(", ")}.`;
  let at = skipSpace(text, 0);
  while (at < text.length) {
    const name = /^[a-zA-Z]{1,40}(?==)/.exec(text.slice(at, at + 41))?.[0];
    if (name === undefined) {
      return err("slots_invalid", `'${text.slice(at, at + 40)}' is not a slot with a value. ${usage}`);
    }
    if (Object.hasOwn(values, name)) return err("slots_invalid", `The slot ${name} is given twice. ${usage}`);
    const from = at + name.length + 1;
    const quoted = text[from] === '"' ? readQuoted(text, from) : null;
    const end = quoted ? quoted.end : findNext(text, from, names);
    values[name] = quoted ? quoted.value : text.slice(from, end).trim();
    at = skipSpace(text, end);
  }
  return ok(values);
}

/** `null`: the quote does not end, so it is part of the text. */
function readQuoted(text: string, from: number): { value: string; end: number } | null {
  let value = "";
  for (let at = from + 1; at < text.length; at++) {
    if (text[at] === '"') return { value, end: at + 1 };
    if (text[at] === "\\" && (text[at + 1] === '"' || text[at + 1] === "\\")) at += 1;
    value += text[at];
  }
  return null;
}

/** Where the next name of a slot begins. */
function findNext(text: string, from: number, names: readonly string[]): number {
  for (const { index } of text.slice(from).matchAll(/\s[a-zA-Z]{1,40}=/g)) {
    const name = /^[a-zA-Z]+/.exec(text.slice(from + index + 1, from + index + 42))![0];
    if (names.includes(name)) return from + index;
  }
  return text.length;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && /\s/.test(text[at]!)) at += 1;
  return at;
}
