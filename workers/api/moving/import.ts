// A whole profile in: the routes that take a manifest and its parts, check them, and carry the import out step by step. Each request may
// be repeated, so that an import goes on after a crash of either side.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { sha256Hex } from "../../../core/schemas/learning/digest.ts";
import { Sha256 } from "../../../core/schemas/ids.ts";
import { CommitImport, CommittedImport, ImportInfo, SealedManifest } from "../../../core/schemas/moving/manifest.ts";
import type { ProfileId } from "../../../core/schemas/ids.ts";
import { keyOf } from "../../../stores/keys.ts";
import { toBucket } from "../../../stores/platform/r2.ts";
import type { Env } from "../env.ts";
import { AppError, unwrap } from "../problems.ts";
import { PROBLEM_RESPONSE, createRouter, describeResponses, jsonBody, refuses } from "../router.ts";
import { commitStep } from "./commit.ts";
import { readLines } from "./read-part.ts";
import { type Import, beginImport, discardImport, openManifest, readImport, toImportInfo } from "./staging.ts";

export const importProfile = createRouter();

const PartParams = z.object({ part: Sha256 });
const BYTES = { "application/octet-stream": { schema: z.string().meta({ format: "binary" }) } };

importProfile.openapi(
  createRoute({
    method: "post",
    path: "/v1/import",
    operationId: "beginImport",
    ...refuses(
      "archive_forged",
      "archive_invalid",
      "archive_version",
      "import_running",
      "profile_not_empty",
      "sealing_key_missing",
      "profile_gone",
    ),
    scope: "admin",
    description:
      "Begins the import of a whole profile into this one, which must be empty, or continues the same import. An archive that a trusted " +
      "deployment has signed arrives as it was. Any other arrives as a person's import does: skills on trial and without evidence, " +
      "facts and sessions as content.",
    request: { body: jsonBody(SealedManifest) },
    responses: describeResponses(200, "The import", ImportInfo),
  }),
  async (c) => {
    const sealed = c.req.valid("json");
    const { trusted } = unwrap(await openManifest(c.env, sealed));
    unwrap(await beginImport(c.env, c.var.profile, { text: sealed.manifest, trusted }));
    return c.json(await toImportInfo(c.env, c.var.profile, await openImport(c.env, c.var.profile)), 200);
  },
);

importProfile.openapi(
  createRoute({
    method: "get",
    path: "/v1/import",
    operationId: "readImport",
    ...refuses("import_not_found"),
    scope: "admin",
    description: "The import of this profile: how far it is, and what it brought.",
    responses: describeResponses(200, "The import", ImportInfo),
  }),
  async (c) => c.json(await toImportInfo(c.env, c.var.profile, await openImport(c.env, c.var.profile)), 200),
);

importProfile.openapi(
  createRoute({
    method: "put",
    path: "/v1/import/parts/{part}",
    operationId: "putImportPart",
    ...refuses("bad_part_id", "import_not_found", "part_unknown", "part_damaged", "archive_invalid", "archive_foreign"),
    scope: "admin",
    description:
      "Uploads a part of the archive, named by its SHA-256. A part that may not travel ends the import: nothing is left of it.",
    request: { params: PartParams, body: { required: true, content: BYTES } },
    responses: { 204: { description: "Stored" }, default: PROBLEM_RESPONSE },
  }),
  async (c) => {
    const { part: sha256 } = c.req.valid("param");
    const { profile } = c.var;
    const { stored, manifest } = await openImport(c.env, profile);
    const part = manifest.parts.find((one) => one.sha256 === sha256);
    if (!part) throw new AppError("part_unknown", "The manifest of this import names no part of that SHA-256.");
    // Written already, and checked before.
    if (stored.phase !== "staged") return c.body(null, 204);
    const bytes = new Uint8Array(await c.req.arrayBuffer());
    if (bytes.length !== part.bytes || sha256Hex(bytes) !== sha256) {
      throw new AppError(
        "part_damaged",
        "The part has another size or SHA-256 than its name. Send it again, or export the profile again.",
      );
    }
    const lines = readLines(new TextDecoder().decode(bytes), part, manifest, profile);
    if (!lines.ok) {
      await discardImport(c.env, profile);
      unwrap(lines);
    }
    await toBucket(c.env.SKILLS).put(keyOf("importPart", { profile, sha256 }), bytes);
    return c.body(null, 204);
  },
);

importProfile.openapi(
  createRoute({
    method: "post",
    path: "/v1/import/commit",
    operationId: "commitImport",
    ...refuses(
      "import_not_found",
      "import_incomplete",
      "import_running",
      "profile_not_empty",
      "archive_invalid",
      "archive_foreign",
      "archive_version",
      "profile_gone",
    ),
    scope: "admin",
    description:
      "Carries out one step of the import, once all parts are there. Send the `next` of each answer as `from` until there is none.",
    request: { body: jsonBody(CommitImport) },
    responses: describeResponses(200, "The step", CommittedImport),
  }),
  async (c) => {
    const { from } = c.req.valid("json");
    const found = await openImport(c.env, c.var.profile);
    return c.json(unwrap(await commitStep(c.env, c.var.profile, found, from)), 200);
  },
);

importProfile.openapi(
  createRoute({
    method: "delete",
    path: "/v1/import",
    operationId: "discardImport",
    ...refuses("import_not_found", "import_running"),
    scope: "admin",
    description:
      "Discards what was uploaded. An import that has begun to write can only be finished, or its profile deleted.",
    responses: { 204: { description: "Discarded" }, default: PROBLEM_RESPONSE },
  }),
  async (c) => {
    const { stored } = await openImport(c.env, c.var.profile);
    if (stored.phase === "writing") {
      throw new AppError(
        "import_running",
        "The import has begun to write. Finish it (POST /v1/import/commit), or delete the profile.",
      );
    }
    await discardImport(c.env, c.var.profile);
    return c.body(null, 204);
  },
);

async function openImport(env: Env, profile: ProfileId): Promise<Import> {
  const found = await readImport(env, profile);
  if (found) return found;
  throw new AppError("import_not_found", "There is no import of this profile. Begin one (POST /v1/import).");
}
