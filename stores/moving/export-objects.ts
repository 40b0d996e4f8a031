// The objects of a profile in R2 on their way out, page by page, in the reverse of the order in which writers make them: the index, then
// each head with the revisions before it, then all others, contents among them. So whatever a line names is in a later line, also when a
// skill is written meanwhile: the archive has the skill as it was when its head was read. Called by workers/api.
import { MAX_CONNECTIONS, mapLimit } from "../../core/map-limit.ts";
import { OBJECT_FATES } from "../../core/moving/stored.ts";
import type { Bucket, StoredBody, StoredObject } from "../../core/ports.ts";
import { toBase64 } from "../../core/schemas/base64.ts";
import { toFileBody } from "../../core/schemas/file-body.ts";
import type { ProfileId } from "../../core/schemas/ids.ts";
import type { ObjectLine, ObjectPlace } from "../../core/schemas/moving/lines.ts";
import { OBJECT_KEYS, keyOf, prefixOf, slotsOf } from "../keys.ts";

/** Objects of one page: each costs one to three requests. */
const OBJECTS_A_PAGE = 200;
/** Objects that are listed and read together. [own] The largest, a review's job, has about 1 MB. */
const READ_TOGETHER = 12;

type ObjectKind = keyof typeof OBJECT_KEYS;
const EARLIER: ObjectKind[] = ["index", "head", "revision"];
/** Kinds of the step `others`. */
const OTHERS = (Object.keys(OBJECT_KEYS) as ObjectKind[]).filter(
  (kind) => OBJECT_FATES[OBJECT_KEYS[kind]] === "exported" && !EARLIER.includes(kind),
);

interface Scope {
  bucket: Bucket;
  profile: ProfileId;
}

/** A page may be empty. `next`: `null` at the end. */
export async function exportObjects(
  scope: Scope,
  place: ObjectPlace,
  maxChars: number,
): Promise<{ lines: string[]; next: ObjectPlace | null }> {
  const lines: string[] = [];
  let chars = 0;
  let next: ObjectPlace | null = place;
  while (next && chars < maxChars && lines.length < OBJECTS_A_PAGE) {
    const read = await readStep(scope, next);
    for (const line of read.lines) {
      const text = JSON.stringify(line);
      chars += text.length;
      lines.push(text);
    }
    next = read.next;
  }
  return { lines, next };
}

interface Step {
  lines: ObjectLine[];
  next: ObjectPlace | null;
}

function readStep(scope: Scope, place: ObjectPlace): Promise<Step> {
  switch (place.step) {
    case "index":
      return readIndex(scope);
    case "heads":
      return readHead(scope, place.after);
    case "revisions":
      return readRevisions(scope, place);
    case "others":
      return readOthers(scope, place.after);
  }
}

async function readIndex({ bucket, profile }: Scope): Promise<Step> {
  const index = await bucket.get(keyOf("index", { profile }));
  return { lines: index ? [await toLine(profile, index)] : [], next: { step: "heads", after: "" } };
}

async function readHead({ bucket, profile }: Scope, after: string): Promise<Step> {
  const { objects } = await listSome(bucket, prefixOf("head", { profile }), after, 1);
  const [listed] = objects;
  if (!listed) return { lines: [], next: { step: "others", after: "" } };
  const head = await bucket.get(listed.key);
  const line = head && (await toLine(profile, head, listed));
  const rev = line ? readRev(line) : 0;
  const next: ObjectPlace =
    rev > 1 ? { step: "revisions", head: listed.key, rev, after: "" } : { step: "heads", after: listed.key };
  return { lines: line ? [line] : [], next };
}

/** Revisions before the head's: one that was made since its head was read belongs to a later state. */
async function readRevisions(
  { bucket, profile }: Scope,
  place: Extract<ObjectPlace, { step: "revisions" }>,
): Promise<Step> {
  const name = slotsOf("head", place.head)?.name;
  if (name === undefined) return { lines: [], next: { step: "heads", after: place.head } };
  const end = keyOf("revision", { profile, name, rev: place.rev });
  const listed = await listSome(bucket, prefixOf("revision", { profile, name }), place.after, READ_TOGETHER);
  const earlier = listed.objects.filter(({ key }) => key < end);
  const isLast = earlier.length < listed.objects.length || !listed.truncated;
  const lines = await readLines({ bucket, profile }, earlier);
  return { lines, next: isLast ? { step: "heads", after: place.head } : { ...place, after: earlier.at(-1)!.key } };
}

async function readOthers({ bucket, profile }: Scope, after: string): Promise<Step> {
  const listed = await listSome(bucket, rootOf(profile), after, READ_TOGETHER);
  const wanted = listed.objects.filter(({ key }) => OTHERS.some((kind) => slotsOf(kind, key) !== null));
  const lines = await readLines({ bucket, profile }, wanted);
  return { lines, next: listed.truncated ? { step: "others", after: listed.objects.at(-1)!.key } : null };
}

/** At least one object, unless none is left. A page of R2 may be short, or empty, while there is more. */
async function listSome(bucket: Bucket, prefix: string, after: string, limit: number) {
  const options = { prefix, limit, metadata: true };
  let page = await bucket.list({ ...options, ...(after !== "" && { startAfter: after }) });
  while (page.objects.length === 0 && page.truncated) {
    page = await bucket.list({ ...options, ...(page.cursor !== undefined && { cursor: page.cursor }) });
  }
  return page;
}

/** Without those that were deleted since they were listed. */
async function readLines({ bucket, profile }: Scope, listed: StoredObject[]): Promise<ObjectLine[]> {
  const lines = await mapLimit(listed, MAX_CONNECTIONS, async (object) => {
    const body = await bucket.get(object.key);
    return body && toLine(profile, body, object);
  });
  return lines.filter((line) => line !== null);
}

async function toLine(profile: ProfileId, object: StoredBody, listed?: StoredObject): Promise<ObjectLine> {
  const text = toFileBody(new Uint8Array(await object.arrayBuffer()));
  const meta = object.customMetadata ?? listed?.customMetadata ?? {};
  return {
    in: "object",
    key: object.key.slice(rootOf(profile).length),
    body: typeof text === "string" ? text : { base64: toBase64(text) },
    ...(Object.keys(meta).length > 0 && { meta }),
  };
}

function rootOf(profile: ProfileId): string {
  return keyOf("gone", { profile }).slice(0, -"GONE".length);
}

/** A head that cannot be read has no revisions to look for; it travels as it is. */
function readRev({ body }: ObjectLine): number {
  try {
    return Number((JSON.parse(String(body)) as { rev?: unknown }).rev) || 0;
  } catch {
    return 0;
  }
}
