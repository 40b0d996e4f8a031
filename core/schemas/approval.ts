// A change that waits for the person: the requested content of a file that instructs the agent. Stored in the session's meta
// rows under `approval:<id>`; api.ts has its forms on the wire.
import * as z from "zod";

/** Derived from the id of the requesting call, so that a repeated call finds its own. */
export const ApprovalId = z.string().regex(/^[0-9a-f]{20}$/, "an approval id is 20 hexadecimal characters");
export type ApprovalId = z.infer<typeof ApprovalId>;

/** `replaced`: the agent requested other content for the same file before the decision. */
export const ApprovalState = z.enum(["waiting", "approved", "refused", "replaced"]);
export type ApprovalState = z.infer<typeof ApprovalState>;

export const Approval = z.object({
  v: z.literal(1),
  id: ApprovalId,
  path: z.string(),
  state: ApprovalState,
  /** Bytes of the requested content. */
  size: z.int().min(0),
  /** The requested content; `null` after the decision. */
  content: z.string().nullable(),
  askedAt: z.int(),
  decidedAt: z.int().nullable(),
});
export type Approval = z.infer<typeof Approval>;
