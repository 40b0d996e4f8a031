// Skills in and out: import, export and publication. Files are kept and returned byte for byte. Findings of the scanner are
// reported to the person and never refuse an import.
import { createRoute } from "@hono/zod-openapi";
import { ulid } from "ulid";
import * as z from "zod";
import { err } from "../../../core/errors.ts";
import {
  ExportFormat,
  ExportedFolder,
  ImportPreview,
  ImportedSkillAnswer,
  PublishSkill,
} from "../../../core/schemas/exchange.ts";
import { type FileBodies, textOrEmpty, toBytes, toContents } from "../../../core/schemas/file-body.ts";
import { SkillName } from "../../../core/schemas/ids.ts";
import { SkillHead } from "../../../core/schemas/skill.ts";
import { pack } from "../../../core/skills/exchange/archive.ts";
import { toImport } from "../../../core/skills/exchange/import.ts";
import { MAX_PUBLISHED } from "../../../core/schemas/library/library.ts";
import { isShared } from "../../../core/library/offer.ts";
import { makeStrictCopy } from "../../../core/skills/exchange/strict.ts";
import { findBadScripts } from "../../../core/skills/checks.ts";
import { conditionsOf } from "../../../core/skills/format/conditions.ts";
import { contractOf } from "../../../core/skills/format/contract.ts";
import { SKILL_MD } from "../../../core/skills/format/format.ts";
import { traitsOf } from "../../../core/skills/format/traits.ts";
import { seeds } from "../../../skills-seed/index.ts";
import { runChecks } from "../../../wiring/checks.ts";
import { tryLater } from "../experiments/try-later.ts";
import { unwrap } from "../problems.ts";
import { Flag, PROBLEM_RESPONSE, describeResponses, createRouter, jsonBody, refuses } from "../router.ts";
import { DECIDED_AFTER_MS, followPublication, tellFollowers } from "./public-skills.ts";
import { BODY_REFUSALS, IMPORT_BODY, readImport } from "./read-import.ts";
import { scanImport } from "./scan-import.ts";
import { amend, presentFiles } from "./skills.ts";
import { openSkills } from "../stores.ts";

export const exchange = createRouter();

export const IMPORT_ROUTE = "/v1/skills/import";

export const PREVIEW_ROUTE = `${IMPORT_ROUTE}/preview`;

const SkillParams = z.object({ name: SkillName });
const BYTES = { schema: z.string().meta({ format: "binary" }) };

exchange.openapi(
  createRoute({
    method: "post",
    path: IMPORT_ROUTE,
    operationId: "importSkill",
    ...refuses(...BODY_REFUSALS, "skill_exists", "skill_deleted", "companion_name", "busy"),
    description:
      "Imports a zip or `.skill`, a tar.gz, a SKILL.md, or files in JSON. The skill is the person's, and on trial. " +
      "`warnings` names scripts that cannot be parsed.",
    request: {
      query: z.strictObject({ name: z.string().optional(), replace: Flag }),
      body: IMPORT_BODY,
    },
    responses: describeResponses(200, "The imported skill", ImportedSkillAnswer),
  }),
  async (c) => {
    const { name, replace } = c.req.valid("query");
    const skill = unwrap(await readImport(c, { name }));
    const store = openSkills(c.env, c.var.profile);
    const since = (await store.head(skill.name))?.rev ?? 0;
    const broken = await findBadScripts({}, skill.files, runChecks);
    const health = broken.length > 0 ? { checkedAt: Date.now(), broken } : undefined;
    const decide = toImport(skill, { replace, seeds, health, ...(skill.moved && { moved: skill.moved }) });
    const change = { name: skill.name, op: `api:${ulid()}`, since, decide };
    const { head } = unwrap(await store.change(change));
    tryLater(c, head.name, "import");
    const { findings, warnings } = scanImport(skill.files);
    return c.json(
      { name: head.name, rev: head.rev, warnings: [...skill.warnings, ...warnings, ...broken], findings },
      200,
    );
  },
);

