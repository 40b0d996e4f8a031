// A bucket that reports each call before it runs, so that a test can count reads or interleave another action.
import type { Bucket } from "../../../core/ports.ts";

export interface BucketCall {
  /** From 1. */
  n: number;
  method: "get" | "getUnless" | "put" | "list" | "delete";
  /** The key, the prefix of a list, or the first of several keys. */
  key: string;
}

export function createWatchedBucket(bucket: Bucket, watch: (call: BucketCall) => Promise<void> | void): Bucket {
  let calls = 0;
  async function tell(method: BucketCall["method"], key: string): Promise<void> {
    calls++;
    await watch({ n: calls, method, key });
  }
  return {
    async get(key) {
      await tell("get", key);
      return bucket.get(key);
    },
    async getUnless(key, unless) {
      await tell("getUnless", key);
      return bucket.getUnless(key, unless);
    },
    async put(key, body, options) {
      await tell("put", key);
      return bucket.put(key, body, options);
    },
    async list(options) {
      await tell("list", options.prefix);
      return bucket.list(options);
    },
    async delete(keys) {
      await tell("delete", [keys].flat()[0] ?? "");
      return bucket.delete(keys);
    },
  };
}
