// A map with a list for each key. Used by the taint rules to find sentences and lines by their words. Pure.

export function addToList<Key, Item>(lists: Map<Key, Item[]>, key: Key, item: Item): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}
