// Whether a message has another figure than the answer before it: a contradiction in any language. Called by judge-message.ts.
// Pure; linear.

/** A longer text holds figures of many kinds. */
const MAX_CHARS = 4_000;
const MAX_GIVEN = 12;
/** More are a table or a log. */
const MAX_SAID = 3;

const FIGURE = /\p{N}+(?:[.,:'/]\p{N}+)*/gu;

/** Not where the request has figures, too: the next one may be the same task with other figures. */
export function hasOtherFigure(message: string, { request, answer }: { request: string; answer: string }): boolean {
  const given = new Set(figuresIn(answer));
  if (given.size === 0 || given.size > MAX_GIVEN || figuresIn(request).length > 0) return false;
  const said = figuresIn(message);
  return said.length <= MAX_SAID && said.some((figure) => !given.has(figure));
}

function figuresIn(text: string): string[] {
  return text.slice(0, MAX_CHARS).match(FIGURE) ?? [];
}
