// The ports over the real bindings, tested by the same kits as the doubles.
import { env } from "cloudflare:workers";
import { toKeyValue } from "../../stores/platform/kv.ts";
import { toBucket } from "../../stores/platform/r2.ts";
import { describeBucket } from "../conformance/bucket.ts";
import { describeKeyValue } from "../conformance/key-value.ts";

const { SKILLS, MEMORY } = env as unknown as { SKILLS: R2Bucket; MEMORY: KVNamespace };

describeBucket("R2", () => toBucket(SKILLS));
describeKeyValue("KV", () => toKeyValue(MEMORY));
