// Writes a profile as a home that Hermes reads: skills with `.usage.json`, memories within its limits, SOUL.md, and jobs that are paused.
// Conversations are rows of `state.db` (hermes-rows.ts). Pure. Layout: hermes-agent 0.19.
import { stringify } from "yaml";
import { readSchedule } from "../../jobs/schedule.ts";
import type { JobInfo } from "../../schemas/agenda/job-api.ts";
import { type FileBodies, textOrEmpty } from "../../schemas/file-body.ts";
import type { MemoryStoreName } from "../../schemas/memory.ts";
import { checkPath } from "../../skills/exchange/paths.ts";
import { makeStrictCopy } from "../../skills/exchange/strict.ts";
import { membersOf } from "../../skills/format/bundles.ts";
import { SKILL_MD } from "../../skills/format/format.ts";
import { readFrontmatter } from "../../skills/format/frontmatter.ts";
import { ENTRY_DELIMITER } from "./facts.ts";
import type { ForeignFact, MoveNote } from "./foreign-home.ts";
import type { OwnProfile, OwnSkill, WrittenHome } from "./own-profile.ts";
import { toBundleSkill } from "./read-hermes.ts";
import { toText } from "./read-text.ts";

/** [hermes] Characters of a file in its prompt, delimiters included. */
const MEMORY_FILES: [store: MemoryStoreName, name: string, chars: number][] = [
  ["memory", "MEMORY", 2_200],
  ["user", "USER", 1_375],
];
const PAUSED = "It was moved out of Talaria. Read what it does, then resume it.";

/** `now`: milliseconds since 1970. */
export function writeHermes(profile: OwnProfile, now: number): WrittenHome {
  const home: WrittenHome = {
    files: new Map(),
    names: { skills: [], memory: [], personality: [], jobs: [] },
    notes: [],
  };
  const names = writeSkills(home, profile.skills);
  writeMemories(home, profile.facts);
  if (profile.personality) {
    home.files.set("SOUL.md", `${profile.personality.text}\n`);
    home.names.personality.push(profile.personality.name);
  }
  writeJobs(home, profile.jobs, { names, now });
  return home;
}

/** Returns what Hermes calls each skill. */
function writeSkills({ files, names, notes }: WrittenHome, skills: OwnSkill[]): Map<string, string> {
  const usage: Record<string, unknown> = {};
  const called = new Map<string, string>();
  const taken = new Set<string>();
  for (const skill of skills) {
    const { head } = skill;
    if (head.state === "pending") {
      notes.push({ kind: "left_out", what: `skill ${head.name}`, why: "it waits for your approval" });
      continue;
    }
    const written = toHermesFiles(skill, notes);
    if (!written) continue;
    names.skills.push(head.name);
    const bundle = toBundleFile(skill);
    if (bundle) {
      files.set(bundle.path, bundle.text);
      continue;
    }
    const own = head.from?.source === "hermes" ? head.from.identifier : head.name;
    const wanted = isFolder(own) ? own : head.name;
    const place = head.state === "archived" ? `.archive/${wanted.slice(wanted.lastIndexOf("/") + 1)}` : wanted;
    const folder = taken.has(place) ? `${place}-${head.name}` : place;
    taken.add(folder);
    for (const [path, body] of Object.entries(written.files)) files.set(`skills/${folder}/${path}`, body);
    called.set(head.name, written.name);
    usage[written.name] = toUsage(skill);
  }
  if (Object.keys(usage).length > 0) files.set("skills/.usage.json", `${JSON.stringify(usage, null, 2)}\n`);
  if (skills.some(({ head }) => head.state === "trial")) {
    notes.push({ kind: "changed", what: "skills on trial", why: "Hermes knows no trial, so they are active there" });
  }
  return called;
}

/** A path below `skills/` that Hermes looks into. */
function isFolder(identifier: string): boolean {
  return checkPath(identifier) === null && !identifier.split("/").some((part) => part.startsWith("."));
}

