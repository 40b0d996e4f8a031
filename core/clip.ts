// Short forms of longer texts, for a list, a preview or a refusal. Pure.

/** At most `maxChars` characters: of a longer text the beginning and "…". Half a character becomes U+FFFD. */
export function clip(text: string, maxChars: number): string {
  return (text.length > maxChars ? `${text.slice(0, maxChars - 1)}…` : text).toWellFormed();
}

/** Each run of white space becomes one blank. */
export function toOneLine(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}
