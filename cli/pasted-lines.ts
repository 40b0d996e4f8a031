// Tells lines that were pasted together from lines that were typed: a terminal hands both over one by one. Used by converse.ts.

/** Nobody types lines so fast after each other. */
const PASTE_MS = 40;

/** `take` gets the lines that belong together: one, or all of a paste. */
export function gatherPasted(take: (lines: string[]) => void): { add(line: string): void; flush(): void } {
  let lines: string[] = [];
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    const gathered = lines;
    lines = [];
    if (gathered.length > 0) take(gathered);
  };
  return {
    add(line) {
      lines.push(line);
      clearTimeout(timer);
      timer = setTimeout(flush, PASTE_MS);
    },
    flush,
  };
}
