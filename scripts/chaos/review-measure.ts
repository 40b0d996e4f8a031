// Measures what reviews and curation left in the stores: lost, duplicated or broken. Called by reviews.ts with the stores' final
// contents and the sessions' logs. Every accepted write must be there exactly once, and nothing else. Pure.
import { CurationRun, CurationWork, CuratorNotes } from "../../core/schemas/learning/curation.ts";
import { sha256Hex, textOfFiles } from "../../core/schemas/learning/digest.ts";
import type { Entry } from "../../core/schemas/entry.ts";
import { fromCitation } from "../../core/schemas/ids.ts";
import { PendingChange } from "../../core/schemas/approvals/pending.ts";
import { type Lesson, ReviewResult } from "../../core/schemas/learning/review.ts";
import { SkillHead, SkillIndex, SkillRevision, SkillStats } from "../../core/schemas/skill.ts";
import { isUnmerged } from "./merge.ts";
import type { StoredThings } from "./store-disk.ts";

/** A session with one turn, and what is expected of it. */
export interface ReviewedSession {
  profile: string;
  session: string;
  entries: Entry[];
  /** Reviews that the API lists, and how each ended. */
  reviews: { review: string; state: string }[];
  /** The turn ended with an answer. */
  isDone: boolean;
  /** The expected result of its review: a skill, a pending change, or nothing. */
  expected: "skill" | "waits" | "dead" | "any";
  /** The person rated the turn, without a correction. */
  rated: boolean;
}

export interface ReviewDamage {
  /** Owed reviews without an outcome; accepted writes, evidence and curation plans without their effect. */
  lost: number;
  /** Reviews, revisions, memory entries, evidence or model answers that exist once too often. */
  duplicated: number;
  /** Heads that disagree with their files, their revisions or their index line, or cite what does not exist. */
  brokenHeads: number;
  /** Every problem, as a sentence. */
  remarks: string[];
}

type Note = (kind: "lost" | "duplicated" | "brokenHeads", remark: string) => void;

/** `swept`: reviews that were backdated, so that a sweep has deleted them. */
export function measureReviews(
  things: StoredThings,
  sessions: ReviewedSession[],
  about: { owed: string[]; askedAgain: string[]; behind: string[]; swept: ReadonlySet<string> },
): ReviewDamage {
  const measured: ReviewDamage = { lost: 0, duplicated: 0, brokenHeads: 0, remarks: [] };
  const note: Note = (kind, remark) => {
    measured[kind] += 1;
    measured.remarks.push(`${kind}: ${remark}`);
  };
  for (const job of about.owed) note("lost", `a session still owes its ${job}`);
  for (const ask of about.askedAgain) note("duplicated", `a model was asked again for ${ask}`);
  for (const head of about.behind) note("brokenHeads", `the index is behind ${head}`);
  const logs = new Map(sessions.map(({ session, entries }) => [session, entries]));
  for (const profile of new Set(sessions.map((session) => session.profile))) {
    const own = readProfile(things, profile);
    measureHeads(own, logs, note);
    measureLessons(own, note);
    measureCuration(own, note);
    measureWork(own, note);
    const mine = sessions.filter((session) => session.profile === profile);
    for (const session of mine) measureSession(own, session, about.swept, note);
    measureEvidence(own, mine, note);
  }
  return measured;
}

interface Profile {
  /** Keys without the profile's prefix. */
  objects: Map<string, string>;
  keys: string[];
}

function readProfile({ objects, keys }: StoredThings, profile: string): Profile {
  const prefix = `p/${profile}/`;
  const own = [...objects].filter(([key]) => key.startsWith(prefix));
  return {
    objects: new Map(own.map(([key, body]) => [key.slice(prefix.length), body])),
    keys: keys.filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length)),
  };
}

/** Captured groups of each matching key, with its body. */
function findObjects({ objects }: Profile, form: RegExp): { slots: string[]; body: string }[] {
  return [...objects].flatMap(([key, body]) => {
    const match = form.exec(key);
    return match ? [{ slots: match.slice(1), body }] : [];
  });
}

function parse<T>(schema: { parse(value: unknown): T }, body: string): T {
  return schema.parse(JSON.parse(body));
}

/** All revisions, the present one included, oldest first. */
function readRevisions(profile: Profile, head: SkillHead): SkillRevision[] {
  const past = findObjects(profile, new RegExp(`^revisions/${head.name}/(\\d+)$`));
  return [...past.map(({ body }) => parse(SkillRevision, body)).filter(({ rev }) => rev < head.rev), head];
}

function readHeads(profile: Profile): SkillHead[] {
  return findObjects(profile, /^heads\/(.+)$/).map(({ body }) => parse(SkillHead, body));
}

