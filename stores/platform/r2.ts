// The Bucket port over an R2 binding. Adds no behaviour.
import type { Bucket } from "../../core/ports.ts";

export function toBucket(r2: R2Bucket): Bucket {
  return {
    get: (key) => r2.get(key),
    getUnless: (key, unless) => r2.get(key, { onlyIf: { etagDoesNotMatch: unless } }),
    put(key, body, { ifMatch, ifAbsent, customMetadata } = {}) {
      const ifUnchanged = ifMatch ? { etagMatches: ifMatch } : undefined;
      return r2.put(key, body, { onlyIf: ifAbsent ? { etagDoesNotMatch: "*" } : ifUnchanged, customMetadata });
    },
    async list({ metadata, ...options }) {
      const page = await r2.list({ ...options, include: metadata ? ["customMetadata"] : [] });
      const { objects, truncated, delimitedPrefixes } = page;
      return { objects, truncated, delimitedPrefixes, cursor: page.truncated ? page.cursor : undefined };
    },
    delete: (keys) => r2.delete(keys),
  };
}