exchange.openapi(
  createRoute({
    method: "post",
    path: PREVIEW_ROUTE,
    operationId: "previewSkillImport",
    ...refuses(...BODY_REFUSALS, "companion_name"),
    description:
      "Reads what an import would store, and stores nothing: the files, what the skill needs, and what the scanner finds in it.",
    request: { query: z.strictObject({ name: z.string().optional() }), body: IMPORT_BODY },
    responses: describeResponses(200, "What an import of this body would do", ImportPreview),
  }),
  async (c) => {
    const skill = unwrap(await readImport(c, { name: c.req.valid("query").name }));
    const store = openSkills(c.env, c.var.profile);
    const [current, index] = [await store.open(skill.name), await store.index()];
    const decide = (replace: boolean) => toImport(skill, { replace, seeds })(current, index);
    unwrap(await decide(true));
    const { ok: isNew } = await decide(false);
    const broken = await findBadScripts({}, skill.files, runChecks);
    const { findings, warnings } = scanImport(skill.files);
    const text = textOrEmpty(skill.files[SKILL_MD]);
    const conditions = conditionsOf(text);
    const sizes = Object.entries(skill.files).map(([path, body]) => [path, toBytes(body).length]);
    const { name, description, category } = skill;
    return c.json(
      {
        ...{ name, description, category, exists: !isNew, files: Object.fromEntries(sizes) },
        ...(conditions && { conditions }),
        ...{ contract: contractOf(text), dependencies: traitsOf(text).dependencies },
        ...{ warnings: [...skill.warnings, ...warnings, ...broken], findings },
      },
      200,
    );
  },
);

exchange.openapi(
  createRoute({
    method: "get",
    path: "/v1/skills/{name}/export",
    operationId: "exportSkill",
    ...refuses("skill_not_found"),
    description:
      "Exports the skill's files as they were imported or written. With `strict`: a copy whose SKILL.md every validator of " +
      "the Agent Skills standard accepts. An archive holds one folder with the skill's name.",
    request: {
      params: SkillParams,
      query: z.strictObject({ format: ExportFormat.default("zip"), strict: Flag }),
    },
    responses: {
      200: {
        description: "The skill",
        content: {
          "application/zip": BYTES,
          "application/gzip": BYTES,
          "application/json": { schema: ExportedFolder },
        },
      },
      default: PROBLEM_RESPONSE,
    },
  }),
  async (c) => {
    const { name } = c.req.valid("param");
    const { format, strict } = c.req.valid("query");
    const own = presentFiles(name, await openSkills(c.env, c.var.profile).open(name));
    const { files, warnings } = strict ? unwrap(toStrictCopy(name, own)) : { files: own, warnings: [] };
    if (format === "folder") return c.json({ name, files: toContents(files), warnings }, 200);
    const kind = format === "tar.gz" ? "tar.gz" : "zip";
    return new Response(pack(kind, files, name), {
      headers: {
        "content-type": kind === "zip" ? "application/zip" : "application/gzip",
        "content-disposition": `attachment; filename="${name}.${format}"`,
        "x-content-type-options": "nosniff",
      },
    });
  },
);

exchange.openapi(
  createRoute({
    method: "post",
    path: "/v1/skills/{name}/publish",
    operationId: "publishSkill",
    scope: "admin",
    ...refuses("skill_not_found", "skill_archived", "too_many_public", "skill_deleted", "busy"),
    description:
      "Publishes, shares or withdraws the skill. Anyone can read a public skill under `/.well-known/agent-skills/`, always its newest version. " +
      "A shared one is read by the profiles that follow this one (`/v1/library`); a public one is shared as well. When both end, its followers' " +
      "copies of the text are archived.",
    request: { params: SkillParams, body: jsonBody(PublishSkill) },
    responses: describeResponses(200, "The present skill", SkillHead),
  }),
  async (c) => {
    const { name } = c.req.valid("param");
    const next = c.req.valid("json");
    const { profile } = c.var;
    const store = openSkills(c.env, profile);
    const before = await store.head(name);
    const since = before?.rev ?? 0;
    await tellFollowers(c.env, profile, before, DECIDED_AFTER_MS);
    const published = await store.change({
      name,
      op: `api:${ulid()}`,
      since,
      decide(current, index) {
        const offers = (["public", "shared"] as const).filter((field) => next[field]);
        if (offers.length > 0 && current?.head.state === "archived") {
          return err("skill_archived", `The skill \`${name}\` is archived. Restore it first, then publish it.`);
        }
        for (const field of offers) {
          const others = Object.entries(index.skills).filter(([other, line]) => other !== name && line[field]);
          if (others.length < MAX_PUBLISHED) continue;
          return err("too_many_public", `A profile has at most ${MAX_PUBLISHED} ${field} skills. Withdraw one first.`);
        }
        return amend(name, current, next);
      },
    });
    const { head } = unwrap(published);
    await followPublication(c.env, profile, head);
    // Also of a skill that is shared from now on: a follower may have a copy that was withdrawn.
    await tellFollowers(c.env, profile, before && isShared(before) ? before : head);
    return c.json(head, 200);
  },
);

function toStrictCopy(name: SkillName, files: FileBodies): ReturnType<typeof makeStrictCopy> {
  const copy = makeStrictCopy(name, files);
  return copy.ok ? copy : err("bad_skill_md", copy.failure.message, { reason: copy.failure.code });
}
