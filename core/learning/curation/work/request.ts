// Writes the request of a curation's work: the skill with its record, the groups that may be merged, or the skills without requests.
// Called once a work by run-work.ts, which stores the text in the work's script. Writes nothing.
import { type Result, err, ok } from "../../../errors.ts";
import type { SkillSnapshot } from "../../../ports.ts";
import {
  type ShownSkill,
  consolidationRequest,
  requestsRequest,
  workRequest,
} from "../../../prompts/curation/curation.ts";
import { type WorkItem, fromWorkId } from "../../../schemas/learning/curation.ts";
import { textOrEmpty } from "../../../schemas/file-body.ts";
import { DAY_MS, type SessionId, type SkillName, fromCurationId } from "../../../schemas/ids.ts";
import { REQUESTS_FILE } from "../../../schemas/skill-requests.ts";
import { toHeadMirror, toLineage } from "../../../schemas/skill.ts";
import { SKILL_MD } from "../../../skills/format/format.ts";
import { isOffered, mergeLines } from "../../../skills/library.ts";
import { nearestNeighbours } from "../../../skills/search/similarity.ts";
import { estimateTokens } from "../../../tokens.ts";
import { itemsOf } from "../../skill-items.ts";
import { clustersOf } from "./clusters.ts";
import { mayCurate } from "../curate.ts";
import { findFailedTurns, sessionsOf, showFailedTurns } from "./failed-turns.ts";
import { verdictOn } from "../lookup.ts";
import type { RequestOptions } from "./work-options.ts";

const MAX_NEAR = 6;
/** Limit of the groups that one consolidation shows, since each of its calls carries them. The others wait for a later one. */
const PORTION_TOKENS = 20_000;
/** Characters shown of a SKILL.md for which requests are written. A skill's purpose is at its beginning. */
const BEGINNING_CHARS = 1_500;

export interface WorkRequest {
  text: string;
  /** The sessions that it quotes. */
  sessions?: SessionId[];
}

/** The failure says why there is nothing to do. */
export async function requestFor(options: RequestOptions): Promise<Result<WorkRequest>> {
  const { kind, skill } = fromWorkId(options.work);
  switch (kind) {
    case "consolidate":
      return forGroups(options);
    case "requests":
      return forRequests(options);
    case "rewrite":
    case "look":
      return forSkill(options, kind, skill!);
  }
}

async function forRequests(options: RequestOptions): Promise<Result<WorkRequest>> {
  const shown: Parameters<typeof requestsRequest>[0] = [];
  for (const name of (await plannedItem(options))?.skills ?? []) {
    const snapshot = await options.skills.open(name);
    if (!snapshot || !mayCurate({ mirror: toHeadMirror(snapshot.head) }) || REQUESTS_FILE in snapshot.files) continue;
    const content = textOrEmpty(snapshot.files[SKILL_MD]);
    const isLong = content.length > BEGINNING_CHARS;
    shown.push({ name, content: isLong ? `${content.slice(0, BEGINNING_CHARS).toWellFormed()}…` : content });
  }
  return shown.length > 0
    ? ok({ text: requestsRequest(shown) })
    : err("no_skills", "None of them lacks requests any more.");
}

/** The work as the run's plan has it; undefined if no plan names it. */
export async function plannedItem({
  curation,
  profile,
  run,
  work,
}: Pick<RequestOptions, "curation" | "profile" | "run" | "work">): Promise<WorkItem | undefined> {
  return (await curation.plan(profile, run))?.work?.find((item) => item.work === work);
}

async function forSkill(
  options: RequestOptions,
  kind: "rewrite" | "look",
  name: SkillName,
): Promise<Result<WorkRequest>> {
  const { skills, seeds } = options;
  const snapshot = await skills.open(name);
  if (!snapshot) return err("skill_missing", "The skill is gone.");
  const { head } = snapshot;
  if (!mayCurate({ mirror: toHeadMirror(head) }))
    return err("skill_held", "The skill is archived, or held by a person.");
  if (kind === "look" && head.state !== "stale") return err("not_stale", "The skill is not stale any more.");
  const planned = await plannedItem(options);
  const lines = mergeLines(await skills.index(), seeds).filter((line) => isOffered(line) && line.name !== name);
  const near = nearestNeighbours(lines, head, MAX_NEAR).map(({ name: other }) => ({
    name: other,
    description: lines.find((line) => line.name === other)!.description,
  }));
  const turns = kind === "rewrite" ? await findFailedTurns(head, options) : [];
  return ok({
    sessions: sessionsOf(turns),
    text: workRequest({
      because: planned?.because ?? "it was asked for",
      skill: await toShownSkill(options, snapshot),
      near,
      items: kind === "look" ? itemsOf(name, snapshot.files) : [],
      turns: showFailedTurns(name, turns),
    }),
  });
}

/** As many groups as a portion holds; the last may be incomplete. Each run begins with another group. */
async function forGroups(options: RequestOptions): Promise<Result<WorkRequest>> {
  const { skills, run } = options;
  const heads = [];
  for await (const found of skills.scan()) heads.push(found);
  const planned = await plannedItem(options);
  const own = new Set(heads.filter(mayCurate).map(({ name }) => name));
  const clusters = planned?.groups?.map((names) => names.filter((name) => own.has(name)));
  const all = clusters ?? clustersOf(heads, await skills.index());
  const first = all.length === 0 ? 0 : Math.floor(fromCurationId(run) / DAY_MS) % all.length;
  const groups: Parameters<typeof consolidationRequest>[0] = [];
  for (const names of [...all.slice(first), ...all.slice(0, first)]) {
    const shown: (typeof groups)[number]["skills"] = [];
    for (const name of names) {
      const snapshot = await skills.open(name);
      if (!snapshot) continue;
      const skill = { ...(await toShownSkill(options, snapshot)), items: itemsOf(name, snapshot.files) };
      const request = consolidationRequest([...groups, { skills: [...shown, skill] }]);
      if (shown.length + groups.length > 0 && estimateTokens(request) > PORTION_TOKENS) break;
      shown.push(skill);
    }
    if (shown.length > 1) groups.push({ skills: shown });
  }
  if (groups.length === 0) return err("no_groups", "No two skills are near enough to be one.");
  return ok({ text: consolidationRequest(groups) });
}

async function toShownSkill({ evidence }: RequestOptions, { head, files }: SkillSnapshot): Promise<ShownSkill> {
  const stats = await evidence.fold(head.name, toLineage(head));
  const verdict = verdictOn(stats, head.text);
  const uses = `Used by ${stats.uses} turns, of which ${stats.successes} succeeded and ${stats.failures} failed.`;
  const faults = head.health?.broken ?? [];
  const broken = faults.length > 0 ? ` Broken: ${faults.join("; ")}.` : "";
  return {
    name: head.name,
    state: head.state,
    known: `${uses}${verdict ? ` Its present text: ${verdict.why}` : ""}${broken}`,
    content: textOrEmpty(files[SKILL_MD]),
    files: Object.keys(files).filter((path) => path !== SKILL_MD && path !== REQUESTS_FILE),
  };
}
