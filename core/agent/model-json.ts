// Reads JSON that a model was asked for. Pure; never throws.

const FENCE = "```";
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

/** `json` is well-formed. */
function hasTwins(json: string): boolean {
  const open: Set<string>[] = [];
  for (let at = 0; at < json.length; at++) {
    if (json[at] === "{") open.push(new Set());
    else if (json[at] === "}") open.pop();
    else if (json[at] === '"') {
      const begin = at++;
      while (json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
      let next = at + 1;
      while (" \t\r\n".includes(json[next] ?? ":")) next++;
      if (json[next] !== ":") continue;
      const keys = open.at(-1)!;
      const key = JSON.parse(json.slice(begin, at + 1)) as string;
      if (keys.has(key)) return true;
      keys.add(key);
    }
  }
  return false;
}
