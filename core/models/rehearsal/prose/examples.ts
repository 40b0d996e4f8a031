// Finds in sentences what example numbers show, and what the name of a country implies about its number format. prose.ts uses it for
// parts of the advice that the words leave open. Pure.
import type { Advice, NumberForm } from "../conventions.ts";
import { ELSEWHERE, type Prose } from "./text.ts";

/** "1.234,50" is unambiguous, unless it is an output form or the form of other files. */
export function readFullExample({ sentences }: Prose): Advice {
  for (const sentence of sentences) {
    const text = sentence.replace(/’/g, "'").replace(/[\u00a0\u2009\u202f]/g, " ");
    for (const match of text.matchAll(/(?<![\d.,])\d{1,3}(?:([.,' ])\d{3})+([.,])\d+(?![\d.,]*\d)/g)) {
      if (match[1] === match[2]) continue;
      const before = text.slice(0, match.index);
      const clause = before.split(/[,;:]\s|\bbut\b/).at(-1)! + text.slice(match.index).split(/[,;:]\s|\bbut\b/)[0]!;
      if (
        /(?:\b(?:means|becomes?|into|to|equals|for|not|never|instead of|rather than)|\d\S*\s*(?:=|→|->))\W*$/.test(
          before,
        )
      )
        continue;
      if (ELSEWHERE.test(clause)) continue;
      return { decimal: match[2] as NumberForm["decimal"], thousands: match[1] as NumberForm["thousands"] };
    }
  }
  return {};
}

/** "1.234,5" or "3,14" show the form by example. The form after "means" is not the file's. */
export function readExamples({ sentences }: Prose): Advice {
  const advice: Advice = {};
  for (const sentence of sentences) {
    if (!/\d/.test(sentence) || ELSEWHERE.test(sentence)) continue;
    const file = sentence.split(
      /\b(?:means|meaning|becomes?|stands for|that is|i\.e\.|into|equals|reads as|for|not)\b|=|→|->/,
    )[0]!;
    const simple = /(?<![\d.,])\d+([.,])(?:\d{1,2}|\d{4,})(?![\d.,]*\d)/.exec(file);
    if (simple) advice.decimal ??= simple[1] as NumberForm["decimal"];
    const grouped = /(?<![\d.,])\d{1,3}([.,' ])\d{3}(?:\1\d{3})*(?![\d.,]*\d)/.exec(file);
    if (!grouped) continue;
    // An apostrophe or a space between digits can only group thousands.
    const clear = grouped[1] === "'" || (grouped[1] === " " && /\bspace\b|\bnumbers?\b|\bblank\b/.test(sentence));
    if (clear || /thousand|million/.test(sentence) || /\d{1,3}([.,' ])\d{3}\1\d{3}/.test(file)) {
      advice.thousands ??= grouped[1] as NumberForm["thousands"];
    }
  }
  return advice;
}

/** "German number format" sets both marks at once. */
export function readLocale({ sentences }: Prose): Advice {
  const place = /\b(?:german|continental|european|dutch|italian|spanish|austrian)\b(?![^.]*\bnot\b)/;
  const about = sentences.filter((sentence) => place.test(sentence));
  const numbers = about.some((sentence) =>
    /\bnumbers?|figures?|amounts?|locale|notation|format|style|way|settings\b/.test(sentence),
  );
  const dates = about.some((sentence) => /\bdates?|locale|settings\b/.test(sentence));
  const english =
    /\b(?:american|us|english|british|anglo-saxon)[ -](?:number (?:way|format|style|notation)|way|notation)/;
  const points =
    !numbers && sentences.some((sentence) => english.test(sentence) && /\bnumbers?|amounts?|figures?/.test(sentence));
  return {
    ...(points ? { decimal: "." as const, thousands: "," as const } : {}),
    ...(numbers ? { decimal: "," as const, thousands: "." as const } : {}),
    ...(dates ? { dates: "dmy" as const } : {}),
  };
}
