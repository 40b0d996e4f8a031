// The bindings and variables of the curator Worker: skills, its own queue, and the secrets of models.
// test/review/bindings.test.ts compares them with wrangler.toml.
import type { ModelEnv } from "../../core/models/model-env.ts";
import type { CurationMessage } from "../../core/schemas/learning/curation.ts";

interface Bindings {
  SKILLS: R2Bucket;
  CURATION: Queue<CurationMessage>;
}

export type Env = Bindings & ModelEnv & { TALARIA_SETTINGS?: string };
