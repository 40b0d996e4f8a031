// What a kill left of a turn, read from the stack's files: the figures must not depend on what a restarted session reports about
// itself. Called by turns.ts while the stack is stopped. Reads copies and changes nothing.
import { copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Entry, type TurnState, textOf } from "../../core/schemas/entry.ts";
import { writeTaskText } from "./world.ts";

export interface StoredTurn {
  /** Absent when the input was never accepted. */
  state?: TurnState;
  /** Calls with an intent and no result. */
  open: string[];
  /** What was written, named like failpoints: `intent c4`, `result c4`, `answer c4`. */
  written: Set<string>;
}

export type Disk = ReturnType<typeof openDisk>;

export function openDisk(stateDir: string) {
  const folder = join(stateDir, "data", "v3", "do", "talaria-api-Session");
  const filesByTask = new Map<number, string>();

  return {
    /** Id of the session with this task. */
    remains(task: number): StoredTurn {
      const known = filesByTask.get(task);
      const taken = new Set(filesByTask.values());
      const files = known ? [known] : list(folder).filter((file) => !taken.has(file));
      for (const file of files) {
        const { state, entries } = readSession(join(folder, file));
        const input = entries.find((entry) => entry.kind === "user");
        if (!input || textOf(input) !== writeTaskText(task)) continue;
        filesByTask.set(task, file);
        const open = entries.filter((entry) => entry.kind === "tool" && entry.state === "open");
        return {
          state,
          open: open.map((entry) => (entry.kind === "tool" ? entry.call.id : "")),
          written: new Set(entries.flatMap(nameWrites)),
        };
      }
      return { open: [], written: new Set() };
    },
  };
}

function list(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith(".sqlite")) : [];
}

function readSession(file: string): { state?: TurnState; entries: Entry[] } {
  const copies = mkdtempSync(join(tmpdir(), "talaria-remains-"));
  try {
    // The write-ahead log is part of the database. SQLite rebuilds the log's index.
    for (const suffix of ["", "-wal"]) {
      if (existsSync(file + suffix)) copyFileSync(file + suffix, join(copies, `copy${suffix}`));
    }
    const database = new DatabaseSync(join(copies, "copy"));
    try {
      const tables = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'turn'").all();
      if (tables.length === 0) return { entries: [] };
      const turn = database.prepare("SELECT state FROM turn WHERE n = 1").get() as { state: TurnState } | undefined;
      const rows = database.prepare("SELECT body FROM entry ORDER BY n").all() as { body: string }[];
      return { state: turn?.state, entries: rows.map(({ body }) => Entry.parse(JSON.parse(body))) };
    } finally {
      database.close();
    }
  } finally {
    rmSync(copies, { recursive: true, force: true });
  }
}

function nameWrites(entry: Entry): string[] {
  if (entry.kind === "user") return ["accept"];
  if (entry.kind === "assistant") return [`answer ${entry.answer.calls[0]?.id ?? "final"}`];
  if (entry.kind !== "tool") return [];
  const { id } = entry.call;
  return entry.state === "open" ? [`intent ${id}`] : [`intent ${id}`, `result ${id}`];
}
