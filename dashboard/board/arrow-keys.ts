// Arrow keys on a board: up and down in a column, left and right to the next column that has cards.
const TITLE = ".tile-title";

/** `link`: the title of a card. False: the key means nothing, or there is no card that way. */
export function focusNeighbour(link: HTMLElement, key: string): boolean {
  const next = findNeighbour(link, key);
  next?.focus();
  next?.scrollIntoView({ block: "nearest", inline: "nearest" });
  return next !== undefined;
}

function findNeighbour(link: HTMLElement, key: string): HTMLElement | undefined {
  const column = link.closest(".column")!;
  const titles = listTitles(column);
  const at = titles.indexOf(link);
  if (key === "ArrowDown" || key === "ArrowUp") return titles[at + (key === "ArrowDown" ? 1 : -1)];
  if (key !== "ArrowRight" && key !== "ArrowLeft") return undefined;
  const columns = [...column.parentElement!.querySelectorAll(".column")];
  const here = columns.indexOf(column);
  const others = key === "ArrowRight" ? columns.slice(here + 1) : columns.slice(0, here).toReversed();
  const found = others.map(listTitles).find((one) => one.length > 0);
  return found && (found[at] ?? found.at(-1));
}

function listTitles(column: Element): HTMLElement[] {
  return [...column.querySelectorAll<HTMLElement>(TITLE)];
}
