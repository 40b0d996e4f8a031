// The profile's skills as a person reads and changes them. Every change is one operation of the store, which checks it again on
// the fresh head; past revisions are kept.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { ulid } from "ulid";
import { hasPrograms } from "../../../core/skills/checks.ts";
import { isHeld, readinessOf } from "../../../core/skills/format/conditions.ts";
import { contractOf } from "../../../core/skills/format/contract.ts";
import { SKILL_MD, parseSkill } from "../../../core/skills/format/format.ts";
import { inspectHealth } from "../../../core/skills/health.ts";
import { openRevision, liftWithdrawal } from "../../../core/skills/history.ts";
import { adopt, unarchive } from "../../../core/skills/edit/adopt.ts";
import { checkImportName } from "../../../core/skills/edit/protection.ts";
import { createLibrary, followsBundle, isOffered } from "../../../core/skills/library.ts";
import { traitsOf } from "../../../core/skills/format/traits.ts";
import { validateSkill } from "../../../core/skills/format/validate.ts";
import { type Result, err, ok } from "../../../core/errors.ts";
import type { SkillNext, SkillSnapshot, SkillStore } from "../../../core/ports.ts";
import { PinSkill, PutSkill, RestoreSkill, SkillDetail, type SkillLine, SkillList } from "../../../core/schemas/api.ts";
import { hashFiles, textOfFiles } from "../../../core/schemas/learning/digest.ts";
import { type FileBodies, fromContents, textOrEmpty, toContents } from "../../../core/schemas/file-body.ts";
import { type ProfileId, SkillName } from "../../../core/schemas/ids.ts";
import { SkillHead, isPurged } from "../../../core/schemas/skill.ts";
import { searchLines, withinTime } from "../../../core/tools/skills/skill-search.ts";
import { seeds } from "../../../skills-seed/index.ts";
import { systemClock } from "../../../stores/platform/system-clock.ts";
import { runChecks } from "../../../wiring/checks.ts";
import { type Env, parseEnvSettings } from "../env.ts";
import { DECIDED_AFTER_MS, followPublication, tellFollowers } from "./public-skills.ts";
import { pageQuery, toPage } from "../pages.ts";
import { AppError, unwrap } from "../problems.ts";
import {
  Flag,
  PROBLEM_RESPONSE,
  describeResponses,
  createRouter,
  optionalJsonBody,
  jsonBody,
  refuses,
} from "../router.ts";
import { openAccount, openArchive } from "../sessions/session-rpc.ts";
import { openEvidence, openSkills } from "../stores.ts";

export const skills = createRouter();

const SkillParams = z.object({ name: SkillName });

/** Room for a question; a whole document is refused. */
const MAX_QUERY_CHARS = 2_000;

skills.openapi(
  createRoute({
    method: "get",
    path: "/v1/skills",
    operationId: "listSkills",
    description: "Lists skills. With `query`: the offered ones that match, as the agent's own search finds them.",
    request: {
      query: z.strictObject({
        ...pageQuery(1_000, { after: SkillName }),
        query: z
          .string()
          .min(1)
          .max(MAX_QUERY_CHARS)
          .optional()
          .meta({ description: "Words of a task, or sentences about it" }),
        counts: Flag.meta({
          description: "With `1`: `use` has the counts of the last judged use. Without: it may lag by a day.",
        }),
      }),
    },
    responses: describeResponses(
      200,
      "The profile's skills and the bundled ones it has not replaced, by name; with `query`, best matches first",
      SkillList,
    ),
  }),
  async (c) => {
    const { query, after, limit, counts } = c.req.valid("query");
    const lines = await createLibrary({ store: openSkills(c.env, c.var.profile), seeds }).lines();
    const sortKey = ({ name }: SkillLine) => name;
    // Matches keep the order of their rank, so `after` is found by name and not by sorting.
    const { page, next } =
      query === undefined
        ? toPage(lines, { limit, after, sortKey })
        : toPage(skipPast(after, await findSkills(c.env, c.var.profile, lines, query)), { limit, sortKey });
    const scene = { disabled: parseEnvSettings(c.env).skills.disabled };
    const uses = counts ? await openEvidence(c.env, c.var.profile).lastCounts() : null;
    const listed = page.map((line) => {
      const use = uses?.get(line.name) ?? line.use;
      return { ...line, ...(use && { use }), ...readinessOf(line, scene) };
    });
    return c.json({ skills: listed, ...(next !== undefined && { next }) }, 200);
  },
);

