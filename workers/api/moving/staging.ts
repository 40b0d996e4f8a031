// An import that is under way: its state and its uploaded parts, in R2 below `p/<profile>/import/`. Nothing of the profile is written
// before all parts are there and checked. Called by import.ts and commit.ts.
import { type Result, err, ok } from "../../../core/errors.ts";
import type { Bucket } from "../../../core/ports.ts";
import { sha256Hex } from "../../../core/schemas/learning/digest.ts";
import type { ProfileId } from "../../../core/schemas/ids.ts";
import { type ImportInfo, Manifest, type SealedManifest, StoredImport } from "../../../core/schemas/moving/manifest.ts";
import { isObject } from "../../../core/unknown-object.ts";
import { keyOf, prefixOf, slotsOf } from "../../../stores/keys.ts";
import { deleteAll, listObjects, readRecord } from "../../../stores/objects.ts";
import { toBucket } from "../../../stores/platform/r2.ts";
import { toKeyValue } from "../../../stores/platform/kv.ts";
import { isSignedBy } from "../../../wiring/deployment.ts";
import { type Env, parseEnvSettings } from "../env.ts";
import { openSigner } from "./export.ts";
import { openDesk } from "./open-desk.ts";

export interface Import {
  stored: StoredImport;
  manifest: Manifest;
  etag: string;
}

/**
 * Checks who signed the manifest, before anything is stored. Failures: `archive_invalid`, `archive_version`, `archive_forged`: the
 * deployment that it names has not signed it.
 */
export async function openManifest(
  env: Env,
  sealed: SealedManifest,
): Promise<Result<{ manifest: Manifest; trusted: boolean }>> {
  const { deployment, signature } = sealed;
  if (!(await isSignedBy(deployment, sealed.manifest, signature))) {
    return err(
      "archive_forged",
      "The deployment that the archive names has not signed its manifest. Export the profile again.",
    );
  }
  const raw = parse(sealed.manifest);
  if (isObject(raw) && typeof raw.v === "number" && raw.v !== 1) {
    return err(
      "archive_version",
      `The archive has the form ${raw.v}, and this version reads form 1. Use the version that wrote it.`,
    );
  }
  const parsed = Manifest.safeParse(raw);
  if (!parsed.success || parsed.data.deployment !== deployment) {
    return err("archive_invalid", "The manifest of the archive does not parse. Export the profile again.");
  }
  const own = await openSigner(env);
  const trusted = [own.id, ...parseEnvSettings(env).moving.trustedDeployments].includes(deployment);
  return ok({ manifest: parsed.data, trusted });
}

/** `null`: no import was begun. */
export async function readImport(env: Env, profile: ProfileId): Promise<Import | null> {
  const found = await readRecord(toBucket(env.SKILLS), StoredImport, keyOf("importState", { profile }));
  if (!found) return null;
  return { stored: found.value, manifest: Manifest.parse(JSON.parse(found.value.manifest)), etag: found.etag };
}

/**
 * Begins the import, or continues the same one. One that has written nothing yet is replaced, if it is of another archive, or if the
 * operator trusts other deployments by now. Failures: `import_running`, `profile_not_empty`.
 */
export async function beginImport(
  env: Env,
  profile: ProfileId,
  { text, trusted }: { text: string; trusted: boolean },
): Promise<Result<null>> {
  const id = sha256Hex(text);
  const known = await readImport(env, profile);
  const isSame = known?.stored.import === id;
  if (isSame && (known.stored.phase !== "staged" || known.stored.trusted === trusted)) return ok(null);
  if (known?.stored.phase === "writing") {
    return err(
      "import_running",
      "Another archive is being imported into this profile. Finish it first, or delete the profile.",
    );
  }
  const empty = await assertEmpty(env, profile);
  if (!empty.ok) return empty;
  if (known && !isSame) await discardImport(env, profile);
  const stored: StoredImport = { v: 1, import: id, manifest: text, trusted, phase: "staged", startedAt: Date.now() };
  await toBucket(env.SKILLS).put(keyOf("importState", { profile }), JSON.stringify(stored));
  return ok(null);
}

/** An import does not mix with what a profile holds. Failure: `profile_not_empty`. */
export async function assertEmpty(env: Env, profile: ProfileId): Promise<Result<null>> {
  const account = await openDesk(env, profile).isEmpty();
  if (!account.ok) return account;
  const bucket = toBucket(env.SKILLS);
  const root = keyOf("gone", { profile }).slice(0, -"GONE".length);
  const staging = keyOf("importState", { profile }).slice(0, -"state".length);
  const edges = [{}, { startAfter: `${staging}~` }];
  const listed = await Promise.all(edges.map((edge) => bucket.list({ prefix: root, limit: 1, ...edge })));
  const hasObjects = listed.some(({ objects }) => objects.some(({ key }) => !key.startsWith(staging)));
  const facts = await toKeyValue(env.MEMORY).list({ prefix: root });
  if (account.value && !hasObjects && facts.keys.length === 0) return ok(null);
  return err(
    "profile_not_empty",
    "This profile has sessions, skills or facts already. Import into a new one (POST /v1/profiles).",
  );
}

export async function toImportInfo(env: Env, profile: ProfileId, { stored, manifest }: Import): Promise<ImportInfo> {
  const { import: id, trusted, phase, report } = stored;
  const missing = phase === "staged" ? await listMissing(toBucket(env.SKILLS), profile, manifest) : [];
  return { import: id, trusted, phase, missing, ...(report && { report }) };
}

export async function listMissing(bucket: Bucket, profile: ProfileId, manifest: Manifest): Promise<string[]> {
  const there = new Set<string>();
  for await (const { key } of listObjects(bucket, prefixOf("importPart", { profile }))) {
    there.add(slotsOf("importPart", key)?.sha256 ?? "");
  }
  return [...new Set(manifest.parts.map(({ sha256 }) => sha256))].filter((sha256) => !there.has(sha256));
}

/** Deletes what was uploaded, and the state last, so that a crash leaves nothing without it. */
export async function discardImport(env: Env, profile: ProfileId): Promise<void> {
  const bucket = toBucket(env.SKILLS);
  await discardParts(bucket, profile);
  await bucket.delete(keyOf("importState", { profile }));
}

export async function discardParts(bucket: Bucket, profile: ProfileId): Promise<void> {
  const keys: string[] = [];
  for await (const { key } of listObjects(bucket, prefixOf("importPart", { profile }))) keys.push(key);
  await deleteAll(bucket, keys);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // refused by the schema
  }
}
