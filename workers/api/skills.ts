// The profile's skills as a person sees and changes them. Every change is one operation of the store: what is checked is
// checked again on the fresh head, and nothing is ever lost.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { ulid } from "ulid";
import { SKILL_MD, parseSkill } from "../../core/skills/format.ts";
import { createLibrary } from "../../core/skills/library.ts";
import { validateSkill } from "../../core/skills/validate.ts";
import { type Result, err, ok } from "../../core/errors.ts";
import type { SkillNext, SkillSnapshot, SkillStore } from "../../core/ports.ts";
import {
  PinSkill,
  PutSkill,
  RestoreSkill,
  SkillDetail,
  SkillList,
  SkillRevisionDetail,
  SkillRevisionList,
} from "../../core/schemas/api.ts";
import { type FileBodies, fromContents, toContents } from "../../core/schemas/file-body.ts";
import { SkillName } from "../../core/schemas/ids.ts";
import { SkillHead, type SkillRevision } from "../../core/schemas/skill.ts";
import { seeds } from "../../skills-seed/index.ts";
import { settingsOf } from "./env.ts";
import { AppError, unwrap } from "./problems.ts";
import { answers, createRouter, numeric, takesJson } from "./router.ts";
import { openSkills } from "./stores.ts";

export const skills = createRouter();

const OfSkill = z.object({ name: SkillName });
const OfRevision = OfSkill.extend({ rev: numeric(1, 999_999_999) });

skills.openapi(
  createRoute({
    method: "get",
    path: "/v1/skills",
    operationId: "listSkills",
    responses: answers(200, "The profile's skills, and the bundled ones it has not replaced", SkillList),
  }),
  async (c) => {
    const library = createLibrary({ store: openSkills(c.env, c.var.profile), seeds });
    return c.json({ skills: await library.lines() }, 200);
  },
);

skills.openapi(
  createRoute({
    method: "get",
    path: "/v1/skills/{name}",
    operationId: "readSkill",
    request: { params: OfSkill },
    responses: answers(200, "The skill and its files", SkillDetail),
  }),
  async (c) => {
    const { name } = c.req.valid("param");
    const snapshot = await openSkills(c.env, c.var.profile).open(name);
    if (!snapshot) return c.json({ name, head: null, files: bundledFiles(name) }, 200);
    return c.json({ name, head: snapshot.head, files: toContents(snapshot.files) }, 200);
  },
);

skills.openapi(
  createRoute({
    method: "put",
    path: "/v1/skills/{name}",
    operationId: "putSkill",
    description: "Makes the skill, or replaces all of its files. It is the person's from then on.",
    request: { params: OfSkill, body: takesJson(PutSkill) },
    responses: answers(200, "The skill as it now is", SkillHead),
  }),
  async (c) => {
    const { name } = c.req.valid("param");
    const files = fromContents(c.req.valid("json").files);
    const { maxFiles } = settingsOf(c.env).skills;
    const { description, category } = unwrap(validateSkill({ name, files, maxFiles, writer: "person" }));
    const next: SkillNext = { files, description, category, state: "active", origin: "user", citations: [] };
    return c.json(await change(openSkills(c.env, c.var.profile), name, () => ok(next)), 200);
  },
);

skills.openapi(
  createRoute({
    method: "get",
    path: "/v1/skills/{name}/revisions",
    operationId: "listSkillRevisions",
    request: { params: OfSkill },
    responses: answers(200, "Revisions, newest first; none of a bundled skill", SkillRevisionList),
  }),
  async (c) => {
    const { name } = c.req.valid("param");
    const revisions = await openSkills(c.env, c.var.profile).revisions(name);
    if (revisions.length === 0) bundledFiles(name);
    return c.json({ revisions }, 200);
  },
);

skills.openapi(
  createRoute({
    method: "get",
    path: "/v1/skills/{name}/revisions/{rev}",
    operationId: "readSkillRevision",
    request: { params: OfRevision },
    responses: answers(200, "The revision and its files", SkillRevisionDetail),
  }),
  async (c) => {
    const { name, rev } = c.req.valid("param");
    const { revision, files } = await openRevision(openSkills(c.env, c.var.profile), name, rev);
    return c.json({ revision, files: toContents(files) }, 200);
  },
);

