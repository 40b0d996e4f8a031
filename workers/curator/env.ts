// What the curator Worker is bound to: skills and its own queue. A test compares it with wrangler.toml.
import type { CurationMessage } from "../../core/schemas/curation.ts";

export interface Env {
  SKILLS: R2Bucket;
  CURATION: Queue<CurationMessage>;
  TALARIA_SETTINGS?: string;
}
