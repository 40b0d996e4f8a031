// What waits for a person in a session: a call that must be allowed (`command`), new content of a file that instructs the agent
// (`file`), or questions of the agent (`clarify`). Stored in the session's meta rows under `approval:<id>`; api.ts has the forms on the wire.
import * as z from "zod";
import { ClarifyAnswer, ClarifyQuestion, ClarifyState } from "./clarify.ts";

/** Derived from the requesting call, so that a repeated call finds its own. */
export const ApprovalId = z.string().regex(/^[0-9a-f]{20}$/, "an approval id is 20 hexadecimal characters");
export type ApprovalId = z.infer<typeof ApprovalId>;

/** `replaced`: the agent requested other content for the same file before the decision. */
export const FileState = z.enum(["waiting", "approved", "refused", "replaced"]);
export type FileState = z.infer<typeof FileState>;

/** `expired`: nobody decided in time. `withdrawn`: the turn ended before the decision. Both count as refused. */
export const CallState = z.enum(["waiting", "approved", "refused", "expired", "withdrawn"]);

/** How long an approval holds: for this call, for the session, or for all of the profile's sessions until it is revoked. */
export const ApprovalScope = z.enum(["once", "session", "always"]);
export type ApprovalScope = z.infer<typeof ApprovalScope>;

/**
 * Which calls are asked about. `manual`: every one that a standing allowance does not cover. `rules`: those that a rule calls
 * dangerous. `smart`: a model decides on those first. `off`: none. Ordered from the strictest.
 */
export const APPROVAL_MODES = ["manual", "rules", "smart", "off"] as const;
export const ApprovalMode = z.enum(APPROVAL_MODES);
export type ApprovalMode = z.infer<typeof ApprovalMode>;

export function stricterMode(a: ApprovalMode, b: ApprovalMode): ApprovalMode {
  return APPROVAL_MODES.indexOf(a) <= APPROVAL_MODES.indexOf(b) ? a : b;
}

const base = {
  v: z.literal(2),
  id: ApprovalId,
  askedAt: z.int(),
  decidedAt: z.int().nullable(),
};

export const FileApproval = z.object({
  ...base,
  kind: z.literal("file"),
  state: FileState,
  path: z.string(),
  /** Bytes of the requested content. */
  size: z.int().min(0),
  /** The requested content; `null` after the decision. */
  content: z.string().nullable(),
});
export type FileApproval = z.infer<typeof FileApproval>;

export const CommandApproval = z.object({
  ...base,
  kind: z.literal("command"),
  state: CallState,
  turn: z.int().min(1),
  tool: z.string(),
  /** What would be done, exactly. */
  summary: z.string(),
  /** Why the call is dangerous, each a sentence. */
  reasons: z.array(z.string()),
  /** Keys of what `session` and `always` would allow; `null`: only this call may be allowed. */
  allowance: z.object({ exact: z.string(), family: z.string().optional() }).nullable(),
  /** The call waits until then at most. */
  until: z.int(),
  /** After the decision: who decided. `timeout`: nobody. */
  by: z.enum(["person", "model", "timeout", "turn"]).nullable(),
  scope: ApprovalScope.nullable(),
  /** Why it was refused: the person's words, or the model's. */
  reason: z.string().nullable(),
  /** Somebody who does not own the profile has decided. */
  source: z.literal("content").optional(),
});
export type CommandApproval = z.infer<typeof CommandApproval>;

export const ClarifyApproval = z.object({
  ...base,
  kind: z.literal("clarify"),
  state: ClarifyState,
  turn: z.int().min(1),
  questions: z.array(ClarifyQuestion),
  /** The turn waits until then at most. */
  until: z.int(),
  /** After the decision: who decided. `timeout`: nobody. */
  by: z.enum(["person", "timeout", "turn"]).nullable(),
  /** One for each question. */
  answers: z.array(ClarifyAnswer).nullable(),
  /** An answer in words that do not divide into one for each question. */
  said: z.string().nullable(),
  /** Why the person does not want to answer. */
  reason: z.string().nullable(),
  /** Somebody who does not own the profile has answered. */
  source: z.literal("content").optional(),
});
export type ClarifyApproval = z.infer<typeof ClarifyApproval>;

export const Approval = z.discriminatedUnion("kind", [FileApproval, CommandApproval, ClarifyApproval]);
export type Approval = z.infer<typeof Approval>;

/** Version 1 knew files only. */
const FirstApproval = FileApproval.omit({ v: true, kind: true }).extend({ v: z.literal(1) });

/** Throws on anything else than a stored approval of any version. */
export function parseApproval(row: unknown): Approval {
  const first = FirstApproval.safeParse(row);
  return first.success ? { ...first.data, v: 2, kind: "file" } : Approval.parse(row);
}

/** Calls that are allowed without a question. `family`: all calls of a program with this subcommand, such as `npm test`. */
export const StandingAllowance = z.object({
  v: z.literal(1),
  id: ApprovalId,
  kind: z.enum(["exact", "family"]),
  /** As `Allowance` has it. */
  key: z.string(),
  at: z.int(),
});
export type StandingAllowance = z.infer<typeof StandingAllowance>;
