// The stores over the real bindings, tested by the same kits as over the doubles.
import { env } from "cloudflare:workers";
import { toKeyValue } from "../../stores/platform/kv.ts";
import { toBucket } from "../../stores/platform/r2.ts";
import { describeCurationStore } from "../conformance/curation-store.ts";
import { describeEvidenceStore } from "../conformance/evidence-store.ts";
import { describeMemoryStore } from "../conformance/memory-store.ts";
import { describeReviewStore } from "../conformance/review-store.ts";
import { describeSkillHistory } from "../conformance/skill-history.ts";
import { describeSkillStore } from "../conformance/skill-store.ts";

const { SKILLS, MEMORY } = env as unknown as { SKILLS: R2Bucket; MEMORY: KVNamespace };

describeSkillStore("R2", () => toBucket(SKILLS));
describeSkillHistory("R2", () => toBucket(SKILLS));
describeEvidenceStore("R2", () => toBucket(SKILLS));
describeReviewStore("R2", () => toBucket(SKILLS));
describeCurationStore("R2", () => toBucket(SKILLS));
describeMemoryStore("KV", () => toKeyValue(MEMORY));
