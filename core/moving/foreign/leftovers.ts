// Names what stays in a home: secrets, which are never read, and what has no equal here, with how to set it up. Pure.
import { isObject } from "../../unknown-object.ts";
import { quotePath } from "../../zip/quote-path.ts";
import type { ForeignFiles, MoveNote } from "./foreign-home.ts";

/** Names of files with secrets, in lower case. They are never opened. */
const SECRET =
  /^(?:\.env(?:\..*)?|auth\.json|\.netrc|tokens?(?:\.json)?|mcp-tokens|pairing|identity|\.op\.env)$|credential|\.(?:pem|key|p12)$/s;
/** The same of folders. `credentials-rotation` is the name of a skill. */
const SECRET_FOLDER = /^(?:\.env(?:\..*)?|\.?credentials?|tokens?|mcp-tokens|pairing|identity)$/;
const MAX_NAMED = 30;

/** `name`: of one file or folder. */
export function isSecret(name: string, isFolder = false): boolean {
  return (isFolder ? SECRET_FOLDER : SECRET).test(name.toLowerCase());
}

/** A skill may lack one of them, so each is named. `paths`: in the home. */
export function noteSecrets(paths: readonly string[], notes: MoveNote[]): void {
  if (paths.length === 0) return;
  notes.push({
    ...{ kind: "left_out", what: listNames(paths), why: "what is named like a secret is never read" },
    how: "rename what holds none, then `talaria skills import FOLDER --replace`",
  });
}

/** `known`: why the names at the top of the home stay; `null` for those that came or are of no use elsewhere. */
export function noteTop(
  files: ForeignFiles,
  known: Record<string, readonly [why: string, how?: string] | null>,
  notes: MoveNote[],
): void {
  const secrets = files.top.filter((name) => isSecret(name));
  if (secrets.length > 0) {
    notes.push({
      ...{ kind: "left_out", what: listNames(secrets), why: "secrets are never read" },
      how: "enter keys again: the operator's in the environment, the profile's in the page's settings",
    });
  }
  const others: string[] = [];
  for (const name of files.top) {
    if (isSecret(name)) continue;
    const reason = Object.hasOwn(known, name) ? known[name] : undefined;
    if (reason === undefined) others.push(name);
    else if (reason !== null) {
      notes.push({
        kind: "no_equal",
        what: quotePath(name),
        why: reason[0],
        ...(reason[1] !== undefined && { how: reason[1] }),
      });
    }
  }
  const shown = others.filter((name) => !/^\.|^workspace-|\.(?:lock|log|pid|bak|tmp)$/.test(name));
  if (shown.length > 0) notes.push({ kind: "left_out", what: listNames(shown), why: "nothing here is made from it" });
}

/** `servers`: by name. Their commands and keys stay. */
export function noteMcpServers(servers: unknown, notes: MoveNote[]): void {
  const names = isObject(servers) ? Object.keys(servers) : [];
  if (names.length === 0) return;
  notes.push({
    ...{ kind: "no_equal", what: `MCP servers: ${listNames(names)}`, why: "they may hold keys and run commands" },
    how: "add each that has an address (`PUT /v1/mcp-servers/{server}`, or the page)",
  });
}

function listNames(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMED).map(quotePath).join(", ");
  return names.length > MAX_NAMED ? `${shown} and ${names.length - MAX_NAMED} more` : shown;
}
