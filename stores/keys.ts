// Every key of the stores as a pattern that the functions below fill, so that no other key can be written. Used by stores/*; a
// test compares docs/STORAGE.md with it. Pure.
import { assert } from "../core/errors.ts";
import { WorkId } from "../core/schemas/learning/curation.ts";
import { sha256Hex } from "../core/schemas/learning/digest.ts";
import { CurationId, Day, ProfileId, ReviewId, SessionId, Sha256, SkillName, TurnId } from "../core/schemas/ids.ts";
import { PingId } from "../core/schemas/doctor.ts";
import { MemoryStoreName } from "../core/schemas/memory.ts";
import { PendingId } from "../core/schemas/approvals/pending.ts";
import { Judge } from "../core/schemas/skill.ts";

/** R2 `SKILLS`. */
export const OBJECT_KEYS = {
  head: "p/<profile>/heads/<name>",
  blob: "p/<profile>/blobs/<sha256>",
  revision: "p/<profile>/revisions/<name>/<rev>",
  purge: "p/<profile>/purge",
  index: "p/<profile>/index",
  publicArchive: "p/<profile>/public/<name>/<text>",
  evidence: "p/<profile>/evidence/<name>/<text>/<turn>.<judge>",
  evidenceAgain: "p/<profile>/evidence/<name>/<text>/<turn>.<judge>.<nth>",
  stats: "p/<profile>/stats/<name>",
  active: "p/<profile>/active/<day>",
  reviewJob: "p/<profile>/reviews/<review>/job",
  reviewStep: "p/<profile>/reviews/<review>/<step>",
  reviewFailure: "p/<profile>/reviews/<review>/failed-<n>",
  reviewResult: "p/<profile>/reviews/<review>/result",
  reviewDead: "p/<profile>/reviews/<review>/dead",
  reviewed: "p/<profile>/reviewed/<session>",
  busy: "p/<profile>/busy/<session>",
  pending: "p/<profile>/pending/<id>",
  curationPlan: "p/<profile>/curation/<run>/plan",
  curationRun: "p/<profile>/curation/<run>/run.json",
  curationReport: "p/<profile>/curation/<run>/REPORT.md",
  curationLease: "p/<profile>/curation/lease",
  curationStep: "p/<profile>/curation/<run>/work/<work>/<step>",
  curationMerge: "p/<profile>/curation/<run>/work/<work>/merge-<n>",
  curationWork: "p/<profile>/curation/<run>/work/<work>/result",
  curationCheck: "p/<profile>/checking/<name>",
  curatorNotes: "p/<profile>/curator",
  policy: "p/<profile>/policy.json",
  curationAllowance: "p/<profile>/curation/allowance",
  curationSpent: "p/<profile>/spent/<run>/<work>",
  deletedSession: "p/<profile>/deleted/sessions/<session>",
  deletedSkill: "p/<profile>/deleted/skills/<name>",
  gone: "p/<profile>/GONE",
  emailMark: "p/<profile>/email/<hash>",
  hubListing: "p/<profile>/hub/listing/<sha256>",
  importState: "p/<profile>/import/state",
  importPart: "p/<profile>/import/parts/<sha256>",
  hubLock: "p/<profile>/hub.lock",
  hubQuarantine: "p/<profile>/hub/quarantine/<hash>",
  due: "due/<day>/<shard>/<profile>",
  sweep: "sweep/<day>/<shard>/<profile>",
  cron: "cron",
  doctorLease: "doctor/lease",
  doctorMark: "doctor/<ping>",
  emailAddress: "email/<hash>",
} as const;

/** KV `MEMORY`. */
export const MEMORY_KEYS = {
  memoryAdd: "p/<profile>/<store>/<hash>/+<op>",
  memoryRemove: "p/<profile>/<store>/<hash>/-<op>",
  memoryPurge: "p/<profile>/<store>/<hash>/purged",
  doctorProbe: "doctor-probe/<ping>",
} as const;

const PATTERNS = { ...OBJECT_KEYS, ...MEMORY_KEYS };
type KeyKind = keyof typeof PATTERNS;
type SlotsOf<Pattern> = Pattern extends `${string}<${infer Slot}>${infer Rest}` ? Slot | SlotsOf<Rest> : never;
type Slots<K extends KeyKind> = {
  [Slot in SlotsOf<(typeof PATTERNS)[K]>]: Slot extends NumberedSlot ? number : string;
};
type NumberedSlot = "rev" | "step" | "n" | "nth";
type SlotValues = Record<string, string | number | undefined>;

