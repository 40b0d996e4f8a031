// Wraps the stores of a background Worker with failpoints: before each call, and after each write. After a chosen failpoint nothing
// more is read or written, as in a power cut. Used by the chaos run's review and curator Workers, which are otherwise the product's.
import { markerOf } from "../../core/learning/review/transcript.ts";
import { ProfileId, ReviewId } from "../../core/schemas/ids.ts";
import { MEMORY_KEYS, OBJECT_KEYS, slotsOf } from "../../stores/keys.ts";

export interface StorePlan {
  /** The recording server. */
  url: string;
  /** By Worker: the failpoints at which it dies; the first one reached counts. */
  points: Record<string, string[]>;
  /** Reviews that a sweep sees as old. */
  old: string[];
}

interface Stores {
  SKILLS: R2Bucket;
  MEMORY?: KVNamespace;
}

const MONTH_MS = 31 * 24 * 60 * 60_000;
const reportedPoints = new Set<string>();
let dead: Promise<never> | null = null;

/** The environment of one invocation, with failpoints in its stores. */
export function withStorePoints<Env extends Stores>(env: Env, worker: string): Env {
  const plan = readPlan(env);
  const chosenPoints = new Set(plan.points[worker]);

  function post(path: string, body: object): Promise<void> {
    return report(plan.url, path, { worker, ...body });
  }

  async function pass(point: string): Promise<void> {
    if (dead) await dead;
    if (chosenPoints.has(point)) {
      // This call never returns, and neither does any later one.
      dead = new Promise(() => {});
      void post("/reached", { point }).catch(() => {});
      await dead;
    }
    if (reportedPoints.has(point)) return;
    reportedPoints.add(point);
    await post("/passed", { point });
  }

  async function reading<T>(what: string, work: () => Promise<T>): Promise<T> {
    await pass(`before ${what}`);
    return work();
  }
  async function writing<T>(what: string, work: () => Promise<T>): Promise<T> {
    await pass(`before ${what}`);
    const value = await work();
    await pass(`after ${what}`);
    return value;
  }

  const { SKILLS: skills, MEMORY: memory } = env;
  const bucket = {
    get: (key: string, options?: R2GetOptions) =>
      reading(`get ${findKeyKind(key)}`, () => skills.get(key, options as R2GetOptions)),
    async put(key: string, body: string | Uint8Array, options?: R2PutOptions) {
      const put = await writing(`put ${findKeyKind(key)}`, () => skills.put(key, body, options));
      const subject = put && findMarker(key);
      if (subject) await post("/step", { subject, body });
      return put;
    },
    async list(options: R2ListOptions) {
      const page = await reading(`list ${nameFolder(options.prefix ?? "")}`, () => skills.list(options));
      return { ...page, objects: page.objects.map((object) => (isOld(object.key) ? backdate(object) : object)) };
    },
    delete: (keys: string | string[]) =>
      writing(`delete ${findKeyKind([keys].flat()[0] ?? "")}`, () => skills.delete(keys)),
  };
  const kv = memory && {
    get: (key: string) => reading(`kv get ${findKeyKind(key)}`, () => memory.get(key)),
    put: (key: string, value: string, options?: KVNamespacePutOptions) =>
      writing(`kv put ${findKeyKind(key)}`, () => memory.put(key, value, options)),
    delete: (key: string) => writing(`kv delete ${findKeyKind(key)}`, () => memory.delete(key)),
    list: (options: KVNamespaceListOptions) => reading("kv list", () => memory.list(options)),
  };
  return { ...env, SKILLS: bucket as unknown as R2Bucket, ...(kv && { MEMORY: kv as unknown as KVNamespace }) };

  function isOld(key: string): boolean {
    return plan.old.some((review) => key.includes(`/reviews/${review}/`));
  }
}

/** Throws when the recording server is not reached: a run whose reports are lost would find nothing. */
export async function report(url: string, path: string, body: object): Promise<void> {
  const answer = await fetch(`${url}${path}`, { method: "POST", body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`The recording server's ${path} answered ${answer.status}.`);
}

/**
 * Delivers each message twice in parallel, as an at-least-once queue may do. The queue gets the result of the first delivery.
 */
export async function deliverTwice<Body>(
  batch: MessageBatch<Body>,
  deliver: (batch: MessageBatch<Body>) => Promise<void>,
): Promise<void> {
  const { queue, metadata, messages } = batch;
  const deaf = messages.map(({ id, timestamp, body, attempts }) => ({
    ...{ id, timestamp, body, attempts },
    ack() {},
    retry() {},
  }));
  const second = { queue, metadata, messages: deaf, ackAll() {}, retryAll() {} };
  await Promise.all([deliver(batch), deliver(second)]);
}

function readPlan(env: object): StorePlan {
  return JSON.parse((env as { TALARIA_CHAOS: string }).TALARIA_CHAOS) as StorePlan;
}

function backdate(object: R2Object): R2Object {
  const { key, etag, customMetadata } = object;
  const uploaded = new Date(object.uploaded.getTime() - MONTH_MS);
  return { key, etag, customMetadata, uploaded } as R2Object;
}

const KINDS = Object.keys({ ...OBJECT_KEYS, ...MEMORY_KEYS }) as Parameters<typeof slotsOf>[0][];

function findKeyKind(key: string): string {
  const kind = KINDS.find((candidate) => slotsOf(candidate, key) !== null);
  if (!kind) throw new Error(`no pattern for the key ${key}`);
  return kind;
}

/** Matches `reviews`, or `reviews/…` for a part of it. */
function nameFolder(prefix: string): string {
  const [folder = "", ...rest] = prefix.replace(/^p\/[^/]+\//, "").split("/");
  return rest.join("") === "" ? folder : `${folder}/…`;
}

/** Identifies the work in a step's request: the marker of a review's transcript, or the profile of a merge; `null` for other steps. */
function findMarker(key: string): string | null {
  const step = slotsOf("reviewStep", key);
  if (step) return markerOf({ profile: ProfileId.parse(step.profile), review: ReviewId.parse(step.review) });
  const work = slotsOf("curationStep", key);
  return work?.work === "consolidate" ? work.profile : null;
}
