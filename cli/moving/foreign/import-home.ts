// Moves a home of another program into the profile of the key, through the API only. Every step finds out first what is there, so that a move
// that was cut off goes on, and a repeated one changes nothing. Nothing of it runs: skills are on trial, jobs are paused.
import type * as z from "zod";
import {
  type ForeignHome,
  type ForeignSkill,
  MOVED_KINDS,
  type MovedKind,
} from "../../../core/moving/foreign/foreign-home.ts";
import { quotePath, readFolder, toTranscriptSession } from "../../../core/moving/foreign/for-clients.ts";
import { toPages } from "../../../core/moving/foreign/transcripts.ts";
import {
  MemoryList,
  MemoryWritten,
  PersonalityInfo,
  PersonalityList,
  SessionDetail,
} from "../../../core/schemas/api.ts";
import { ExportedFolder, ImportPreview, ImportedSkillAnswer } from "../../../core/schemas/exchange.ts";
import { areSameFiles, fromContents, toContents } from "../../../core/schemas/file-body.ts";
import { SessionId } from "../../../core/schemas/ids.ts";
import { memoryId } from "../../../core/schemas/memory.ts";
import { TranscriptTaken } from "../../../core/schemas/sessions/transcript.ts";
import type { Client } from "../../connection/client.ts";
import { fillRoute } from "../../connection/routes.ts";
import { retry } from "../moving-client.ts";
import { importJobs } from "./import-jobs.ts";
import { type Move, attempt, orNone } from "./move.ts";
import { type MoveReport, createReport } from "./move-report.ts";

export interface ImportOptions {
  only?: readonly MovedKind[];
  /** Asks and changes nothing. */
  dryRun?: boolean;
  /** Sessions that choose none have the personality that came. */
  usePersonality?: boolean;
  onProgress?(line: string): void;
}

const PATIENCE_MS = 60_000;

/** Throws UnreachableError, and ProblemError for what is no single thing's fault, such as a key without rights. */
export async function importHome(client: Client, home: ForeignHome, options: ImportOptions = {}): Promise<MoveReport> {
  const { only = MOVED_KINDS, dryRun = false, usePersonality = false, onProgress = () => {} } = options;
  const report = createReport(home.notes);
  const patient = <T>(work: () => Promise<T>) => retry(work, PATIENCE_MS);
  const move: Move = { client, home, report, dryRun, patient };
  if (only.includes("skills")) {
    for (const [at, skill] of home.skills.entries()) {
      onProgress(`skill ${at + 1} of ${home.skills.length}`);
      await attempt(move, `skill ${quotePath(skill.from.identifier)}`, () => importSkill(move, skill));
    }
  }
  if (only.includes("memory")) await importFacts(move, onProgress);
  if (only.includes("personality")) await importPersonality(move, usePersonality);
  if (only.includes("jobs")) await importJobs(move);
  if (only.includes("sessions")) {
    for (const conversation of home.conversations((note) => report.notes.push(note))) {
      onProgress(`conversation ${report.moved.sessions.length + report.there.sessions.length + 1}`);
      await attempt(move, `conversation ${quotePath(conversation.id)}`, () => importSession(move, conversation));
    }
  }
  return report;
}

async function importSkill({ client, home, report, dryRun, patient }: Move, skill: ForeignSkill): Promise<void> {
  const { folder, files, from } = skill;
  const what = `skill ${quotePath(from.identifier)}`;
  const base = folder.slice(folder.lastIndexOf("/") + 1).replace(/\.(?:md|ya?ml)$/, "");
  const read = readFolder(files, { folder: base });
  if (!read.ok) {
    report.notes.push({ kind: "refused", what, why: read.failure.message.replace(/\.$/, "") });
    return;
  }
  const { name, warnings } = read.value;
  const there = await patient(() => orNone(client.skill(name)));
  if (there) {
    const known = there.head?.from;
    const isOwn = known?.source === home.program && known.identifier === from.identifier;
    if (isOwn || (await patient(() => isSameSkill(client, name, files)))) {
      report.there.skills.push(name);
      if (isOwn && known.hash !== from.hash) {
        const how = `\`talaria skills import ${folder} --replace\``;
        report.notes.push({ kind: "left_out", what, why: "it has changed there since it came", how });
      }
      return;
    }
    const how = "`talaria skills import FOLDER --name OTHER`";
    report.notes.push({ kind: "refused", what, why: `there is another skill \`${name}\` here`, how });
    return;
  }
  const body = { name: base, files: toContents(files) };
  const preview = await patient(() =>
    client.call(ImportPreview, "POST /v1/skills/import/preview", { query: { name }, body }),
  );
  // Nobody looks at each skill of a home as at a single import, so one with a finding is left out.
  const [finding] = preview.findings;
  if (finding) {
    const why = `the scanner found "${finding.reason}" in ${finding.path}, line ${finding.line}`;
    report.notes.push({ kind: "refused", what, why, how: "read it, then `talaria skills import FOLDER`" });
    return;
  }
  for (const warning of warnings) report.notes.push({ kind: "changed", what, why: warning.replace(/\.$/, "") });
  if (!dryRun) {
    const asked = { query: { name }, body: { ...body, from } };
    await patient(() => client.call(ImportedSkillAnswer, "POST /v1/skills/import", asked));
  }
  report.moved.skills.push(name);
}

