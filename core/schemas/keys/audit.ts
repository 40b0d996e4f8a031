// The audit log of a profile: which credential changed what. Kept for 90 days. Forms only.
import * as z from "zod";

export const AUDIT_DAYS = 90;

/**
 * `id`: rises with time. `by`: `operator`, the id of a key or of a sign-in, or a person by their sign-in. `key`: the key that the
 * credential belongs to. `target`: what was changed, by its id or name; never its content.
 */
export const AuditEntry = z.object({
  id: z.int(),
  at: z.int(),
  by: z.string(),
  key: z.string().optional(),
  act: z.string(),
  target: z.string(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;
export type NewAuditEntry = Omit<AuditEntry, "id" | "at"> & { isAdmin: boolean };

/** Of one skill: who approved, edited, archived or undid it. `rev`: of an undo. */
export const SkillAct = AuditEntry.pick({ at: true, by: true, act: true }).extend({
  /** Of the key, as it was then: it stays when the key is revoked. */
  label: z.string().optional(),
  rev: z.int().optional(),
});
export type SkillAct = z.infer<typeof SkillAct>;

/** Newest first. */
export const AuditList = z.object({ entries: z.array(AuditEntry), next: z.string().optional() });

/** `key`: also what the sign-ins of that key did, and `operator`. */
export interface AuditAsked {
  before?: number | undefined;
  limit: number;
  key?: string | undefined;
  act?: string | undefined;
}
