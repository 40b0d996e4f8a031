// Writes conversations as a database that Hermes opens as its own `state.db`: the columns that matter, which it completes, without its indexes
// for searching, which it then builds. Proved with hermes-agent 0.19 (schema version 22).
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { HermesSessionRow } from "../../../core/moving/foreign/hermes-rows.ts";

/** Hermes does the later steps of its own migrations. */
const SCHEMA_VERSION = 22;
const TABLES = `
  CREATE TABLE schema_version (version INTEGER NOT NULL);
  INSERT INTO schema_version VALUES (${SCHEMA_VERSION});
  CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT NOT NULL, model TEXT, parent_session_id TEXT REFERENCES sessions(id),
    started_at REAL NOT NULL, ended_at REAL, end_reason TEXT, message_count INTEGER DEFAULT 0, tool_call_count INTEGER DEFAULT 0,
    title TEXT, archived INTEGER NOT NULL DEFAULT 0);
  CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions(id), role TEXT NOT NULL,
    content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL, finish_reason TEXT,
    active INTEGER NOT NULL DEFAULT 1, compacted INTEGER NOT NULL DEFAULT 0);`;

export interface HermesWriter extends Disposable {
  add(session: HermesSessionRow): void;
  /** The whole file. */
  end(): Uint8Array;
}

export function createHermesDatabase(): HermesWriter {
  const folder = mkdtempSync(join(tmpdir(), "talaria-export-"));
  const path = join(folder, "state.db");
  const database = new DatabaseSync(path);
  database.exec(TABLES);
  database.exec("BEGIN");
  const addSession = database.prepare(
    "INSERT INTO sessions(id, source, model, started_at, ended_at, end_reason, message_count, tool_call_count, title) VALUES(?, 'cli', ?, ?, ?, 'exported', ?, ?, ?)",
  );
  const addMessage = database.prepare(
    "INSERT INTO messages(session_id, role, content, tool_call_id, tool_calls, tool_name, timestamp, finish_reason) VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
  );
  return {
    add({ id, title, model, startedAt, endedAt, messages }) {
      const calls = messages.filter(({ toolCalls }) => toolCalls !== null).length;
      addSession.run(id, model, startedAt, endedAt, messages.length, calls, title);
      for (const { role, content, toolCallId, toolCalls, toolName, at, finishReason } of messages) {
        addMessage.run(id, role, content, toolCallId, toolCalls, toolName, at, finishReason);
      }
    },
    end() {
      database.exec("COMMIT");
      database.close();
      return readFileSync(path);
    },
    [Symbol.dispose]() {
      if (database.isOpen) database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
