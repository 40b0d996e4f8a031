// The requests that a skill should answer, as people would type them. They are a file next to SKILL.md, so that they travel
// with the skill's files. Searches read them; prompts and the skill's text exclude them. Pure.

export const REQUESTS_FILE = "talaria-requests.md";

/** A skill's files, or values by path, without the file of requests. */
export function withoutRequests<Value>(files: Record<string, Value>): Record<string, Value> {
  const { [REQUESTS_FILE]: _requests, ...others } = files;
  return others;
}

/** The most requests of one skill. */
export const MAX_REQUESTS = 10;
const MAX_REQUEST_CHARS = 200;

/** A Markdown list, so that each request is judged separately. Duplicates and excess or overlong requests are dropped. */
export function toRequestsFile(requests: string[]): string {
  return readRequests(requests.map((request) => request.replace(/[\s\p{Cc}]+/gu, " ")).join("\n"))
    .map((request) => `- ${request}\n`)
    .join("");
}

/** Parses the file, whether a model or a person wrote it. */
export function readRequests(text: string): string[] {
  const lines = text
    .slice(0, MAX_FILE_CHARS)
    .split("\n")
    .map((line) => line.replace(/^\s*[-*] /, "").trim())
    .filter((line) => line !== "" && line.length <= MAX_REQUEST_CHARS);
  return [...new Set(lines)].slice(0, MAX_REQUESTS);
}

/** Merges the requests of several skills: the first of each, then the second of each, and so on. */
export function mergeRequests(lists: string[][]): string[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  const inTurn = Array.from({ length: longest }, (_, i) => lists.flatMap((list) => list[i] ?? [])).flat();
  return [...new Set(inTurn)].slice(0, MAX_REQUESTS);
}

/** Leaves room for skipped lines. */
const MAX_FILE_CHARS = 20_000;
