// The words by which the agent says that nothing should be said. Pure.

const TOKENS = new Set(["[SILENT]", "SILENT", "[NO_REPLY]", "NO_REPLY", "NO REPLY"]);
/** Of a token with the marks around it. */
const MAX_CHARS = 40;

/** Only the whole answer counts, without its files: a text that mentions a token is an answer. */
export function isSilence(text: string): boolean {
  const words = text.trim();
  return (
    words.length <= MAX_CHARS &&
    TOKENS.has(
      unwrap(words)
        .replace(/[`*".]{1,3}$/, "")
        .trim(),
    )
  );
}

/** An answer that grows, and may still become one of the tokens. */
export function mayBeSilence(text: string): boolean {
  const begun = unwrap(text.trimStart());
  return isSilence(text) || [...TOKENS].some((token) => token.startsWith(begun));
}

/** Without the marks that a model may put before it. */
function unwrap(text: string): string {
  return text.replace(/^[`*"]{1,3}/, "").toUpperCase();
}