skills.openapi(
  createRoute({
    method: "get",
    path: "/v1/skills/{name}",
    operationId: "readSkill",
    ...refuses("skill_not_found"),
    description: "Reads a skill with its files, state and evidence.",
    request: { params: SkillParams },
    responses: describeResponses(200, "The skill and its files", SkillDetail),
  }),
  async (c) => {
    const { name } = c.req.valid("param");
    const snapshot = await openSkills(c.env, c.var.profile).open(name);
    const files = presentFiles(name, snapshot);
    const isOfHead = snapshot && (files === snapshot.files || textOfFiles(hashFiles(files)) === snapshot.head.text);
    const traits = traitsOf(textOrEmpty(files[SKILL_MD]));
    const contract = contractOf(textOrEmpty(files[SKILL_MD]));
    return c.json({ name, head: isOfHead ? snapshot.head : null, traits, contract, files: toContents(files) }, 200);
  },
);

skills.openapi(
  createRoute({
    method: "put",
    path: "/v1/skills/{name}",
    operationId: "putSkill",
    ...refuses(
      "bad_path",
      "bad_skill_md",
      "bad_text",
      "too_large",
      "too_many_files",
      "companion_name",
      "skill_archived",
      "skill_changed",
      "skill_deleted",
      "busy",
    ),
    description:
      "Creates a skill or replaces all its files. The skill then belongs to the person. Its scripts are parsed and its checks run; `health` lists what is broken. The skill is stored in any case, unless `base` names another revision than the present one.",
    request: { params: SkillParams, body: jsonBody(PutSkill) },
    responses: describeResponses(200, "The present skill", SkillHead),
  }),
  async (c) => {
    const { name } = c.req.valid("param");
    const { files: contents, base } = c.req.valid("json");
    const files = fromContents(contents);
    const { maxFiles } = parseEnvSettings(c.env).skills;
    const health = hasPrograms(files) ? await inspectHealth({ files, now: Date.now(), run: runChecks }) : undefined;
    const head = await changeSkill(openSkills(c.env, c.var.profile), name, (current) => {
      const rev = current?.head.rev ?? 0;
      const isBundle = base === 0 && current !== null && followsBundle(current.head);
      if (base !== undefined && base !== rev && !isBundle) {
        const detail = `The skill \`${name}\` was at revision ${base} when you began, and is at ${rev} now. Compare the two, then save again.`;
        return err("skill_changed", detail, { base, rev });
      }
      const refusal = checkImportName(name, seeds, current !== null && current.head.state !== "archived");
      if (refusal) return { ok: false, failure: refusal };
      // An imported skill may exceed the limits of skills written here. It may keep that size, but not grow.
      const currentFiles = current?.files;
      const checked = validateSkill({ name, files, maxFiles, writer: "person", currentFiles });
      if (!checked.ok) return checked;
      const { description, category } = checked.value;
      const isArchived = current?.head.state === "archived";
      const next: SkillNext = { files, description, category, state: "active", origin: "user", citations: [] };
      const lifted = current && liftWithdrawal(current.head, textOfFiles(hashFiles(files)));
      if (isArchived) next.startsOver = true;
      return ok({ ...next, ...lifted, ...(health && { health }) });
    });
    return c.json(head, 200);
  },
);

