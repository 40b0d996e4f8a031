// Shortens texts, for a list, a preview or a refusal. Pure.

/** At most `maxChars` characters; a longer text ends in "…". Half a surrogate pair becomes U+FFFD. */
export function clip(text: string, maxChars: number): string {
  return (text.length > maxChars ? `${text.slice(0, maxChars - 1)}…` : text).toWellFormed();
}

/** The first `maxChars` characters, without a mark. Half a surrogate pair at the end is dropped. */
export function headOf(text: string, maxChars: number): string {
  const head = text.slice(0, maxChars);
  return head.length < text.length && /[\uD800-\uDBFF]$/.test(head) ? head.slice(0, -1) : head;
}

/** Every run of white space becomes one space. */
export function toOneLine(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}
