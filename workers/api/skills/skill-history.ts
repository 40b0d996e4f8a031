// The history of a skill: its revisions, their differences, and undo and purge. `undo` removes one change from the present
// files; `purge` is the only way to remove a revision. Restoring one is in skills.ts.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { err } from "../../../core/errors.ts";
import {
  PurgeSkill,
  PurgedSkill,
  SkillDiff,
  SkillRevisionDetail,
  SkillRevisionList,
} from "../../../core/schemas/api.ts";
import { type FileBodies, toContents } from "../../../core/schemas/file-body.ts";
import { SkillName } from "../../../core/schemas/ids.ts";
import { SkillHead } from "../../../core/schemas/skill.ts";
import { diffFiles, openRevision, readUndo, undoRevision } from "../../../core/skills/history.ts";
import { readSkillTexts } from "../../../stores/skills/skill-texts.ts";
import { purgeText } from "./copies.ts";
import { parseEnvSettings } from "../env.ts";
import { descending, pageQuery, toPage } from "../pages.ts";
import { unwrap } from "../problems.ts";
import { describeResponses, createRouter, numeric, jsonBody, refuses } from "../router.ts";
import { bundledFiles, changeSkill } from "./skills.ts";
import { askDesk } from "../../../wiring/ask-desk.ts";
import { openAccount } from "../sessions/session-rpc.ts";
import { openSkills } from "../stores.ts";

export const skillHistory = createRouter();

/** A revision's key has eight digits. */
const MAX_REV = 99_999_999;
/** Revisions per page. Each costs one read from R2. */
const MAX_REVISIONS_PER_PAGE = 100;
const SkillParams = z.object({ name: SkillName });
const RevisionParams = SkillParams.extend({ rev: numeric(1, MAX_REV) });

skillHistory.openapi(
  createRoute({
    method: "get",
    path: "/v1/skills/{name}/revisions",
    operationId: "listSkillRevisions",
    ...refuses("skill_not_found"),
    description:
      "Lists the revisions of a skill, and who edited, archived, approved or undid it, by the label of their key. The label stays when the key is revoked.",
    request: {
      params: SkillParams,
      query: z.strictObject(pageQuery(MAX_REVISIONS_PER_PAGE, { after: numeric(1, MAX_REV) })),
    },
    responses: describeResponses(200, "Revisions, newest first; empty for a bundled skill", SkillRevisionList),
  }),
  async (c) => {
    const { name } = c.req.valid("param");
    const { after, limit } = c.req.valid("query");
    const isFirst = after === undefined;
    const [revisions, acts] = await Promise.all([
      openSkills(c.env, c.var.profile).revisions(name, { before: after, limit: limit + 1 }),
      isFirst && askDesk(openAccount(c.env, c.var.profile).keyDesk(), (desk) => desk.skillActs(name)),
    ]);
    if (revisions.length === 0 && isFirst) bundledFiles(name);
    const { page, next } = toPage(revisions, { limit, sortKey: ({ rev }) => descending(rev) });
    const rest = next !== undefined && { next: String(page.at(-1)!.rev) };
    return c.json({ revisions: page, ...(acts && { acts }), ...rest }, 200);
  },
);

skillHistory.openapi(
  createRoute({
    method: "get",
    path: "/v1/skills/{name}/revisions/{rev}",
    operationId: "readSkillRevision",
    ...refuses("revision_not_found", "revision_purged"),
    description: "Reads one revision with its files.",
    request: { params: RevisionParams },
    responses: describeResponses(200, "The revision and its files", SkillRevisionDetail),
  }),
  async (c) => {
    const { name, rev } = c.req.valid("param");
    const { revision, files } = unwrap(await openRevision(openSkills(c.env, c.var.profile), name, rev));
    return c.json({ revision, files: toContents(files) }, 200);
  },
);

skillHistory.openapi(
  createRoute({
    method: "get",
    path: "/v1/skills/{name}/revisions/{rev}/diff",
    operationId: "diffSkillRevision",
    ...refuses("revision_not_found", "revision_purged"),
    description:
      "Compares the revision with `against`: a number, or `present`. Without `against`: with the revision before it.",
    request: {
      params: RevisionParams,
      query: z.strictObject({ against: z.union([z.literal("present"), numeric(0, MAX_REV)]).optional() }),
    },
    responses: describeResponses(200, "A unified diff for each file that differs", SkillDiff),
  }),
  async (c) => {
    const { name, rev } = c.req.valid("param");
    const store = openSkills(c.env, c.var.profile);
    const wanted = c.req.valid("query").against ?? rev - 1;
    const after = unwrap(await openRevision(store, name, rev)).files;
    const against = wanted === "present" ? (await store.head(name))!.rev : wanted;
    const before: FileBodies = against === 0 ? {} : unwrap(await openRevision(store, name, against)).files;
    return c.json({ name, rev, against, files: diffFiles(before, after) }, 200);
  },
);

skillHistory.openapi(
  createRoute({
    method: "post",
    path: "/v1/skills/{name}/revisions/{rev}/undo",
    operationId: "undoSkillRevision",
    ...refuses("revision_not_found", "revision_purged", "nothing_to_undo", "undo_conflict", "skill_deleted", "busy"),
    description: "Reverts what this revision changed and keeps later changes. State, pin and origin stay.",
    request: { params: RevisionParams },
    responses: describeResponses(200, "The present skill", SkillHead),
  }),
  async (c) => {
    const { name, rev } = c.req.valid("param");
    const { maxFiles } = parseEnvSettings(c.env).skills;
    const store = openSkills(c.env, c.var.profile);
    const head = await changeSkill(store, name, async (current) => {
      if (!current) return err("revision_not_found", `The skill \`${name}\` has no revision ${rev}.`);
      const undo = await readUndo(store, name, rev, maxFiles);
      return undo.ok ? undoRevision(undo.value, current) : undo;
    });
    return c.json(head, 200);
  },
);

skillHistory.openapi(
  createRoute({
    method: "post",
    path: "/v1/skills/{name}/purge",
    operationId: "purgeSkillRevision",
    ...refuses("skill_not_found", "revision_not_found", "revision_current", "busy"),
    description:
      "Permanently deletes one past revision and leaves a tombstone. Contents that nothing else of the profile uses " +
      "are deleted too, with their copies in pending changes, reviews, curations, recorded requests and indexed messages. After an " +
      "interruption, send the same request again.",
    request: { params: SkillParams, body: jsonBody(PurgeSkill) },
    responses: describeResponses(200, "The tombstone", PurgedSkill),
  }),
  async (c) => {
    const { name } = c.req.valid("param");
    const { rev } = c.req.valid("json");
    const store = openSkills(c.env, c.var.profile);
    const head = await store.head(name);
    // Read the texts before the purge deletes them: copies are found by what they contain.
    if (head && rev < head.rev) {
      const subject = `skills/${name}/${rev}`;
      await purgeText(c.env, c.var.profile, { subject, ...(await readSkillTexts(store, name, rev)) });
    }
    const purged = await store.purge(name, rev);
    const { tombstone, deleted, kept } = unwrap(purged);
    return c.json({ revision: tombstone, deleted: deleted.length, kept }, 200);
  },
);
