// The requests that a skill should answer, as its writer expects people to type them. A file beside SKILL.md, so that whatever
// carries a skill's files carries them too. A search reads them; a prompt shows none, and they are no part of a skill's text.
// Pure.

export const REQUESTS_FILE = "talaria-requests.md";

/** A skill's files, or their paths' values, without it. */
export function withoutRequests<Value>(files: Record<string, Value>): Record<string, Value> {
  const { [REQUESTS_FILE]: _requests, ...others } = files;
  return others;
}

/** What is kept of a list. */
export const MAX_REQUESTS = 10;
const MAX_REQUEST_CHARS = 200;

/** A Markdown list, so that each one is judged by itself; each once. What is more, or longer, is left out. */
export function toRequestsFile(requests: string[]): string {
  return readRequests(requests.map((request) => request.replace(/[\s\p{Cc}]+/gu, " ")).join("\n"))
    .map((request) => `- ${request}\n`)
    .join("");
}

/** Of the file's contents, whoever wrote them. */
export function readRequests(text: string): string[] {
  const lines = text
    .slice(0, MAX_FILE_CHARS)
    .split("\n")
    .map((line) => line.replace(/^\s*[-*] /, "").trim())
    .filter((line) => line !== "" && line.length <= MAX_REQUEST_CHARS);
  return [...new Set(lines)].slice(0, MAX_REQUESTS);
}

/** Of several skills that become one: the first of each, then the second of each, and so on. */
export function mergeRequests(lists: string[][]): string[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  const inTurn = Array.from({ length: longest }, (_, i) => lists.flatMap((list) => list[i] ?? [])).flat();
  return [...new Set(inTurn)].slice(0, MAX_REQUESTS);
}

/** With room for lines that are passed over. */
const MAX_FILE_CHARS = 20_000;
