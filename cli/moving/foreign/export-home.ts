// Writes the profile of the key as a home of another program. Used by cli/verbs/export.ts.
import { MOVED_KINDS, type MoveNote, type MovedKind } from "../../../core/moving/foreign/foreign-home.ts";
import { toHermesSession } from "../../../core/moving/foreign/hermes-rows.ts";
import type { WrittenHome } from "../../../core/moving/foreign/own-profile.ts";
import { writeClaude } from "../../../core/moving/foreign/write-claude.ts";
import { writeHermes } from "../../../core/moving/foreign/write-hermes.ts";
import type { Client } from "../../connection/client.ts";
import { type MoveReport, createReport } from "./move-report.ts";
import { readProfile, readSessions } from "./read-profile.ts";
import { type OutFolder, openOutFolder } from "./write-folder.ts";
import { createHermesDatabase } from "./write-hermes-database.ts";

export const HOMES_OUT = ["hermes", "claude"] as const;

/** `onProgress`: what is being done. Throws a UsageError for a folder that is not ours. */
export async function exportHome(
  client: Client,
  program: (typeof HOMES_OUT)[number],
  { path, onProgress }: { path: string; onProgress: (line: string) => void },
): Promise<MoveReport> {
  const notes: MoveNote[] = [];
  const folder = openOutFolder(path, program, notes);
  onProgress("reading the profile");
  const profile = await readProfile(client, program);
  const home: WrittenHome = program === "hermes" ? writeHermes(profile, Date.now()) : writeClaude(profile);
  folder.put(home.files);
  const sessions = program === "hermes" ? await writeSessions(client, folder, onProgress) : [];
  folder.end();
  const report = createReport([...home.notes, ...notes]);
  const names: Partial<Record<MovedKind, string[]>> = { ...home.names, sessions };
  for (const kind of MOVED_KINDS) report.moved[kind].push(...(names[kind] ?? []));
  return report;
}

async function writeSessions(client: Client, folder: OutFolder, onProgress: (line: string) => void): Promise<string[]> {
  using database = createHermesDatabase();
  const titles = new Set<string>();
  const written: string[] = [];
  for await (const session of readSessions(client)) {
    onProgress(`conversation ${written.length + 1}`);
    const row = toHermesSession(session, titles);
    if (!row) continue;
    database.add(row);
    written.push(session.session);
  }
  if (written.length === 0) return [];
  return folder.put(new Map([["state.db", database.end()]])).length > 0 ? written : [];
}
