// A bucket that simulates a killed process: from the n-th call on, every call throws. The n-th call itself may take effect, which
// is the harder case.
import type { Bucket } from "../../../core/ports.ts";

export interface CrashingBucket extends Bucket {
  hasCrashed(): boolean;
}

export function createCrashingBucket(bucket: Bucket, crash: { atCall: number; afterwards: boolean }): CrashingBucket {
  let calls = 0;
  async function guard<T>(call: () => Promise<T>): Promise<T> {
    calls++;
    if (calls === crash.atCall && crash.afterwards) await call();
    if (calls >= crash.atCall) throw new Error("The process was killed.");
    return call();
  }
  return {
    hasCrashed: () => calls >= crash.atCall,
    get: (key) => guard(() => bucket.get(key)),
    getUnless: (key, unless) => guard(() => bucket.getUnless(key, unless)),
    put: (key, body, options) => guard(() => bucket.put(key, body, options)),
    list: (options) => guard(() => bucket.list(options)),
    delete: (keys) => guard(() => bucket.delete(keys)),
  };
}