/** The whole key. Throws on a slot of the wrong form, which is a bug: these keys keep tenants apart. */
export function keyOf<K extends KeyKind>(kind: K, slots: Slots<K>): string {
  const { filled, missing } = fillPattern(kind, slots as SlotValues);
  assert(missing === null, `the key ${PATTERNS[kind]} needs its ${missing}`);
  return filled;
}

/** The key up to the first missing slot, for listings. */
export function prefixOf<K extends KeyKind>(kind: K, slots: Partial<Slots<K>>): string {
  return fillPattern(kind, slots as SlotValues).filled;
}

/** The slots of a key as given to `keyOf`, except for a hashed op; null when the key is of another kind. */
export function slotsOf<K extends KeyKind>(kind: K, key: string): Record<SlotsOf<(typeof PATTERNS)[K]>, string> | null {
  const { form, names } = compilePattern(kind);
  const match = form.exec(key);
  if (!match) return null;
  const slots = Object.fromEntries(names.map((name, at) => [name, match[at + 1]!]));
  if (slots.op !== undefined) slots.op = decodeURIComponent(slots.op);
  return slots as Record<SlotsOf<(typeof PATTERNS)[K]>, string>;
}

interface KeyPattern {
  form: RegExp;
  names: string[];
  /** Slots and the text between them. */
  pieces: string[];
}

/** Cached: a listing parses each of its keys. */
const compiledPatterns = new Map<KeyKind, KeyPattern>();

function compilePattern(kind: KeyKind): KeyPattern {
  const known = compiledPatterns.get(kind);
  if (known) return known;
  const names: string[] = [];
  const source = PATTERNS[kind].replace(/[.+]|<(\w+)>/g, (found, name?: string) => {
    if (!name) return `\\${found}`;
    names.push(name);
    if (name === "step") return "(\\d{4,})";
    return name === "turn" || name === "judge" ? "([^/.]+)" : "([^/]+)";
  });
  const made = { form: new RegExp(`^${source}$`), names, pieces: PATTERNS[kind].split(/(<\w+>)/) };
  compiledPatterns.set(kind, made);
  return made;
}

function fillPattern(kind: KeyKind, slots: SlotValues): { filled: string; missing: string | null } {
  let filled = "";
  for (const piece of compilePattern(kind).pieces) {
    if (!piece.startsWith("<")) {
      filled += piece;
      continue;
    }
    const name = piece.slice(1, -1) as keyof typeof SLOTS;
    const value = slots[name];
    if (value === undefined) return { filled, missing: name };
    filled += SLOTS[name](String(value));
  }
  return { filled, missing: null };
}

/** How each slot is written. Numbers are zero-padded, so that listings are in numeric order. */
const SLOTS = {
  profile: checked(ProfileId),
  name: checked(SkillName),
  sha256: checked(Sha256),
  text: checked(Sha256),
  hash: checked(Sha256),
  turn: checked(TurnId),
  judge: checked(Judge),
  ping: checked(PingId),
  nth: matching(/^[1-9]\d*$/),
  day: checked(Day),
  review: checked(ReviewId),
  session: checked(SessionId),
  run: checked(CurationId),
  work: checked(WorkId),
  store: checked(MemoryStoreName),
  shard: matching(/^[0-9a-f]{2}$/),
  id: checked(PendingId),
  rev: padded(8),
  step: padded(4),
  n: padded(4),
  op: encodeOp,
};

function checked(schema: { safeParse(value: unknown): { success: boolean } }): (value: string) => string {
  return (value) => {
    assert(schema.safeParse(value).success, `${JSON.stringify(value)} cannot be part of a key`);
    return value;
  };
}

function matching(form: RegExp): (value: string) => string {
  return (value) => {
    assert(form.test(value), `${JSON.stringify(value)} cannot be part of a key`);
    return value;
  };
}

function padded(width: number): (value: string) => string {
  return (value) => {
    assert(/^\d+$/.test(value), `${value} is not a number for a key`);
    return value.padStart(width, "0");
  };
}

/**
 * An op may contain the call id of any provider. Characters that are unsafe in a key are escaped. An op too long for the 512
 * bytes of a KV key is replaced by its hash. `~` is never escaped, so decoding and encoding again gives the same key.
 */
export function encodeOp(op: string): string {
  assert(op.length > 0, "an op is empty");
  const encoded = encodeURIComponent(op.toWellFormed());
  return encoded.length <= 256 ? encoded : `~${sha256Hex(op)}`;
}
