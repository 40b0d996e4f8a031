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
  async function reportCall(method: BucketCall["method"], key: string): Promise<void> {
    calls++;
    await watch({ n: calls, method, key });
  }
  return {
    async get(key) {
      await reportCall("get", key);
      return bucket.get(key);
    },
    async getUnless(key, unless) {
      await reportCall("getUnless", key);
      return bucket.getUnless(key, unless);
    },
    async put(key, body, options) {
      await reportCall("put", key);
      return bucket.put(key, body, options);
    },
    async list(options) {
      await reportCall("list", options.prefix);
      return bucket.list(options);
    },
    async delete(keys) {
      await reportCall("delete", [keys].flat()[0] ?? "");
      return bucket.delete(keys);
    },
  };
}
