// Reads the options of commands that a skill shows: awk, cut, sed, tail, tr, and a few lines of Python. Used by prose.ts
// for what the words around them leave unsaid. Pure.
import type { Advice, Mark, NumberForm } from "./conventions.ts";

export function readCode(pieces: string[]): Advice {
  const advice: Advice = {};
  const missing: string[] = [];
  for (const code of pieces) {
    const separator =
      /\b(?:awk|gawk|mawk)\b[^\n|]*?\s-F\s*(?:\$?(['"]))?(\\\\?t|\\?\||[;,|\t]|\\?\[[^\]]\])\1?/.exec(code)?.[2] ??
      /(?:^|\s)-F\s*(?:\$?['"])?(\\\\?t|\\?\||[;,|\t])/.exec(code)?.[1] ??
      /\bO?FS\s*=\s*["'](\\t|\\?\||[;,|\t])["']/.exec(code)?.[1] ??
      /\b(?:sep|delimiter)\s*=\s*r?["'](\\t|\\?\||[;,|\t])["']/.exec(code)?.[1] ??
      /\bcut\b[^\n]*\s-d\s*\$?['"]?(\\t|\\?\||[;,|\t])/.exec(code)?.[1];
    if (separator) advice.separators ??= [toMark(separator)];
    if (
      /\bNR\s*(?:>\s*2|>=\s*3|!=\s*2)|\btail\s+(?:-n\s*)?\+3\b|\bsed\b[^\n]*['" ]2d\b|\bskiprows\s*=\s*\[1\]|\bNR\s*==\s*2\s*\{\s*next/.test(
        code,
      )
    ) {
      advice.unitRow = true;
    }
    const decimal = /\bdecimal\s*=\s*["']([.,])["']/.exec(code)?.[1];
    if (decimal) advice.decimal ??= decimal as NumberForm["decimal"];
    if (
      /\bg?sub\(\s*(?:\/,\/|",")\s*,\s*"\."|\btr\s+['"]?,['"]?\s+['"]?\.|\bs\/,\/\.\/|replace\(\s*["'],["']\s*,\s*["']\.["']/.test(
        code,
      )
    ) {
      advice.decimal ??= ",";
    }
    const group =
      /\bthousands\s*=\s*["']([.,' ])["']/.exec(code)?.[1] ??
      /\bgsub\(\s*\/\[?\\?([.,' ])\]?\/\s*,\s*""/.exec(code)?.[1] ??
      /\bgsub\(\s*"\[?\\*([.,' ])\]?"\s*,\s*""/.exec(code)?.[1] ??
      /\btr\s+-d\s+['"]([.,' ])/.exec(code)?.[1] ??
      /replace\(\s*["']([.,' ])["']\s*,\s*["']["']/.exec(code)?.[1];
    if (group) advice.thousands ??= group as NumberForm["thousands"];
    if (/\bdayfirst\s*=\s*True|%d[./-]%m[./-]%Y/.test(code)) advice.dates = "dmy";
    for (const list of code.matchAll(/\bna_values\s*=\s*\[([^\]]*)\]/g)) {
      for (const token of list[1]!.matchAll(/["']([^"']+)["']|(-?\d+)/g)) missing.push(token[1] ?? token[2]!);
    }
    for (const test of code.matchAll(/\$\w+\s*[!=]=\s*"?(-9+|n\/a|NA|NaN|-|null)"?/gi)) missing.push(test[1]!);
  }
  if (advice.thousands && advice.thousands === advice.decimal) delete advice.thousands;
  return missing.length > 0 ? { ...advice, missing } : advice;
}

function toMark(spelled: string): Mark {
  const bare = spelled.replace(/^\\?\[(.)\]$/, "$1").replace(/^\\+(?=.)/, "\\");
  if (bare === "\\t") return "\t";
  return bare.replace(/^\\/, "") as Mark;
}