skills.openapi(
  createRoute({
    method: "post",
    path: "/v1/skills/{name}/pin",
    operationId: "pinSkill",
    description: "A pinned skill is changed by nobody but a person.",
    request: { params: OfSkill, body: takesJson(PinSkill) },
    responses: answers(200, "The skill as it now is", SkillHead),
  }),
  async (c) => {
    const { pinned } = c.req.valid("json");
    const { name } = c.req.valid("param");
    const head = await change(openSkills(c.env, c.var.profile), name, (current) => amend(name, current, { pinned }));
    return c.json(head, 200);
  },
);

skills.openapi(
  createRoute({
    method: "post",
    path: "/v1/skills/{name}/archive",
    operationId: "archiveSkill",
    description: "Hides the skill from the agent. A bundled one can be hidden too.",
    request: { params: OfSkill },
    responses: answers(200, "The skill as it now is", SkillHead),
  }),
  async (c) => {
    const { name } = c.req.valid("param");
    const archived: SkillNext = { state: "archived", reason: "Archived by a person." };
    const head = await change(openSkills(c.env, c.var.profile), name, (current) => amend(name, current, archived));
    return c.json(head, 200);
  },
);

skills.openapi(
  createRoute({
    method: "post",
    path: "/v1/skills/{name}/restore",
    operationId: "restoreSkill",
    description: "Without `rev`: out of the archive. With it: that revision's files again, state and pin as they are.",
    request: { params: OfSkill, body: takesJson(RestoreSkill) },
    responses: answers(200, "The skill as it now is", SkillHead),
  }),
  async (c) => {
    const { name } = c.req.valid("param");
    const { rev } = c.req.valid("json");
    const store = openSkills(c.env, c.var.profile);
    if (rev === undefined) return c.json(await change(store, name, unarchive), 200);
    const { revision, files } = await openRevision(store, name, rev);
    const { description, category, citations } = revision;
    const next: SkillNext = { files, description, category, citations };
    return c.json(await change(store, name, (current) => amend(name, current, next)), 200);
  },
);

type Decide = (current: SkillSnapshot | null) => Result<SkillNext>;

async function change(store: SkillStore, name: SkillName, decide: Decide): Promise<SkillHead> {
  const since = (await store.head(name))?.rev ?? 0;
  return unwrap(await store.change({ name, op: `api:${ulid()}`, since, decide })).head;
}

/** A bundled skill gets a head of its own by the first thing a person decides about it. */
function amend(name: SkillName, current: SkillSnapshot | null, next: SkillNext): Result<SkillNext> {
  if (current) return ok(next);
  if (!Object.hasOwn(seeds, name)) return missing(name);
  const files = seeds[name]!;
  const parsed = parseSkill(files[SKILL_MD] ?? "");
  if (!parsed.ok) return parsed;
  const { description, category } = parsed.value;
  return ok({ files, description, category, state: "active", origin: "bundled", ...next });
}

/** What a model learned has to prove itself again; what a person wrote has not. */
function unarchive(current: SkillSnapshot | null): Result<SkillNext> {
  if (!current) return err("skill_not_found", "Only a skill this profile holds can be restored.");
  if (current.head.state !== "archived") return ok({});
  const learned = ["review", "foreground", "curator"].includes(current.head.origin);
  return ok({ state: learned ? "trial" : "active", reason: "Restored by a person." });
}

async function openRevision(
  store: SkillStore,
  name: SkillName,
  rev: number,
): Promise<{ revision: SkillRevision; files: FileBodies }> {
  const revision = (await store.revisions(name)).find((candidate) => candidate.rev === rev);
  if (!revision) throw new AppError("revision_not_found", `The skill \`${name}\` has no revision ${rev}.`);
  const files = await Promise.all(
    Object.entries(revision.files).map(async ([path, { sha256 }]) => {
      const body = await store.blob(sha256);
      if (body === null) throw new Error(`revision ${rev} of ${name} names a blob that is not there: ${sha256}`);
      return [path, body] as const;
    }),
  );
  return { revision, files: Object.fromEntries(files) };
}

function bundledFiles(name: SkillName): Record<string, string> {
  const files = Object.hasOwn(seeds, name) ? seeds[name] : undefined;
  return files ?? unwrap(missing(name));
}

function missing(name: SkillName): Result<never> {
  return err("skill_not_found", `Neither this profile nor Talaria itself has a skill \`${name}\`.`);
}
