// The evidence of a skill: the turns that used it, and what they say of its texts. Read only. core/learning/evidence/ computes the figures.
import { createRoute } from "@hono/zod-openapi";
import type { Context } from "hono";
import * as z from "zod";
import { describeEvidence } from "../../../core/learning/evidence/describe.ts";
import { isShared } from "../../../core/library/offer.ts";
import { hashFiles, textOfFiles } from "../../../core/schemas/learning/digest.ts";
import { SkillEvidence } from "../../../core/schemas/learning/evidence.ts";
import { SkillName } from "../../../core/schemas/ids.ts";
import type { FollowerCounts } from "../../../core/schemas/library/library.ts";
import { type Evidence, toLineage } from "../../../core/schemas/skill.ts";
import { followsBundle } from "../../../core/skills/library.ts";
import type { ApiEnv } from "../auth/principal.ts";
import { parseEnvSettings } from "../env.ts";
import { createRouter, describeResponses, refuses } from "../router.ts";
import { askDesk } from "../../../wiring/ask-desk.ts";
import { openAccount } from "../sessions/session-rpc.ts";
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
    const described = describeEvidence(evidence, lineage, parseEnvSettings(c.env).learning);
    const followers = isOwn && isShared(head) ? await countFollowers(c, name, described) : null;
    return c.json({ name, ...described, ...(followers && { followers }) }, 200);
  },
);

/** `null`: nobody follows the profile. */
function countFollowers(
  { env, var: { profile } }: Context<ApiEnv>,
  name: SkillName,
  { text, texts }: Omit<SkillEvidence, "name">,
): Promise<FollowerCounts | null> {
  const own = texts.find(({ present }) => present);
  const judged = own ? own.successes + own.failures : 0;
  return askDesk(openAccount(env, profile).libraryDesk(), (desk) => desk.countsOf(name, text, judged));
}