function measureHeads(profile: Profile, logs: ReadonlyMap<string, Entry[]>, note: Note): void {
  const body = profile.objects.get("index");
  const lines = body ? parse(SkillIndex, body).skills : {};
  const heads = readHeads(profile);
  for (const name of Object.keys(lines)) {
    if (!heads.some((head) => head.name === name)) note("brokenHeads", `${name} is in the index and has no head`);
  }
  for (const head of heads) {
    const { name, seq, rev, text, state, files, citations } = head;
    const line = lines[name];
    if (!line || line.seq !== seq || line.rev !== rev || line.text !== text || line.state !== state) {
      note("brokenHeads", `${name}: head ${seq}/${rev} and line ${line?.seq ?? "-"}/${line?.rev ?? "-"} differ`);
    }
    if (textOfFiles(files) !== text) note("brokenHeads", `${name}: its text is not that of its files`);
    for (const [path, { sha256 }] of Object.entries(files)) {
      const content = profile.objects.get(`blobs/${sha256}`);
      if (content === undefined || sha256Hex(content) !== sha256) {
        note("brokenHeads", `${name}: the contents of ${path} are missing`);
      }
    }
    if (!citations.every((citation) => exists(logs, citation))) {
      note("brokenHeads", `${name} cites what does not exist: ${citations.join(" ")}`);
    }
    const history = readRevisions(profile, head);
    if (history.length !== rev) note("lost", `${name}: ${rev} revisions were made and ${history.length} are there`);
    if (new Set(history.map(({ op }) => op)).size < history.length) {
      note("duplicated", `${name}: one operation made several revisions`);
    }
  }
}

function exists(logs: ReadonlyMap<string, Entry[]>, citation: string): boolean {
  const { session, entry, source } = fromCitation(citation);
  const parts = logs.get(session)?.find(({ n }) => n === entry)?.parts ?? [];
  return parts.some((part) => part.source === source);
}

/** For every review that is still stored: each lesson exists once, and nothing exists without a lesson. */
function measureLessons(profile: Profile, note: Note): void {
  const reviews = findObjects(profile, /^reviews\/([^/]+)\/result$/);
  const histories = readHeads(profile).map((head) => ({ name: head.name, history: readRevisions(profile, head) }));
  for (const { slots, body } of reviews) {
    const [review = ""] = slots;
    const { lessons, waiting = 0 } = parse(ReviewResult, body);
    for (const { name, history } of histories) {
      const ownRevisions = history.filter(({ op }) => op.startsWith(`${review}.`));
      const taught = new Set(lessons.flatMap((lesson) => (isSkillLesson(lesson, name) ? [lesson.rev] : [])));
      for (const { rev } of ownRevisions) {
        if (!taught.has(rev)) note("duplicated", `${name}: no lesson tells of revision ${rev} by ${review}`);
      }
      for (const rev of taught) {
        if (!ownRevisions.some((one) => one.rev === rev)) note("lost", `${name}: revision ${rev} by ${review}`);
      }
    }
    measureMemory(profile, review, lessons, note);
    const parked = findObjects(profile, /^pending\/(.+)$/).filter((one) =>
      parse(PendingChange, one.body).op.startsWith(`${review}.`),
    ).length;
    if (parked !== waiting) {
      note(parked < waiting ? "lost" : "duplicated", `${review} left ${waiting} changes waiting, and ${parked} wait`);
    }
  }
}

function isSkillLesson(lesson: Lesson, name: string): lesson is Extract<Lesson, { kind: "skill" }> {
  return lesson.kind === "skill" && lesson.skill === name;
}

function measureMemory({ keys }: Profile, review: string, lessons: Lesson[], note: Note): void {
  const adds = keys.flatMap((key) => {
    const match = /^(memory|user)\/([0-9a-f]{64})\/\+(.+)$/.exec(key);
    const op = match && decodeURIComponent(match[3]!);
    return op?.startsWith(`${review}.`) ? [match![2]!] : [];
  });
  const taught = new Set(lessons.flatMap((lesson) => (lesson.kind === "memory" ? [lesson.id] : [])));
  for (const id of taught) {
    const isForgotten = keys.some((key) => key.includes(`/${id}/-`));
    if (!adds.includes(id) && !isForgotten) note("lost", `memory entry ${id} by ${review}`);
  }
  for (const id of new Set(adds)) {
    if (!taught.has(id)) note("duplicated", `no lesson tells of the memory entry ${id} by ${review}`);
    if (adds.filter((one) => one === id).length > 1) note("duplicated", `${review} added the entry ${id} twice`);
  }
}

/** Every plan has a report, and work left to a model has an outcome or is still queued. */
function measureCuration(profile: Profile, note: Note): void {
  for (const { slots } of findObjects(profile, /^curation\/([^/]+)\/plan$/)) {
    for (const part of ["run.json", "REPORT.md"]) {
      if (!profile.objects.has(`curation/${slots[0]}/${part}`)) note("lost", `run ${slots[0]} has no ${part}`);
    }
  }
  const notes = profile.objects.get("curator");
  const owed = notes ? parse(CuratorNotes, notes).owed : [];
  for (const { slots, body } of findObjects(profile, /^curation\/([^/]+)\/run\.json$/)) {
    const [run = ""] = slots;
    const { work = [], dryRun } = parse(CurationRun, body);
    for (const { work: id } of dryRun ? [] : work) {
      const isOwed = owed.some((one) => one.run === run && one.work === id);
      if (!isOwed && !profile.objects.has(`curation/${run}/work/${id}/result`)) note("lost", `${id} of run ${run}`);
    }
  }
}

