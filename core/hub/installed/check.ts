// Asks the sources what became of the installed skills, and scans the installed texts again. Called by workers/api/hub. Changes no skill.
import type { Failure, Result } from "../../errors.ts";
import { type HubAudit, type HubChecked, HUB_PAGE } from "../../schemas/hub/hub-api.ts";
import type { HubLock, HubSeen, HubSourceName, LockedSkill } from "../../schemas/hub/lock.ts";
import type { SkillName } from "../../schemas/ids.ts";
import { type FileBodies, textOrEmpty } from "../../schemas/file-body.ts";
import { withoutRequests } from "../../schemas/skill-requests.ts";
import { toBareRef, toCandidate } from "../package/candidate.ts";
import { type HubDesk, fetchPackage, findBreak, openSource } from "../desk.ts";
import { isWorse, makeReport } from "../package/report.ts";
import { lineOf, settleLock } from "./settle-lock.ts";
import type { HubVersion } from "../source.ts";
import { findChanged } from "./update.ts";

interface Seen {
  state: HubSeen;
  /** The version that an update would install. */
  version?: string;
  detail?: string;
}

/** [own] Whole packages or indexes that one request fetches; each may be many requests or many megabytes. */
const MAX_FETCHED = 10;
/** A look at these takes as much as a fetch. */
const LOOKS_AT_ALL: readonly HubSourceName[] = ["well-known", "url", "skills-sh"];

/** What one request has asked so far. */
interface Round {
  desk: HubDesk;
  fetched: number;
  /** Sources that asked to wait, with what they said. */
  limited: Map<HubSourceName, string>;
}

/** At most `HUB_PAGE` skills, by name. What was seen is written to the lock. */
export async function check(
  desk: HubDesk,
  { names, after }: { names?: SkillName[] | undefined; after?: SkillName | undefined },
): Promise<HubChecked> {
  const { lock } = await settleLock(desk, names);
  const all = (names ? [...new Set(names)].filter((name) => lineOf(lock, name)) : Object.keys(lock.skills)).sort();
  const rest = all.filter((name) => after === undefined || name > after);
  const round: Round = { desk, fetched: 0, limited: new Map() };
  const checked: { name: SkillName; line: LockedSkill; seen: Seen }[] = [];
  for (const name of rest.slice(0, HUB_PAGE)) {
    if (round.fetched >= MAX_FETCHED) break;
    const line = lineOf(lock, name)!;
    checked.push({ name, line, seen: await look(round, line) });
  }
  if (checked.length > 0) await noteSeen(desk, checked);
  const last = checked.at(-1)?.name;
  return {
    checked: checked.map(({ name, line, seen }) => ({
      ...{ name, version: line.version, state: seen.state },
      ...(line.pinned !== undefined && { pinned: line.pinned }),
      ...(seen.version !== undefined && { newest: seen.version }),
      ...(seen.detail !== undefined && { detail: seen.detail }),
    })),
    ...(last !== undefined && checked.length < rest.length && { next: last }),
  };
}

async function noteSeen(
  { lock, clock }: HubDesk,
  checked: { name: SkillName; line: LockedSkill; seen: Seen }[],
): Promise<void> {
  const at = clock.now();
  await lock.change((current) => {
    const skills: HubLock["skills"] = { ...current.skills };
    for (const { name, line, seen } of checked) {
      const own = lineOf(current, name);
      // It was updated or uninstalled meanwhile.
      if (own?.hash === line.hash && own.pinned === line.pinned) skills[name] = { ...own, seen: { ...seen, at } };
    }
    return { ...current, skills };
  });
}

/**
 * First whether the name of the installed version still means the installed content, then what is newest. A commit and a digest cannot mean
 * another content, and are only asked for where nothing newer is wanted.
 */
async function look(round: Round, line: LockedSkill): Promise<Seen> {
  const { version, pinned, follows, commit } = line;
  let isVerified = false;
  const isName = version !== commit && version !== line.content;
  if (follows === undefined && (isName || pinned !== undefined)) {
    const named = await ask(round, line, version);
    if (!named.ok) return isName ? toLost(named.failure, version) : lookPast(round, line, named.failure);
    // Without a name of its own it is the newest, which moves on.
    if (!named.value.moves) {
      const same = await isSame(round, line, named.value, version);
      if (!same.ok) return toFailed(same.failure);
      if (!same.value) return toMoved(version);
      isVerified = true;
    }
  }
  if (pinned === version) return { state: "current" };
  if (pinned !== undefined) {
    const wanted = await ask(round, line, pinned);
    return wanted.ok ? { state: "update", version: pinned } : toLost(wanted.failure, pinned);
  }
  const newest = await ask(round, line, follows);
  if (!newest.ok) return toFailed(newest.failure);
  if (isVerified && newest.value.version === version) return { state: "current" };
  const same = await isSame(round, line, newest.value, follows);
  if (!same.ok) return toFailed(same.failure);
  if (same.value) return { state: "current" };
  if (follows === undefined && newest.value.version === version) return toMoved(version);
  const [detail] = await findBreak(round.desk, line, newest.value.commit);
  return { state: "update", version: newest.value.version, ...(detail !== undefined && { detail }) };
}