skills.openapi(
  createRoute({
    method: "post",
    path: "/v1/skills/{name}/pin",
    operationId: "pinSkill",
    ...refuses("skill_not_found", "skill_archived", "skill_deleted", "busy"),
    description: "Pins or unpins a skill. Only a person can change a pinned skill.",
    request: { params: SkillParams, body: jsonBody(PinSkill) },
    responses: describeResponses(200, "The present skill", SkillHead),
  }),
  async (c) => {
    const { pinned } = c.req.valid("json");
    const { name } = c.req.valid("param");
    const head = await changeSkill(openSkills(c.env, c.var.profile), name, (current) =>
      amend(name, current, { pinned }),
    );
    return c.json(head, 200);
  },
);

skills.openapi(
  createRoute({
    method: "post",
    path: "/v1/skills/{name}/archive",
    operationId: "archiveSkill",
    ...refuses("skill_not_found", "skill_archived", "skill_deleted", "busy"),
    description: "Hides the skill from the agent. A bundled one can be hidden too.",
    request: { params: SkillParams },
    responses: describeResponses(200, "The present skill", SkillHead),
  }),
  async (c) => {
    const { name } = c.req.valid("param");
    const archived: SkillNext = { state: "archived", reason: "Archived by a person." };
    const { env } = c;
    const { profile } = c.var;
    let before: SkillHead | null = null;
    const head = await changeSkill(
      openSkills(env, profile),
      name,
      (current) => amend(name, current, archived),
      (current) => tellFollowers(env, profile, (before = current), DECIDED_AFTER_MS),
    );
    await followPublication(env, profile, head);
    await tellFollowers(env, profile, before);
    return c.json(head, 200);
  },
);

skills.openapi(
  createRoute({
    method: "post",
    path: "/v1/skills/{name}/adopt",
    operationId: "adoptSkill",
    ...refuses("skill_not_found", "skill_archived", "not_adoptable", "skill_deleted", "busy"),
    description: "Hands a person's own skill to the agent: reviews may change it, and it ages.",
    request: { params: SkillParams },
    responses: describeResponses(200, "The present skill", SkillHead),
  }),
  async (c) => {
    const { name } = c.req.valid("param");
    return c.json(await changeSkill(openSkills(c.env, c.var.profile), name, adopt), 200);
  },
);

skills.openapi(
  createRoute({
    method: "post",
    path: "/v1/skills/{name}/restore",
    operationId: "restoreSkill",
    ...refuses("skill_not_found", "revision_not_found", "revision_purged", "companion_name", "skill_deleted", "busy"),
    description:
      "Restores a skill from the archive. With `rev`: restores the files of that revision and keeps state and pin.",
    request: { params: SkillParams, body: optionalJsonBody(RestoreSkill) },
    responses: describeResponses(200, "The present skill", SkillHead),
  }),
  async (c) => {
    const { name } = c.req.valid("param");
    const { rev } = c.req.valid("json");
    const store = openSkills(c.env, c.var.profile);
    if (rev === undefined) {
      const isOfPerson = await wasMadeByPerson(store, name);
      const restored = await changeSkill(store, name, (current) => {
        const refusal = checkImportName(name, seeds, !isOfPerson || current?.head.state !== "archived");
        return refusal ? { ok: false, failure: refusal } : unarchive(current);
      });
      return c.json(restored, 200);
    }
    const head = await changeSkill(store, name, async (current) => {
      // Read on every attempt: a text that is purged meanwhile must not return.
      const opened = await openRevision(store, name, rev);
      if (!opened.ok) return opened;
      const { text, parent = null, description, category, citations } = opened.value.revision;
      const restored = { files: opened.value.files, description, category, citations, parent };
      return amend(name, current, { ...restored, ...(current && liftWithdrawal(current.head, text)) });
    });
    return c.json(head, 200);
  },
);