/** As they are, where Hermes can read the frontmatter; else their strict copy. */
function toHermesFiles({ head, files }: OwnSkill, notes: MoveNote[]): { name: string; files: FileBodies } | null {
  const text = textOrEmpty(files[SKILL_MD]);
  const read = readFrontmatter(text);
  const [name, description] = read.ok
    ? [toText(read.value.fields.name).trim(), toText(read.value.fields.description).trim()]
    : ["", ""];
  const isPlain = read.ok && read.value.warnings.length === 0 && text.startsWith("---\n");
  if (isPlain && name !== "" && description !== "" && description.length <= MAX_DESCRIPTION) return { name, files };
  const copy = makeStrictCopy(head.name, files);
  if (!copy.ok) {
    notes.push({ kind: "refused", what: `skill ${head.name}`, why: copy.failure.message.replace(/\.$/, "") });
    return null;
  }
  for (const warning of copy.value.warnings) {
    notes.push({ kind: "changed", what: `skill ${head.name}`, why: warning.replace(/\.$/, "") });
  }
  return { name: head.name, files: copy.value.files };
}

/** [hermes] */
const MAX_DESCRIPTION = 1_024;

function toUsage({ head, use }: OwnSkill): Record<string, unknown> {
  const { from, state } = head;
  const days = [use?.lastUsedDay, from?.lastUsedDay].filter((day) => typeof day === "string").toSorted();
  const last = days.at(-1);
  const isAgents = ["foreground", "review", "curator"].includes(head.origin);
  return {
    created_by: isAgents ? "agent" : null,
    ...{ use_count: (use?.uses ?? 0) + (from?.uses ?? 0), view_count: 0 },
    ...{ last_used_at: last ? `${last}T00:00:00+00:00` : null, last_viewed_at: null },
    ...{ patch_count: Math.max(0, head.rev - 1), last_patched_at: head.rev > 1 ? toIso(head.revisedAt) : null },
    created_at: toIso(head.createdAt),
    state: state === "archived" || state === "stale" ? state : "active",
    pinned: head.pinned,
    archived_at: state === "archived" ? toIso(head.updatedAt) : null,
  };
}

/** A bundle that came from Hermes goes back as one. `null`: it is another skill. */
function toBundleFile({ head, files }: OwnSkill): { path: string; text: string } | null {
  const { source, identifier = "" } = head.from ?? {};
  if (source !== "hermes" || !/^skill-bundles\/[A-Za-z0-9][\w.-]*\.ya?ml$/.test(identifier)) return null;
  const own = textOrEmpty(files[SKILL_MD]);
  const read = readFrontmatter(own);
  if (!read.ok) return null;
  const { fields, body } = read.value;
  const bundle = {
    ...{ name: toText(fields.name), description: toText(fields.description) },
    ...{ skills: membersOf(fields), instruction: body.trim() },
  };
  return toBundleSkill(bundle) === own ? { path: identifier, text: stringify(bundle) } : null;
}

/** The newest that fit; older ones go into a file beside it, which the import reads too. */
function writeMemories({ files, names, notes }: WrittenHome, facts: ForeignFact[]): void {
  for (const [store, name, limit] of MEMORY_FILES) {
    const own = facts.filter((fact) => fact.store === store).map(({ text }) => text);
    let chars = 0;
    const first = own.findLastIndex((text) => {
      chars += Array.from(text).length + ENTRY_DELIMITER.length;
      return chars - ENTRY_DELIMITER.length > limit;
    });
    const [older, newer] = [own.slice(0, first + 1), own.slice(first + 1)];
    if (newer.length > 0) files.set(`memories/${name}.md`, newer.join(ENTRY_DELIMITER));
    if (older.length > 0) {
      files.set(`memories/${name}.overflow.md`, older.join(ENTRY_DELIMITER));
      const why = `Hermes shows ${limit} characters of ${name}.md; the older ones are in memories/${name}.overflow.md`;
      notes.push({ kind: "left_out", what: `${older.length} facts`, why });
    }
    names.memory.push(...newer);
  }
}

