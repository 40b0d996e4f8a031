// The KeyValue port over a KV binding. Adds no behaviour.
import type { KeyValue } from "../../core/ports.ts";

export function toKeyValue(kv: KVNamespace): KeyValue {
  return {
    get: (key) => kv.get(key),
    getMany: (keys) => kv.get(keys, "text"),
    put: (key, value, options) => kv.put(key, value, options),
    delete: (key) => kv.delete(key),
    async list(options) {
      const page = await kv.list(options);
      return page.list_complete
        ? { keys: page.keys, list_complete: true }
        : { keys: page.keys, list_complete: false, cursor: page.cursor };
    },
  };
}