skills.openapi(
  createRoute({
    method: "delete",
    path: "/v1/skills/{name}",
    operationId: "deleteSkill",
    ...refuses("skill_not_found", "skill_bundled", "busy"),
    description:
      "Permanently deletes the skill: every revision, its evidence, and copies of its text in reviews, pending changes and " +
      "curations. An agent cannot create a skill with that name again; a person can.",
    request: { params: SkillParams },
    responses: {
      202: { description: "Accepted; a store failed, and the rest is deleted within minutes" },
      204: { description: "Deleted" },
      default: PROBLEM_RESPONSE,
    },
  }),
  async (c) => {
    const { name } = c.req.valid("param");
    const { profile } = c.var;
    const store = openSkills(c.env, profile);
    if (!(await store.head(name))) {
      if (!Object.hasOwn(seeds, name)) unwrap(missing(name));
      const detail = `\`${name}\` comes with the deployment: archive it instead, and the agent does not see it.`;
      throw new AppError("skill_bundled", detail);
    }
    const erased = await openAccount(c.env, profile).eraseSkill(name);
    return c.body(null, erased === "pending" ? 202 : 204);
  },
);

/** Best first. If the Archive does not answer in time, only names and descriptions are searched. */
async function findSkills(env: Env, profile: ProfileId, lines: SkillLine[], query: string): Promise<SkillLine[]> {
  const search = withinTime((words) => openArchive(env, profile).searchSkills(words), systemClock);
  const offered = lines.filter((line) => isOffered(line) && !isHeld(line, systemClock));
  return searchLines(offered, query, search);
}

/** Empty if `after` is no longer found, so that paging does not start over. */
function skipPast(after: SkillName | undefined, found: SkillLine[]): SkillLine[] {
  if (after === undefined) return found;
  const at = found.findIndex(({ name }) => name === after);
  return at < 0 ? [] : found.slice(at + 1);
}

/** Whether a person made the skill, from an own text or from elsewhere. A learned skill begins with an agent. */
async function wasMadeByPerson(store: SkillStore, name: SkillName): Promise<boolean> {
  const head = await store.head(name);
  const first = head && (await store.revision(name, head.firstRev ?? 1));
  return first !== null && !isPurged(first) && first.origin === "user";
}

type DecideSkill = (current: SkillSnapshot | null) => Result<SkillNext> | Promise<Result<SkillNext>>;

/** `prepare`: called with the head before the change. */
export async function changeSkill(
  store: SkillStore,
  name: SkillName,
  decide: DecideSkill,
  prepare?: (head: SkillHead | null) => Promise<void>,
): Promise<SkillHead> {
  const head = await store.head(name);
  await prepare?.(head);
  const since = head?.rev ?? 0;
  return unwrap(await store.change({ name, op: `api:${ulid()}`, since, decide })).head;
}

/**
 * A bundled skill gets its own head with a person's first decision about it, with the files that the bundle has then. So
 * the pinned files are those that the person saw.
 */
export function amend(name: SkillName, current: SkillSnapshot | null, next: SkillNext): Result<SkillNext> {
  if (current && !followsBundle(current.head)) {
    // Different files chosen by a person are theirs.
    const isChosen = current.head.origin === "bundled" && next.files !== undefined;
    return ok(isChosen ? { origin: "user", ...next } : next);
  }
  if (!Object.hasOwn(seeds, name)) return missing(name);
  const files = seeds[name]!;
  const parsed = parseSkill(files[SKILL_MD] ?? "");
  if (!parsed.ok) return parsed;
  const { description, category } = parsed.value;
  const isChosen = next.files !== undefined && textOfFiles(hashFiles(next.files)) !== textOfFiles(hashFiles(files));
  const state = current?.head.state ?? "active";
  return ok({ files, description, category, state, origin: isChosen ? "user" : "bundled", ...next });
}

/** The present content: an unchanged bundled skill has the deployment's files. */
export function presentFiles(name: SkillName, snapshot: SkillSnapshot | null): FileBodies {
  return snapshot && !followsBundle(snapshot.head) ? snapshot.files : bundledFiles(name);
}

export function bundledFiles(name: SkillName): Record<string, string> {
  const files = Object.hasOwn(seeds, name) ? seeds[name] : undefined;
  return files ?? unwrap(missing(name));
}

function missing(name: SkillName): Result<never> {
  return err(
    "skill_not_found",
    `Neither this profile nor Talaria itself has a skill \`${name}\`. List the skills with GET /v1/skills.`,
  );
}