type Schedule = Record<string, unknown> & { display: string };

function writeJobs(
  { files, names, notes }: WrittenHome,
  jobs: JobInfo[],
  { names: called, now }: { names: Map<string, string>; now: number },
): void {
  const ids = new Map(jobs.map(({ name, id }) => [name as string, id as string]));
  const records: unknown[] = [];
  for (const job of jobs) {
    const schedule = toHermesSchedule(job, now);
    if (typeof schedule === "string") {
      notes.push({ kind: "no_equal", what: `job ${job.name}`, why: schedule });
      continue;
    }
    if (job.gate) notes.push({ kind: "no_equal", what: `job ${job.name}: its gate`, why: "Hermes has none" });
    if (job.deliver)
      notes.push({
        kind: "no_equal",
        what: `job ${job.name}: where its answer goes`,
        why: "channels are set up there again",
      });
    const skills = job.skills.map((skill) => called.get(skill) ?? skill);
    const repeat = job.repeat ?? (job.nextAt !== null && schedule.kind === "once" ? 1 : null);
    records.push({
      ...{ id: job.id, name: job.name, prompt: job.prompt, skills, skill: skills[0] ?? null },
      ...{ model: null, provider: null, provider_snapshot: null, model_snapshot: null, base_url: null },
      ...{ script: null, no_agent: false },
      context_from: job.contextFrom.length > 0 ? job.contextFrom.flatMap((name) => ids.get(name) ?? []) : null,
      ...{ schedule, schedule_display: schedule.display, repeat: { times: repeat, completed: job.ran } },
      ...{
        enabled: false,
        state: "paused",
        paused_at: toIso(now),
        paused_reason: PAUSED,
        created_at: toIso(job.createdAt),
      },
      next_run_at: job.nextAt === null ? null : toIso(job.nextAt),
      ...{ last_run_at: null, last_status: null, last_error: null, last_delivery_error: null },
      ...{ deliver: "local", origin: null, enabled_toolsets: null, workdir: null },
    });
    names.jobs.push(job.name);
  }
  if (records.length === 0) return;
  files.set("cron/jobs.json", `${JSON.stringify({ jobs: records, updated_at: toIso(now) }, null, 2)}\n`);
  const zones = [...new Set(jobs.map(({ timeZone }) => timeZone))];
  if (zones.length === 1) files.set("config.yaml", stringify({ timezone: zones[0] }));
  else
    notes.push({
      kind: "changed",
      what: "time zones of jobs",
      why: `Hermes has one for all: ${zones.join(", ")} were set here`,
    });
}

/** A text: why there is none. */
function toHermesSchedule(job: JobInfo, now: number): Schedule | string {
  const read = readSchedule(job.schedule, { now, zone: job.timeZone, minEveryMs: 1 });
  if (job.finishedAt !== null || !read.ok) return "it has no time left to run at";
  const { plan } = read.value;
  switch (plan.kind) {
    case "once": {
      // A time that was given as `in 30m` counts from when the job was made.
      const at = job.nextAt ?? plan.at;
      return { kind: "once", run_at: toIso(at), display: `once at ${toIso(at).slice(0, 16).replace("T", " ")}` };
    }
    case "every": {
      const minutes = plan.everyMs / 60_000;
      return Number.isInteger(minutes)
        ? { kind: "interval", minutes, display: `every ${minutes}m` }
        : "it runs at other than whole minutes";
    }
    case "calendar": {
      const [expr, ...others] = plan.crons;
      return others.length === 0
        ? { kind: "cron", expr, display: expr! }
        : "its schedule needs several cron expressions";
    }
  }
}

function toIso(ms: number): string {
  return new Date(ms).toISOString().replace("Z", "+00:00");
}
