// Shortens long texts, and long strings inside JSON. Called by job.ts, since a job must fit one stored object, and by
// transcript.ts, since every call of a review sends the transcript. Pure.

/** `text`: JSON stays valid JSON; any other text is cut as text. */
export function cutJson(text: string, maxChars: number): string {
  return editJson(text, {
    text: (plain) => cutText(plain, maxChars),
    value: (value) => cutDeep(value, maxChars),
  });
}

/** `by.value` edits a JSON text; `by.text` edits any other text. */
export function editJson(text: string, by: { text(text: string): string; value(value: unknown): unknown }): string {
  try {
    return JSON.stringify(by.value(JSON.parse(text)));
  } catch {
    return by.text(text);
  }
}

/** Cuts the middle out of long strings. A value that is long because it has many small pieces becomes one cut string. */
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

/** Keeps the beginning, which says what was asked, and the end, which says how it went. */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const half = Math.floor(maxChars / 2);
  const dropped = text.length - 2 * half;
  return `${text.slice(0, half).toWellFormed()}[… ${dropped} characters cut …]${text.slice(-half).toWellFormed()}`;
}
