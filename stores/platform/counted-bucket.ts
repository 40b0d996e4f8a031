// A bucket that counts its calls, for work that must stay within the request limit of an invocation. Used by the curator Worker
// and the Account.
import type { Bucket } from "../../core/ports.ts";

export function countCalls(bucket: Bucket): { bucket: Bucket; calls(): number } {
  let calls = 0;
  function count<T>(call: Promise<T>): Promise<T> {
    calls += 1;
    return call;
  }
  return {
    calls: () => calls,
    bucket: {
      get: (key) => count(bucket.get(key)),
      getUnless: (key, unless) => count(bucket.getUnless(key, unless)),
      put: (key, body, options) => count(bucket.put(key, body, options)),
      list: (options) => count(bucket.list(options)),
      delete: (keys) => count(bucket.delete(keys)),
    },
  };
}
