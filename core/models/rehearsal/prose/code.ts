// Reads the options of commands in a skill: awk, cut, sed, tail, tr, and a few lines of Python. prose.ts uses it for parts of the
// advice that the skill's words leave open. Pure.
import type { Advice, Mark, NumberForm } from "../conventions.ts";

/** A value that a cell is compared with, or that a loader is given, for "no value". */
const NOTHING =
  /[$\w]\s*[!=]==?\s*["']?(-9{2,}(?:\.0+)?|n\/a|NA|NaN|-(?=["'])|null)\b["']?|\b(?:na(?:[._]\w+)?|null\w*)\s*=?\s*(?:c\()?["']([^"'\n]{1,12})["']/gi;

export function readCode(pieces: string[]): Advice {
  const advice: Advice = {};
  const missing: string[] = [];
  for (const code of pieces) {
    const separator =
      /\b(?:awk|gawk|mawk)\b[^\n|]*?\s-F\s*(?:\$?(['"]))?(\\\\?t|\\?\||[;,|\t]|\\?\[[^\]]\])\1?/.exec(code)?.[2] ??
      /(?:^|\s)-F\s*(?:\$?['"])?(\\\\?t|\\?\||[;,|\t])/.exec(code)?.[1] ??
      /\bO?FS\s*=\s*["'](\\t|\\?\||[;,|\t])["']/.exec(code)?.[1] ??
      /(?<![a-z]_)\b(?:sep|delim)\w*\s*=\s*r?["'](\\t|\\?\||[;,|\t])["']/.exec(code)?.[1] ??
      /\bDELIMITERS?\s+(?:AS\s+)?E?'(\\t|\\?\||[;,|\t])'/i.exec(code)?.[1] ??
      /\.split\(\s*["'](\\t|\\?\||[;,|\t])["']/.exec(code)?.[1] ??
      /\bcut\b[^\n]*\s-d\s*\$?['"]?(\\t|\\?\||[;,|\t])/.exec(code)?.[1];
    if (separator) advice.separators ??= [toMark(separator)];
    if (
      /\bNR\s*(?:>\s*2|>=\s*3|!=\s*2)|\btail\s+(?:-n\s*)?\+3\b|\bsed\b[^\n]*['" ]2d\b|\bskiprows\s*=\s*\[1\]|\bNR\s*==\s*2\s*\{\s*next/.test(
        code,
      )
    ) {
      advice.unitRow = true;
    }
    // Two lines are removed from the top: the header and the row below it.
    if ((code.match(/\bnext\(\w+\)/g) ?? []).length > 1 || /\w\s*<-\s*\w+\[-1,\s*\]/.test(code)) advice.unitRow = true;
    const decimal = /\bdec(?:imal\w*)?\s*=\s*["']([.,])["']/.exec(code)?.[1];
    if (decimal) advice.decimal ??= decimal as NumberForm["decimal"];
    if (
      /\bg?sub\(\s*(?:\/,\/|",")\s*,\s*"\."|\btr\s+['"]?,['"]?\s+['"]?\.|\bs\/,\/\.\/|replace\(.*["'],["']\s*,\s*["']\.["']|\bgsub\(\s*["'],["']\s*,\s*["']\.["']/.test(
        code,
      )
    ) {
      advice.decimal ??= ",";
    }
    const group =
      /\b(?:thousands|grouping_mark|big\.mark)\s*=\s*["']([.,' ])["']/.exec(code)?.[1] ??
      /\bgsub\(\s*\/\[?\\?([.,' ])\]?\/\s*,\s*""/.exec(code)?.[1] ??
      /\bgsub\(\s*"\[?\\*([.,' ])\]?"\s*,\s*""/.exec(code)?.[1] ??
      /\btr\s+-d\s+['"]([.,' ])/.exec(code)?.[1] ??
      /replace\((?:\s*\w+\s*,)?\s*(["'])([.,' ])\1\s*,\s*["']["']/.exec(code)?.[2] ??
      /\bgsub\(\s*["']\[?\\*([.,' ])\]?["']\s*,\s*["']["']/.exec(code)?.[1];
    if (group) advice.thousands ??= group as NumberForm["thousands"];
    if (/\bdayfirst\s*=\s*True|%d[./-]%m[./-]%Y|\bDD[./-]MM[./-]YYYY\b|\bdmy\(/i.test(code)) advice.dates = "dmy";
    else if (/%Y-%m-%d|\bymd\(/.test(code)) advice.dates ??= "ymd";
    for (const list of code.matchAll(/\bna_values\s*=\s*\[([^\]]*)\]/g)) {
      for (const token of list[1]!.matchAll(/["']([^"']+)["']|(-?\d+)/g)) missing.push(token[1] ?? token[2]!);
    }
    for (const test of code.matchAll(NOTHING)) missing.push(test[1] ?? test[2]!);
  }
  if (advice.thousands && advice.thousands === advice.decimal) delete advice.thousands;
  return missing.length > 0 ? { ...advice, missing } : advice;
}

function toMark(spelled: string): Mark {
  const bare = spelled.replace(/^\\?\[(.)\]$/, "$1").replace(/^\\+(?=.)/, "\\");
  if (bare === "\\t") return "\t";
  return bare.replace(/^\\/, "") as Mark;
}
