// The KeyValue port in memory, with KV's real behaviour: stale reads, metadata of at most 1,024 bytes, short pages, and responses
// lost after the write. Passes test/conformance/key-value.ts.
import type { Clock, KeyValue } from "../../../core/ports.ts";
import { byteLength } from "../../../core/schemas/learning/digest.ts";
import { createSeededRandom } from "../seeded-random.ts";

/** Every fault can be switched while the store is in use. */
export interface KvFaults {
  /** Reads return the state of this long ago, including absence. */
  staleMs?: number;
  /** Each read, and each page of a list, is stale by a random time up to this. So a later read may show an older state. */
  staleUpToMs?: number;
  /** 429 for a second write of a key within a second. */
  isRateLimited?: boolean;
  /** Maximum page size. */
  pageSize?: number;
  /** One in this many puts writes and then throws. */
  loseAnswerOneIn?: number;
  seed?: number;
}

export interface MemoryKv extends KeyValue {
  faults: KvFaults;
  /** Every put so far, in order. */
  puts: { key: string; value: string }[];
  /** Called after each put and each delete. */
  onChange?: (() => void) | undefined;
  /** A store with the same contents and history, without faults. Later writes to one do not show in the other. */
  copy(clock: Pick<Clock, "now">): MemoryKv;
}

interface Version {
  at: number;
  value: string | null;
  metadata?: unknown;
}

export function createMemoryKv(options: {
  clock: Pick<Clock, "now">;
  faults?: KvFaults;
  contents?: Iterable<[string, Version[]]>;
}): MemoryKv {
  const { clock, faults = {}, contents = [] } = options;
  const random = createSeededRandom(faults.seed ?? 1);
  const history = new Map(Array.from(contents, ([key, versions]) => [key, [...versions]]));
  const puts: MemoryKv["puts"] = [];

  let sortedKeys: string[] | null = null;

  function write(key: string, version: Omit<Version, "at">): void {
    const versions = history.get(key) ?? [];
    if (versions.length === 0) sortedKeys = null;
    versions.push({ at: clock.now(), ...version });
    history.set(key, versions);
    kv.onChange?.();
  }

  /** The time whose state a read returns. */
  function moment(): number {
    const { staleMs = 0, staleUpToMs = 0 } = faults;
    return clock.now() - staleMs - (staleUpToMs > 0 ? Math.floor(random() * staleUpToMs) : 0);
  }

  function read(key: string, asOf: number): Version | undefined {
    return history.get(key)?.findLast((version) => version.at <= asOf);
  }

  const kv: MemoryKv = {
    faults,
    puts,
    copy: (of) => createMemoryKv({ clock: of, contents: history }),
    async get(key) {
      await Promise.resolve();
      return read(key, moment())?.value ?? null;
    },
    async getMany(keys) {
      await Promise.resolve();
      if (keys.length > 100) throw new Error("KV GET_BULK failed: 400 You can request a maximum of 100 keys");
      return new Map(keys.map((key) => [key, read(key, moment())?.value ?? null]));
    },
    async put(key, value, { metadata } = {}) {
      await Promise.resolve();
      const last = history.get(key)?.at(-1)?.at;
      if (faults.isRateLimited && last !== undefined && clock.now() - last < 1_000) {
        throw new Error("KV PUT failed: 429 Too Many Requests");
      }
      if (byteLength(key) > 512) throw new Error("KV PUT failed: 414 UTF-8 encoded length exceeds key limit of 512.");
      if (metadata !== undefined && byteLength(JSON.stringify(metadata)) > 1_024) {
        throw new Error("KV PUT failed: 413 Metadata length exceeds limit of 1024.");
      }
      write(key, { value, metadata: structuredClone(metadata) });
      puts.push({ key, value });
      if (faults.loseAnswerOneIn && random() < 1 / faults.loseAnswerOneIn) throw new Error("Network connection lost.");
    },
    async delete(key) {
      await Promise.resolve();
      write(key, { value: null });
    },
    async list({ prefix, cursor }) {
      await Promise.resolve();
      const asOf = moment();
      const isThere = (key: string) => (read(key, asOf)?.value ?? null) !== null;
      sortedKeys ??= [...history.keys()].sort();
      const rest = sortedKeys.filter(
        (key) => key.startsWith(prefix) && (cursor === undefined || key > cursor) && isThere(key),
      );
      const page = rest.slice(0, faults.pageSize ?? 1_000);
      const keys = page.map((name) => ({ name, metadata: structuredClone(read(name, asOf)?.metadata) }));
      return rest.length > page.length
        ? { keys, list_complete: false, cursor: page.at(-1) }
        : { keys, list_complete: true };
    },
  };
  return kv;
}
