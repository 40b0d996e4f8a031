// Roles of a profile: what a session that works in one is made of. Forms only. A stored form: for a change, raise `v`.
import * as z from "zod";
import { SkillName } from "../ids.ts";
import { PersonalityName } from "../profile/personality.ts";

export const RoleName = PersonalityName;
export type RoleName = z.infer<typeof RoleName>;

export const Role = z.strictObject({
  description: z.string().max(500).default("").meta({ description: "What it is for: read where work is given out" }),
  personality: PersonalityName.optional(),
  model: z.string().max(200).optional().meta({ description: "`provider:model` or a name of the operator's choices" }),
  tools: z
    .strictObject({ disabled: z.array(z.string().max(100)).max(100) })
    .optional()
    .meta({ description: "Tools and toolsets that it does not have" }),
  skills: z.array(SkillName).max(20).default([]).meta({ description: "Loaded at the start of its sessions" }),
  maxTokens: z.int().min(1_000).optional().meta({ description: "Of each turn of a run. Absent: the operator's limit" }),
});
export type Role = z.infer<typeof Role>;

export const StoredRole = Role.extend({ v: z.literal(1) });
export type StoredRole = z.infer<typeof StoredRole>;
