// The manifest of an exported profile, what the routes of export and import answer, and the state of an import. Forms only.
import * as z from "zod";
import { ProfileId, Sha256 } from "../ids.ts";
import { MovedSection } from "./lines.ts";

/** [own] Far above the 4 MB at which a part ends, for one large object in Base64. Nothing in an archive is compressed. */
export const MAX_PART_BYTES = 16 << 20;

/** [own] A manifest names each part in about 150 bytes; 20,000 parts of 4 MB are 80 GB. */
export const MAX_PARTS = 20_000;

/** The public half of a deployment's signing key: Ed25519, base64url. */
export const DeploymentId = z.string().regex(/^[A-Za-z0-9_-]{43}$/, "a deployment's id is 43 base64url characters");
export type DeploymentId = z.infer<typeof DeploymentId>;

export const ExportId = z.string().regex(/^exp_[0-9a-z]{26}$/, "an export's id is exp_ and 26 characters");
export type ExportId = z.infer<typeof ExportId>;

export const BegunExport = z.strictObject({
  export: ExportId,
  deployment: DeploymentId,
});
export type BegunExport = z.infer<typeof BegunExport>;

/** What the deployment says of one part that it has sent. */
export const MovedPart = z.strictObject({
  section: MovedSection,
  sha256: Sha256,
  bytes: z.int().min(1).max(MAX_PART_BYTES),
  lines: z.int().min(1),
});
export type MovedPart = z.infer<typeof MovedPart>;

/** One part, with its place between the parts before and after it. `""`: there is none. */
export const PartReceipt = MovedPart.extend({
  bytes: z.int().min(0),
  lines: z.int().min(0),
  export: ExportId,
  profile: ProfileId,
  from: z.string(),
  to: z.string(),
});
export type PartReceipt = z.infer<typeof PartReceipt>;

/** A receipt as text: Base64 of its JSON, a dot, and the deployment's MAC. */
const SignedReceipt = z.string().min(80).max(4_000);
export const SealExport = z.strictObject({ receipts: z.array(SignedReceipt).min(1).max(MAX_PARTS) });

/** `v` rises with every change of the archive's form, or of the tables in it. */
export const MANIFEST_VERSION = 1;
export const Manifest = z.strictObject({
  v: z.literal(MANIFEST_VERSION),
  form: z.literal("talaria-profile"),
  export: ExportId,
  deployment: DeploymentId,
  profile: ProfileId,
  /** When it was sealed, in milliseconds since 1970. */
  at: z.int(),
  /** How many lines each section has. */
  counts: z.partialRecord(MovedSection, z.int().min(0)),
  parts: z.array(MovedPart).min(1).max(MAX_PARTS),
});
export type Manifest = z.infer<typeof Manifest>;

/** `manifest`: JSON, the bytes that are signed. */
export const SealedManifest = z.strictObject({
  manifest: z.string(),
  deployment: DeploymentId,
  signature: z.base64(),
});
export type SealedManifest = z.infer<typeof SealedManifest>;

/** What an import has brought. `facts`: those that were forgotten since included. */
export const ImportReport = z.strictObject({ sessions: z.int(), skills: z.int(), facts: z.int() });
export type ImportReport = z.infer<typeof ImportReport>;

/** R2 `p/<profile>/import/state`. */
export const StoredImport = z.strictObject({
  v: z.literal(1),
  /** SHA-256 of the manifest. */
  import: Sha256,
  manifest: z.string(),
  trusted: z.boolean(),
  phase: z.enum(["staged", "writing", "done"]),
  startedAt: z.int(),
  report: ImportReport.optional(),
});
export type StoredImport = z.infer<typeof StoredImport>;

export const ImportInfo = z.strictObject({
  import: Sha256,
  trusted: z.boolean().meta({
    description: "Signed by a deployment that the operator trusts. Otherwise it arrives as a person's import does",
  }),
  phase: StoredImport.shape.phase,
  missing: z.array(Sha256).meta({ description: "Parts that are still to be uploaded" }),
  report: ImportReport.optional(),
});
export type ImportInfo = z.infer<typeof ImportInfo>;

/** How far an import was carried out. `step`: how many steps are done; `after`: the last session that was adopted. */
export const CommitPlace = z.strictObject({ step: z.int().min(0), after: z.string().max(26), report: ImportReport });
export type CommitPlace = z.infer<typeof CommitPlace>;

export const CommitImport = z.strictObject({
  from: CommitPlace.optional().meta({ description: "`next` of the commit before" }),
});
export const CommittedImport = z.strictObject({
  next: CommitPlace.optional().meta({ description: "Send it as `from`; absent: the import is done" }),
  steps: z.int(),
  skipped: z.array(z.string()).meta({ description: "What this step left out, and why" }),
  report: ImportReport.optional(),
});
export type CommittedImport = z.infer<typeof CommittedImport>;
