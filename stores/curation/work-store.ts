// The record of one piece of a curation's model work over a bucket: the script of its steps, the merges it began and its
// outcome. Opened by the curation store for the curator Worker. Create-only.
import type { Bucket, WorkStore } from "../../core/ports.ts";
import { CurationMerge, CurationWork, type WorkId } from "../../core/schemas/learning/curation.ts";
import type { CurationId, ProfileId } from "../../core/schemas/ids.ts";
import { ReviewStep } from "../../core/schemas/learning/review.ts";
import { keyOf, prefixOf, slotsOf } from "../keys.ts";
import { createOnce, mapObjects, listObjects, parseRecord, readRecord } from "../objects.ts";

export interface WorkStoreOptions {
  bucket: Bucket;
  profile: ProfileId;
  run: CurationId;
  work: WorkId;
}

export function createWorkStore({ bucket, ...slots }: WorkStoreOptions): WorkStore {
  function readAll(keys: string[]): Promise<(string | null)[]> {
    return mapObjects(
      keys,
      (key) => bucket.get(key),
      (object) => object.text(),
    );
  }

  async function script() {
    const keys: string[] = [];
    let newestAt = 0;
    for await (const { key, uploaded } of listObjects(bucket, prefixOf("curationStep", slots))) {
      const step = slotsOf("curationStep", key)?.step;
      if (step === undefined) continue;
      if (Number(step) !== keys.length) throw new Error(`The step before ${key} is missing.`);
      keys.push(key);
      newestAt = Math.max(newestAt, uploaded.getTime());
    }
    const bodies = await readAll(keys);
    return { steps: keys.map((key, at) => parseRecord(ReviewStep, key, bodies[at] ?? "")), newestAt };
  }

  async function merges(): Promise<CurationMerge[]> {
    const keys: string[] = [];
    for await (const { key } of listObjects(bucket, prefixOf("curationMerge", slots))) keys.push(key);
    const bodies = await readAll(keys);
    return keys.map((key, at) => parseRecord(CurationMerge, key, bodies[at] ?? ""));
  }

  return {
    script,
    async createStep(n, step) {
      const key = keyOf("curationStep", { ...slots, step: n });
      const { sessions = [] } = step.kind === "start" ? step : {};
      // The metadata lists the sessions that the work has read, for their deletion.
      const metadata = sessions.length > 0 ? { sessions: sessions.join(" ") } : undefined;
      const stored = await createOnce(bucket, key, JSON.stringify(ReviewStep.parse(step)), metadata);
      return { step: parseRecord(ReviewStep, key, stored.body), won: stored.won };
    },
    async putMerge(merge) {
      const key = keyOf("curationMerge", { ...slots, n: merge.n });
      const stored = await createOnce(bucket, key, JSON.stringify(CurationMerge.parse(merge)));
      return parseRecord(CurationMerge, key, stored.body);
    },
    merges,
    async finish(result) {
      const key = keyOf("curationWork", slots);
      const stored = await createOnce(bucket, key, JSON.stringify(CurationWork.parse(result)));
      return parseRecord(CurationWork, key, stored.body);
    },
    outcome: async () => (await readRecord(bucket, CurationWork, keyOf("curationWork", slots)))?.value ?? null,
  };
}
