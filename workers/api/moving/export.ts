// A whole profile out: the routes that send it in parts and sign the manifest over them. The client keeps the parts, so a request that is
// repeated, or an export that goes on after a crash of either side, costs one part.
import { createRoute } from "@hono/zod-openapi";
import * as z from "zod";
import { BegunExport, ExportId, SealExport, SealedManifest } from "../../../core/schemas/moving/manifest.ts";
import { type Deployment, openDeployment } from "../../../wiring/deployment.ts";
import type { Env } from "../env.ts";
import { AppError, unwrap } from "../problems.ts";
import { PROBLEM_RESPONSE, createRouter, describeResponses, jsonBody, refuses } from "../router.ts";
import { EXPORT_START, readPart } from "./export-page.ts";
import { formatPlace, parsePlace, signReceipt, toManifest } from "./receipts.ts";

export const exportProfile = createRouter();

/** [cf] Characters of one address; a place has far fewer. */
const MAX_PLACE_CHARS = 4_000;
const ID_CHARS = 26;
const ALPHABET = "0123456789abcdefghijklmnopqrstuv";

const ExportParams = z.object({ export: ExportId });

exportProfile.openapi(
  createRoute({
    method: "post",
    path: "/v1/export",
    operationId: "beginExport",
    ...refuses("sealing_key_missing"),
    scope: "admin",
    description:
      "Begins an export of the whole profile: skills, memory, sessions with their files, settings, usage. No keys and no secrets. " +
      "Nothing is stored. `deployment` is the id that another operator may trust.",
    responses: describeResponses(200, "The export", BegunExport),
  }),
  async (c) => {
    const deployment = await openSigner(c.env);
    const random = crypto.getRandomValues(new Uint8Array(ID_CHARS));
    const id = `exp_${Array.from(random, (byte) => ALPHABET[byte & 31]).join("")}`;
    return c.json({ export: id, deployment: deployment.id }, 200);
  },
);

exportProfile.openapi(
  createRoute({
    method: "get",
    path: "/v1/export/{export}/part",
    operationId: "readExportPart",
    ...refuses("bad_export_id", "session_changing", "sealing_key_missing", "profile_gone"),
    scope: "admin",
    description:
      "One part, as JSON lines; it may be empty. The header `talaria-next` is the `from` of the next part, absent after the last one; " +
      "`talaria-receipt` is what the manifest is made of. `session_changing`: a session was used while it was read in several parts; " +
      "ask again from the part in which it began.",
    request: {
      params: ExportParams,
      query: z.strictObject({
        from: z.string().max(MAX_PLACE_CHARS).optional().meta({ description: "Absent: the first part" }),
      }),
    },
    responses: {
      200: {
        description: "The part",
        content: { "application/octet-stream": { schema: z.string().meta({ format: "binary" }) } },
      },
      default: PROBLEM_RESPONSE,
    },
  }),
  async (c) => {
    const { export: id } = c.req.valid("param");
    const { from = "" } = c.req.valid("query");
    const place = from === "" ? EXPORT_START : parsePlace(from);
    if (!place)
      throw new AppError("query_invalid", "`from` is not the place of a part. Send `talaria-next` of the part before.");
    const deployment = await openSigner(c.env);
    const part = unwrap(await readPart(c.env, c.var.profile, place));
    const body = part.lines.map((line) => `${line}\n`).join("");
    const receipt = await signReceipt(deployment, part, { body, from, export: id, profile: c.var.profile });
    const next = formatPlace(part.next);
    return new Response(body, {
      headers: {
        "content-type": "application/octet-stream",
        "talaria-receipt": receipt,
        ...(next !== "" && { "talaria-next": next }),
      },
    });
  },
);

exportProfile.openapi(
  createRoute({
    method: "post",
    path: "/v1/export/{export}/manifest",
    operationId: "sealExport",
    ...refuses("bad_export_id", "export_incomplete", "sealing_key_missing"),
    scope: "admin",
    description: "Signs the manifest over all parts of the export, whose receipts are sent in their order.",
    request: { params: ExportParams, body: jsonBody(SealExport) },
    responses: describeResponses(200, "The manifest", SealedManifest),
  }),
  async (c) => {
    const { export: id } = c.req.valid("param");
    const { receipts } = c.req.valid("json");
    const deployment = await openSigner(c.env);
    const of = { export: id, profile: c.var.profile, at: Date.now() };
    const manifest = JSON.stringify(unwrap(await toManifest(deployment, receipts, of)));
    return c.json({ manifest, deployment: deployment.id, signature: await deployment.sign(manifest) }, 200);
  },
);

export async function openSigner(env: Env): Promise<Deployment> {
  return unwrap(await openDeployment(env));
}
