// A change that waits for the person: the wanted content of a file that instructs the agent. Kept in the session's meta
// rows under `approval:<id>`; its forms on the wire are in api.ts.
import * as z from "zod";

/** Made from the id of the call that asked, so that a repeated call finds its own. */
export const ApprovalId = z.string().regex(/^[0-9a-f]{20}$/, "an approval id is 20 hexadecimal characters");
export type ApprovalId = z.infer<typeof ApprovalId>;

/** `replaced`: the agent asked for another content of the same file before anyone had decided. */
export const ApprovalState = z.enum(["waiting", "approved", "refused", "replaced"]);
export type ApprovalState = z.infer<typeof ApprovalState>;

export const Approval = z.object({
  v: z.literal(1),
  id: ApprovalId,
  path: z.string(),
  state: ApprovalState,
  /** Bytes of the wanted content. */
  size: z.int().min(0),
  /** The wanted content; `null` once it was decided on. */
  content: z.string().nullable(),
  askedAt: z.int(),
  decidedAt: z.int().nullable(),
});
export type Approval = z.infer<typeof Approval>;
