// Gives the focus to what is left when the element that had it is removed, such as a deleted row or an answered card. Otherwise the keyboard
// and the screen reader would start again at the top of the document. A component that focuses an element itself comes later, and wins.

const FOCUSABLE = ":is(a[href], button, input, select, textarea, summary, [tabindex]):not(:disabled, .visually-hidden)";

/** Watches everything in `root`. Returns how to stop. */
export function keepFocus(root: HTMLElement): () => void {
  /** The element that had the focus last, and its ancestors up to `root`. An element of a dialog does not count: the dialog closes. */
  let path: HTMLElement[] = [];
  const remember = ({ target }: Event) => {
    if (!(target as Element).closest("dialog")) path = pathOf(target as HTMLElement, root);
  };
  // A click beside all controls takes the focus away on purpose.
  const forget = ({ target }: Event) => {
    if (!(target as Element).closest("dialog")) path = [];
  };
  const observer = new MutationObserver((records) => {
    const [last] = path;
    if (last === undefined) return;
    if (!last.isConnected) path = pathOf(findNext(records, path, root), root);
    if (document.activeElement !== document.body) return;
    const dialogs = document.querySelectorAll<HTMLElement>("dialog:modal");
    (dialogs.item(dialogs.length - 1) ?? path[0]).focus();
  });
  root.addEventListener("focusin", remember);
  root.addEventListener("pointerdown", forget);
  observer.observe(root, { childList: true, subtree: true });
  return () => {
    root.removeEventListener("focusin", remember);
    root.removeEventListener("pointerdown", forget);
    observer.disconnect();
  };
}

function pathOf(element: HTMLElement, root: HTMLElement): HTMLElement[] {
  const path: HTMLElement[] = [];
  for (let one: HTMLElement | null = element; one && root.contains(one); one = one.parentElement) path.push(one);
  return path;
}

/** The next control: of what followed the removed part, of what came before it, or of what they lay in. At the latest the page's main part. */
function findNext(records: MutationRecord[], path: HTMLElement[], root: HTMLElement): HTMLElement {
  const main = root.querySelector<HTMLElement>("main") ?? root;
  const record = records.findLast(({ removedNodes }) =>
    [...removedNodes].some((node) => path.includes(node as HTMLElement)),
  );
  const left = path.filter((element) => element.isConnected);
  // Another page or sub-page begins at its beginning.
  if (record?.target === main) return main;
  const places = [
    record && toElement(record.nextSibling, "next"),
    record && toElement(record.previousSibling, "previous"),
    ...left,
  ];
  for (const place of places) {
    if (!place?.isConnected) continue;
    if (place === main || place === root) return main;
    const next = place.matches(FOCUSABLE) ? place : place.querySelector<HTMLElement>(FOCUSABLE);
    if (next) return next;
  }
  return main;
}

function toElement(node: Node | null, way: "next" | "previous"): HTMLElement | null {
  if (node === null || node instanceof HTMLElement) return node;
  const { nextElementSibling, previousElementSibling } = node as ChildNode & NonDocumentTypeChildNode;
  return (way === "next" ? nextElementSibling : previousElementSibling) as HTMLElement | null;
}
