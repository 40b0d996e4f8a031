// Builds kinds of work from pairs of requests. Pairs marked `same` are merged transitively into one kind; a pair marked different
// makes its two kinds lookalikes. Pure.

/** One kind of work: the requests that ask for it, in different words. */
export interface Kind {
  key: string;
  lang: string;
  wordings: string[];
}

export interface Kinds {
  kinds: Kind[];
  /** Pairs of indexes in `kinds`: different work with similar requests. */
  lookalikes: [number, number][];
}

interface Pair {
  id: string;
  a: string;
  b: string;
  same: boolean;
  lang: string;
}

export function toKinds(pairs: readonly Pair[]): Kinds {
  const groupByText = new Map<string, number>();
  const groups: (Kind | null)[] = [];
  const place = (text: string, { id, lang }: Pair): number => {
    const known = groupByText.get(text);
    if (known !== undefined) return known;
    groups.push({ key: `${id}.${groups.length}`, lang: lang.split("+")[0]!, wordings: [text] });
    groupByText.set(text, groups.length - 1);
    return groups.length - 1;
  };
  for (const pair of pairs) {
    const [into, from] = [place(toLine(pair.a), pair), place(toLine(pair.b), pair)];
    if (!pair.same || into === from) continue;
    for (const text of groups[from]!.wordings) {
      groupByText.set(text, into);
      groups[into]!.wordings.push(text);
    }
    groups[from] = null;
  }
  const kinds = groups.filter((group) => group !== null);
  const findKind = (text: string) => kinds.indexOf(groups[groupByText.get(toLine(text))!]!);
  const different = pairs.filter(({ same }) => !same).map(({ a, b }) => [findKind(a), findKind(b)] as [number, number]);
  return { kinds, lookalikes: different.filter(([a, b]) => a !== b) };
}

function toLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
