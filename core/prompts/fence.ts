// A skill's text between marks that nothing inside can end. Pure.

/** Longer than any fence inside. */
export function fence(text: string): string {
  const longest = Math.max(3, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const marks = "`".repeat(longest + 1);
  return `${marks}markdown\n${text.trimEnd()}\n${marks}`;
}
