// Reads JSON that a model was asked for. Pure; never throws.

const FENCE = "```";
/** A bracket of an object, or a string, which is a key where a colon follows. Of well-formed JSON. */
const TOKENS = /[{}]|("(?:[^"\\]+|\\.)*")(\s*:)?/g;

/**
 * Without the fence that some models put around it. `undefined`: it is not one JSON value, or an object in it has a key twice, so that it says two
 * things.
 */
export function readModelJson(text: string): unknown {
  const json = bare(text);
  try {
    const value: unknown = JSON.parse(json);
    return hasTwins(json) ? undefined : value;
  } catch {
    return undefined;
  }
}

function bare(text: string): string {
  const trimmed = text.trim();
  if (!trimmed.startsWith(FENCE) || !trimmed.endsWith(FENCE)) return trimmed;
  const begin = trimmed.indexOf("\n");
  return begin < 0 ? trimmed : trimmed.slice(begin + 1, -FENCE.length).trim();
}

function hasTwins(json: string): boolean {
  const open: Set<string>[] = [];
  for (const [token, text, colon] of json.matchAll(TOKENS)) {
    if (token === "{") open.push(new Set());
    else if (token === "}") open.pop();
    else if (text !== undefined && colon !== undefined) {
      const keys = open.at(-1)!;
      const key = JSON.parse(text) as string;
      if (keys.has(key)) return true;
      keys.add(key);
    }
  }
  return false;
}
