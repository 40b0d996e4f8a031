// How an option is spelled: five styles that real programs use. Their frequencies are counted in the commands of the surfaces.
// Pure.
import { pickWeighted } from "./draws.ts";

/** `--flag value`, `--flag=value`, `flag: value`, `FLAG=value`, `value`. */
export const STYLES = ["flag", "equals", "setting", "variable", "positional"] as const;
export type Style = (typeof STYLES)[number];

/** Occurrences by style, in the order of `STYLES`. */
export type StyleWeights = readonly number[];

const SHAPES: Record<Style, RegExp> = {
  flag: /(?<![\w-])--?[a-z][\w-]* [a-z0-9]/gi,
  equals: /(?<![\w-])--?[a-z][\w-]*=\w/gi,
  setting: /(?<![\w-])[a-z][\w-]*: [a-z0-9]/gi,
  variable: /(?<![\w-])[A-Z][A-Z0-9_]*=\w/g,
  // A program name, then a bare word.
  positional: /(?<![^;|&\n])[a-z][\w-]* [a-z]\w*(?![\w./:=])/g,
};

/** Adds one occurrence to each style, so that none is impossible. */
export function countStyles(texts: readonly string[]): StyleWeights {
  return STYLES.map((style) => texts.reduce((sum, text) => sum + (text.match(SHAPES[style])?.length ?? 0), 1));
}

/** An operation has the same style in all worlds of the same surfaces, because the service has one list of options. */
export function drawStyle(weights: StyleWeights, operation: string): Style {
  return STYLES[pickWeighted(weights, operation, "style")]!;
}

export function spellOption(flag: string, style: Style, value: string): string {
  const name = flag.replace(/^--/, "");
  switch (style) {
    case "flag":
      return `${flag} ${value}`;
    case "equals":
      return `${flag}=${value}`;
    case "setting":
      return `${name}: ${value}`;
    case "variable":
      return `${name.toUpperCase()}=${value}`;
    case "positional":
      return value;
  }
}

const SPELLED = /^(?:--[a-z]+[ =]|[a-z]+: |[A-Z]+=)?([a-z0-9-]+)$/;

/** The value in a spelled option; `null` if the text is not an option. */
export function readValue(spelled: string): string | null {
  return SPELLED.exec(spelled)?.[1] ?? null;
}

/** The same option with another value. */
export function respell(spelled: string, value: string): string {
  return `${spelled.slice(0, spelled.length - (readValue(spelled)?.length ?? 0))}${value}`;
}
