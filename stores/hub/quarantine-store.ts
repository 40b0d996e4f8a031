// Packages that were fetched and shown, so that an install stores exactly what was shown. One object each in R2, for a day. Opened by the API,
// and by the curator to sweep them. What it holds is untrusted.
import { DeletedError } from "../../core/errors.ts";
import type { Bucket, Clock, HubQuarantine } from "../../core/ports.ts";
import { type HubRef, Quarantined } from "../../core/schemas/hub/lock.ts";
import { DAY_MS, type ProfileId, type Sha256 } from "../../core/schemas/ids.ts";
import { sha256Hex } from "../../core/schemas/learning/digest.ts";
import { keyOf, prefixOf } from "../keys.ts";
import { deleteAll, listObjects, readRecord } from "../objects.ts";

/** [own] More at a time are not looked at by a person; each may have ten megabytes. The oldest are deleted. */
const MAX_KEPT = 50;

export interface QuarantineOptions {
  bucket: Bucket;
  profile: ProfileId;
  clock: Clock;
}

export function createHubQuarantine({ bucket, profile, clock }: QuarantineOptions): HubQuarantine {
  async function listKept(): Promise<{ key: string; at: number }[]> {
    const kept: { key: string; at: number }[] = [];
    for await (const { key, uploaded, customMetadata } of listObjects(bucket, prefixOf("hubQuarantine", { profile }), {
      metadata: true,
    })) {
      kept.push({ key, at: Number(customMetadata?.at ?? uploaded.getTime()) });
    }
    return kept;
  }

  async function sweep(before: number, most = Infinity): Promise<number> {
    const kept = (await listKept()).sort((a, b) => b.at - a.at);
    const old = kept.filter(({ at }, n) => at < before || n >= most).map(({ key }) => key);
    if (old.length > 0) await deleteAll(bucket, old);
    return kept.length - old.length;
  }

  const keyFor = (ref: Pick<HubRef, "source" | "identifier">, hash: Sha256) =>
    keyOf("hubQuarantine", { profile, hash: sha256Hex([ref.source, ref.identifier, hash].join("\n")) });

  return {
    async put(asked, hash, fetched) {
      const at = clock.now();
      await sweep(at - DAY_MS, MAX_KEPT - 1);
      const record = Quarantined.parse({ v: 1, ...fetched, at });
      const key = keyFor(asked, hash);
      try {
        // Put again with the same files: only the time and the version's name may differ.
        await bucket.put(key, JSON.stringify(record), { customMetadata: { at: String(at) } });
      } catch (error) {
        // Two requests for one package within a second: what the other one has put will do.
        const other = error instanceof DeletedError ? null : await readRecord(bucket, Quarantined, key);
        if (!other) throw error;
        return { keptUntil: other.value.at + DAY_MS };
      }
      return { keptUntil: at + DAY_MS };
    },
    async get(asked, hash) {
      const found = (await readRecord(bucket, Quarantined, keyFor(asked, hash)))?.value ?? null;
      return found && found.at + DAY_MS > clock.now() ? found : null;
    },
    sweep: (before) => sweep(before),
  };
}
