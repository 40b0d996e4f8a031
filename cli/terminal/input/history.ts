// What a person typed, over restarts: one file for each server and profile, which only its owner may read. Used by the session view. Never
// holds a key, and nothing of a line that began with a space.
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join, dirname } from "node:path";

const MAX_ENTRIES = 500;
/** A longer text is kept for this run only. */
const MAX_CHARS = 20_000;
const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

export interface History {
  /** Oldest first. */
  entries(): string[];
  add(text: string): void;
}

/** The name says which server and profile it belongs to, by a hash: a new key of the profile goes on with the same file. */
export function historyFile(folder: string, { url, key }: { url: string; key: string }): string {
  const profile = /^tal_([0-9a-z]+)_/.exec(key)?.[1] ?? key;
  const id = createHash("sha256").update(`${url}\n${profile}`).digest("hex").slice(0, 16);
  return join(folder, "chat-history", `${id}.jsonl`);
}

/** A history that cannot be read or written costs the history, never the conversation. `null`: it is kept for this run only. */
export function openHistory(file: string | null): History {
  const entries = file === null ? [] : read(file);
  return {
    entries: () => [...entries],
    add(text) {
      if (text.trim() === "" || entries.at(-1) === text) return;
      entries.push(text);
      if (entries.length > MAX_ENTRIES) entries.splice(0, entries.length - MAX_ENTRIES);
      if (file !== null) write(file, text);
    },
  };
}

function read(file: string): string[] {
  try {
    return parse(readFileSync(file, "utf8")).slice(-MAX_ENTRIES);
  } catch {
    return []; // there is none yet, or it is not readable
  }
}

/** A damaged line is left out. */
function parse(text: string): string[] {
  return text.split("\n").flatMap((line) => {
    try {
      const entry: unknown = JSON.parse(line);
      return typeof entry === "string" ? [entry] : [];
    } catch {
      return [];
    }
  });
}

/** Reads the file again, because another terminal may have written since, and replaces it as a whole. */
function write(file: string, text: string): void {
  if (text.length > MAX_CHARS) return;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: PRIVATE_FOLDER });
    const lines = [...read(file), text].slice(-MAX_ENTRIES).map((entry) => `${JSON.stringify(entry)}\n`);
    const next = `${file}.${process.pid}`;
    writeFileSync(next, lines.join(""), { mode: PRIVATE_FILE });
    chmodSync(next, PRIVATE_FILE);
    renameSync(next, file);
  } catch {
    // The folder is read-only, or the disk is full.
  }
}
