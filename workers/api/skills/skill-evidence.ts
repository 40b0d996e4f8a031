// The evidence of a skill: the turns that used it, and what they say of its texts. Read only. core/learning/evidence/ computes the figures.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { describeEvidence } from "../../../core/learning/evidence/describe.ts";
import { hashFiles, textOfFiles } from "../../../core/schemas/learning/digest.ts";
import { SkillEvidence } from "../../../core/schemas/learning/evidence.ts";
import { SkillName } from "../../../core/schemas/ids.ts";
import { type Evidence, toLineage } from "../../../core/schemas/skill.ts";
import { followsBundle } from "../../../core/skills/library.ts";
import { parseEnvSettings } from "../env.ts";
import { createRouter, describeResponses, refuses } from "../router.ts";
import { openEvidence, openSkills } from "../stores.ts";
import { bundledFiles } from "./skills.ts";

export const skillEvidence = createRouter();

skillEvidence.openapi(
  createRoute({
    method: "get",
    path: "/v1/skills/{name}/evidence",
    operationId: "readSkillEvidence",
    ...refuses("skill_not_found"),
    description:
      "Reads the turns that used the skill: how each was judged, and how the text stood after it beside similar turns without the skill.",
    request: { params: z.object({ name: SkillName }) },
    responses: describeResponses(200, "The verdict on each text, and the uses, oldest first", SkillEvidence),
  }),
  async (c) => {
    const { name } = c.req.valid("param");
    const head = await openSkills(c.env, c.var.profile).head(name);
    const isOwn = head !== null && !followsBundle(head);
    const lineage = isOwn ? toLineage(head) : { text: textOfFiles(hashFiles(bundledFiles(name))) };
    const evidence: Evidence[] = [];
    for await (const record of openEvidence(c.env, c.var.profile).list(name)) evidence.push(record);
    return c.json({ name, ...describeEvidence(evidence, lineage, parseEnvSettings(c.env).learning) }, 200);
  },
);