/** A skill that was exported from here has the files of its strict copy. */
async function isSameSkill(client: Client, name: string, files: ForeignSkill["files"]): Promise<boolean> {
  for (const strict of ["true", undefined] as const) {
    const [method, path] = fillRoute("GET /v1/skills/{name}/export", {
      params: { name },
      query: { format: "folder", strict },
    });
    const own = await client.http.json(ExportedFolder, method, path);
    if (areSameFiles(fromContents(own.files), files)) return true;
  }
  return false;
}

async function importFacts(move: Move, onProgress: (line: string) => void): Promise<void> {
  const { client, home, report, dryRun, patient } = move;
  if (home.facts.length === 0) return;
  const { items } = await patient(() => client.list(MemoryList, "GET /v1/memory", ({ entries }) => entries));
  const known = new Set(items.map(({ store, id }) => `${store}/${id}`));
  for (const [at, { store, text }] of home.facts.entries()) {
    onProgress(`fact ${at + 1} of ${home.facts.length}`);
    const shown = text.length > 60 ? `${text.slice(0, 60).toWellFormed()}…` : text;
    if (known.has(`${store}/${memoryId(text)}`)) {
      report.there.memory.push(shown);
      continue;
    }
    await attempt(move, `fact ${JSON.stringify(shown)}`, async () => {
      const body = { store, content: text, from: home.program };
      const written = dryRun ? null : await patient(() => client.call(MemoryWritten, "POST /v1/memory", { body }));
      report[written?.existed ? "there" : "moved"].memory.push(shown);
    });
  }
}

async function importPersonality(move: Move, use: boolean): Promise<void> {
  const { client, home, report, dryRun, patient } = move;
  if (!home.personality) return;
  const { path, text } = home.personality;
  const name: string = home.program;
  const { items } = await patient(() =>
    client.list(PersonalityList, "GET /v1/personalities", ({ personalities }) => personalities),
  );
  const same = items.find((one) => one.text.trim() === text);
  const taken = items.find((one) => one.own && one.name === name);
  const what = `personality of ${path}`;
  if (!same && taken) {
    const how = `delete it (\`DELETE /v1/personalities/${name}\`), then import again`;
    report.notes.push({ kind: "refused", what, why: `there is another personality \`${name}\` here`, how });
    return;
  }
  if (!same && text.length > MAX_PERSONALITY) {
    const why = `it has ${text.length} characters, and a personality has at most ${MAX_PERSONALITY}`;
    report.notes.push({ kind: "refused", what, why, how: "shorten it, or make a skill of its larger part" });
    return;
  }
  await attempt(move, what, async () => {
    if (!same && !dryRun) {
      const body = { description: `From ${path} of ${name}.`, text };
      await patient(() =>
        client.call(PersonalityInfo, "PUT /v1/personalities/{personality}", { params: { personality: name }, body }),
      );
    }
    report[same ? "there" : "moved"].personality.push(same?.name ?? name);
    if (use && !dryRun)
      await patient(() => client.send("PATCH /v1/settings", { body: { personality: same?.name ?? name } }));
  });
}

const MAX_PERSONALITY = 8_000;

type Conversation = ReturnType<ForeignHome["conversations"]> extends Iterable<infer One> ? One : never;
type Taken = z.infer<typeof TranscriptTaken>;

/** What this program has exported has its own id in it. */
const EXPORTED = /^talaria-([0-9A-HJKMNP-TV-Z]{26})$/;

async function importSession(
  { client, home, report, dryRun, patient }: Move,
  conversation: Conversation,
): Promise<void> {
  const { id, title, createdAt, messages } = conversation;
  const from = { program: home.program, id };
  const own = EXPORTED.exec(id)?.[1];
  for (const session of [...(own === undefined ? [] : [SessionId.parse(own)]), toTranscriptSession(from, createdAt)]) {
    const ask = () => client.call(SessionDetail, "GET /v1/sessions/{session}", { params: { session } });
    if (!(await patient(() => orNone(ask())))) continue;
    report.there.sessions.push(id);
    return;
  }
  if (dryRun) {
    report.moved.sessions.push(id);
    return;
  }
  const pages = toPages(messages);
  let taken: Pick<Taken, "state" | "place"> = { state: "more" };
  for (const [at, page] of pages.entries()) {
    const body = { from, title, createdAt, messages: page, more: at < pages.length - 1, place: taken.place };
    const post = (): Promise<Taken> => client.call(TranscriptTaken, "POST /v1/sessions/transcript", { body });
    taken = await patient(post);
    if (taken.state !== "more") break;
  }
  if (taken.state === "deleted") {
    report.notes.push({
      kind: "left_out",
      what: `conversation ${quotePath(id)}`,
      why: "it came before and was deleted here",
    });
  } else report[taken.state === "exists" ? "there" : "moved"].sessions.push(id);
}