function toMoved(version: string): Seen {
  const detail = `Version ${version} now has another content than when it was installed. Nothing was changed here.`;
  return { state: "moved", version, detail };
}

/** The installed version is no longer offered: a source that has only its newest one, or that has lost a commit. */
async function lookPast(round: Round, line: LockedSkill, failure: Failure): Promise<Seen> {
  if (failure.code !== "hub_not_found") return unreachable(failure);
  const newest = await ask(round, line, undefined);
  if (!newest.ok) return toLost(failure, line.version);
  const { version } = newest.value;
  return {
    state: "moved",
    version,
    detail: `The installed version is no longer offered: its source has ${version} now.`,
  };
}

async function ask(round: Round, line: LockedSkill, version: string | undefined): Promise<Result<HubVersion>> {
  const { desk, limited } = round;
  const waits = limited.get(line.source);
  if (waits !== undefined) return { ok: false, failure: { code: "hub_rate_limited", message: waits } };
  const source = openSource(desk, line.source);
  if (!source.ok) return source;
  if (LOOKS_AT_ALL.includes(line.source)) round.fetched += 1;
  const looked = await source.value.look(
    { ...toBareRef(line), ...(version !== undefined && { version }) },
    desk.signal,
  );
  if (!looked.ok && looked.failure.code === "hub_rate_limited") limited.set(line.source, looked.failure.message);
  return looked;
}

/** By what the source says of the content; if that does not say it, by the files themselves. */
async function isSame(
  round: Round,
  line: LockedSkill,
  seen: HubVersion,
  version: string | undefined,
): Promise<Result<boolean>> {
  if (seen.content !== undefined && line.content !== undefined)
    return { ok: true, value: seen.content === line.content };
  if (seen.commit !== undefined && seen.commit === line.commit) return { ok: true, value: true };
  round.fetched += 1;
  const ref = { ...toBareRef(line), ...(version !== undefined && { version }) };
  const fetched = await fetchPackage(round.desk, ref);
  if (!fetched.ok) return fetched;
  const read = toCandidate(fetched.value);
  return read.ok ? { ok: true, value: read.value.hash === line.hash } : read;
}

function toLost(failure: Failure, version: string): Seen {
  const detail = `Version ${version} is not there: ${failure.message}`;
  return failure.code === "hub_not_found" ? { state: "gone", detail } : unreachable(failure);
}

function toFailed(failure: Failure): Seen {
  return failure.code === "hub_not_found" ? { state: "gone", detail: failure.message } : unreachable(failure);
}

function unreachable({ message }: Failure): Seen {
  return { state: "unreachable", detail: message };
}

/** [own] Text that one audit scans; about two seconds. */
const MAX_AUDITED_CHARS = 2 << 20;
/** [own] Files that one audit reads, each a read of R2, also of those without text. */
const MAX_AUDITED_FILES = 2_000;

/** By name, at least one and as many as one request may scan. */
export async function audit(desk: HubDesk, { after }: { after?: SkillName | undefined }): Promise<HubAudit> {
  const { lock } = await settleLock(desk);
  const rest = Object.keys(lock.skills)
    .filter((name) => after === undefined || name > after)
    .sort();
  const audited: HubAudit["audited"] = [];
  let [chars, read] = [0, 0];
  for (const name of rest.slice(0, HUB_PAGE)) {
    const line = lock.skills[name]!;
    const snapshot = await desk.skills.open(name);
    const files = snapshot ? withoutRequests(snapshot.files) : {};
    read += Object.keys(files).length;
    chars += Object.values(files).reduce((sum, body) => sum + textOrEmpty(body).length, 0);
    if (audited.length > 0 && (chars > MAX_AUDITED_CHARS || read > MAX_AUDITED_FILES)) break;
    audited.push(auditSkill(name, line, snapshot && { state: snapshot.head.state, files }));
  }
  const last = audited.at(-1)?.name;
  return { audited, ...(last !== undefined && audited.length < rest.length && { next: last }) };
}

type Audited = HubAudit["audited"][number];

function auditSkill(
  name: SkillName,
  line: LockedSkill,
  present: { state: Exclude<Audited["state"], "missing">; files: FileBodies } | null,
): Audited {
  const was = line.verdict;
  const nothing = { name, was, verdict: was, scanner: line.scanner, findings: [], grown: false, changed: [] };
  if (!present) return { ...nothing, state: "missing" };
  const { files, state } = present;
  const changed = findChanged(line, files).map((path) => ({ path, change: describeChange(line, files, path) }));
  const read = toCandidate({ ref: toBareRef(line), version: line.version, folder: name, files, notes: [] }, name);
  if (!read.ok) return { ...nothing, changed, state };
  const { verdict, findings, scanner } = makeReport(read.value);
  const grown = isWorse(verdict, was) || findings.length > line.findings;
  return { name, was, verdict, scanner, findings, grown, changed, state };
}

function describeChange(line: LockedSkill, files: object, path: string): "added" | "removed" | "changed" {
  if (!Object.hasOwn(files, path)) return "removed";
  return Object.hasOwn(line.files, path) ? "changed" : "added";
}
