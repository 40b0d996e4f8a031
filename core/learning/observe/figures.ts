// Whether the figures of a message are those of the answer before it, or others. Called by judge-message.ts: another figure than
// the answer's is a contradiction in any language. Pure; linear.

/** A longer text holds figures of many kinds. */
const MAX_CHARS = 4_000;
const MAX_GIVEN = 12;
/** More are a table or a log. */
const MAX_SAID = 3;
/** A figure of one digit says little when it comes again. */
const MIN_SAME_CHARS = 2;

const FIGURE = /\p{N}+(?:[.,:'/]\p{N}+)*/gu;

/** `null`: nothing to compare. Figures of the request say nothing. */
export function compareFigures(
  message: string,
  { request, answer }: { request: string; answer: string },
): "same" | "other" | null {
  const given = new Set(figuresIn(answer));
  if (given.size === 0 || given.size > MAX_GIVEN) return null;
  const wanted = new Set(figuresIn(request));
  const said = figuresIn(message);
  const own = said.filter((figure) => !wanted.has(figure));
  if (own.length === 0 || said.length > MAX_SAID) return null;
  if (own.some((figure) => !given.has(figure))) return "other";
  return own.some(({ length }) => length >= MIN_SAME_CHARS) ? "same" : null;
}

function figuresIn(text: string): string[] {
  return text.slice(0, MAX_CHARS).match(FIGURE) ?? [];
}
