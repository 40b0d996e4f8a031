// The bindings and variables of the review Worker: skills, memory, and the secrets of models. Add nothing else: these bindings
// are the boundary of learning, and test/review/bindings.test.ts compares them with wrangler.toml.
import type { ModelEnv } from "../../core/models/model-env.ts";

export interface Bindings {
  SKILLS: R2Bucket;
  MEMORY: KVNamespace;
}

export type Variables = ModelEnv & { TALARIA_SETTINGS?: string };

export type Env = Bindings & Variables;
