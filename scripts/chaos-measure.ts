// What a review left behind, read through the HTTP API like any client: lost, done twice, or broken. Called by chaos.ts.
// Changes nothing.
import type { Client } from "../cli/client.ts";
import { hashFiles, textOfFiles } from "../core/schemas/digest.ts";
import { fromCitation } from "../core/schemas/ids.ts";
import type { Lesson } from "../core/schemas/review.ts";
import { fromContents } from "../core/schemas/file-body.ts";

export interface Measured {
  /** Reviews without an answer or a lesson, and lessons that are not where the answer says. */
  lost: number;
  /** Reviews, skills, revisions or memory entries that are there once too often. */
  duplicated: number;
  /** Heads that cannot be read, differ from their index line or their files, or cite what does not exist. */
  brokenHeads: number;
  /** What was found wrong, in words. */
  remarks: string[];
}

export const NOTHING: Measured = { lost: 0, duplicated: 0, brokenHeads: 0, remarks: [] };

export function add(a: Measured, b: Measured): Measured {
  return {
    lost: a.lost + b.lost,
    duplicated: a.duplicated + b.duplicated,
    brokenHeads: a.brokenHeads + b.brokenHeads,
    remarks: [...a.remarks, ...b.remarks],
  };
}

/** For a profile of which `session` is the only one and had one turn. */
export async function measure(client: Client, session: string, arrived: boolean): Promise<Measured> {
  const found: Measured = { ...NOTHING, remarks: [] };
  const note = (kind: "lost" | "duplicated" | "brokenHeads", remark: string) => {
    found[kind] += 1;
    found.remarks.push(`${kind}: ${remark}`);
  };
  const reviews = await client.listReviews(session);
  for (const extra of reviews.slice(1)) note("duplicated", `a second review, ${extra.review}`);
  const review = reviews[0];
  if (!arrived || !review) {
    note("lost", "the review has no answer");
    return found;
  }
  const { result, dead } = await client.review(review.review);
  const lessons = result?.lessons ?? [];
  if (!lessons.some(({ kind }) => kind === "skill")) {
    note("lost", `the review taught no skill: ${dead?.message ?? result?.summary ?? "no result"}`);
  }
  await measureSkills(client, session, lessons, note);
  await measureMemory(client, lessons, note);
  return found;
}

type Note = (kind: "lost" | "duplicated" | "brokenHeads", remark: string) => void;

async function measureSkills(client: Client, session: string, lessons: Lesson[], note: Note): Promise<void> {
  const taught = lessons.filter((lesson) => lesson.kind === "skill");
  const names = new Set(taught.map(({ skill }) => skill));
  const lines = (await client.listSkills()).filter(({ origin }) => origin !== "bundled");
  for (const { name } of lines) if (!names.has(name)) note("duplicated", `a skill no lesson tells of, ${name}`);
  const entries = await client.entries(session);
  const exists = (citation: string) => {
    const { session: of, entry, source } = fromCitation(citation);
    const there = entries.find(({ n }) => n === entry);
    return of === session && there !== undefined && there.parts.some((part) => part.source === source);
  };
  for (const name of names) {
    const line = lines.find((candidate) => candidate.name === name);
    if (!line) {
      note("lost", `skill ${name} is in no index`);
      continue;
    }
    const { head, files } = await client.skill(name);
    if (!head) note("brokenHeads", `${name} has no head`);
    else if (head.seq !== line.seq || head.rev !== line.rev || head.text !== line.text) {
      note("brokenHeads", `${name}: head ${head.seq}/${head.rev} and index ${line.seq}/${line.rev} differ`);
    } else if (textOfFiles(hashFiles(fromContents(files))) !== head.text)
      note("brokenHeads", `${name}: the files are not those of its head`);
    else if (head.citations.length === 0 || !head.citations.every(exists)) {
      note("brokenHeads", `${name} cites what does not exist: ${head.citations.join(" ")}`);
    }
    const revisions = await client.skillRevisions(name);
    const expected = taught.filter(({ skill }) => skill === name).length;
    const ops = new Set(revisions.map(({ op }) => op));
    if (ops.size < revisions.length) note("duplicated", `${name}: one operation made several revisions`);
    for (let extra = expected; extra < revisions.length; extra += 1) note("duplicated", `${name}: an extra revision`);
    for (let missing = revisions.length; missing < expected; missing += 1)
      note("lost", `${name}: a revision is missing`);
  }
}

async function measureMemory(client: Client, lessons: Lesson[], note: Note): Promise<void> {
  const entries = await client.listMemory();
  const taught = new Set(lessons.filter((lesson) => lesson.kind === "memory").map(({ id }) => id));
  for (const id of taught) if (!entries.some((entry) => entry.id === id)) note("lost", `memory entry ${id}`);
  for (const entry of entries) {
    if (!taught.has(entry.id)) note("duplicated", `a memory entry no lesson tells of: ${entry.text}`);
    for (let extra = 1; extra < entry.adds.length; extra += 1) note("duplicated", `memory added again: ${entry.text}`);
  }
}
