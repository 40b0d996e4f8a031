// Tells whether a request is of a kind that comes again. Called by observe.ts. Pure: words in, yes or no out.

/** Dice coefficient of content words from which two requests count as the same kind of work. */
const SIMILAR = 0.5;
const MIN_SHARED_WORDS = 2;

/** A person who says so does not want a habit made of it. */
const ONE_OFF =
  /\b(one[- ]off|one[- ]time|just (this )?once|only (this )?once|(just|only) (for )?(this time|today|now)|this (one )?time only|ad[- ]hoc|never again|(do not|don't|no need to) (remember|learn|save|note) (this|it|anything)|throw[- ]?away)\b/iu;

/** Words that say nothing about the kind of work. */
const STOP_WORDS = new Set(
  (
    "a about above after all also an and any are as at be because been before being below between both but by can could did do does " +
    "doing done down each few for from further get give had has have having he her here hers him his how i if in into is it its " +
    "just kindly let like make many may me might more most much must my need no nor not now of off on once one only or other our " +
    "out over own please same shall she should so some such tell than that the their them then there these they this those through " +
    "to too under until up us use using very want was we were what when where which while who whom why will with would you your"
  ).split(" "),
);

/** An earlier request was much like this one, and nothing in it says that it will not come again. */
export function isGeneralisable(request: string, earlierRequests: string[]): boolean {
  return !ONE_OFF.test(request) && earlierRequests.some((earlier) => isSimilarRequest(request, earlier));
}

/** Compares what was asked, not of what: names of files, quoted words and figures are left out. */
export function isSimilarRequest(a: string, b: string): boolean {
  const left = contentWords(a);
  const right = contentWords(b);
  let shared = 0;
  for (const word of left) if (right.has(word)) shared += 1;
  const same = shared > 0 && shared === left.size && shared === right.size;
  return same || (shared >= MIN_SHARED_WORDS && (2 * shared) / (left.size + right.size) >= SIMILAR);
}

function contentWords(request: string): Set<string> {
  const plain = request
    .toLowerCase()
    .normalize("NFC")
    .replace(/`[^`]*`|"[^"]*"|“[^”]*”/gu, " ")
    .replace(/\S*[\d/\\_]\S*|\S+\.[a-z]\w*/gu, " ");
  const words = plain.match(/\p{L}+/gu) ?? [];
  return new Set(words.filter((word) => word.length > 1 && !STOP_WORDS.has(word)).map(stem));
}

/** Enough to let "calculated averages" meet "calculate the average"; not a linguist's stem. */
function stem(word: string): string {
  return word.length > 4 ? word.replace(/(ing|ed|es|s|e)$/u, "") : word;
}
