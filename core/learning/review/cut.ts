// Makes long texts short, and JSON with long texts in it: for a job, which must be one object, and for a transcript, which a
// model is shown with every call. Pure.

/** JSON as text is JSON afterwards. */
export function cutJson(text: string, maxChars: number): string {
  return editJson(text, {
    text: (plain) => cutText(plain, maxChars),
    value: (value) => cutDeep(value, maxChars),
  });
}

/** `text` is for what is no JSON. */
export function editJson(text: string, by: { text(text: string): string; value(value: unknown): unknown }): string {
  try {
    return JSON.stringify(by.value(JSON.parse(text)));
  } catch {
    return by.text(text);
  }
}

/** Strings lose their middle; a value that is long for its many small pieces becomes one string that says so. */
export function cutDeep(value: unknown, maxChars: number): unknown {
  const shortened = cutStrings(value, maxChars);
  const text = JSON.stringify(shortened);
  if (text === undefined || text.length <= 4 * maxChars) return shortened;
  if (Array.isArray(shortened)) return [cutText(text, maxChars)];
  if (shortened === null || typeof shortened !== "object") return shortened;
  const share = Math.floor(maxChars / Math.max(1, Object.keys(shortened).length));
  return Object.fromEntries(
    Object.entries(shortened).map(([key, item]) => {
      const itemText = JSON.stringify(item) ?? "";
      return [key, itemText.length <= maxChars ? item : toCutItem(item, itemText, Math.max(100, share))];
    }),
  );
}

function toCutItem(item: unknown, itemText: string, maxChars: number): unknown {
  if (typeof item === "string") return cutText(item, maxChars);
  const text = cutText(itemText, maxChars);
  return Array.isArray(item) ? [text] : { cut: text };
}

function cutStrings(value: unknown, maxChars: number): unknown {
  if (typeof value === "string") return cutText(value, maxChars);
  if (Array.isArray(value)) return value.map((item) => cutStrings(item, maxChars));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cutStrings(item, maxChars)]));
}

/** Head and tail stay: what was asked stands first, how it ended last. */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const half = Math.floor(maxChars / 2);
  const dropped = text.length - 2 * half;
  return `${text.slice(0, half).toWellFormed()}[… ${dropped} characters cut …]${text.slice(-half).toWellFormed()}`;
}