/** Every change that a curation's work reports exists, and every revision by such work is reported. */
function measureWork(profile: Profile, note: Note): void {
  const reportedWork = findObjects(profile, /^curation\/([^/]+)\/work\/([^/]+)\/result$/).flatMap(({ slots, body }) =>
    parse(CurationWork, body).changes.map(({ skill, to }) => ({ op: `curation:${slots.join(":")}:`, skill, to })),
  );
  const heads = readHeads(profile);
  for (const { skill } of reportedWork) {
    if (heads.every((head) => head.name !== skill)) note("lost", `${skill}, which a work has changed`);
  }
  if (isUnmerged(heads.map(({ name, state }) => ({ name, state })))) note("lost", "a merge that was asked for");
  for (const head of heads) {
    const history = readRevisions(profile, head);
    const mine = reportedWork.filter(({ skill }) => skill === head.name);
    for (const { op, to } of mine) {
      if (!history.some(({ rev, text }) => rev === to.rev && text === to.text)) {
        note("lost", `${head.name}: revision ${to.rev} by ${op}`);
      }
    }
    for (const { op, rev } of history) {
      const isWork = /^curation:[^:]+:(?:consolidate|(?:rewrite|look)\.[^:]+):/.test(op);
      if (isWork && !mine.some((one) => op.startsWith(one.op) && one.to.rev === rev)) {
        note("duplicated", `${head.name}: no work tells of revision ${rev} by ${op}`);
      }
    }
  }
}

function measureSession(profile: Profile, one: ReviewedSession, swept: ReadonlySet<string>, note: Note): void {
  const { session, reviews, isDone, expected } = one;
  if (!isDone) note("lost", `the turn of ${session} has no answer`);
  if ([...swept].some((review) => review.startsWith(`${session}.`))) return;
  for (const extra of reviews.slice(1)) note("duplicated", `a second review of one turn, ${extra.review}`);
  const [review] = reviews;
  if (!review || review.state === "waiting") return note("lost", `the review of ${session} has no outcome`);
  const body = profile.objects.get(`reviews/${review.review}/result`);
  const result = body ? parse(ReviewResult, body) : null;
  if (expected === "dead" && result) note("lost", `${review.review} should have been given up`);
  if (expected !== "dead" && !result) note("lost", `${review.review} was given up`);
  if (expected === "waits" && result && !result.waiting) note("lost", `${review.review} left nothing waiting`);
  if (expected === "skill" && result && !result.lessons.some(({ kind }) => kind === "skill")) {
    note("lost", `${review.review} taught no skill: ${result.summary}`);
  }
}

/** Each turn that read a skill has one evidence record per judge, and a skill's use count equals its number of turns. */
function measureEvidence(profile: Profile, sessions: ReviewedSession[], note: Note): void {
  const heads = new Set(readHeads(profile).map(({ name }) => name));
  const given = findObjects(profile, /^evidence\/([^/]+)\/([0-9a-f]{64})\/(.+?-\d+)\.([a-z]+)(?:\.(\d+))?$/).map(
    ({ slots: [skill = "", text = "", turn = "", judge = "", nth = "1"] }) => ({ skill, text, turn, judge, nth }),
  );
  for (const { session, entries, rated } of sessions) {
    const turn = `${session}-1`;
    for (const skill of readIn(entries)) {
      if (!heads.has(skill)) continue;
      for (const judge of rated ? ["exit", "rating"] : ["exit"]) {
        const sameEvidence = given.filter((one) => one.skill === skill && one.turn === turn && one.judge === judge);
        if (sameEvidence.length === 0) note("lost", `no evidence (${judge}) that ${turn} used ${skill}`);
        if (sameEvidence.length > new Set(sameEvidence.map(({ text }) => text)).size) {
          note("duplicated", `evidence (${judge}) that ${turn} used ${skill}`);
        }
      }
    }
  }
  for (const skill of heads) {
    const turns = new Set(given.filter((one) => one.skill === skill).map(({ turn }) => turn)).size;
    const body = profile.objects.get(`stats/${skill}`);
    const uses = body ? parse(SkillStats, body).uses : 0;
    if (uses !== turns) note(uses < turns ? "lost" : "duplicated", `${skill}: ${turns} uses, ${uses} counted`);
  }
}

/** Names of the skills whose text the model received. */
function readIn(entries: Entry[]): Set<string> {
  const names = entries.flatMap((entry) => {
    if (entry.kind === "note") return (entry.skills ?? []).map(({ skill }) => skill);
    const isView = entry.kind === "tool" && entry.call.name === "skill_view" && !entry.failed;
    return isView ? [String((entry.call.args as { name?: unknown }).name)] : [];
  });
  return new Set(names);
}
